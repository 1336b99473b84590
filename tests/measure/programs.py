"""What tests of measuring share: programs at each stage, their state, a comparison with its tolerance."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.measure.profile import Profile
from tests.corpus import lowered
from tests.corpus.programs import core, exported

for noisy in ("torchao", "torch.utils._pytree"):
    logging.getLogger(noisy).setLevel(logging.ERROR)

# How far a value may be from eager torch's, as a share of the largest magnitude in it: other kernels add in
# another order. `python -m tests.measure.numbers` prints how far each program is.
TOLERANCE = 1e-5


def edge(name: str) -> ExportedProgram:
    return lowered.edge(name).exported_program()


@functools.cache
def delegated(name: str) -> Any:
    """The program with all that XNNPACK takes in delegates: an EdgeProgramManager."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    return to_edge_transform_and_lower(exported(name), partitioner=[XnnpackPartitioner()])


STAGES: dict[str, Callable[[str], ExportedProgram]] = {"aten": exported, "core": core, "edge": edge}


def state(program: ExportedProgram) -> dict[str, Any]:
    """A copy of all state of a program."""
    held = {**program.state_dict, **program.constants}
    return {name: one.clone() if isinstance(one, torch.Tensor) else one for name, one in held.items()}


def codes(profile: Profile) -> list[str]:
    """What it remarks of the program; how busy the machine was, and runs unlike others, are not its own."""
    return [remark.code for remark in profile.remarks if remark.code not in ("busy", "varied")]


def assert_same(mine: Any, theirs: Any, tolerance: float = TOLERANCE) -> None:
    """Two values are the same: tensors within a share of the largest magnitude, all else exactly."""
    if not isinstance(theirs, torch.Tensor):
        assert mine == theirs
        return
    inexact = theirs.is_floating_point() or theirs.is_complex()
    finite = theirs.detach()[torch.isfinite(theirs)].abs() if inexact else theirs.new_empty(0)
    largest = float(finite.max()) if finite.numel() else 0.0
    torch.testing.assert_close(mine, theirs, rtol=0, atol=tolerance * largest, equal_nan=True)
