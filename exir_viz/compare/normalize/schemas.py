"""Calls in a comparable form: equal calls are equal however they are written.

A list is a tuple, since a file does not distinguish them. If the op's schema is known, a keyword argument
becomes positional, an explicit default is omitted, and so are `out` arguments: `.pte` files write all of
them, by position. A target's own schema counts first; the Snapshot of a live program has it. Files have none;
for them `schemas.txt` contains the schemas that torch and ExecuTorch declare, as `scripts/schemas.py` found
them. An op in neither has no known schema.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from msgspec.structs import replace

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.emitted_enums import emitted_literal
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Literal,
    LiteralType,
    NodeArg,
    SequenceArg,
    Target,
    TargetType,
)

_SIZED = re.compile(r"\w+\[(\d+)\]\??")


class Parameter(NamedTuple):
    """One argument of a schema; `default` is None if it is required. `is_out`: the result is written to
    it.
    """

    name: str
    type: str
    default: Arg | None = None
    by_name: bool = False
    is_out: bool = False


def parameters(target: Target) -> tuple[Parameter, ...] | None:
    """The arguments of an op in order; None if unknown."""
    if target.type is not TargetType.OP:
        return None
    if target.schema is not None:
        return parsed(target.schema)
    overload = "" if target.overload in ("", "default") else f".{target.overload}"
    known = _known().get(f"{target.namespace}::{target.name}{overload}")
    return None if known is None else parsed(known)


def with_schemas(snapshot: Snapshot, other: Snapshot) -> Snapshot:
    """The Snapshot with the other's schemas for ops that have none here: files have none."""
    theirs = {_key(target): target.schema for target in other.targets if target.schema is not None}
    targets = tuple(
        replace(target, schema=theirs[_key(target)])
        if target.schema is None and target.type is TargetType.OP and _key(target) in theirs
        else target
        for target in snapshot.skeleton.targets
    )
    if targets == snapshot.skeleton.targets:
        return snapshot
    return Snapshot(replace(snapshot.skeleton, targets=targets), snapshot.detail)


def _key(target: Target) -> tuple[str, str, str]:
    """The key of an op: a dialect's op has the schema of its ATen op."""
    return target.namespace, target.name, target.overload


@cache
def _known() -> dict[str, str]:
    """By name and overload ("aten::add.out"): the schema."""
    lines = files(__package__).joinpath("schemas.txt").read_text("utf-8").splitlines()
    return {line.partition("(")[0]: line for line in lines}


@cache
def parsed(schema: str) -> tuple[Parameter, ...]:
    """ "aten::sum.dim(Tensor self, int[1]? dim, *, int n=1) -> Tensor" → self, dim, n."""
    found: list[Parameter] = []
    by_name = False
    for part in _parts(schema):
        if part == "*":
            by_name = True
            continue
        declared, _, default = part.partition("=")
        kind, _, name = declared.strip().rpartition(" ")
        constant = _constant(default)
        spread_default = None if constant is None else spread(constant, kind)
        found.append(Parameter(name, kind, spread_default, by_name, by_name and "!" in kind))
    return tuple(found)


def _parts(schema: str) -> list[str]:
    """The parts between the commas of the outermost brackets."""
    found, depth, start = [], 0, schema.find("(") + 1
    for at in range(start, len(schema)):
        depth += (schema[at] in "([") - (schema[at] in ")]")
        if depth < 0 or (depth == 0 and schema[at] == ","):
            found.append(schema[start:at].strip())
            start = at + 1
        if depth < 0:
            break
    return [part for part in found if part]


def spread(arg: Arg, kind: str) -> Arg:
    """One number for a list of fixed length, as its parameter stores it: 0 for `int[2]` is [0, 0]."""
    sized = _SIZED.fullmatch(kind)
    if sized is None or not isinstance(arg, Literal) or arg.type is LiteralType.NONE:
        return arg
    return SequenceArg("list", (arg,) * int(sized[1]))


def _constant(text: str) -> Arg | None:
    """A default as a value of an argument; None for an unknown word."""
    try:
        value = ast.literal_eval(text.strip()) if text else ...
    except (ValueError, SyntaxError):
        return None
    if isinstance(value, list):
        return SequenceArg("list", tuple(map(literal_of, value)))
    return literal_of(value) if value is None or isinstance(value, bool | int | float | str) else None


_SEQUENCES = ("list", "tuple", "immutable_list")
# A delegate call has only nodes as arguments, reported as inputs; a file omits the attribute that names the
# delegate.
DELEGATE = "executorch_call_delegate"
VIEW = "executorch.exir.memory.view"
# The op of a view in a file, if its size varies or its memory is not planned.
VIEW_AT_RUN_TIME = "executorch_prim.et_view.default"
_NUMBERS = (LiteralType.INT, LiteralType.FLOAT)


def comparable(call: Call, target: Target) -> Call:
    """The call in comparable form. A view's size is part of its value."""
    if target.name == DELEGATE or op_name(target) in (VIEW, VIEW_AT_RUN_TIME):
        return Call()
    call = _with_lists(call)
    known = parameters(target)
    given = None if known is None else named(call, known)
    if known is None or given is None:
        return call
    by_place = [one for one in known if not one.by_name]
    last = max((at for at, one in enumerate(by_place, 1) if one.name in given), default=0)
    args = [given.get(one.name, one.default) for one in by_place[:last]]
    if None in args:
        return call
    names = tuple(one.name for one in known if one.by_name and one.name in given)
    return Call(tuple(arg for arg in args if arg is not None), names, tuple(given[name] for name in names))


def named(call: Call, known: Sequence[Parameter]) -> dict[str, Arg] | None:
    """By name: arguments that are neither defaults nor `out`; None if a name is unknown."""
    by_name = {one.name: one for one in known}
    if len(call.args) > len(known) or not by_name.keys() >= set(call.names):
        return None
    given: Mapping[str, Arg] = {
        **{one.name: arg for one, arg in zip(known, call.args, strict=False)},
        **dict(zip(call.names, call.values, strict=True)),
    }
    return {
        name: as_declared(arg, by_name[name])
        for name, arg in given.items()
        if not by_name[name].is_out and not _is_default(arg, by_name[name])
    }


def outs(call: Call, known: Sequence[Parameter]) -> list[int]:
    """The positions of `out` arguments among the inputs of a call."""
    by_name = {one.name: one for one in known}
    given = (
        *zip(known, call.args, strict=False),
        *((by_name.get(name), arg) for name, arg in zip(call.names, call.values, strict=True)),
    )
    return [at for one, arg in given if one is not None and one.is_out for at in _nodes(arg)]


def as_declared(arg: Arg, parameter: Parameter) -> Arg:
    """Converted to its parameter's type: 1 for a float is 1.0, 0 for two numbers [0, 0], 6 for a dtype
    float32.
    """
    if not isinstance(arg, Literal):
        return arg
    kind = parameter.type.rstrip("?")
    if arg.type is not LiteralType.INT:
        return spread(arg, kind)
    if kind == "float":
        return Literal(LiteralType.FLOAT, repr(float(arg.text)))
    return emitted_literal(kind, int(arg.text)) or spread(arg, kind)


def _is_default(arg: Arg, parameter: Parameter) -> bool:
    arg, default = as_declared(arg, parameter), parameter.default
    if isinstance(arg, Literal) and isinstance(default, Literal) and {arg.type, default.type} <= {*_NUMBERS}:
        return float(arg.text) == float(default.text)
    return arg == default


def _nodes(arg: Arg) -> list[int]:
    if isinstance(arg, NodeArg):
        return [arg.at]
    return [at for item in arg.items for at in _nodes(item)] if isinstance(arg, SequenceArg) else []


def _with_lists(call: Call) -> Call:
    """A call with every list and tuple in one form."""
    if not any(isinstance(arg, SequenceArg) for arg in (*call.args, *call.values)):
        return call
    return Call(tuple(map(_as_list, call.args)), call.names, tuple(map(_as_list, call.values)))


def _as_list(arg: Arg) -> Arg:
    if not isinstance(arg, SequenceArg):
        return arg
    kind = "list" if arg.type in _SEQUENCES else arg.type
    return SequenceArg(kind, tuple(map(_as_list, arg.items)))
