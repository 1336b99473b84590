"""Fake tensors and symbolic sizes: what they are, what they share, and copies of them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import torch

from .features import Feature

if TYPE_CHECKING:
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

# Fake tensors: the values of a program's nodes, which have a shape and no elements.
#
# Why: no public module of torch contains their class, their mode, or whether a mode is active.

FAKE_TENSORS: Final = Feature(
    name="fake_tensors",
    purpose="Distinguish fake tensors from real ones",
    without="Fake tensors are not distinguished from real ones.",
    uses=(
        "torch._subclasses.FakeTensor",
        "torch._guards.detect_fake_mode(inputs)",
        "torch._C._get_dispatch_mode",
        "torch._C._TorchDispatchModeKey.FAKE",
    ),
)


class _Nothing(torch.Tensor):
    """Replaces the class of fake tensors if torch has no class of that name: no tensor is an instance."""


def fake_tensor_class() -> type[torch.Tensor]:
    """The class of fake tensors."""
    if not FAKE_TENSORS.is_usable():
        return _Nothing
    from torch._subclasses import FakeTensor

    return FakeTensor


def is_fake(value: object) -> bool:
    """Whether it is a fake tensor."""
    return isinstance(value, fake_tensor_class())


def fake_mode_of(values: Iterable[Any]) -> Any:
    """The fake mode of the fake tensors among some values; None without one."""
    if not FAKE_TENSORS.is_usable():
        return None
    from torch._guards import detect_fake_mode

    return detect_fake_mode(list(values))


def is_in_fake_mode() -> bool:
    """Whether the caller is inside a FakeTensorMode, which computes nothing."""
    if not FAKE_TENSORS.is_usable():
        return False
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None


# Which tensors share memory.
#
# Why: tied weights, and views of one tensor, are counted once. The id of torch's storage object identifies
# memory, for tensors without data too.

STORAGE_IDENTITY: Final = Feature(
    name="storage_identity",
    purpose="Count memory that several tensors share only once",
    without="Memory that several fake tensors share is counted for each of them.",
    uses=("torch.UntypedStorage._cdata",),
)


def storage_id(tensor: torch.Tensor) -> int:
    """A number that is equal for tensors that share memory."""
    storage = tensor.untyped_storage()
    if STORAGE_IDENTITY.is_usable():
        return int(storage._cdata)
    try:
        return storage.data_ptr() or id(tensor)
    except RuntimeError:  # a fake tensor has no address
        return id(tensor)


# The whole batch behind a tensor of which vmap shows a slice.
#
# Why: inside vmap, and inside a loop that torch batches, an op sees a wrapper. The memory belongs to the
# wrapped tensor.

FUNCTORCH_WRAPPERS: Final = Feature(
    name="functorch_wrappers",
    purpose="Count the memory of a whole batch within vmap",
    without="Within vmap, memory is counted for one slice and not for the whole batch.",
    uses=("torch._C._functorch.is_functorch_wrapped_tensor", "torch._C._functorch.get_unwrapped"),
)


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or the one that functorch wraps."""
    if not FUNCTORCH_WRAPPERS.is_usable():
        return tensor
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


# The example values behind symbolic sizes, and the names that users gave to dimensions.
#
# Why: a symbol's hint, "s77 was 4 when this was exported", and its name, "seq" of `Dim("seq")`, are only in
# the shape environment. Only these are read: any other query of a symbolic size could add a guard.

_NAME: Final = re.compile(r"[A-Za-z_]\w*")

SHAPE_ENVIRONMENTS: Final = Feature(
    name="shape_environments",
    purpose="Show the example value of each symbol, and the name that its Dim has",
    without="Symbols are shown without their example values, by torch's names.",
    attributes=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.backed_var_to_val",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.var_to_sources",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.source_name_to_debug_name",
    ),
)


def example_values(node: Any) -> Mapping[Any, Any]:
    """The values by symbol, from the `node` of a symbolic number."""
    environment = node.shape_env
    if not environment:
        return {}
    found: Mapping[Any, Any] = SHAPE_ENVIRONMENTS.attribute(environment, "backed_var_to_val", {})
    return found


def dimension_names(node: Any) -> Mapping[str, str]:
    """The names of users' dimensions, `Dim("seq")`, by symbol, from the `node` of a symbolic number."""
    environment = node.shape_env
    if not environment:
        return {}
    names = SHAPE_ENVIRONMENTS.attribute(environment, "source_name_to_debug_name", {})
    if not names:
        return {}
    found: dict[str, str] = {}
    # A Dim that is no size itself, such as "h" where one is "2*h", is the source of its symbol by its name.
    dims = {name for text in names.values() for name in _NAME.findall(text)}
    for symbol, source in size_sources(environment):
        name = source if source in dims else names.get(source)
        if name is not None and name.isidentifier():
            found.setdefault(symbol, name)
    return found


def size_sources(environment: Any) -> Iterator[tuple[str, str]]:
    """Each symbol with the input size that it is, as in ("s77", "L['x'].size()[0]"), or its Dim ("h")."""
    if environment is None:
        return
    for symbol, sources in SHAPE_ENVIRONMENTS.attribute(environment, "var_to_sources", {}).items():
        for source in sources:
            yield str(symbol), source.name() if callable(source.name) else source.name


# Copies of fake values, in their own fake mode and shape environment.
#
# Why: torch and ExecuTorch write to the shape environment of the program that they are given: they create
# symbols, narrow ranges, and leave pending symbols, for which the next trace fails. A step must not change
# the stage that it starts from, nor later steps from that stage. torch has no copy of an environment.

FAKE_COPIES: Final = Feature(
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
        self._is_usable = FAKE_COPIES.is_usable()
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

        converter = FAKE_COPIES.attribute(mode, "fake_tensor_converter")
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
        if FAKE_COPIES.attribute(environment, name) is not None:
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
