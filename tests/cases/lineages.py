"""Cases of lineage: exact and inferred evidence, and links through a stage in between."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec

from exir_viz.snapshot.lineage import EXACT, Evidence, Lineage, compose, lineage_of, links_of

_FROM, _NAME = Evidence.FROM_NODE, Evidence.NAME
# (node, ancestor) → evidence: a node with two ways to one ancestor, one with two ancestors, one with none.
_LATE = {(8, 5): _FROM, (8, 6): _FROM, (9, 6): Evidence.IDENTITY, (9, 7): _NAME, (10, 4): _FROM}
_EARLY = {(5, 1): _NAME, (6, 1): _FROM, (6, 2): Evidence.STRUCTURE, (7, 3): Evidence.DELEGATE_MAP}


def cases() -> dict[str, list[Any]]:
    single = [
        (lineage_of({(2, 1): late}, {}), lineage_of({(1, 0): early}, {}))
        for late, early in product(Evidence, Evidence)
    ]
    # Two ways from node 3 to node 0: the stronger one counts.
    double = [
        (lineage_of({(3, 1): one, (3, 2): other}, {}), lineage_of({(1, 0): _FROM, (2, 0): _FROM}, {}))
        for one, other in product(Evidence, Evidence)
    ]
    pairs = [*single, *double, (lineage_of(_LATE, {}), lineage_of(_EARLY, {}))]
    return {
        "exact": [[kind.value, kind in EXACT] for kind in Evidence],
        "compose": [
            [msgspec.to_builtins(late), msgspec.to_builtins(early), _links(compose(late, early))]
            for late, early in pairs
        ],
    }


def _links(lineage: Lineage) -> list[list[Any]]:
    return [[node, ancestor, evidence.value] for node, ancestor, evidence in links_of(lineage)]
