"""One program for each operator of torch's test database, and the accuracy of the matcher on its lowering.

The database (`op_db`) has sample inputs for every operator. Each becomes a program of one call, which is
lowered to edge and to ExecuTorch; the matcher sees both without lineage, which is the ground truth. Programs
that torch or ExecuTorch refuses are left out.
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

import exir_viz
from exir_viz.compare.align.matcher import PASSES
from exir_viz.snapshot.lineage import EXACT, links_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.stages.stage import Stage

from .score import Score, count, paired
from .truth import Truth, hidden

if TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo


class Result(NamedTuple):
    """An operator, the score of its program, and the pairs that are wrong or missing, as text."""

    name: str
    score: Score
    mismatches: tuple[str, ...]


def operators() -> dict[str, OpInfo]:
    """The operators of the database by name, including named variants."""
    from torch.testing._internal.common_methods_invocations import op_db  # takes a second

    return {f"{op.name}{f'.{op.variant_test_name}' if op.variant_test_name else ''}": op for op in op_db}


def result(name: str, op: OpInfo) -> Result | None:
    """The accuracy on edge → ExecuTorch of one operator; None if no sample of it can be lowered."""
    stage = _lowered(op)
    return None if stage is None else judged(name, stage)


def judged(name: str, stage: Stage) -> Result:
    """The matcher on a stage and its parent, measured against the stage's exact links."""
    assert stage.parent is not None
    assert stage.lineage is not None
    a, b = stage.parent.snapshot, stage.snapshot
    before, after = Numbering(a), Numbering(b)
    calls = {
        (i, j)
        for j, i, evidence in links_of(stage.lineage)
        if evidence in EXACT and before.node(i).op == after.node(j).op == "call_function"
    }
    truth = Truth(hidden(a), hidden(b), frozenset(calls))
    pairing = paired(truth, PASSES)
    found = {
        (i, j): evidence for i, j, evidence in pairing.links if pairing.a.calls[i] and pairing.b.calls[j]
    }

    def said(i: int, j: int) -> str:
        return f"{before.node(i).name} → {after.node(j).name}"

    wrong = [f"wrong: {said(*pair)}, by {found[pair].value}" for pair in sorted(found.keys() - calls)]
    missing = [f"missing: {said(*pair)}" for pair in sorted(calls - found.keys())]
    return Result(name, count(pairing, truth), (*wrong, *missing))


def total(results: list[Result]) -> tuple[float, float, int]:
    """Precision, recall, and how many pairs are true, over all of them."""
    found, right, true = (
        sum(getattr(one.score, field) for one in results) for field in ("found", "right", "true")
    )
    return right / max(found, 1), right / max(true, 1), true


class _Call(torch.nn.Module):
    def __init__(self, op: Callable[..., object], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        super().__init__()
        self._op, self._args, self._kwargs = op, args, kwargs

    def forward(self, x: Any) -> object:
        found = self._op(x, *self._args, **self._kwargs)
        return tuple(found) if isinstance(found, tuple) else found  # ExecuTorch has no named tuples


def _lowered(op: OpInfo) -> Stage | None:
    """The stage `executorch` of the operator's first sample; None if torch or ExecuTorch refuses it."""
    torch.manual_seed(0)
    with _quiet(), contextlib.suppress(Exception):  # both may raise anything
        sample = next(iter(op.sample_inputs("cpu", torch.float32)))
        call = _Call(op.op, sample.args, sample.kwargs)
        return exir_viz.Session(torch.export.export(call, (sample.input,))).edge().executorch()
    return None


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
