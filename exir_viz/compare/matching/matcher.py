"""The structural matcher as a recipe: which nodes of two Snapshots are each other's.

Enters: two sides and, where stages are related, links whose truth is known. Leaves: a Pairing.
"""

from __future__ import annotations

from collections.abc import Iterable

from exir_viz.compare.reading.side import Side
from exir_viz.snapshot.columns import NONE

from .assignment import pair_assigned
from .elsewhere import pair_computed, pair_elsewhere
from .evidence import Evidence
from .holes import settle_holes
from .inputs import pair_read
from .pairing import Pairing
from .passes import pair_in_order, pair_interface, pair_unique, spread
from .regions import settle_regions
from .tokens import both_tokens
from .unread import attach_unread

Pairs = list[tuple[int, int]]


def match(a: Side, b: Side, links: Iterable[tuple[int, int]] = ()) -> Pairing:
    """Pair the nodes of two sides; links are taken as they are, the rest is found by structure."""
    pairing = Pairing(a, b, links)
    pair_interface(pairing)
    one, other = both_tokens(a, b, pairing.node_scopes, pairing.places)
    exact, valued, family = (one.exact, other.exact), (one.valued, other.valued), (one.family, other.family)
    modules = (one.place, other.place)
    paired = pairing.paired()
    around = (one.around(a, paired[0]), other.around(b, paired[1]))
    pair_in_order(pairing, around, Evidence.STRUCTURE)
    spread(pairing, exact, _pairs(pairing))
    spread(pairing, exact, pair_computed(pairing, modules))
    spread(pairing, exact, pair_in_order(pairing, exact, Evidence.SEQUENCE))
    settle_regions(pairing, modules)
    spread(pairing, exact, pair_unique(pairing, around))
    spread(pairing, valued, _pairs(pairing))
    spread(pairing, valued, pair_in_order(pairing, valued, Evidence.SEQUENCE))
    spread(pairing, family, _pairs(pairing))
    spread(pairing, family, pair_in_order(pairing, family, Evidence.SEQUENCE))
    spread(pairing, family, pair_assigned(pairing, family))
    spread(pairing, family, pair_elsewhere(pairing, modules))
    settle_holes(pairing)
    pair_read(pairing, valued)
    attach_unread(pairing)
    return pairing


def _pairs(pairing: Pairing) -> Pairs:
    """The pairs that have something free beside them."""
    a, of_a, of_b = pairing.a, pairing.of_a, pairing.of_b
    free = [i for i, j in enumerate(of_a) if j == NONE]
    beside = dict.fromkeys(one for i in free for one in (*a.inputs[i], *a.users[i]))
    return [(i, of_a[i]) for i in beside if of_a[i] != NONE and of_b[of_a[i]] == i]
