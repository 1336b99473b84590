"""python -m tests.stages.howfar [NAME …]: how far each program goes, as Markdown.

Of exportdb, the concepts and the corpus; every step is done in a session of its own, as a user does it, and
what fails there is done again with plain torch and ExecuTorch. What was found is kept in
`.cache/howfar.jsonl`, so that a run that was stopped goes on; `--fresh` begins anew. Exit code 1 where
something is our mistake, and that must never be: an error that is not torch's or ExecuTorch's, a step that
writes to the console, a failure that names no node or no remedy. Such a program is tried again.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge, to_edge_transform_and_lower
from torch._dynamo import reset
from torch.export import ExportedProgram, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from exir_viz.stages import step as steps
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import Failure
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps.quantize import NothingQuantized
from tests.console import console_lines
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import LARGE, ROOT, SMALL, exportdb, exported, fresh
from tests.stages.failing import outcome

KEPT = ROOT / ".cache" / "howfar.jsonl"
OURS = str(ROOT / "exir_viz")

# Each step and the stage that it is done to; "XNNPACK" and what follows from it begin with ATen.
Step = tuple[str, Callable[[Stage], Stage]]
STEPS: dict[str, Step] = {
    "functional": ("export", lambda stage: stage.decompose("functional")),
    "core": ("export", lambda stage: stage.decompose("core")),
    "edge": ("export", lambda stage: stage.edge()),
    "executorch": ("edge", lambda stage: stage.executorch()),
    "XNNPACK": ("export", lambda stage: stage.backend("xnnpack")),
    "XNNPACK, executorch": ("XNNPACK", lambda stage: stage.executorch()),
    "quantized": ("export", lambda stage: stage.quantize()),
    "quantized, XNNPACK": ("quantized", lambda stage: stage.backend("xnnpack")),
    "re-exported": ("export", lambda stage: stage.reexport()),
}
# The same without exir_viz.
PLAIN: dict[str, Callable[[ExportedProgram], Any]] = {
    "functional": lambda program: program.run_decompositions({}),
    "core": lambda program: program.run_decompositions(),
    "edge": to_edge,
    "executorch": lambda program: to_edge(program).to_executorch(),
    "XNNPACK": lambda program: _delegated(program),  # noqa: PLW0108  # defined below
    "XNNPACK, executorch": lambda program: _delegated(program).to_executorch(),
    "quantized": lambda program: _quantized(program),  # noqa: PLW0108  # defined below
    "quantized, XNNPACK": lambda program: _delegated(_quantized(program)),
    "re-exported": lambda program: _exported_again(program.module(), program),
}
# Failures that no node causes: they are of the whole program.
OF_THE_WHOLE = frozenset({NothingQuantized.__name__})
DONE, NOT_TRIED = "✓", "·"
# A symbol's number changes with what was exported before.
_SYMBOL = re.compile(r"\b([usz])\d+\b")
# Where things lie on this machine is nobody else's.
_FOLDERS = re.compile(r"(?<=[\s'\"(])/[^\s'\"]*/(?=[^\s'\"/])")
Row = dict[str, str]


@dataclass(frozen=True)
class Found:
    """Of one program: what came of each step ("✓", or why not), and the mistakes that are our own."""

    row: Row
    ours: tuple[str, ...]


def how_far(name: str, tried: Mapping[str, Step] = STEPS) -> Found:
    """Do each step in a session of its own, and what fails there with plain torch and ExecuTorch too."""
    try:
        fresh(name)
    except Exception as error:  # noqa: BLE001  # torch raises what it likes
        return Found({"export": _said(type(error).__name__, str(error))}, ())
    row = {"export": DONE}
    with _watch() as ours:
        for step, (start, _) in tried.items():
            row[step] = _done(name, step, tried, ours) if row[start] == DONE else NOT_TRIED
            if row[step] not in (DONE, NOT_TRIED) and not _fails_plainly(name, step):
                ours.append(f"{step}: plain torch and ExecuTorch do it")
    exported.cache_clear()
    return Found(row, tuple(ours))


def _done(name: str, step: str, tried: Mapping[str, Step], ours: list[str]) -> str:
    reset()
    program = fresh(name)
    try:
        with console_lines() as written:
            stage = _stage(program, step, tried)
    except NotPossible as refused:
        return _said("NotPossible", str(refused))
    except Exception as error:  # noqa: BLE001  # a step raises StepFailed only: all else is a mistake
        ours.append(f"{step} raised {type(error).__name__}: {error}")
        return _said(type(error).__name__, str(error))
    finally:
        if written:
            ours.append(f"{step} wrote {len(written)} lines to the console: {written[0]}")
    ours += [f"{step}: {one.text}" for one in stage.step.notices if one.code == "lineage"]
    if stage.failure is None:
        return DONE
    ours += [f"{step} failed without {lack}" for lack in lacks(stage.failure)]
    return _said(stage.failure.type, stage.failure.reason)


def _stage(program: ExportedProgram, step: str, tried: Mapping[str, Step]) -> Stage:
    """The stage that a step gives, in a session in which nothing else was done."""
    if step == "export":
        return Session(program, name="export").root
    start, run = tried[step]
    return outcome(run, _stage(program, start, tried))


def lacks(failure: Failure) -> Iterator[str]:
    """What a user misses in a failure: where it happened, and what to do."""
    if failure.type not in OF_THE_WHOLE and not any(one.node or one.frame for one in failure.findings):
        yield "a node or a line"
    if not failure.fixes and not any(one.remedy for one in failure.findings):
        yield "a remedy"


def _fails_plainly(name: str, step: str) -> bool:
    """Does the step fail without exir_viz?"""
    reset()
    try:
        PLAIN[step](fresh(name))
    except Exception:  # noqa: BLE001  # torch and ExecuTorch raise what they like
        return True
    return False


@contextmanager
def _watch() -> Iterator[list[str]]:
    """Notes every error of a failure that our code raised, but for those it raises on purpose."""
    found: list[str] = []
    told = steps._failure

    def failure(spec: Any, error: Exception, live: Any, options: Any) -> Any:
        last = traceback.extract_tb(error.__traceback__)[-1]
        deliberate = type(error).__module__.startswith("exir_viz")
        if last.filename.startswith(OURS) and not deliberate:
            file = Path(last.filename).relative_to(ROOT)
            found.append(f"{spec.title}: {type(error).__name__}: {error} ({file}:{last.lineno})")
        return told(spec, error, live, options)

    steps._failure = failure
    try:
        yield found
    finally:
        steps._failure = told


def _said(kind: str, text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return f"{kind}: " + _FOLDERS.sub("", _SYMBOL.sub(r"\1…", lines[0]))


def _delegated(program: ExportedProgram) -> Any:
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


def _quantized(program: ExportedProgram) -> ExportedProgram:
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(program.module(), quantizer)
    if not any(node.meta.get("quantization_annotation") for node in prepared.graph.nodes):
        raise NothingQuantized
    args, kwargs = program.example_inputs
    prepared(*args, **kwargs)
    return _exported_again(convert_pt2e(prepared), program)


def _exported_again(module: torch.nn.Module, program: ExportedProgram) -> ExportedProgram:
    args, kwargs = program.example_inputs
    return export(module, args, kwargs)


def names() -> Iterator[tuple[str, str]]:
    """Groups and programs, small ones first."""
    yield from (("exportdb", f"db:{name}") for name in sorted(exportdb()))
    yield from (("concepts of the IR", name) for name in sorted(CONCEPTS))
    yield from (("corpus", name) for name in (*SMALL, *reversed(LARGE)))


def markdown(rows: dict[str, Row], groups: Iterable[tuple[str, str]]) -> str:
    """A table for each group, and the reasons beneath it, each once."""
    head = ["program", "export", *STEPS]
    lines: list[str] = []
    title = ""
    reasons: dict[str, int] = {}
    for group, name in groups:
        if name not in rows:
            continue
        if group != title:
            title = group
            lines += ["", f"### {title}", "", _line(head), _line(["---"] * len(head))]
        cells = [_cell(rows[name].get(step, NOT_TRIED), reasons) for step in head[1:]]
        lines.append(_line([f"`{name.removeprefix('db:')}`", *cells]))
    lines += ["", "### Where they stop", ""]
    lines += [f"{number}. {_escaped(text)}" for text, number in reasons.items()]
    return "\n".join(lines).strip() + "\n"


def _cell(text: str, reasons: dict[str, int]) -> str:
    if text in (DONE, NOT_TRIED):
        return text
    return f"({reasons.setdefault(text, len(reasons) + 1)})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    kind, _, said = text.partition(": ")
    return f"`{kind}`: " + said.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace(
        "_", "\\_"
    )


def _kept(file: Path) -> dict[str, Found]:
    if not file.exists():
        return {}
    entries = (json.loads(line) for line in file.read_text().splitlines())
    return {one["name"]: Found(one["row"], tuple(one["ours"])) for one in entries if "ours" in one}


def main(asked: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stages.howfar", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none")
    parser.add_argument("--fresh", action="store_true", help="forget what was found before")
    arguments = parser.parse_args(asked)
    warnings.filterwarnings("ignore")
    if arguments.fresh:
        KEPT.unlink(missing_ok=True)
    KEPT.parent.mkdir(exist_ok=True)
    groups = [one for one in names() if not arguments.names or one[1] in arguments.names]
    found = _kept(KEPT)
    for _, name in groups:
        if name in found and not found[name].ours:
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        with torch.no_grad():
            found[name] = how_far(name)
        with KEPT.open("a") as file:
            file.write(json.dumps({"name": name, **asdict(found[name])}, ensure_ascii=False) + "\n")
    print(markdown({name: one.row for name, one in found.items()}, groups), end="")
    ours = [(name, text) for _, name in groups for text in found[name].ours]
    for name, text in ours:
        print(f"ours: {name}: {text}", file=sys.stderr)
    return int(bool(ours))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
