"""Match the nodes that come from the same torch function call in the same module.

torch keeps with every node the call of the user's code that made it (`torch_fn`), also through decomposition.
So nodes of one such call on both sides belong together, whatever they became. The call's number counts all
earlier calls of that function: it is trusted only if the pairs found so far agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE

from .evidence import Evidence
from .pairing import Pairing
from .rewrites import settle

# The share of paired nodes that must agree on call numbers before these are trusted.
_AGREEMENT = 0.9

Region = tuple[int, int]


def settle_regions(pairing: Pairing, places: tuple[Sequence[int], Sequence[int]]) -> None:
    """Match the free nodes of regions that are the same call; `places` are the tokens of module calls."""
    passed = (side.passed for side in pairing.places)
    ours, theirs = map(_regions, (pairing.a, pairing.b), places, passed)
    partner = _voted(pairing, places)
    agreed = sum(left == right for left, right in partner.items())
    if agreed >= _AGREEMENT * len(partner):
        used = set(partner.values())
        partner |= {key: key for key in ours if key not in partner and key in theirs and key not in used}
    for left, right in partner.items():
        settle(pairing, ours[left], theirs[right], Evidence.SOURCE)


def _regions(side: Side, places: Sequence[int], passed: Collection[int]) -> dict[Region, list[int]]:
    """The calls of each region, in execution order, without nodes that only represent others."""
    found: dict[Region, list[int]] = defaultdict(list)
    for number in side.order:
        if side.calls[number] and side.functions[number] != NONE and number not in passed:
            found[places[number], side.functions[number]].append(number)
    return found


def _voted(pairing: Pairing, places: tuple[Sequence[int], Sequence[int]]) -> dict[Region, Region]:
    """For each region of a with paired nodes: the region of b that has most of their counterparts."""
    a, b = pairing.a, pairing.b
    votes: dict[Region, Counter[Region]] = defaultdict(Counter)
    for i in a.order:
        j = pairing.of_a[i]
        if j != NONE and a.calls[i] and a.functions[i] != NONE and b.functions[j] != NONE:
            votes[places[0][i], a.functions[i]][places[1][j], b.functions[j]] += 1
    return {left: found.most_common(1)[0][0] for left, found in votes.items()}
