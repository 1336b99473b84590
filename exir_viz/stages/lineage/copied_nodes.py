"""Nodes of the working copy that a step did not replace: the copy was made from the parent's nodes."""

from __future__ import annotations

from exir_viz.snapshot.lineage import Evidence

from .links import Links


def link(links: Links) -> None:
    """Link nodes that are still the same objects as in the copy."""
    for node in links.open():
        if node in links.originals:
            links.add(node, (links.originals[node],), Evidence.IDENTITY)
