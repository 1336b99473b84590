"""What changed among the arguments of one call: "p 0.1 → 0.5", "inputs `x`, `y` swapped".

Enters: two nodes that are each other's. Nodes among arguments are told of as inputs, not as arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.printable import sentence
from exir_viz.snapshot.records import Arg, Call, Literal, NodeArg, OpArg, SequenceArg, SymArg
from exir_viz.snapshot.text.arguments import operator, python

from .normalize.calls import named
from .normalize.schemas import Parameter, parameters

# Longer arguments are cut, and more inputs counted.
_LONGEST = 60
_MOST_INPUTS = 3


class Told(NamedTuple):
    """In full, and as a rule says it of many calls."""

    text: str
    rule: str


# Of arguments that differ in nothing that can be said of them.
NOTHING_TOLD = Told("args", "args")


class Inputs(NamedTuple):
    """What is read otherwise: names in a and in b; `swapped` where both are the same, in another order."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    swapped: bool = False


def told_arguments(a: Node, b: Node, fields: Sequence[str] = ()) -> Told:
    """The arguments that differ; a rule tells of each number and word. `fields`: told of the value.

    Nothing is said of what the value tells.
    """
    full, short, is_told = [], [], False
    for name, x, y, left_out in _pairs(a, b):
        if not _is_told(x, y):
            continue
        before, after = _text(x, a, left_out[0]), _text(y, b, left_out[1])
        if before == after:
            continue
        is_field = name in fields
        if is_field and all(_is_value(*one) for one in ((before, a, name), (after, b, name))):
            is_told = True
            continue
        named_so = f"argument {name}" if is_field else name
        full.append(f"{named_so} {before} → {after}")
        is_short = isinstance(x, _SHORT) and isinstance(y, _SHORT)
        short.append(full[-1] if is_short else named_so)
    return Told(", ".join(full), ", ".join(short)) if full or is_told else NOTHING_TOLD


def _is_value(text: str, node: Node, field: str) -> bool:
    """Does an argument say what the value says: `torch.float16` of its dtype?"""
    return text.removeprefix("torch.") == str(getattr(node.value, field, None))


def told_inputs(inputs: Inputs, verb: str = "reads") -> Told:
    """What is read instead of what; an output hands back what it reads."""
    before, after = _listed(inputs.before), _listed(inputs.after)
    if inputs.swapped:
        return Told(f"inputs {after} swapped", "inputs swapped")
    if before and before == after:
        return Told(f"another {before} is read", "inputs")
    if before and after:
        return Told(f"inputs {before} → {after}", "inputs")
    if before or after:
        return Told(f"{verb} {after} too" if after else f"{verb} {before} no more", "inputs")
    return Told("inputs", "inputs")


_SHORT = (Literal, SymArg, OpArg, NoneType)


def differ(a: Node, b: Node) -> bool:
    """Do two calls of different ops differ in an argument that both ops have?"""
    return any(_is_told(x, y) for _, x, y, _ in _pairs(a, b))


def _is_told(x: Arg | None, y: Arg | None) -> bool:
    """Not of nodes: what they are is told as inputs."""
    return x != y and not (_is_nodes(x) and _is_nodes(y))


def _is_nodes(arg: Arg | None) -> bool:
    return isinstance(arg, NodeArg) or (isinstance(arg, SequenceArg) and all(map(_is_nodes, arg.items)))


def _pairs(a: Node, b: Node) -> Iterator[tuple[str, Arg | None, Arg | None, tuple[Arg | None, Arg | None]]]:
    """Argument by argument, under its name in the op's schema, else by its place from 0, with the defaults.

    Of two ops with schemas of their own only what both have is told: how one became the other is no change.
    Of two of which one has none, such as a delegate's call, only what both are given.
    """
    ours, theirs = parameters(a.target), parameters(b.target)
    known = {one.name for one in ours or theirs or ()} & {one.name for one in theirs or ours or ()}
    before, after = _named(a.call, ours or theirs), _named(b.call, theirs or ours)
    left_out = _defaults(ours or theirs), _defaults(theirs or ours)
    is_shared = a.target != b.target and not (ours is theirs is None)
    if is_shared and (ours is None or theirs is None):
        known = before.keys() & after.keys()
    for name in dict.fromkeys((*before, *after)):
        x, y = before.get(name), after.get(name)
        defaults = left_out[0].get(name), left_out[1].get(name)
        if (name in known or not is_shared) and (x or defaults[0]) != (y or defaults[1]):
            yield name, x, y, defaults


def _defaults(known: Sequence[Parameter] | None) -> dict[str, Arg]:
    return {one.name: one.default for one in known or () if one.default is not None}


def _named(call: Call, known: Sequence[Parameter] | None) -> dict[str, Arg]:
    given = None if known is None else named(call, known)
    if given is not None:
        return given
    found = {f"argument {at}": arg for at, arg in enumerate(call.args)}
    return found | dict(zip(call.names, call.values, strict=True))


def _text(arg: Arg | None, node: Node, default: Arg | None = None) -> str:
    if arg is None:
        return "(not given)" if default is None else f"{_text(default, node)} (default)"
    if isinstance(arg, NodeArg):
        return f"`{node.inputs[arg.at].name}`"
    return sentence(python(arg, [one.name for one in node.inputs], operator), _LONGEST)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_INPUTS])
    more = len(names) - _MOST_INPUTS
    return f"{shown} and {more} more" if more > 0 else shown
