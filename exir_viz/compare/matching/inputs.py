"""Inputs and attributes that no name gave a counterpart: they are known by who reads them.

State is often alike (every scale of a quantized layer has the shape of the running mean that is gone), so
that order alone proves nothing. Of both sides only what the same node reads, or what nothing reads, may be
each other's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exir_viz.snapshot.columns import NONE

from .evidence import Evidence
from .pairing import Pairing
from .passes import pair_in_order

# Nothing reads it; what reads it has no counterpart, on either side. (-1 and -2 have one hash in Python.)
_UNREAD, _STRANGE = -10, (-20, -30)


def pair_read(pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]]) -> None:
    """Pair what is alike and read by matched nodes, in order."""
    of_a, of_b = pairing.of_a, pairing.of_b
    # a group goes by one of its nodes in a, which both sides reach
    in_a = [NONE if j == NONE else of_b[j] for j in of_a]
    ours = _tokens(likeness[0], pairing.users_a, in_a, _STRANGE[0])
    theirs = _tokens(likeness[1], pairing.users_b, of_b, _STRANGE[1])
    pair_in_order(pairing, (ours, theirs), Evidence.SEQUENCE, calls=False)


def _tokens(
    likeness: Sequence[int], users: Iterable[Sequence[int]], group: Sequence[int], strange: int
) -> list[int]:
    return [hash((own, _reader(by, group, strange))) for own, by in zip(likeness, users, strict=True)]


def _reader(users: Sequence[int], group: Sequence[int], strange: int) -> int:
    if not users:
        return _UNREAD
    return min((group[user] for user in users if group[user] != NONE), default=strange)
