"""What makes a node like another: tokens of growing strictness, and hashes of a node's neighbourhood.

Tokens are numbers; equal tokens of the two sides mean likeness. `scope_numbers` decides which module calls
of the two sides are the same, so that a renamed module can still be found by its class and place.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import Scope

from .branches import Places
from .sequence import align
from .side import ScopeKey, Side, scope_key


class Tokens:
    """Tokens of one side, by node. All from tables that the two sides share."""

    def __init__(self, side: Side, scopes: Sequence[int], places: Places, bases: Sequence[int]) -> None:
        place = [hash(key) for key in zip(*places, scopes, strict=True)]
        self.place = place
        self.family = [hash(pair) for pair in zip(side.families, place, strict=True)]
        self.valued = [hash(pair) for pair in zip(self.family, side.values, strict=True)]
        columns = (side.targets, side.values, side.arguments, place, bases)
        self.exact = [hash(key) for key in zip(*columns, strict=True)]

    def around(self, side: Side) -> list[int]:
        """The exact token with those of inputs (in order) and users (each with how it uses the node)."""
        exact = self.exact
        used = [0] * side.size
        for number, inputs in enumerate(side.inputs):
            for slot, one in enumerate(inputs):
                used[one] += hash((exact[number], slot))
        return [
            hash((exact[number], used[number], *[exact[one] for one in inputs]))
            for number, inputs in enumerate(side.inputs)
        ]


def both_tokens(
    a: Side, b: Side, scopes: tuple[list[int], list[int]], places: tuple[Places, Places]
) -> tuple[Tokens, Tokens]:
    """The tokens of the two sides; `scopes` are the numbers of module calls, by node."""
    numbers: Interner[Hashable] = Interner()
    return (
        Tokens(a, scopes[0], places[0], _function_bases(a, numbers)),
        Tokens(b, scopes[1], places[1], _function_bases(b, numbers)),
    )


def scope_numbers(a: Side, b: Side) -> tuple[list[int], list[int]]:
    """By module call of each side: a number, equal where the two are the same call.

    Those of one name are the same. Of the others, those of one class that stand in the same order between
    these are; what is left goes by its class and the call around it.
    """
    keys = [[scope_key(scope) for scope in side.snapshot.scopes] for side in (a, b)]
    known = set(keys[0]) & set(keys[1])
    numbers: Interner[Hashable] = Interner()
    sequences = []
    for side, names in zip((a, b), keys, strict=True):
        pairs = zip(side.snapshot.scopes, names, strict=True)
        sequences.append([numbers[key if key in known else _kind(scope)] for scope, key in pairs])
    renamed: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for x, y in align(*sequences):
        renamed[0][x] = renamed[1][y] = numbers["pair", x]
    return (
        _numbered(a.snapshot.scopes, keys[0], known, renamed[0], numbers),
        _numbered(b.snapshot.scopes, keys[1], known, renamed[1], numbers),
    )


def _kind(scope: Scope) -> Hashable:
    return ("kind", scope.cls, scope.path.count("."))


def _numbered(
    scopes: Sequence[Scope],
    keys: Sequence[ScopeKey],
    known: set[ScopeKey],
    renamed: Mapping[int, int],
    numbers: Interner[Hashable],
) -> list[int]:
    found: list[int] = []
    for at, (scope, key) in enumerate(zip(scopes, keys, strict=True)):
        outer = NONE if scope.parent == NONE else found[scope.parent]
        if key in known:
            found.append(numbers[key])
        else:
            found.append(renamed[at] if at in renamed else numbers["class", scope.cls, outer])
    return found


def node_scopes(side: Side, numbers: Sequence[int]) -> list[int]:
    """By node: the number of its module call."""
    by_scope = [*numbers, NONE]
    return [by_scope[one] for graph in side.snapshot.graphs for one in graph.columns.scopes]


def _function_bases(side: Side, numbers: Interner[Hashable]) -> list[int]:
    """By node: the torch function that made it, without its count (which any earlier call shifts)."""
    by_fn = [*(numbers[fn[-1]] for fn in side.snapshot.detail.torch_fns), NONE]
    return [by_fn[one] for graph in side.snapshot.graphs for one in graph.detail.torch_fns]
