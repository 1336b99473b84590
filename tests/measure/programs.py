"""What tests of measuring share: programs at each stage, what eager torch makes of them, a comparison."""

from __future__ import annotations

import copy
import functools
import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from exir_viz.measure.cpu.program import CpuProgram
from tests.corpus.programs import core, exported

for noisy in ("torchao", "torch.utils._pytree"):
    logging.getLogger(noisy).setLevel(logging.ERROR)

# Other kernels add in another order; what is compared is the whole program's output.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}


@functools.cache
def edge(name: str) -> ExportedProgram:
    from executorch.exir import to_edge

    return to_edge(exported(name)).exported_program()


@functools.cache
def delegated(name: str) -> Any:
    """The program with all that XNNPACK takes in delegates: an EdgeProgramManager."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    return to_edge_transform_and_lower(exported(name), partitioner=[XnnpackPartitioner()])


STAGES: dict[str, Callable[[str], ExportedProgram]] = {"aten": exported, "core": core, "edge": edge}


@functools.cache
def eager(name: str) -> tuple[Any, ...]:
    """What the program's own module returns for its example inputs, flat; on copies of all it writes to."""
    program = exported(name)
    args, kwargs = copy.deepcopy(program.example_inputs)
    torch.manual_seed(0)
    with torch.no_grad():
        return tuple(pytree.tree_leaves(copy.deepcopy(program).module(check_guards=False)(*args, **kwargs)))


def ours(program: ExportedProgram, like: ExportedProgram | None = None) -> list[Any]:
    """The user's outputs, as our executor computes them for the example inputs of it, or of another."""
    prepared = CpuProgram(program)
    args, kwargs = (like or program).example_inputs
    values = prepared.inputs(args, kwargs, None).values
    torch.manual_seed(0)
    outputs = prepared.run(values)
    kinds = (spec.kind.name for spec in program.graph_signature.output_specs)
    return [out for out, kind in zip(outputs, kinds, strict=True) if kind == "USER_OUTPUT"]


def state(program: ExportedProgram) -> dict[str, Any]:
    """A copy of all state of a program."""
    held = {**program.state_dict, **program.constants}
    return {name: one.clone() if isinstance(one, torch.Tensor) else one for name, one in held.items()}


def assert_same(mine: Any, theirs: Any, **tolerance: float) -> None:
    """Two values are the same: tensors within a tolerance, all else exactly."""
    if isinstance(theirs, torch.Tensor):
        torch.testing.assert_close(mine, theirs, equal_nan=True, **(tolerance or TOLERANCE))
    else:
        assert mine == theirs
