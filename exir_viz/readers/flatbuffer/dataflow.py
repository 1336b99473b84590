"""The role of each value of a plan: input, constant, buffer, view, or result of an instruction.

A mutable *buffer* keeps what an earlier execution left in it. ExecuTorch numbers inputs, constants and
buffers before all other values. So a planned tensor is a buffer if its number is lower than an input's, if
it has initial data, or if it is read before anything was written to it. A value that is read where another
was written is a *view* of that one: ExecuTorch leaves out views of static shape. So is a constant after the
inputs that has the data of one before, in another shape. A jump back makes later steps come before earlier
ones; here the order of the instructions counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .container import has_data, is_constant
from .corrupt import Corrupt
from .instructions import DecodedInstruction, DelegateEnds, InstructionDecoder, reads
from .limits import Budget
from .schema import ExecutionPlan, KernelTypes, Tensor
from .values import tensor_bytes

# Memory, offset, and whether the value is empty.
_Address = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class Dataflow:
    """The steps of a plan, chain by chain; constants, buffers and written values by number; views by base."""

    chains: tuple[tuple[DecodedInstruction, ...], ...]
    constants: frozenset[int]
    buffers: frozenset[int]
    written: frozenset[int]
    views: dict[int, int]


def read_dataflow(
    plan: ExecutionPlan, values: Sequence[KernelTypes], items: Budget, ends: DelegateEnds
) -> Dataflow:
    """Read every instruction of a plan. `ends`: by delegate, how many inputs and outputs it has."""
    for name, numbers in (("inputs", plan.inputs), ("outputs", plan.outputs)):
        for number in numbers:
            if not 0 <= number < len(values):
                raise Corrupt(f"it names value {number}, and there are {len(values)}").within(f".{name}")
    if len(set(plan.inputs)) != len(plan.inputs):
        raise Corrupt("it names a value twice").within(".inputs")
    tracer = _Tracer(plan, values)
    reader = InstructionDecoder(plan, values, items, tracer, ends)
    chains: list[tuple[DecodedInstruction, ...]] = []
    for order, chain in enumerate(plan.chains):
        steps: list[DecodedInstruction] = []
        try:
            for number, instruction in enumerate(chain.instructions):
                step = reader.read(number, instruction.instr_args)
                if step.jump is not None and not 0 <= step.jump <= len(chain.instructions):
                    raise Corrupt(
                        f"it jumps to instruction {step.jump}, and there are {len(chain.instructions)}"
                    )
                tracer.follow(step)
                steps.append(step)
        except Corrupt as error:
            raise error.within(f".chains[{order}].instructions[{len(steps)}]") from None
        chains.append(tuple(steps))
    for number in plan.outputs:
        tracer.read(number)
    return tracer.finish(tuple(chains))


class _Tracer:
    """Tracks, at each step, which values exist and which values share memory."""

    def __init__(self, plan: ExecutionPlan, values: Sequence[KernelTypes]) -> None:
        self._values = values
        self._inputs = frozenset(plan.inputs)
        self._constants: set[int] = set()
        self._buffers: set[int] = set()
        self._written: set[int] = set()
        self._views: dict[int, int] = {}
        self._lies: dict[_Address, int] = {}
        self._unread: set[int] = set()
        placeholders = max(plan.inputs, default=-1)
        data: dict[tuple[int, int | None], int] = {}
        for number, value in enumerate(values):
            if not isinstance(value, Tensor) or number in self._inputs:
                continue
            if is_constant(value):
                base = data.get(_data(value)) if number > placeholders and has_data(value) else None
                if base is not None and _shape(values[base]) != _shape(value):
                    self._views[number] = base
                    continue
                self._constants.add(number)
                if number < placeholders and has_data(value):
                    data.setdefault(_data(value), number)
            elif has_data(value) or (value.allocation_info is not None and number < placeholders):
                self._buffers.add(number)
        for number in sorted(self._buffers | self._inputs):
            self._lay(number)

    def given(self, number: int) -> bool:
        """Whether the value has contents by now: no tensor is without."""
        if not isinstance(self._values[number], Tensor):
            return True
        known = (self._constants, self._buffers, self._inputs, self._written, self._views)
        return any(number in group for group in known)

    def shares(self, number: int) -> bool:
        """Whether the value has the address of an earlier one."""
        return self._base(number) is not None

    def likely_view(self, number: int) -> bool:
        """Whether a value has the address of an earlier one of its size that was not read since."""
        value = self._values[number]
        base = self._base(number)
        if base is None or base not in self._unread or not isinstance(value, Tensor):
            return False
        other = self._values[base]
        return isinstance(other, Tensor) and tensor_bytes(other) == tensor_bytes(value)

    def follow(self, step: DecodedInstruction) -> None:
        """Record what a step reads and writes."""
        for number in reads(step, self._values):
            self.read(number)
        self._written.update(step.writes)
        for number in step.writes:
            self._lay(number)

    def read(self, number: int) -> None:
        """The value is read here: where nothing gave it, find out what it is."""
        value = self._values[number]
        if not isinstance(value, Tensor) or value.allocation_info is None:
            return
        self._unread.discard(number)
        if number in self._views:
            self._unread.discard(self._views[number])
        if (
            number in self._written
            or number in self._inputs
            or number in self._buffers
            or number in self._views
        ):
            return
        base = self._base(number)
        if base is None:
            self._buffers.add(number)
            self._lay(number)
        else:
            self._views[number] = base
            self._unread.discard(base)

    def finish(self, chains: tuple[tuple[DecodedInstruction, ...], ...]) -> Dataflow:
        constants, buffers = frozenset(self._constants), frozenset(self._buffers)
        return Dataflow(chains, constants, buffers, frozenset(self._written), self._views)

    def _base(self, number: int) -> int | None:
        address = _address(self._values[number])
        return None if address is None else self._lies.get(address)

    def _lay(self, number: int) -> None:
        address = _address(self._values[number])
        if address is not None:
            self._lies[address] = number
            self._unread.add(number)


def _data(value: Tensor) -> tuple[int, int | None]:
    """Where the file has the data of a constant, and its size."""
    return value.data_buffer_idx, tensor_bytes(value)


def _shape(value: KernelTypes) -> tuple[object, ...]:
    return (value.scalar_type, value.sizes, value.dim_order) if isinstance(value, Tensor) else ()


def _address(value: KernelTypes) -> _Address | None:
    """Where a planned tensor lies, and whether it is empty: an empty one may lie where another begins."""
    if not isinstance(value, Tensor) or value.allocation_info is None:
        return None
    place = value.allocation_info
    return place.memory_id, place.offset, tensor_bytes(value) == 0
