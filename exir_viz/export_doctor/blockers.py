"""What a failed export is about, and what helps: from torch's message and the user's line."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from exir_viz.errors import ExportFailed
from exir_viz.readers.source_lines import matching_text

from . import rewrite
from .records import Blocker, BlockerKind, Fix

_OPERATOR: Final = re.compile(r"UnsupportedOperatorException: (\w+)\.(\w+)|CustomOpDef\((\w+)::(\w+)\)")
_OPERATOR_OF_CODE: Final = re.compile(r"torch\.ops\.(\w+)\.(\w+)")
VIOLATED: Final = re.compile(r"Constraints violated \(([\w, ]+)\)")
# How torch asks for an unknown number itself, and not for a comparison; and for one that is a float.
_NUMBER: Final = re.compile(r"expression u\d+(?: \(unhinted|\s*$)|\bzuf\d+", re.MULTILINE)
# How TorchDynamo says that an operator raises an error, for which it has no other words.
_RAISES: Final = "Dynamo failed to run FX node with fake tensors"
_LONGEST: Final = 600

EXPLANATIONS: Final = {
    BlockerKind.BRANCH: "The branch depends on the values of a tensor, which are not known while exporting.",
    BlockerKind.SIZE: "A size depends on the values of a tensor, and torch must know more about it here.",
    BlockerKind.NUMBER: "A number depends on the values of a tensor, and Python needs it to go on here.",
    BlockerKind.ASSERTION: "The assertion depends on the values of a tensor, not known while exporting.",
    BlockerKind.LOOP: "The number of iterations depends on the values of a tensor.",
    BlockerKind.DYNAMIC_SHAPES: "The code does not allow all sizes that dynamic_shapes asks for.",
    BlockerKind.FAKE_KERNEL: "torch does not know the shape and dtype that this operator returns.",
    BlockerKind.WRONG_FAKE_KERNEL: "The operator's fake kernel does not return what the operator returns.",
    BlockerKind.INPUT: "torch.export cannot flatten this type: it is not registered with pytree.",
    BlockerKind.OUTPUT: "torch.export cannot flatten this type: it is not registered with pytree.",
    BlockerKind.PYTHON: "torch cannot trace what this line does.",
    BlockerKind.RUN: "The module raises this error with these inputs without torch.export too.",
}


def blocker(error: ExportFailed, mode: str, module: str, *, other_call: str = "") -> Blocker:
    """The blocker that a failed export names. other_call: the other way of exporting, if it does not fail."""
    text = matching_text(error.file, {error.line: error.code}) if error.file and error.code else None
    place = None if text is None else rewrite.place_of(text, error.line)
    kind = kind_of(error.reason, place)
    fixes = [
        fix
        for fix in _fixes(kind, error, place)
        if not fix.first or rewrite.is_code_there(text or "", fix.code, fix.first, fix.last)
    ]
    if other_call:
        strict = mode == "non-strict"
        fixes.insert(
            0 if kind in (BlockerKind.PYTHON, BlockerKind.NUMBER) else len(fixes),
            Fix(f"Export with strict={strict}", other_call),
        )
    message = f"{error.reason}\n{error.suggestion}".strip()[:_LONGEST]
    return Blocker(
        kind, EXPLANATIONS[kind], message, (mode,), module, error.file, error.line, error.code, tuple(fixes)
    )


# A failure of an operator that has a fake kernel names fake tensors too.
_WITHOUT_FAKE_KERNEL: Final = (
    "UnsupportedOperatorException", "Operator does not support running with fake tensors",
    "no fake impl registered",
)  # fmt: skip


def of_module(one: Blocker, error: Exception) -> Blocker:
    """A blocker that is an error that the module raises without torch.export too."""
    return replace(
        one,
        kind=BlockerKind.RUN,
        explanation=EXPLANATIONS[BlockerKind.RUN],
        reason=f"{type(error).__name__}: {error}".strip()[:_LONGEST],
        fixes=(Fix("Pass inputs with which the module runs, or correct the line that raises the error"),),
    )


def of_wrong_fake_kernel(one: Blocker) -> Blocker:
    """A blocker that is a fake kernel which does not return what the operator returns."""
    kind = BlockerKind.WRONG_FAKE_KERNEL
    fix = Fix("Correct the fake kernel: it must return the shape and dtype that the operator returns")
    return replace(one, kind=kind, explanation=EXPLANATIONS[kind], fixes=(fix,))


def kind_of(reason: str, place: rewrite.Place | None) -> BlockerKind:
    """What a failure is about."""
    statement = None if place is None else place.statement
    if "data-dependent" in reason.lower() or (
        "DataDependentOutput" in reason and isinstance(statement, ast.If | ast.While | ast.Assert)
    ):
        return _kind_of_statement(reason, statement)
    for words, kind in (
        (("Constraints violated", "specialized it to be", "0/1 specialized"), BlockerKind.DYNAMIC_SHAPES),
        (_WITHOUT_FAKE_KERNEL, BlockerKind.FAKE_KERNEL),
        (("Unsupported input type", "inputs with type"), BlockerKind.INPUT),
        (("in output, which is not a known type", "Encountered unrecognized type"), BlockerKind.OUTPUT),
    ):
        if any(word in reason for word in words):
            return kind
    return BlockerKind.PYTHON


def _kind_of_statement(reason: str, statement: ast.stmt | None) -> BlockerKind:
    match statement:
        case ast.Assert():
            return BlockerKind.ASSERTION
        case ast.For() | ast.While():
            return BlockerKind.LOOP
        case ast.If(test=test) if not _is_of_sizes(test):
            return BlockerKind.BRANCH
        case ast.If():
            pass
        case _ if _is_truth(reason):
            return BlockerKind.BRANCH
    return BlockerKind.NUMBER if _NUMBER.search(reason) else BlockerKind.SIZE


def _is_truth(reason: str) -> bool:
    """Whether torch asks for the truth of a tensor: whether an unknown number is 1."""
    return re.search(r"expression Eq\(u\d+, 1\)", reason) is not None or "branching" in reason


def _is_of_sizes(value: ast.expr) -> bool:
    """Whether a condition asks only for sizes of tensors."""
    match value:
        case ast.BoolOp(values=values):
            return all(map(_is_of_sizes, values))
        case ast.Compare(left=left, comparators=comparators):
            return all(map(_is_of_sizes, (left, *comparators)))
        case ast.BinOp(left=left, right=right):
            return _is_of_sizes(left) and _is_of_sizes(right)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=ast.Attribute(attr="shape") as inner):
            return _is_of_sizes(inner)
        case ast.Constant() | ast.Attribute(attr="shape") | ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Call(func=ast.Attribute(attr="size" | "numel")):
            return True
    return False


def _fixes(kind: BlockerKind, error: ExportFailed, place: rewrite.Place | None) -> Iterator[Fix]:
    if kind in _REWRITES:
        for title, rewritten in _REWRITES[kind]:
            if place is None or (rewritten is rewrite.promise and _is_of_a_tensor(kind, error, place)):
                continue
            for one in rewritten(place):
                yield Fix(title, one.code, one.first, one.last)
        yield Fix(_OTHERWISE[kind])
    elif kind is BlockerKind.DYNAMIC_SHAPES:
        yield _sizes(error)
    elif kind is BlockerKind.FAKE_KERNEL:
        yield from _fake_kernel(error)
    elif kind is BlockerKind.INPUT:
        yield Fix("Pass tensors, numbers, text, or lists and dicts of these instead")
    elif kind is BlockerKind.OUTPUT:
        yield Fix("Return tensors, numbers, text, or lists and dicts of these instead")
    elif _RAISES in error.reason:
        yield Fix("Check what the call needs before it: strict export stops where one raises an error")
    else:
        yield Fix(
            "Compute it with torch's functions, or outside of the module, and pass the result as an input"
        )


def _is_of_a_tensor(kind: BlockerKind, error: ExportFailed, place: rewrite.Place) -> bool:
    """Whether a branch asks for the truth of a tensor, which torch._check does not take."""
    match getattr(place.statement, "test", None):
        case ast.Compare(comparators=[ast.Constant(value=1)]):  # this asks whether a number is 1
            return False
    return kind is BlockerKind.BRANCH and _is_truth(error.reason)


_Rewrite = tuple[str, Callable[[rewrite.Place], list[rewrite.Rewritten]]]
_PROMISE: Final[_Rewrite] = (
    "If the condition is never true, say so before this line with torch._check",
    rewrite.promise,
)
_CHECK: Final[_Rewrite] = ("Assert with torch._check, which stays in the program", rewrite.check)
_COND: Final[_Rewrite] = ("Put both branches into torch.cond", rewrite.cond)
_REWRITES: Final[dict[BlockerKind, tuple[_Rewrite, ...]]] = {
    BlockerKind.BRANCH: (_CHECK, _COND, _PROMISE),
    BlockerKind.ASSERTION: (_CHECK,),
    BlockerKind.LOOP: (("Loop with while_loop", rewrite.while_loop),),
    BlockerKind.SIZE: (_PROMISE, _COND),
    BlockerKind.NUMBER: (),
}
# Said where no code was found that works.
_OTHERWISE: Final = {
    BlockerKind.BRANCH: (
        "Compute both branches and choose with torch.where, or put them into functions for torch.cond"
    ),
    BlockerKind.ASSERTION: _CHECK[0],
    BlockerKind.LOOP: (
        "Loop with torch._higher_order_ops.while_loop, or pass the number of iterations as an int"
    ),
    BlockerKind.SIZE: "Tell torch what is always true of the size before this line: torch._check(size > 0)",
    BlockerKind.NUMBER: (
        "Compute with the tensor, not its value: without .item(), .tolist() or float(), with x[i.view(1)] = …"
    ),
}
GENERAL: Final = frozenset(_OTHERWISE.values())


def _sizes(error: ExportFailed) -> Fix:
    """What torch suggests for dimensions; where it suggests nothing, the dimensions are made static."""
    suggested = error.suggestion.partition("Suggested fixes:")[2].strip()
    if suggested:
        lines = [line.strip() for line in suggested.splitlines() if " = " in line]
        return Fix("Define these dimensions as torch suggests", "\n".join(lines))
    found = VIOLATED.search(error.reason)
    names = found[1].split(", ") if found else []
    code = "\n".join(f"{name} = torch.export.Dim.STATIC" for name in names)
    return Fix(
        "Make these dimensions static, or choose a range in which the condition holds, if there is one", code
    )


def _fake_kernel(error: ExportFailed) -> Iterator[Fix]:
    named = [tuple(filter(None, each)) for each in _OPERATOR.findall(error.reason)[:1]]
    named = named or list(dict.fromkeys(_OPERATOR_OF_CODE.findall(error.code)))
    if len(named) != 1:  # of several operators in a line, it is not known which one
        yield Fix("Register a fake kernel for the operator: torch.library.register_fake")
        return
    space, name = named[0]
    arguments = _arguments(space, name)
    code = (
        f'@torch.library.register_fake("{space}::{name}")\n'
        f"def {name}_fake({', '.join(arguments)}):\n"
        f"    return torch.empty_like({arguments[0] if arguments else ''})"
    )
    yield Fix("Register a fake kernel that returns a tensor of the right shape and dtype", code)


def _arguments(space: str, name: str) -> list[str]:
    import torch

    from exir_viz.torch_internals.operators import arguments_of

    packet = getattr(getattr(torch.ops, space), name)
    return [one.name for one in arguments_of(getattr(packet, packet.overloads()[0]))]
