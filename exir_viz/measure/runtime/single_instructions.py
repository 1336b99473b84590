"""Split a `.pte` into methods of one instruction each, so that the runtime can time each separately.

Each kind of instruction (op, shapes, constant arguments) has two methods: one with the instruction, and one
with the same inputs and nothing to do. The difference is the instruction's own time. Constants and the data
of delegates are those of the file. Instructions that a jump can skip or repeat (a branch, a loop's body) are
left out, because how often they run is unknown.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from executorch.exir import schema

from exir_viz.torch_internals.files import read_pte, write_pte

_CALLS = (schema.KernelCall, schema.DelegateCall)
# An op that only computes a number, or only changes a tensor's view, has no tensor of its own.
_LISTS = (schema.TensorList, schema.OptionalTensorList, schema.IntList)


class Kind(NamedTuple):
    """One kind of instruction: its two methods in the split file, their tensors, its name."""

    alone: str
    empty: str
    inputs: tuple[schema.Tensor, ...]
    op: str


@dataclass
class Cut:
    """The split file, its kinds, and the position of its kind by instruction number.

    `jumped` are the ops in a branch or a loop, by number.
    """

    data: bytes
    kinds: list[Kind] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)
    jumped: dict[int, str] = field(default_factory=dict)


def cut(data: bytes, method: str, *, delegates_only: bool) -> Cut:
    """Split one method of a `.pte`; raises ExecuTorch's error if it cannot be read."""
    file = read_pte(data)
    plan = next(one for one in file.program.execution_plan if one.name == method)
    found = Cut(b"")
    known: dict[str, int] = {}
    plans: list[schema.ExecutionPlan] = []
    instructions = plan.chains[0].instructions
    jumped = _jumped(instructions)
    for number, instruction in enumerate(instructions):
        call = instruction.instr_args
        if not isinstance(call, _CALLS) or (delegates_only and isinstance(call, schema.KernelCall)):
            continue
        part = _Part(plan, call)
        if number in jumped:
            found.jumped[number] = part.op
            continue
        if part.key not in known:
            known[part.key] = at = len(found.kinds)
            found.kinds.append(Kind(f"alone_{at}", f"empty_{at}", part.inputs, part.op))
            plans += [part.plan(f"alone_{at}", [part.instruction]), part.plan(f"empty_{at}", [])]
        found.of[number] = known[part.key]
    program = copy.copy(file.program)
    program.execution_plan = plans
    program.segments = []
    if plans:
        found.data = write_pte(program, file.mutable_data, file.named_data)
    return found


def _jumped(instructions: Sequence[schema.Instruction]) -> set[int]:
    """Instructions that do not run exactly once per run: those between a jump and its target."""
    found: set[int] = set()
    for number, instruction in enumerate(instructions):
        jump = instruction.instr_args
        if isinstance(jump, schema.JumpFalseCall):
            to = jump.destination_instruction
            found |= set(range(number + 1, to) if to > number else range(to, number))
    return found


class _Part:
    """One instruction with the values that it uses, renumbered."""

    def __init__(self, plan: schema.ExecutionPlan, call: schema.KernelCall | schema.DelegateCall) -> None:
        self._plan = plan
        self._numbers: dict[int, int] = {}
        self._values: list[schema.EValue] = []
        args = [self._take(number) for number in call.args]
        self._operators: list[schema.Operator] = []
        self._delegates: list[schema.BackendDelegate] = []
        made: schema.KernelCall | schema.DelegateCall
        if isinstance(call, schema.KernelCall):
            operator = plan.operators[call.op_index]
            self._operators.append(operator)
            self.op = f"{operator.name}.{operator.overload}" if operator.overload else operator.name
            made, which = schema.KernelCall(0, args), ""
        else:
            self._delegates.append(plan.delegates[call.delegate_index])
            self.op = plan.delegates[call.delegate_index].id
            made, which = schema.DelegateCall(0, args), str(call.delegate_index)
        self.instruction = schema.Instruction(made)
        self.key = repr((self.op, which, args, [*map(_described, self._values)]))

    def plan(self, name: str, instructions: list[schema.Instruction]) -> schema.ExecutionPlan:
        """A method of the program that runs these instructions."""
        inputs = [*self._input_numbers()]
        return schema.ExecutionPlan(
            name=name,
            container_meta_type=self._plan.container_meta_type,
            values=self._values,
            inputs=inputs,
            outputs=inputs[-1:],
            chains=[schema.Chain(inputs, inputs[-1:], instructions, None)],
            operators=self._operators if instructions else [],
            delegates=self._delegates if instructions else [],
            non_const_buffer_sizes=self._plan.non_const_buffer_sizes,
            non_const_buffer_device=self._plan.non_const_buffer_device,
        )

    @property
    def inputs(self) -> tuple[schema.Tensor, ...]:
        """The tensors that the runtime must be given."""
        return tuple(self._values[number].val for number in self._input_numbers())

    def _input_numbers(self) -> Iterator[int]:
        """All tensors that are no constants: the op's inputs and outputs."""
        for number, value in enumerate(self._values):
            if isinstance(value.val, schema.Tensor) and not _is_constant(value.val):
                yield number

    def _take(self, number: int) -> int:
        """The new number of a value, and of those within a list of values; -1 is none."""
        if number < 0:
            return number
        if number not in self._numbers:
            content: Any = self._plan.values[number].val
            if isinstance(content, _LISTS):
                content = type(content)([self._take(item) for item in content.items])
            self._numbers[number] = len(self._values)
            self._values.append(schema.EValue(content))
        return self._numbers[number]


def _is_constant(tensor: schema.Tensor) -> bool:
    return tensor.data_buffer_idx > 0 and tensor.allocation_info is None


def _described(value: schema.EValue) -> Any:
    """The description of a value, without its address: equal for two instructions of one kind."""
    content = value.val
    if not isinstance(content, schema.Tensor):
        return content
    return (content.scalar_type, content.sizes, content.dim_order, _is_constant(content))
