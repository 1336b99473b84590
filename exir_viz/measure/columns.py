"""Build the columns of a Profile from times of nodes, for all executors; what was not counted is UNKNOWN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .records import BASES, UNKNOWN, Basis, Columns, Times

# A node that did not run, or whose time is unknown.
NO_TIMES = Times(0, *[UNKNOWN] * 5)


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in addition to time, a number per node; see `Columns`."""

    output_bytes: Sequence[int]
    allocated_bytes: Sequence[int]
    live_bytes: Sequence[int]
    flops: Sequence[int]
    bytes_moved: Sequence[int]


def columns(
    nodes: Sequence[str],
    basis: Sequence[Basis],
    times: Sequence[Times],
    *,
    calls: Sequence[int] | None = None,
    counts: Counts | None = None,
) -> Columns:
    """A row per node, in the given order; without `calls`, a node with a time ran once."""
    blank = [UNKNOWN] * len(nodes)
    counted = counts or Counts(blank, blank, blank, blank, blank)
    return Columns(
        nodes=tuple(nodes),
        basis=tuple(map(BASES.index, basis)),
        calls=tuple(1 if one.n else UNKNOWN for one in times) if calls is None else tuple(calls),
        n=tuple(one.n for one in times),
        time=tuple(one.time for one in times),
        min=tuple(one.min for one in times),
        p25=tuple(one.p25 for one in times),
        median=tuple(one.median for one in times),
        p75=tuple(one.p75 for one in times),
        output_bytes=tuple(counted.output_bytes),
        allocated_bytes=tuple(counted.allocated_bytes),
        live_bytes=tuple(counted.live_bytes),
        flops=tuple(counted.flops),
        bytes_moved=tuple(counted.bytes_moved),
    )
