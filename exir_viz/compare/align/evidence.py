"""The kinds of evidence for a match, and their confidence.

The confidence is the share of correct pairs among those with that evidence, rounded down, as the benchmark
measures it over all its programs (`python -m tests.bench diff`). Exact lineage and names that must be equal
count as 1. A folded norm is not measured and counts like other inferences. So does a call found in another
module: only mutants measure it, and none of its pairs in them is wrong.
"""

from __future__ import annotations

from enum import StrEnum


class Evidence(StrEnum):
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
    Evidence.LINK: 1.0,
    Evidence.INTERFACE: 1.0,
    Evidence.STRUCTURE: 0.99,
    Evidence.NEIGHBOUR: 0.99,
    Evidence.SOURCE: 0.99,
    Evidence.DECOMPOSED: 0.99,
    Evidence.SEQUENCE: 0.9,
    Evidence.ELSEWHERE: 0.9,
    Evidence.UNIQUE: 0.5,
    Evidence.BOUNDARY: 0.8,
    Evidence.FOLDED: 0.9,
    Evidence.NONE: 1.0,
}

WORDS = {
    Evidence.LINK: "lineage kept by the stage",
    Evidence.INTERFACE: "the same input, output or state",
    Evidence.STRUCTURE: "the same op with the same neighbors, in the same order",
    Evidence.NEIGHBOUR: "the same op at the same place next to a matched node",
    Evidence.SOURCE: "the same call in the module's source",
    Evidence.DECOMPOSED: "the same op, or what torch decomposes it to, of the same values",
    Evidence.SEQUENCE: "the same op between matched nodes, in the same order",
    Evidence.ELSEWHERE: "the same op with the same inputs or the same user, in another module",
    Evidence.UNIQUE: "the only op of its kind on either side",
    Evidence.BOUNDARY: "the same nodes around it",
    Evidence.FOLDED: "inference: the norm was removed, and the op has another bias",
    Evidence.NONE: "no counterpart found",
}
