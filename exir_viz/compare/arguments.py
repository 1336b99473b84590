"""What changed among the arguments of one call: "p 0.1 → 0.5", "inputs `x`, `y` swapped".

Enters: two nodes that are each other's. Nodes among arguments are told of as inputs, not as arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.printable import one_line
from exir_viz.snapshot.records import Arg, Call, Literal, NodeArg, OpArg, SymArg
from exir_viz.snapshot.text.arguments import operator, python

# Longer arguments are cut, and more inputs counted.
_LONGEST = 60
_MOST_INPUTS = 3


class Told(NamedTuple):
    """In full, and as a rule says it of many calls."""

    text: str
    rule: str


class Inputs(NamedTuple):
    """What is read otherwise: names in a and in b; `swapped` where both are the same, in another order."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    swapped: bool = False


def told_arguments(a: Node, b: Node) -> Told:
    """The arguments that differ; a rule tells of each number and word."""
    full, short = [], []
    for name, x, y in _pairs(a, b):
        before, after = _text(x, a), _text(y, b)
        if before != after and not (isinstance(x, NodeArg) and isinstance(y, NodeArg)):
            full.append(f"{name} {before} → {after}")
            is_short = isinstance(x, _SHORT) and isinstance(y, _SHORT)
            short.append(full[-1] if is_short else name)
    return Told(", ".join(full), ", ".join(short)) if full else Told("args", "args")


def told_inputs(inputs: Inputs) -> Told:
    """What is read instead of what."""
    before, after = _listed(inputs.before), _listed(inputs.after)
    if inputs.swapped:
        return Told(f"inputs {after} swapped", "inputs swapped")
    if before and after:
        return Told(f"inputs {before} → {after}", "inputs")
    if before or after:
        return Told(f"reads {after} too" if after else f"reads {before} no more", "inputs")
    return Told("inputs", "inputs")


_SHORT = (Literal, SymArg, OpArg, NoneType)


def _pairs(a: Node, b: Node) -> Iterator[tuple[str, Arg | None, Arg | None]]:
    """Argument by argument, under its name in the op's schema, else by its place from 0."""
    names = _schema_names(a.target.schema or b.target.schema or "")
    before, after = _named(a.call, names), _named(b.call, names)
    for name in dict.fromkeys((*before, *after)):
        yield name, before.get(name), after.get(name)


def _named(call: Call, names: Sequence[str]) -> dict[str, Arg]:
    found = {names[at] if at < len(names) else f"argument {at}": arg for at, arg in enumerate(call.args)}
    return found | dict(zip(call.names, call.values, strict=True))


def _schema_names(schema: str) -> list[str]:
    """ "aten::sum.dim(Tensor self, int[1]? dim, *, int n=1) -> Tensor" → self, dim, n."""
    found, depth, start = [], 0, schema.find("(") + 1
    for at in range(start, len(schema)):
        depth += (schema[at] in "([") - (schema[at] in ")]")
        if depth < 0 or (depth == 0 and schema[at] == ","):
            found.append(schema[start:at].partition("=")[0].split()[-1:])
            start = at + 1
        if depth < 0:
            break
    return [name for names in found for name in names if name != "*"]


def _text(arg: Arg | None, node: Node) -> str:
    if arg is None:
        return "(not given)"
    if isinstance(arg, NodeArg):
        return f"`{node.inputs[arg.at].name}`"
    return one_line(python(arg, [one.name for one in node.inputs], operator), _LONGEST)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_INPUTS])
    more = len(names) - _MOST_INPUTS
    return f"{shown} and {more} more" if more > 0 else shown
