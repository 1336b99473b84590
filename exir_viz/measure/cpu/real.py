"""Check that tensors have values to compute with: fake tensors and those on the meta device have none.

They would run too, but their time would not be that of the ops.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from exir_viz.errors import MeasureError
from exir_viz.torch_internals.fake_values import is_fake, is_in_fake_mode


def without_values(value: Any) -> str:
    """Why a tensor has no values: "a fake tensor", "a tensor on the meta device"; "" if it has."""
    if is_fake(value):
        return "a fake tensor"
    is_meta = isinstance(value, torch.Tensor) and value.device.type == "meta"
    return "a tensor on the meta device" if is_meta else ""


def are_real(values: Iterable[Any]) -> bool:
    """Whether all of them have values."""
    return not any(map(without_values, values))


def check_state(program: ExportedProgram) -> None:
    """Raise MeasureError if weights, buffers or constants have no values, or cannot be created now."""
    if is_in_fake_mode():
        raise MeasureError("Called in a FakeTensorMode, which computes nothing. Call it outside.")
    state = {**program.constants, **program.state_dict}
    specs = (spec for spec in program.graph_signature.input_specs if spec.kind is not InputKind.USER_INPUT)
    named = {str(spec.target): without_values(state.get(spec.target)) for spec in specs}
    absent = {name: why for name, why in named.items() if why}
    if absent:
        name, why = next(iter(absent.items()))
        more = f", and so are {len(absent) - 1} more" if len(absent) > 1 else ""
        raise MeasureError(
            f"{name} is {why}{more}: the program has no values to compute with. Export a module with real "
            f"weights, outside of FakeTensorMode and on the CPU, or set program.state_dict[{name!r}] = …",
            expected="a real tensor", given=why,
        )  # fmt: skip
