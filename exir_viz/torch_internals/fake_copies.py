"""Copies of fake values, in their own fake mode and shape environment.

Why: torch and ExecuTorch write to the shape environment of the program that they are given: they create
symbols, narrow ranges, and leave pending symbols, for which the next trace fails. A step must not change the
stage that it starts from, nor later steps from that stage. torch has no copy of an environment.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import torch

from .features import Feature
from .storage_identity import storage_id

if TYPE_CHECKING:
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

FEATURE: Final = Feature(
    name="fake_copies",
    purpose="Keep the symbols of a stage as they are while a step runs",
    without="Steps share symbols, so a step can make the next one fail.",
    uses=(
        "torch._subclasses.FakeTensor",
        "torch._subclasses.FakeTensorMode",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv",
        "torch.fx.experimental.sym_node.SymNode.with_shape_env(self, shape_env)",
    ),
    attributes=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.pending_fresh_unbacked_symbols",
        "torch._subclasses.FakeTensorMode.fake_tensor_converter",
    ),
)

# A mode reads some settings when it is created: these are copied.
_OF_A_MODE: Final = ("epoch", "allow_scalar_outputs", "allow_meta", "propagate_real_tensors", "cache_enabled")
_SYMBOLIC: Final = (torch.SymInt, torch.SymFloat, torch.SymBool)


class FakeCopies:
    """Copies of related values: one object stays one object, and shared memory stays shared."""

    def __init__(self) -> None:
        self._is_usable = FEATURE.is_usable()
        # By id, with the original, which must stay alive until the copies are made.
        self._made: dict[int, tuple[Any, Any]] = {}
        self._bases: dict[int, tuple[Any, torch.Tensor]] = {}

    def of(self, value: Any) -> Any:
        """A value with copies of the fake tensors and symbolic numbers in it; the rest is shared."""
        if not self._is_usable:
            return value
        if isinstance(value, torch.Tensor):
            return self._once(value, self._tensor)
        if isinstance(value, _SYMBOLIC):
            return self._once(value, self._number)
        if type(value) is dict:
            return {key: self.of(one) for key, one in value.items()}
        if type(value) in (list, tuple, torch.Size):
            return type(value)(self.of(one) for one in value)
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(map(self.of, value))
        return value

    def mode(self, mode: FakeTensorMode | None) -> FakeTensorMode | None:
        """The copy of a mode."""
        return self._once(mode, self._mode) if mode is not None and self._is_usable else mode

    def environment(self, environment: ShapeEnv | None) -> ShapeEnv | None:
        """The copy of a shape environment, without pending symbols."""
        if environment is None or not self._is_usable:
            return environment
        copied: ShapeEnv = self._once(environment, _environment)
        return copied

    def memo(self) -> dict[int, Any]:
        """The copied objects, as `copy.deepcopy` takes them."""
        return {key: made for key, (_, made) in self._made.items()}

    def _once(self, original: Any, make: Any) -> Any:
        found = self._made.get(id(original))
        if found is None:
            found = self._made[id(original)] = (original, make(original))
        return found[1]

    def _number(self, number: Any) -> Any:
        from torch.fx.experimental.sym_node import SymNode

        node = number.node
        environment = self.environment(node.shape_env) if isinstance(node, SymNode) else None
        return number if environment is None else type(number)(node.with_shape_env(environment))

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        from torch._subclasses import FakeTensor

        if type(tensor) is not FakeTensor or tensor.layout is not torch.strided:
            return tensor
        with torch.no_grad():
            copied: torch.Tensor = FakeTensor(
                self.mode(tensor.fake_mode),
                self._elements(tensor),
                tensor.fake_device,
                constant=tensor.constant,
                real_tensor=tensor.real_tensor,
                pytype=tensor.pytype,
                dispatch_keys=tensor.dispatch_keys,
                requires_grad=tensor.requires_grad and tensor.is_leaf,
            )
        if not tensor.is_leaf:
            copied = _with_history(copied)
        # Its memos, and whether it is a parameter.
        for name, value in vars(tensor).items():
            if name != "fake_mode":
                setattr(copied, name, self.of(value) if isinstance(value, _SYMBOLIC) else value)
        return copied

    def _elements(self, tensor: Any) -> torch.Tensor:
        """A meta tensor of the same sizes. Memory of known size is shared: it has no content."""
        size, stride = self.of(tensor.size()), self.of(tensor.stride())
        offset = self.of(tensor.storage_offset())
        storage = tensor.untyped_storage()
        if isinstance(storage.nbytes(), int):
            return torch.empty(0, dtype=tensor.dtype, device="meta").set_(storage, offset, size, stride)
        # set_() would check whether unknown sizes fit into the memory; as_strided() does not.
        _, base = self._bases.get(storage_id(tensor), (None, None))
        if base is not None and base.dtype == tensor.dtype:
            return base.as_strided(size, stride, offset)
        made = torch.empty_strided(size, stride, dtype=tensor.dtype, device="meta")
        self._bases.setdefault(storage_id(tensor), (tensor, made))
        return made

    def _mode(self, mode: Any) -> Any:
        from torch._subclasses import FakeTensorMode

        converter = FEATURE.attribute(mode, "fake_tensor_converter")
        copied = FakeTensorMode(
            allow_fallback_kernels=mode.allow_fallback_kernels,
            allow_non_fake_inputs=mode.allow_non_fake_inputs,
            shape_env=self.environment(mode.shape_env),
            static_shapes=mode.static_shapes,
            export=bool(getattr(converter, "export", False)),
        )
        for name in _OF_A_MODE:
            if name in vars(mode):
                setattr(copied, name, vars(mode)[name])
        return copied


def _with_history(made: torch.Tensor) -> torch.Tensor:
    """The same tensor as the result of an op: torch writes to it in place, which leaves with gradients
    forbid.
    """

    class History(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: Any, _: torch.Tensor) -> torch.Tensor:
            return made

    with torch.enable_grad():
        result: torch.Tensor = History.apply(torch.empty(0, requires_grad=True))  # type: ignore[no-untyped-call]
    return result


def _environment(environment: Any) -> Any:
    """A copy of a shape environment with its own tables; their keys and expressions never change."""
    copied = copy.copy(environment)
    for name, table in vars(environment).items():
        setattr(copied, name, _table(table))
    for name in ("pending_fresh_unbacked_symbols", "ignorable_fresh_unbacked_symbols"):
        if FEATURE.attribute(environment, name) is not None:
            setattr(copied, name, [])
    return copied


def _table(table: Any) -> Any:
    """A copy of a container; for a dict, also of the containers in it."""
    if isinstance(table, dict):
        copied = copy.copy(table)
        for key, value in table.items():
            if isinstance(value, list | set | dict):
                copied[key] = copy.copy(value)
        return copied
    is_container = isinstance(table, list | set) or type(table).__name__ == "OrderedSet"
    return copy.copy(table) if is_container else table
