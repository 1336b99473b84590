"""Split a `.pte` into methods of one delegate each, so that the runtime can time each separately.

Each call of a delegate has two methods: one with the call, and one with the same inputs and nothing to do.
The difference is the delegate's own time. Constants and the data of delegates are those of the file. Calls
that a jump can skip or repeat (in a branch, a loop's body) are left out: how often they run is unknown.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from executorch.exir import schema

from exir_viz.torch_internals.files import read_pte, write_pte


class Kind(NamedTuple):
    """Equal calls of one delegate: their two methods in the split file, their tensors, the backend."""

    alone: str
    empty: str
    inputs: tuple[schema.Tensor, ...]
    backend: str


@dataclass
class SplitFile:
    """The file of single delegates, its kinds, and the position of its kind by instruction number.

    `jumped` are the backends called in a branch or a loop, by number.
    """

    data: bytes
    kinds: list[Kind] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)
    jumped: dict[int, str] = field(default_factory=dict)


def split(data: bytes, method: str) -> SplitFile:
    """Split one method of a `.pte`; raises ExecuTorch's error if it cannot be read."""
    file = read_pte(data)
    plan = next(one for one in file.program.execution_plan if one.name == method)
    found = SplitFile(b"")
    known: dict[str, int] = {}
    plans: list[schema.ExecutionPlan] = []
    instructions = plan.chains[0].instructions
    jumped = _jumped(instructions)
    for number, instruction in enumerate(instructions):
        call = instruction.instr_args
        if not isinstance(call, schema.DelegateCall):
            continue
        part = _Part(plan, call)
        if number in jumped:
            found.jumped[number] = part.backend
            continue
        if part.key not in known:
            known[part.key] = at = len(found.kinds)
            found.kinds.append(Kind(f"alone_{at}", f"empty_{at}", part.inputs, part.backend))
            plans += [part.plan(f"alone_{at}", [part.instruction]), part.plan(f"empty_{at}", [])]
        found.of[number] = known[part.key]
    if plans:
        program = copy.copy(file.program)
        program.execution_plan = plans
        program.segments = []
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
    """One call of a delegate with the values that it uses, renumbered."""

    def __init__(self, plan: schema.ExecutionPlan, call: schema.DelegateCall) -> None:
        self._plan = plan
        self._delegate = plan.delegates[call.delegate_index]
        self.backend = self._delegate.id
        used = list(dict.fromkeys(call.args))
        self._values = [plan.values[number] for number in used]
        args = [used.index(number) for number in call.args]
        self.instruction = schema.Instruction(schema.DelegateCall(0, args))
        self.key = repr((call.delegate_index, args, [*map(_described, self._values)]))

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
            operators=[],
            delegates=[self._delegate] if instructions else [],
            non_const_buffer_sizes=self._plan.non_const_buffer_sizes,
            non_const_buffer_device=self._plan.non_const_buffer_device,
        )

    @property
    def inputs(self) -> tuple[schema.Tensor, ...]:
        """The tensors that the runtime must be given."""
        return tuple(self._values[number].val for number in self._input_numbers())

    def _input_numbers(self) -> Iterator[int]:
        """All tensors that are no constants: the inputs and outputs."""
        for number, value in enumerate(self._values):
            if isinstance(value.val, schema.Tensor) and not _is_constant(value.val):
                yield number


def _is_constant(tensor: schema.Tensor) -> bool:
    return tensor.data_buffer_idx > 0 and tensor.allocation_info is None


def _described(value: schema.EValue) -> object:
    """The description of a value, without its address: equal for two equal calls."""
    content = value.val
    if not isinstance(content, schema.Tensor):
        return content
    return (content.scalar_type, content.sizes, content.dim_order, _is_constant(content))
