"""Instructions → what each calls, reads and writes: the conventions by which ExecuTorch emits them.

A `.pte` lists the arguments of a call and does not say which are written. ExecuTorch's emitter follows rules,
and from these it is inferred:

- A kernel's arguments are those of its schema, then the value that receives the result (a list of tensors for
  several). An out-variant names the same tensors before, as its out arguments; an operator whose name ends
  in "_" writes its first argument too; `et_copy_index`, made for loops, writes its first argument only.
- A delegate's results are the last arguments. The payload says how many, if it can be read. If not, they
  are those without a value before; one that lies where a value of its size waits to be read is a view of that
  value (see `dataflow`), an input, unless one before it has neither a value nor the memory of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from exir_viz.snapshot.records import Target, TargetType

from .corrupt import Corrupt
from .limits import MAX_NAME, Budget
from .schema import (
    DelegateCall,
    ExecutionPlan,
    FreeCall,
    InstructionArguments,
    JumpFalseCall,
    KernelCall,
    KernelTypes,
    MoveCall,
    Operator,
)
from .values import list_length, members

DELEGATE_TARGET = Target(
    TargetType.HIGHER_ORDER,
    "torch.ops.higher_order.executorch_call_delegate",
    "higher_order",
    "executorch_call_delegate",
)
# Both fill their first argument without looking at what was in it.
_COPY_INDEX = "executorch_prim::et_copy_index"
_COPY = "aten::copy_"


@dataclass(frozen=True, slots=True)
class DecodedInstruction:
    """One instruction; the tuples hold numbers of values, in order.

    raw: all its values. args: those that are shown as arguments; those before `first` and from `slots` on
    are only written.
    results: what the call returns, a `single` value or a sequence of them; `writes` begins with these.
    jump: the instruction that is next if the condition is false. delegate: the number of the called delegate.
    """

    number: int
    label: str
    target: Target
    raw: tuple[int, ...]
    args: tuple[int, ...]
    slots: int
    results: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    single: bool = True
    first: int = 0
    jump: int | None = None
    delegate: int | None = None

    @property
    def sequence(self) -> str:
        """How several results are put together: kernels return lists, delegates tuples."""
        return "list" if self.delegate is None else "tuple"


class Past(Protocol):
    """The facts about the steps before a step."""

    def given(self, number: int) -> bool:
        """Whether the value has contents by now."""

    def shares(self, number: int) -> bool:
        """Whether the value has the address of an earlier one."""

    def likely_view(self, number: int) -> bool:
        """Whether the value has the address of an earlier one that was not read since."""


# By number of a delegate: how many inputs and outputs it has, as its payload says; None if that is unknown.
DelegateEnds: TypeAlias = Callable[[int], tuple[int, int] | None]


class InstructionDecoder:
    """Reads the instructions of one plan in order."""

    def __init__(
        self,
        plan: ExecutionPlan,
        values: Sequence[KernelTypes],
        items: Budget,
        past: Past,
        ends: DelegateEnds,
    ) -> None:
        self._past = past
        self._ends = ends
        self._has_inputs = bool(plan.inputs)  # if not, a buffer looks like a value that was never set
        self._values = values
        self._items = items
        self._operators = [(operator_target(one), operator_label(one)) for one in plan.operators]
        self._names = [one.name for one in plan.operators]
        self._delegates = len(plan.delegates)

    def read(self, number: int, call: InstructionArguments | None) -> DecodedInstruction:
        """One instruction."""
        match call:
            case KernelCall():
                return self._kernel(number, call)
            case DelegateCall():
                return self._delegate(number, call)
            case MoveCall():
                raw = self._checked((call.move_from, call.move_to))
                return DecodedInstruction(
                    number, "move_call", _instruction("MoveCall"), raw, raw, 1, raw[1:], raw[1:]
                )
            case JumpFalseCall():
                raw = self._checked((call.cond_value_index,))
                jump = call.destination_instruction
                target = _instruction("JumpFalseCall")
                return DecodedInstruction(number, "jump_false_call", target, raw, raw, 1, jump=jump)
            case FreeCall():
                raw = self._checked((call.value_index,))
                return DecodedInstruction(number, "free_call", _instruction("FreeCall"), raw, raw, 1)
            case None:
                raise Corrupt("it has no instruction")

    def _kernel(self, number: int, call: KernelCall) -> DecodedInstruction:
        if not 0 <= call.op_index < len(self._operators):
            raise Corrupt(f"it calls operator {call.op_index}, and there are {len(self._operators)}")
        target, label = self._operators[call.op_index]
        name = self._names[call.op_index]
        raw = self._checked(call.args)
        if not raw:
            return DecodedInstruction(number, label, target, raw, raw, 0)
        if name == _COPY_INDEX:
            return DecodedInstruction(number, label, target, raw, raw, len(raw), raw[:1], raw[:1], first=1)
        args, result = raw[:-1], raw[-1]
        written = members(self._values, result)
        single = written == (result,)
        if name.endswith("_") and not name.endswith("__"):
            writes = written if not args or args[0] in written else (*written, args[0])
            first = 1 if name == _COPY else 0
            return DecodedInstruction(
                number, label, target, raw, args, len(args), written, writes, single, first
            )
        slots = self._slots(args, written)
        return DecodedInstruction(number, label, target, raw, args, slots, written, written, single)

    def _slots(self, args: tuple[int, ...], written: tuple[int, ...]) -> int:
        """Where the out arguments of an out-variant begin: the results, named one by one or as a list."""
        if written and args[-len(written) :] == written:
            return len(args) - len(written)
        if args and args[-1] not in written and members(self._values, args[-1]) == written:
            return len(args) - 1
        return len(args)

    def _delegate(self, number: int, call: DelegateCall) -> DecodedInstruction:
        if not 0 <= call.delegate_index < self._delegates:
            raise Corrupt(f"it calls delegate {call.delegate_index}, and there are {self._delegates}")
        raw = self._checked(call.args)
        ends = self._ends(call.delegate_index)
        ins = ends[0] if ends is not None and sum(ends) == len(raw) else self._likely_inputs(raw)
        outs = raw[ins:]
        target = DELEGATE_TARGET
        single = len(outs) == 1
        which = call.delegate_index
        return DecodedInstruction(
            number, target.name, target, raw, raw[:ins], ins, outs, outs, single, delegate=which
        )

    def _likely_inputs(self, raw: tuple[int, ...]) -> int:
        past, ins = self._past, len(raw)
        if self._has_inputs:
            fresh = (at for at, one in enumerate(raw) if not past.given(one) and not past.shares(one))
            ins = next(fresh, ins)
        while ins and not past.given(raw[ins - 1]):
            if ins < len(raw) and past.likely_view(raw[ins - 1]):
                break  # never the last argument: a delegate has an output
            ins -= 1
        return ins

    def _checked(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        for number in numbers:
            if not 0 <= number < len(self._values):
                raise Corrupt(f"it names value {number}, and there are {len(self._values)}")
            self._items.spend(list_length(self._values[number]))
        return numbers


def operator_target(operator: Operator) -> Target:
    """ "aten::add", "out" → torch.ops.aten.add.out."""
    namespace, _, name = operator.name.rpartition("::")
    overload = operator.overload or "default"
    text = ".".join(part for part in ("torch.ops", namespace, name, overload) if part)
    return Target(TargetType.OP, text, namespace, name, overload)


def operator_label(operator: Operator) -> str:
    """The beginning of the names of its calls: "aten_add_out"."""
    return plain_name("_".join(filter(None, (operator.name.replace("::", "_"), operator.overload))))


def plain_name(text: str) -> str:
    """A name of letters, digits and "_" out of any text, so that it can be a node's."""
    name = re.sub(r"\W+", "_", text[:MAX_NAME], flags=re.ASCII)
    return name if name and not name[0].isdigit() else f"_{name}"


def reads(step: DecodedInstruction, values: Sequence[KernelTypes]) -> list[int]:
    """The values that a step needs, lists written out."""
    return [member for arg in step.args[step.first : step.slots] for member in members(values, arg)]


def _instruction(name: str) -> Target:
    return Target(TargetType.INSTRUCTION, name, "executorch", name)
