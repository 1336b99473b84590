"""One run without timing: how often each node runs, its output and live bytes, its FLOPs and traffic.

Bytes of memory are those of storages, counted once however many tensors use them. FLOPs are counted of the
ops that reach the dispatcher; they are unknown for ops without a rule, see `flops`. Traffic is a lower bound:
what an op must read and write once, nothing for views; memory inside an op, and caches, are not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import fx

from exir_viz.measure.columns import Counts
from exir_viz.measure.records import UNKNOWN
from exir_viz.snapshot.partial_reads import (
    PRODUCT_SCALARS,
    Extent,
    bytes_read,
    distinct_bytes,
    extent,
    moves_nothing,
    writes_by_data,
)
from exir_viz.torch_internals.fake_values import storage_id, unwrapped
from exir_viz.torch_internals.operators import aten_schema_of
from exir_viz.torch_internals.pytrees import pytree

from .flops import flop_counter
from .plan import Plan, PlannedCall, PlannedNode
from .timing import Stopped


class Survey:
    """A Runner that fills columns by node number."""

    def __init__(self, nodes: Sequence[PlannedNode], own: Iterable[torch.Tensor]) -> None:
        """`own` is alive throughout and not counted: state and inputs."""
        count = len(nodes)
        self._nodes = nodes
        self._memory = _Memory(own)
        self.calls = [0] * count
        self.output_bytes = [UNKNOWN] * count
        self.allocated_bytes = [UNKNOWN] * count
        self.live_bytes = [UNKNOWN] * count
        self.flops = [UNKNOWN] * count
        self.bytes_moved = [UNKNOWN] * count

    @property
    def counts(self) -> Counts:
        """The counts of each node, except how often it ran."""
        return Counts(self.output_bytes, self.allocated_bytes, self.live_bytes, self.flops, self.bytes_moved)

    def run(self, plan: Plan, values: Sequence[Any]) -> Any:
        """Run a plan, nested or not, and observe every step."""
        registers = plan.template.copy()
        given = dict(zip(plan.inputs, values, strict=True))
        own = self._memory.own([given[slot] for slot in plan.state])
        for slot, value in given.items():
            registers[slot] = value
            self._memory.hold(value)
        alive: set[int] = set(plan.inputs)
        for step in plan.steps:
            registers[step.slot] = self._step(step, registers)
            alive.add(step.slot)
            for slot in step.dead:
                if slot in alive:
                    alive.remove(slot)
                    self._memory.drop(registers[slot])
                registers[slot] = None
        result = plan.output(registers)
        for slot in alive:
            self._memory.drop(registers[slot])
        self._memory.disown(own)
        return result

    def _step(self, step: PlannedCall, registers: list[Any]) -> Any:
        given = step.arguments(registers)
        named = {} if step.keywords is None else step.keywords(registers)
        number = step.number
        try:
            if step.holds_graphs:
                value = step.call(*given, **named)
            else:
                with flop_counter() as counter:
                    value = step.call(*given, **named)
                # what it has no rule for is in no table of its own
                if counter.get_flop_counts():
                    _add(self.flops, number, counter.get_total_flops())
                _add(self.bytes_moved, number, traffic(self._nodes[number].node, given, named, value))
        except Stopped:
            raise
        except Exception as error:
            raise Stopped(number, given) from error
        self.calls[number] += 1
        _add(self.output_bytes, number, sum(map(_bytes, tensors(value))))
        _add(self.allocated_bytes, number, self._memory.hold(value))
        self.live_bytes[number] = max(self.live_bytes[number], self._memory.live)
        return value


class _Memory:
    """Counts the bytes of storages that registers use."""

    def __init__(self, own: Iterable[torch.Tensor]) -> None:
        self._own: set[int] = set()
        self.own(list(own))
        self._holders: dict[int, int] = {}
        self._bytes: dict[int, int] = {}
        self.live = 0

    def own(self, value: Any) -> set[int]:
        """Do not count these storages from now on, because they existed before; returns those that are
        new.
        """
        new = {key for key, _ in _storages(value)} - self._own
        self._own |= new
        return new

    def disown(self, keys: set[int]) -> None:
        """The reverse: free memory may be used for a value later."""
        self._own -= keys

    def hold(self, value: Any) -> int:
        """Note what a register uses now; returns the bytes that no register used before."""
        new = 0
        for key, size in _storages(value):
            if key in self._own:
                continue
            count = self._holders.get(key, 0)
            self._holders[key] = count + 1
            if not count:
                self._bytes[key] = size
                new += size
        self.live += new
        return new

    def drop(self, value: Any) -> None:
        """Note that a register is free."""
        for key, _ in _storages(value):
            count = self._holders.get(key, 0)
            if count == 1:
                self.live -= self._bytes.pop(key)
                del self._holders[key]
            elif count:
                self._holders[key] = count - 1


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in an op's inputs or outputs; the whole batch of one that vmap shows a slice of."""
    if isinstance(value, torch.Tensor):
        yield unwrapped(value)
    elif isinstance(value, (tuple, list, dict)):
        yield from (unwrapped(leaf) for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor))


def storage_bytes(value: Any) -> int:
    """The bytes of the distinct storages of some tensors."""
    return sum(dict(_storages(value)).values())


def traffic(node: fx.Node, given: Sequence[Any], named: dict[str, Any], value: Any) -> int:
    """The bytes that an op must read and write at least once; none for a view or an empty result.

    Elements that are one in memory count once: of an expanded view, or of a tensor given twice.
    """
    schema = aten_schema_of(node.target)
    op = "" if schema is None else schema.name.rpartition("::")[2]
    if schema is None or moves_nothing(op):
        return 0
    arguments = [*zip(schema.arguments, given, strict=False)]
    arguments += [(one, named[one.name]) for one in schema.arguments if one.name in named]
    targets = [
        tensor
        for argument, argument_value in arguments
        if argument.alias_info is not None and argument.alias_info.is_write
        for tensor in tensors(argument_value)
    ]
    sources = {key for key, _ in _storages([argument_value for _, argument_value in arguments])}
    fresh = [out for out in tensors(value) if not sources.issuperset(key for key, _ in _storages(out))]
    if not any(one.numel() for one in (*targets, *fresh)):
        return 0
    written = distinct_bytes(_extents(targets[1:] if writes_by_data(op) else (*targets, *fresh)))
    read = [[] if one.is_out else _extents(tensors(argument_value)) for one, argument_value in arguments]
    scalars = {**node.kwargs, **named}  # constants are only in the node
    zero = [name for name in PRODUCT_SCALARS if scalars.get(name) == 0]
    return bytes_read(op, read, written, zero) + written


def _extents(several: Iterable[torch.Tensor]) -> list[Extent]:
    """The parts of memory that tensors use."""
    extents = (
        extent(
            storage_id(tensor),
            tensor.element_size(),
            int(tensor.storage_offset()),
            tensor.shape,
            tensor.stride(),
        )
        for tensor in several
        if tensor.layout is torch.strided
    )
    return [one for one in extents if one is not None]


def _add(column: list[int], number: int, more: int) -> None:
    column[number] = max(column[number], 0) + more


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _storages(value: Any) -> Iterator[tuple[int, int]]:
    """Key and size of each tensor's memory; none for sparse and opaque tensors."""
    for tensor in tensors(value):
        if tensor.layout is torch.strided:
            yield storage_id(tensor), tensor.untyped_storage().nbytes()
