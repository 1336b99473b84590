"""The structural matcher as a list of passes: which nodes of two Snapshots match.

Enters: two sides and, for related stages, trusted links. Leaves: a Pairing. `python -m tests.bench ablation`
measures what each pass adds, and a test fails if one is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE

from .cross_module import pair_computed, pair_elsewhere
from .decompositions import settle_decompositions
from .evidence import Evidence
from .gaps import settle_holes
from .pairing import Pairing
from .passes import pair_in_order, pair_interface, pair_read, pair_unique, spread
from .source_calls import settle_regions
from .tokens import both_tokens
from .unused_items import attach_unread

Pairs = list[tuple[int, int]]
Both = tuple[Sequence[int], Sequence[int]]


class Likeness:
    """Keys of similar nodes of two sides, from loose to strict: by node of either side, its token."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        a, b = both_tokens(pairing.a, pairing.b, pairing.node_scopes, pairing.places)
        self._tokens = a, b
        self.modules: Both = a.place, b.place
        self.family: Both = a.family, b.family
        self.valued: Both = a.valued, b.valued
        self.exact: Both = a.exact, b.exact

    @cached_property
    def around(self) -> Both:
        """With all neighbors of a node; paired neighbors are distinguished from all others."""
        pairing, (a, b) = self._pairing, self._tokens
        ours, theirs = pairing.paired()
        return a.around(pairing.a, ours), b.around(pairing.b, theirs)


Pass = Callable[[Pairing, Likeness], None]

# In the order of trust: the pairs of one pass are landmarks for the next.
PASSES: Mapping[str, Pass] = {
    "interface": lambda pairing, _: pair_interface(pairing),
    "structure": lambda pairing, like: _begin(pairing, like.around),
    "neighbours": lambda pairing, like: spread(pairing, like.exact, _pairs(pairing)),
    "computed": lambda pairing, like: spread(pairing, like.exact, pair_computed(pairing, like.modules)),
    "decompositions": lambda pairing, _: settle_decompositions(pairing),
    "source calls": lambda pairing, like: settle_regions(pairing, like.modules),
    "unique": lambda pairing, like: spread(pairing, like.exact, pair_unique(pairing, like.around)),
    "neighbours of one value": lambda pairing, like: spread(pairing, like.valued, _pairs(pairing)),
    "order of one value": lambda pairing, like: _in_order(pairing, like.valued),
    "neighbours of one op": lambda pairing, like: spread(pairing, like.family, _pairs(pairing)),
    "order of one op": lambda pairing, like: _in_order(pairing, like.family),
    "elsewhere": lambda pairing, like: spread(pairing, like.family, pair_elsewhere(pairing, like.modules)),
    "holes": lambda pairing, _: settle_holes(pairing),
    "inputs": lambda pairing, like: pair_read(pairing, like.valued),
    "unread items": lambda pairing, _: attach_unread(pairing),
}


def match(
    a: Side, b: Side, links: Iterable[tuple[int, int]] = (), passes: Mapping[str, Pass] = PASSES
) -> Pairing:
    """Pair the nodes of two sides; links are taken as they are, the rest is found by structure."""
    pairing = Pairing(a, b, links)
    likeness = Likeness(pairing)
    for run in passes.values():
        run(pairing, likeness)
    return pairing


def _begin(pairing: Pairing, around: Both) -> None:
    pair_in_order(pairing, around, Evidence.STRUCTURE)


def _in_order(pairing: Pairing, tokens: Both) -> None:
    """Pair similar nodes in order, and then the neighbors of these pairs."""
    spread(pairing, tokens, pair_in_order(pairing, tokens, Evidence.SEQUENCE))


def _pairs(pairing: Pairing) -> Pairs:
    """The pairs that have free neighbors."""
    a, of_a, of_b = pairing.a, pairing.of_a, pairing.of_b
    free = [i for i, j in enumerate(of_a) if j == NONE]
    neighbours = dict.fromkeys(one for i in free for one in (*a.inputs[i], *a.users[i]))
    return [(i, of_a[i]) for i in neighbours if of_a[i] != NONE and of_b[of_a[i]] == i]
