"""Step 2: find the counterpart of every node, and group the nodes that belong together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from exir_viz.compare.normalize import Normalized

from .folded_norms import attach_folded
from .groups import Groups, group
from .known_links import Link, to_items
from .matcher import match
from .pairing import Pairing


class Alignment(NamedTuple):
    """Pairs of nodes, the groups they form, and the evidence texts of links that were known before."""

    pairing: Pairing
    groups: Groups
    link_texts: dict[tuple[int, int], str]


def align(programs: Normalized, known: Iterable[Link], *, b_first: bool) -> Alignment:
    """Align b with a. `known` links are not questioned; the smaller program comes first, b if `b_first`."""
    a, b = programs.a, programs.b
    links = to_items(known, a, b)
    pairs = [(link.a, link.b) for link in links]
    turned = [(j, i) for i, j in pairs]
    pairing = match(b, a, turned).turned() if b_first else match(a, b, pairs)
    attach_folded(pairing, *programs.contents)
    return Alignment(pairing, group(pairing), {(link.a, link.b): link.text for link in links})
