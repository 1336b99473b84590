"""The state of a live program: parameters, buffers, constants, by name, with checksums of their data.

Only a constant of at most MAX_ELEMENTS elements has its elements kept, so that a mask or a scale can be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from exir_viz.snapshot.program import StateEntry, StateKind
from exir_viz.torch_internals.fake_values import storage_id
from exir_viz.torch_internals.operators import script_class

from .graphs import SharedReaders
from .kept_data import MAX_ELEMENTS
from .tensor_elements import READABLE
from .values import has_shape, type_name

_KINDS = {
    InputKind.PARAMETER: StateKind.PARAMETER,
    InputKind.BUFFER: StateKind.BUFFER,
    InputKind.CONSTANT_TENSOR: StateKind.CONSTANT,
    InputKind.CUSTOM_OBJ: StateKind.CUSTOM_OBJ,
}


def read_state(
    program: ExportedProgram,
    value_number: Callable[[Any], int],
    shared: SharedReaders,
    *,
    only_named: bool = False,
) -> tuple[StateEntry, ...]:
    """The state dict, then the constants, each in its own order.

    only_named: without what the signature does not name. Delegating copies weights that several delegates
    read, and leaves the copies in the state dict.
    """
    kinds = {
        spec.target: _KINDS[spec.kind] for spec in program.graph_signature.input_specs if spec.kind in _KINDS
    }
    return tuple(
        _entry(name, value, kinds.get(name, fallback), value_number, shared)
        for name, value, fallback in _entries(program)
        if name in kinds or not only_named
    )


def _entries(program: ExportedProgram) -> Iterator[tuple[str, Any, StateKind]]:
    for name, value in program.state_dict.items():
        yield name, value, StateKind.PARAMETER if isinstance(value, torch.nn.Parameter) else StateKind.BUFFER
    for name, value in program.constants.items():
        yield name, value, StateKind.CONSTANT if isinstance(value, torch.Tensor) else StateKind.CUSTOM_OBJ


def _entry(
    name: str,
    value: Any,
    kind: StateKind,
    value_number: Callable[[Any], int],
    shared: SharedReaders,
) -> StateEntry:
    if not isinstance(value, torch.Tensor) or not has_shape(value):
        return StateEntry(name, kind, value_number(value), cls=_class(value))
    strided = value.layout is torch.strided
    count: object = value.numel()  # of a ragged tensor, a symbolic number
    return StateEntry(
        name=name,
        kind=kind,
        value=value_number(value),
        bytes=count * value.element_size() if isinstance(count, int) else None,
        storage=shared.storages[storage_id(value)] if strided else None,
        data=_elements(value) if kind is StateKind.CONSTANT else None,
        crc32=shared.checksums(value),
    )


def _class(value: Any) -> str:
    """A script object's own class, not the one that Python holds it by."""
    return (isinstance(value, torch.ScriptObject) and script_class(value)) or type_name(value)


def _elements(value: torch.Tensor) -> tuple[str, ...] | None:
    if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        return None  # a subclass stores elements its own way; a fake tensor has none
    if value.layout is not torch.strided or value.device.type == "meta" or value.numel() > MAX_ELEMENTS:
        return None
    if str(value.dtype).removeprefix("torch.") not in READABLE:
        return None
    return tuple(map(repr, value.detach().cpu().flatten().tolist()))
