"""Which arguments of two matched calls differ, by their names in the op's schema.

Nodes among the arguments are inputs: `node_fields` compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.calls import named
from exir_viz.compare.normalize.schemas import Parameter, parameters
from exir_viz.snapshot import Node
from exir_viz.snapshot.records import Arg, Call, NodeArg, SequenceArg


class Inputs(NamedTuple):
    """The names of inputs that differ. `swapped`: both sides read the same nodes, in another order."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    swapped: bool = False


class ArgumentChange(NamedTuple):
    """One argument that differs; None if a call does not pass it. The defaults are those of each op."""

    name: str
    before: Arg | None
    after: Arg | None
    defaults: tuple[Arg | None, Arg | None]


def differ(a: Node, b: Node) -> bool:
    """Whether two calls differ in an argument that both ops have."""
    return any(True for _ in changed_arguments(a, b))


def changed_arguments(a: Node, b: Node) -> Iterator[ArgumentChange]:
    """Each argument that differs, by its name in the op's schema, else by its position from 0.

    For two different ops with schemas, only arguments that both have are compared: the rewrite itself
    explains the others. If only one op has a schema (a delegate call has none), only arguments that both are
    passed.
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
        is_changed = (name in known or not is_shared) and (x or defaults[0]) != (y or defaults[1])
        if is_changed and x != y and not (_is_nodes(x) and _is_nodes(y)):
            yield ArgumentChange(name, x, y, defaults)


def _is_nodes(arg: Arg | None) -> bool:
    return isinstance(arg, NodeArg) or (isinstance(arg, SequenceArg) and all(map(_is_nodes, arg.items)))


def _defaults(known: Sequence[Parameter] | None) -> dict[str, Arg]:
    return {one.name: one.default for one in known or () if one.default is not None}


def _named(call: Call, known: Sequence[Parameter] | None) -> dict[str, Arg]:
    given = None if known is None else named(call, known)
    if given is not None:
        return given
    found = {f"argument {at}": arg for at, arg in enumerate(call.args)}
    return found | dict(zip(call.names, call.values, strict=True))
