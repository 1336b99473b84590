"""Compare the fields of two matched nodes, and their arguments by the names in the op's schema.

Fields of a node's position (`order`, `scope`, `graph`) make it moved; any other makes it changed. What one
side does not know (a value, a module) is no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.emitted_programs import as_bounds
from exir_viz.compare.normalize.schemas import Parameter, named, parameters
from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot import Node
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import Arg, Call, NodeArg, SequenceArg, SequenceValue, TensorValue, Value

from .contents import Comparer


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


PLACE_FIELDS = frozenset({"order", "scope", "graph"})
# A tensor's fields in display order: the attribute, and its displayed name.
_TENSOR = (
    ("dtype", "dtype"),
    ("shape", "shape"),
    ("stride", "strides"),
    ("device", "device"),
    ("layout", "layout"),
    ("requires_grad", "requires_grad"),
    ("dim_order", "dim_order"),
    ("cls", "class"),
)
# The source of an unmatched node that is computed from state or numbers only, or from several nodes.
_NOTHING, _SEVERAL = -2, -3


class Fields:
    """Compares nodes of two sides; `groups` say which nodes match."""

    def __init__(
        self, pairing: Pairing, groups: tuple[Sequence[int], Sequence[int]], contents: Comparer
    ) -> None:
        self._contents = contents
        self._a = pairing.a
        self._b = pairing.b
        self._groups = groups
        self._scopes = pairing.node_scopes
        self._places = tuple(side.graphs for side in pairing.places)
        self._wrapped = tuple(side.wrapped for side in pairing.places)
        counts = Counter(groups[0]), Counter(groups[1])
        self._sources = (
            Sources(pairing.a, [one not in counts[1] for one in groups[0]], pairing.places[0].passed),
            Sources(pairing.b, [one not in counts[0] for one in groups[1]], pairing.places[1].passed),
        )
        emitted = pairing.a.snapshot.is_pte, pairing.b.snapshot.is_pte
        self._bounds = emitted[0] != emitted[1]
        self._values: dict[tuple[int, int], tuple[str, ...]] = {}

    def differ(self, i: int, j: int) -> tuple[str, ...]:
        """The fields in which node i of a and node j of b differ, except order. Called once for each pair."""
        a, b = self._a, self._b
        found: tuple[str, ...] = ()
        if a.targets[i] != b.targets[j]:
            found += ("op",)
        if a.values[i] != b.values[j] and NONE not in (a.values[i], b.values[j]):
            found += self._value(i, j)
        if self._contents.differ(i, j):
            found += ("content",)
        if a.arguments[i] != b.arguments[j] and ("op" not in found or differ(a.node(i), b.node(j))):
            found += ("args",)
        if not self._same_inputs(i, j):
            found += ("inputs",)
        if self._scopes[0][i] != self._scopes[1][j] and NONE not in (self._scopes[0][i], self._scopes[1][j]):
            found += ("scope",)
        elsewhere = self._places[0][i] != self._places[1][j] or a.backends[i] != b.backends[j]
        elsewhere = elsewhere or (self._wrapped[0][i] == NONE) != (self._wrapped[1][j] == NONE)
        return (*found, "graph") if elsewhere else found

    def _same_inputs(self, i: int, j: int) -> bool:
        """Whether both read the same, except for inserted or removed nodes (a change of their own)."""
        before, after = self._a.inputs[i], self._b.inputs[j]
        return len(before) == len(after) and not any(self._other(i, j))

    def _other(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        """The inputs at the same position that differ."""
        for x, y in zip(self._a.inputs[i], self._b.inputs[j], strict=False):
            if not self._is_one(x, y) and not self._is_one(self._sources[0].of(x), self._sources[1].of(y)):
                yield x, y

    def _is_one(self, x: int, y: int) -> bool:
        """Whether two nodes match, or are inputs with the same memory as two that do."""
        ours, theirs = self._groups
        return ours[x] == theirs[y] or any(ours[p] == theirs[q] for p, q in self._contents.tied(x, y))

    def inputs(self, i: int, j: int) -> Inputs:
        """The inputs in which node i of a and node j of b differ; if one has more inputs, which."""
        a, b, (ours, theirs) = self._a, self._b, self._groups
        if len(a.inputs[i]) == len(b.inputs[j]):
            pairs = list(self._other(i, j))
            removed, added = [x for x, _ in pairs], [y for _, y in pairs]
        else:
            kept = {ours[x] for x in a.inputs[i]} & {theirs[y] for y in b.inputs[j]}
            removed = [x for x in a.inputs[i] if ours[x] not in kept]
            added = [y for y in b.inputs[j] if theirs[y] not in kept]
        swapped = bool(removed) and sorted(ours[x] for x in removed) == sorted(theirs[y] for y in added)
        return Inputs(tuple(a.node(x).name for x in removed), tuple(b.node(y).name for y in added), swapped)

    def _value(self, i: int, j: int) -> tuple[str, ...]:
        key = (self._a.values[i], self._b.values[j])
        if key not in self._values:
            x, y = self._a.value(i), self._b.value(j)
            self._values[key] = value_fields(*as_bounds(x, y)) if self._bounds else value_fields(x, y)
        return self._values[key]


class Sources:
    """One side. `alone`: which nodes have no counterpart; `passed`: what a call around them passes to
    them.
    """

    def __init__(self, side: Side, alone: Sequence[bool], passed: Mapping[int, int]) -> None:
        self._side = side
        self._alone = alone
        self._passed = passed
        self._found: dict[int, int] = {}

    def of(self, number: int) -> int:
        """The node itself, or the one matched node that it is computed from if it has no counterpart.

        A whole block may be in between, as `x + f(x)`. Weights of inserted or removed nodes do not count.
        """
        found, todo = self._found, [number]
        while todo:
            one = todo[-1]
            waiting = [] if one in found else [other for other in self._read(one) if other not in found]
            todo += waiting
            if not waiting:
                todo.pop()
                found.setdefault(one, self._source(one))
        return number if found[number] < 0 else found[number]

    def _read(self, number: int) -> Sequence[int]:
        if not self._alone[number]:
            return ()
        return (self._passed[number],) if number in self._passed else self._side.inputs[number]

    def _source(self, number: int) -> int:
        if not self._alone[number]:
            return number
        sources = {self._found[one] for one in self._read(number)} - {_NOTHING}
        if len(sources) > 1:
            return _SEVERAL
        return sources.pop() if sources else _NOTHING


def value_fields(a: Value | None, b: Value | None) -> tuple[str, ...]:
    """The fields in which two values differ."""
    if isinstance(a, TensorValue) and isinstance(b, TensorValue):
        return tuple(name for field, name in _TENSOR if getattr(a, field) != getattr(b, field))
    if isinstance(a, SequenceValue) and isinstance(b, SequenceValue) and len(a.items) == len(b.items):
        inner = {name for x, y in zip(a.items, b.items, strict=True) for name in value_fields(x, y)}
        order = [name for _, name in _TENSOR]
        return tuple(sorted(inner, key=lambda name: order.index(name) if name in order else len(order)))
    return () if a == b else ("value",)
