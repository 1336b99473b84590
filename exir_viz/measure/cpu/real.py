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
from exir_viz.torch_internals.pytrees import pytree


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
    """Raise MeasureError if weights, buffers or constants have no values, or cannot be created now, or if the
    program is on another device.
    """
    if is_in_fake_mode():
        raise MeasureError("Called in a FakeTensorMode, which computes nothing. Call it outside.")
    device = _other_device(program)
    if device is not None:
        raise MeasureError(
            f"This program is on {device}, and it can only be run on the CPU here. Move it: "
            "torch.export.passes.move_to_device_pass(program, 'cpu')",
            expected="cpu", given=str(device),
        )  # fmt: skip
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


def _other_device(program: ExportedProgram) -> torch.device | None:
    """The first device in a program that is neither the CPU nor the meta device."""
    values = (leaf for node in program.graph.nodes for leaf in pytree.tree_leaves(node.meta.get("val")))
    devices = (one.device for one in values if isinstance(one, torch.Tensor))
    return next((device for device in devices if device.type not in ("cpu", "meta")), None)
