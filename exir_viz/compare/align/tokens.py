"""Keys of similar nodes: tokens of increasing strictness, and hashes of a node's neighbourhood.

Tokens are numbers; equal tokens of the two sides mean likeness.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.index import index_of

from .graph_counterparts import Places


class Tokens:
    """Tokens of one side, by node, from tables that both sides share."""

    def __init__(
        self, side: Side, scopes: Sequence[int], places: Places, bases: Sequence[int], roles: Sequence[int]
    ) -> None:
        place = [hash(key) for key in zip(places.graphs, places.subgraphs, scopes, roles, strict=True)]
        self.place = place
        self.family = [hash(pair) for pair in zip(side.families, place, strict=True)]
        for number, target in enumerate(side.targets):
            if target == side.getitem:  # items of one tuple are distinguished by index
                self.family[number] = hash((self.family[number], side.arguments[number]))
        self.valued = [hash(pair) for pair in zip(self.family, side.values, strict=True)]
        columns = (side.targets, side.values, side.arguments, place, bases)
        self.exact = [hash(key) for key in zip(*columns, strict=True)]

    def around(self, side: Side, paired: Sequence[int]) -> list[int]:
        """The exact token with those of inputs (in order) and users (each with how it uses the node).

        paired: by node, the number of its pair; such a node equals no other.
        """
        exact = [
            token if number == NONE else hash((token, number))
            for token, number in zip(self.exact, paired, strict=True)
        ]
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
    if not all(any(one != NONE for one in side) for side in scopes):  # a `.pte` file has no modules
        scopes = [NONE] * a.size, [NONE] * b.size
    roles = _roles(a), _roles(b)
    if not (any(roles[0]) and any(roles[1])):  # a graph without a signature has no roles
        roles = [0] * a.size, [0] * b.size
    return (
        Tokens(a, scopes[0], places[0], _function_bases(a, numbers), roles[0]),
        Tokens(b, scopes[1], places[1], _function_bases(b, numbers), roles[1]),
    )


def _roles(side: Side) -> list[int]:
    """By node: 1 for state, 2 for user inputs, 0 for the rest; state never becomes an input."""
    found = [0] * side.size
    for graph in side.snapshot.graphs:
        if graph.signature is not None:
            states = index_of(graph).states
            for position in index_of(graph).roles:
                found[side.bases[graph.number] + position] = 1 if position in states else 2
    return found


def _function_bases(side: Side, numbers: Interner[Hashable]) -> list[int]:
    """By node: the torch function that made it, without its counter (which any earlier call shifts)."""
    by_fn = [*(numbers[fn[-1]] for fn in side.snapshot.detail.torch_fns), NONE]
    return [by_fn[one] for graph in side.snapshot.graphs for one in graph.detail.torch_fns]
