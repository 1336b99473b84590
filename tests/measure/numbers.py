"""python -m tests.measure.numbers [NAME …]: what our executor computes beside the eager model, by program.

A row a program and stage: how many values were compared (outputs, and buffers as they are after the run), the
largest difference, the same as a share of the largest magnitude, and whether all are within the share that
the tests hold. Eager is the user's own module where the corpus has it, else `ep.module()`.
"""

from __future__ import annotations

import copy
import logging
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.timing import Timer
from exir_viz.measure.distance import Tolerance, leaves, numbers
from tests.bench.timing import table
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import LARGE, SMALL, case, exportdb, exported
from tests.measure.programs import STAGES, TOLERANCE, assert_same
from tests.readers.test_lowered import NOT_TO_EDGE

# `ep.module()` cannot be made of a joint graph; a test of its own compares it with autograd.
NOT_EAGER = ("joint_graph",)


class Handed(NamedTuple):
    """What a run hands back: outputs in order, and buffers that it wrote to, by name."""

    outputs: list[Any]
    buffers: dict[str, torch.Tensor]


def programs() -> list[str]:
    """Every program of the corpus and of exportdb that has an eager counterpart."""
    found = (*CONCEPTS, *SMALL, *(f"db:{name}" for name in exportdb()), *LARGE)
    return [name for name in found if name not in NOT_EAGER]


def stages(name: str) -> list[str]:
    """The stages that the program can be taken to."""
    return [stage for stage in STAGES if stage != "edge" or name not in NOT_TO_EDGE]


def eager_of(name: str) -> tuple[str, Handed]:
    """What runs eagerly, in a word, and what it hands back for the example inputs; on copies of all."""
    program = exported(name)
    args, kwargs = copy.deepcopy(program.example_inputs)
    said, module = "the model", _model(name)
    if module is None:
        said, module = "ep.module()", copy.deepcopy(program).module(check_guards=False)
    torch.manual_seed(0)
    with torch.no_grad():
        outputs = pytree.tree_leaves(module(*args, **kwargs))
    return said, Handed(outputs, dict(module.named_buffers()))


def _model(name: str) -> torch.nn.Module | None:
    """The user's module, made a second time as the program's was; None where the corpus keeps none."""
    if name.startswith("db:"):
        return copy.deepcopy(exportdb()[name.removeprefix("db:")].model)
    if name not in LARGE:
        return None
    return case(name).model


def handed_by_us(program: ExportedProgram, like: ExportedProgram) -> Handed:
    """What our executor hands back for the example inputs of `like`."""
    prepared = CpuProgram(program)
    args, kwargs = like.example_inputs
    values = prepared.state.values(prepared.inputs(args, kwargs, None).values)
    torch.manual_seed(0)
    with torch.no_grad():
        outputs = prepared.once(Timer(len(prepared.planner.nodes)), values)
    signature = program.graph_signature
    pairs = [*zip(signature.output_specs, outputs, strict=True)]
    buffers = {
        str(spec.target): value
        for spec, value in zip(signature.input_specs, values, strict=True)
        if spec.kind is InputKind.BUFFER
    }
    buffers |= {str(spec.target): value for spec, value in pairs if spec.kind is OutputKind.BUFFER_MUTATION}
    return Handed([value for spec, value in pairs if spec.kind is OutputKind.USER_OUTPUT], buffers)


def assert_equal(mine: Handed, theirs: Handed) -> None:
    """All that both hand back is the same, within the tolerance."""
    assert len(mine.outputs) == len(theirs.outputs)
    for one, other in _pairs(mine, theirs):
        assert_same(one, other)


def _pairs(mine: Handed, theirs: Handed) -> Iterator[tuple[Any, Any]]:
    yield from zip(mine.outputs, theirs.outputs, strict=True)
    for name, buffer in mine.buffers.items():
        if name in theirs.buffers:
            yield buffer, theirs.buffers[name]


def main(names: Sequence[str]) -> int:
    """Print the table; 1 where some program is not equal."""
    rows: list[list[str]] = []
    for name in names or programs():
        said, theirs = eager_of(name)
        for stage in stages(name):
            program = STAGES[stage](name)
            rows.append([name, stage, said, *_row(handed_by_us(program, exported(name)), theirs)])
            print(".", end="", file=sys.stderr, flush=True)
    head = ("program", "stage", "beside", "values", "largest difference", "relative", "equal")
    table(
        f"our executor beside eager torch; equal: within {TOLERANCE:.0e} of the largest magnitude", head, rows
    )
    unequal = [row for row in rows if row[-1] != "yes"]
    print(f"\n{len(rows)} runs (a program at a stage), {len(unequal)} not equal")
    return 1 if unequal else 0


def _row(mine: Handed, theirs: Handed) -> list[str]:
    pairs = [*_pairs(mine, theirs)]
    found = [numbers(leaves(other), leaves(one), Tolerance(TOLERANCE, 0.0)) for one, other in pairs]
    try:
        assert_equal(mine, theirs)
        verdict = "yes"
    except AssertionError:
        verdict = "NO"
    largest = max((one.max_abs for one in found), default=0.0)
    relative = max((one.relative or 0.0 for one in found), default=0.0)
    return [str(len(pairs)), f"{largest:.1e}", f"{relative:.1e}", verdict]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    sys.exit(main(sys.argv[1:]))
