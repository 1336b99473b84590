"""meta["val"] → Value: tensors, symbolic numbers, constants, containers, script objects, tokens.

Reads metadata only: a tensor's data is never touched, and nothing is asked that would add a guard.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.parameter import is_lazy

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.records import (
    Literal,
    LiteralType,
    MapValue,
    ObjectValue,
    SequenceValue,
    SymValue,
    TensorValue,
    Value,
)
from exir_viz.torch_internals.fake_values import fake_tensor_class

from .dimorder import dim_order
from .symbols import SymbolReader

# Lists in lists of one value; what is deeper, or holds itself, is known by its class.
_MAX_DEPTH = 50
_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_SYM_TYPES = {
    torch.SymInt: LiteralType.INT,
    torch.SymFloat: LiteralType.FLOAT,
    torch.SymBool: LiteralType.BOOL,
}


class ValueReader:
    """Values → numbers of the values table; a tensor like one seen before costs one lookup."""

    def __init__(self, values: Interner[Value], symbols: SymbolReader) -> None:
        self._values = values
        self._symbols = symbols
        self._fake = fake_tensor_class()
        self._seen: dict[tuple[Any, ...], int] = {}

    def __call__(self, value: Any) -> int:
        """The number of a value."""
        if type(value) is not self._fake or value.layout is not torch.strided:
            return self._values[self.read(value)]
        key = (
            value.dtype,
            value.shape,
            value.stride(),
            value.storage_offset(),
            value.device,
            value.requires_grad,
        )
        try:
            number = self._seen.get(key)
        except TypeError:  # a SymInt has no hash: compare by text
            return self._values[self.tensor(value)]
        if number is None:
            number = self._seen[key] = self._values[self.tensor(value)]
        return number

    def read(self, value: Any, within: tuple[int, ...] = ()) -> Value:
        """The record of a value; `within` are the ids of the containers around it."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value) if has_shape(value) else _object(value)
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return self._symbolic(value)
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return literal_of(value)
        if isinstance(value, (list, tuple, dict)):
            if id(value) in within or len(within) == _MAX_DEPTH:
                return _object(value)
            within = (*within, id(value))
        if isinstance(value, (list, tuple)):
            name = (
                "list" if isinstance(value, list) else "tuple" if type(value) is tuple else type_name(value)
            )
            return SequenceValue(name, tuple(self.read(item, within) for item in value))
        if isinstance(value, dict):
            items = tuple(self.read(item, within) for item in value.values())
            return MapValue(tuple(map(str, value)), items)
        if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return torch_literal(value)
        return _object(value)

    def tensor(self, value: torch.Tensor) -> TensorValue:
        """The record of a tensor."""
        strided = value.layout is torch.strided
        symbols = self._symbols
        stride = value.stride() if strided else None
        order = None
        if stride is not None:
            order = dim_order(
                [_whole(symbols.hint(one)) for one in value.shape],
                [_whole(symbols.hint(one)) for one in stride],
            )
        return TensorValue(
            dtype=str(value.dtype).removeprefix("torch."),
            shape=tuple(symbols.dim(size) for size in value.shape),
            stride=None if stride is None else tuple(symbols.dim(one) for one in stride),
            offset=symbols.dim(value.storage_offset()) if strided else 0,
            device=str(value.device),
            layout=str(value.layout).removeprefix("torch."),
            requires_grad=value.requires_grad,
            dim_order=order,
            cls="" if type(value) in (*_PLAIN, self._fake) else type_name(value),
        )

    def _symbolic(self, value: torch.SymInt | torch.SymFloat | torch.SymBool) -> Value:
        constant = value.node.maybe_as_int() if isinstance(value, torch.SymInt) else None
        if constant is not None:
            return literal_of(constant)
        hint = self._symbols.hint(value)
        text = self._symbols.number_text(value)
        return SymValue(_SYM_TYPES[type(value)], text, None if hint is None else repr(hint))


def has_shape(tensor: torch.Tensor) -> bool:
    """Whether it has one shape. Not before a lazy parameter's first use, and not if nested parts differ."""
    return not is_lazy(tensor) and not (tensor.is_nested and tensor.layout is torch.strided)


def torch_literal(value: torch.dtype | torch.device | torch.layout | torch.memory_format) -> Literal:
    """The record of one of torch's own constants, as torch prints it."""
    if isinstance(value, torch.dtype):
        return Literal(LiteralType.DTYPE, str(value))
    if isinstance(value, torch.device):
        return Literal(LiteralType.DEVICE, str(value))
    if isinstance(value, torch.layout):
        return Literal(LiteralType.LAYOUT, str(value))
    return Literal(LiteralType.MEMORY_FORMAT, str(value))


def type_name(value: object) -> str:
    """The full name of a value's class."""
    cls = value if isinstance(value, type) else type(value)
    return f"{cls.__module__}.{cls.__qualname__}"


def _object(value: Any) -> ObjectValue:
    role = {"TokenArgument": "token", "CustomObjArgument": "script_object"}.get(type(value).__name__)
    if role is None:
        role = "script_object" if "ScriptObject" in type(value).__name__ else "object"
    cls = getattr(value, "class_fqn", None) or getattr(value, "script_class_name", None)
    name = getattr(value, "name", None)
    return ObjectValue(
        role, cls if isinstance(cls, str) else type_name(value), name if isinstance(name, str) else ""
    )


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
