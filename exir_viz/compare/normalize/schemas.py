"""Names and defaults of an op's arguments.

Enters: a target. Its own schema counts first; the Snapshot of a live program has it. Files have none; for
them `schemas.txt` contains the schemas that torch and ExecuTorch declare, as `scripts/schemas.py` found them.
An op in neither has no known schema.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from msgspec.structs import replace

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.records import Arg, Literal, LiteralType, SequenceArg, Target, TargetType

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
