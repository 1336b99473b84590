"""Fingerprints of module calls: equal numbers mean equal contents.

Enters: a side, and the contents of each of its module calls. Leaves: by call, a number for its ops and values
only; and one that includes the bytes of the weights, for calls that read any.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.index import index_of

Within = Mapping[int, Sequence[int]]


def of_contents(side: Side, within: Within, scopes: Sequence[int]) -> list[int]:
    """By call: a hash of all ops and values in it; `scopes` are the calls by node."""
    return _inwards(list(zip(side.families, side.values, strict=True)), within, scopes)


def of_weights(side: Side, within: Within, scopes: Sequence[int]) -> dict[int, int]:
    """By call that reads state: a hash of everything in it, with the checksums of its state.

    State without a checksum equals no other.
    """
    sums = _checksums(side)
    read = [tuple(sums[one] for one in inputs if one in sums) for inputs in side.inputs]
    found = _inwards(list(zip(side.families, side.values, read, strict=True)), within, scopes)
    holds = {scope for scope, one in zip(scopes, read, strict=True) if one}
    for at in range(len(found) - 2, -1, -1):
        if any(inner in holds for inner in within.get(at, ())):
            holds.add(at)
    return {at: found[at] for at in range(len(found) - 1) if at in holds}


def _inwards(columns: Sequence[Hashable], within: Within, scopes: Sequence[int]) -> list[int]:
    """By call, and last for nodes outside any: a hash of its nodes' keys, and of its submodule calls."""
    found = [0] * (max((at for inner in within.values() for at in inner), default=-1) + 2)
    for scope, key in zip(scopes, columns, strict=True):
        found[scope] = hash((found[scope], key))
    for at in range(len(found) - 2, -1, -1):
        found[at] = hash((found[at], *(found[one] for one in within.get(at, ()))))
    return found


def _checksums(side: Side) -> dict[int, Hashable]:
    """By state node: its checksum, or a unique value."""
    found: dict[int, Hashable] = {}
    for method in side.snapshot.methods.values():
        sums = {entry.name: entry.crc32 for entry in method.state}
        for graph in method.graphs():
            base = side.bases[graph.number]
            for position, name in index_of(graph).states.items():
                crc32 = sums.get(name)
                found[base + position] = (id(side), base + position) if crc32 is None else crc32
    return found
