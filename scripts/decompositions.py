"""Write exir_viz/compare/align/decompositions.json: what torch's decompositions make of each operator.

python scripts/decompositions.py: exports the sample inputs of torch's operator database, decomposes them to
Core ATen, and notes for each op the sequences of ops that its calls became, the most frequent first. An empty
sequence says that the call vanished. Ops are named without what depends on the dialect (`op_in_any_dialect`,
`family`). `python scripts/decompositions.py NAME …` prints the sequences of these operators alone.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import logging
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

import exir_viz
from exir_viz.compare.normalize.side import family, op_in_any_dialect

PATH = Path(__file__).parents[1] / "exir_viz" / "compare" / "align" / "decompositions.json"
# Of the samples of an operator so many are tried, spread over so many of the first ones.
_TRIED, _FIRST = 8, 64
# Of these so many are tried with other strides too: a decomposition copies what it cannot view.
_TRANSPOSED = 4
# A sequence that is rarer than the most frequent one by more than this is an artifact of the sample programs.
_RARE = 50
# An op that became more calls than this is aligned by what is around it alone.
_LONGEST = 64

Sequences = dict[str, Counter[tuple[str, ...]]]


class _Calls(torch.nn.Module):
    """One operator, called once for each sample; tensors among the inputs are inputs of the program."""

    def __init__(self, op: Any, samples: list[Any]) -> None:
        super().__init__()
        self._op, self._rest = op, [(sample.args, sample.kwargs) for sample in samples]

    def forward(self, *inputs: Any) -> list[Any]:
        calls = zip(inputs, self._rest, strict=True)
        return [_plain(self._op(x, *args, **kwargs)) for x, (args, kwargs) in calls]


def sequences(ops: Iterable[OpInfo]) -> Sequences:
    """By op: the sequences of ops that its calls became, with how often each was seen."""
    found: Sequences = defaultdict(Counter)
    for op in ops:
        for name, became in _of_operator(op):
            found[name][became] += 1
    return found


def _of_operator(op: OpInfo) -> list[tuple[str, tuple[str, ...]]]:
    """What was seen; each sample by itself where torch refuses one of them."""
    torch.manual_seed(0)
    with _quiet(), contextlib.suppress(Exception):  # samples raise what they like
        samples: list[Any] = list(itertools.islice(_samples(op), _FIRST))
        samples = samples[:: -(-len(samples) // _TRIED)]
        samples += [sample.transform(_transposed) for sample in samples[:_TRANSPOSED]]
        with contextlib.suppress(Exception):
            return list(_of_samples(op, samples))
        found = []
        for sample in samples:
            with contextlib.suppress(Exception):
                found += list(_of_samples(op, [sample]))
        return found
    return []


def _samples(op: Any) -> Iterator[Any]:
    yield from op.sample_inputs("cpu", torch.float32)


def _of_samples(op: OpInfo, samples: list[Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    inputs = tuple(sample.input for sample in samples)
    before = torch.export.export(_Calls(op.op, samples), inputs)
    after = before.run_decompositions()
    a, b = (exir_viz.load(program).method.graph for program in (before, after))
    became: dict[int, list[int]] = defaultdict(list)
    names = {node.name: node.position for node in a}
    for at, node in enumerate(after.graph.nodes):
        for source in _sources(node.meta.get("from_node")):
            if source.graph_id == id(before.graph) and source.name in names:
                became[names[source.name]].append(at)
    for node in a:
        if node.op == "call_function" and node.target.name != "getitem":
            calls = [b[at] for at in became[node.position] if b[at].op == "call_function"]
            made = tuple(family(one.target) for one in calls if one.target.name != "getitem")
            if len(made) <= _LONGEST and node.users:
                yield op_in_any_dialect(node.target), made


def _sources(sources: Iterable[Any] | None) -> Iterator[Any]:
    for source in sources or ():
        yield source
        yield from _sources(source.from_node)


def _transposed(value: Any) -> Any:
    """A tensor with the last two dimensions exchanged in memory."""
    is_matrix = isinstance(value, torch.Tensor) and value.dim() > 1
    return value.transpose(-1, -2).contiguous().transpose(-1, -2) if is_matrix else value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _written(found: Sequences) -> str:
    """JSON with an operator a line; an op that only stays itself is left out."""
    lines = []
    for name in sorted(found):
        most = found[name].most_common(1)[0][1]
        texts = [" ".join(made) for made, count in found[name].most_common() if count * _RARE >= most]
        if texts != [name]:
            lines.append(f"{json.dumps(name)}: {json.dumps(texts)}")
    head = json.dumps({"torch": version("torch").partition("+")[0]})
    return f'{{\n"versions": {head},\n"ops": {{\n' + ",\n".join(lines) + "\n}\n}\n"


if __name__ == "__main__":
    wanted = sys.argv[1:]
    chosen = [op for op in op_db if not wanted or op.name in wanted]
    text = _written(sequences(chosen))
    if wanted:
        print(text)
    else:
        PATH.write_text(text, "utf-8")
