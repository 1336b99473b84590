"""The matches so far: pairs of nodes, and nodes that belong to a pair's group, each with its evidence.

A pair is one node of each side; its trust is at most that of the pair from which it was found. A node that is
part of what its counterpart became (a `permute` of a `linear`) is attached to it. Pairs and attachments
together form groups. Nothing is undone.

The confidence of an evidence is the share of correct pairs among those with it, rounded down, as the
benchmark measures it over all its programs (`python -m tests.bench diff`). Exact lineage and names that must
be equal count as 1. A folded norm is not measured and counts like other inferences. So does a call found in
another module: only mutants measure it, and all its pairs in them are right.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from enum import StrEnum

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE

from .graphs import places
from .modules import node_scopes, scope_numbers


class MatchEvidence(StrEnum):
    """How a counterpart was found. `LINK` comes from the caller, with its own text."""

    LINK = "link"
    INTERFACE = "interface"
    STRUCTURE = "structure"
    NEIGHBOUR = "neighbour"
    SOURCE = "source"
    DECOMPOSED = "decomposed"
    SEQUENCE = "sequence"
    ELSEWHERE = "elsewhere"
    UNIQUE = "unique"
    BOUNDARY = "boundary"
    FOLDED = "folded"
    NONE = "none"


CONFIDENCE = {
    MatchEvidence.LINK: 1.0,
    MatchEvidence.INTERFACE: 1.0,
    MatchEvidence.STRUCTURE: 0.99,
    MatchEvidence.NEIGHBOUR: 0.99,
    MatchEvidence.SOURCE: 0.99,
    MatchEvidence.DECOMPOSED: 0.99,
    MatchEvidence.SEQUENCE: 0.9,
    MatchEvidence.ELSEWHERE: 0.9,
    MatchEvidence.UNIQUE: 0.5,
    MatchEvidence.BOUNDARY: 0.8,
    MatchEvidence.FOLDED: 0.9,
    MatchEvidence.NONE: 1.0,
}

WORDS = {
    MatchEvidence.LINK: "lineage kept by the stage",
    MatchEvidence.INTERFACE: "the same input, output or state",
    MatchEvidence.STRUCTURE: "the same op with the same neighbors, in the same order",
    MatchEvidence.NEIGHBOUR: "the same op at the same place next to a matched node",
    MatchEvidence.SOURCE: "the same call in the module's source",
    MatchEvidence.DECOMPOSED: "the same op, or what torch decomposes it to, of the same values",
    MatchEvidence.SEQUENCE: "the same op between matched nodes, in the same order",
    MatchEvidence.ELSEWHERE: "the same op with the same inputs or the same user, in another module",
    MatchEvidence.UNIQUE: "the only op of its kind on either side",
    MatchEvidence.BOUNDARY: "the same nodes around it",
    MatchEvidence.FOLDED: "inference: the norm was removed, and the op has another bias",
    MatchEvidence.NONE: "no counterpart found",
}


class Pairing:
    """`of_a[i]` is the counterpart of node i of a (or what it is attached to), NONE while it has none.

    `trust` is the confidence of a link, if it is lower than that of its evidence; `trust_a` that of the pair
    of a node of a. `scopes` are the numbers of module calls that both sides share, `places` say which graphs
    match; `is_turned` says that it was found with the sides exchanged.
    """

    def __init__(self, a: Side, b: Side, links: Iterable[tuple[int, int]] = ()) -> None:
        self.a = a
        self.b = b
        self.scopes = scope_numbers(a, b)
        self.is_turned = False
        self.users_a = a.users
        self.users_b = b.users
        self.of_a = [NONE] * a.size
        self.of_b = [NONE] * b.size
        self.links: list[tuple[int, int, MatchEvidence]] = []
        self.trust_a = [1.0] * a.size
        self.trust: dict[tuple[int, int], float] = {}
        for i, j in links:
            self.link(i, j, MatchEvidence.LINK)
        self.places = places(a, b, self.of_a, self.node_scopes)

    @property
    def node_scopes(self) -> tuple[list[int], list[int]]:
        """By node of either side: the number of its module call."""
        return node_scopes(self.a, self.scopes[0]), node_scopes(self.b, self.scopes[1])

    def paired(self) -> tuple[list[int], list[int]]:
        """By node of either side: the number in a of its pair."""
        ours = [i if j != NONE and self.of_b[j] == i else NONE for i, j in enumerate(self.of_a)]
        theirs = [i if i != NONE and self.of_a[i] == j else NONE for j, i in enumerate(self.of_b)]
        return ours, theirs

    def pair(self, i: int, j: int, evidence: MatchEvidence, found_from: int = NONE) -> bool:
        """Pair two nodes, unless one has a counterpart already; `found_from`: the node of a that led here."""
        if self.of_a[i] != NONE or self.of_b[j] != NONE:
            return False
        self.link(i, j, evidence)
        trust = CONFIDENCE[evidence]
        if found_from != NONE and self.trust_a[found_from] < trust:
            trust = self.trust[i, j] = self.trust_a[found_from]
        self.trust_a[i] = trust
        return True

    def link(self, i: int, j: int, evidence: MatchEvidence) -> None:
        """Attach: a free one joins the other's group; if both are free, they become a pair."""
        if self.of_a[i] == NONE:
            self.of_a[i] = j
        if self.of_b[j] == NONE:
            self.of_b[j] = i
        self.links.append((i, j, evidence))

    def join(self, i: int, j: int, evidence: MatchEvidence) -> None:
        """Put two nodes into one group; neither becomes the other's counterpart."""
        self.links.append((i, j, evidence))

    def turned(self) -> Pairing:
        """The same with the sides exchanged."""
        found = copy(self)
        found.a, found.b = self.b, self.a
        found.scopes = (self.scopes[1], self.scopes[0])
        found.places = (self.places[1], self.places[0])
        found.users_a, found.users_b = self.users_b, self.users_a
        found.of_a, found.of_b = self.of_b, self.of_a
        found.trust = {(j, i): trust for (i, j), trust in self.trust.items()}
        found.is_turned = not self.is_turned
        found.links = [(j, i, evidence) for i, j, evidence in self.links]
        return found

    def free_a(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if self.of_a[number] == NONE]

    def free_b(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if self.of_b[number] == NONE]
