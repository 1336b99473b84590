"""Nodes of a copy that a step left standing: they are the parent's, for the copy was made of it."""

from __future__ import annotations

from exir_viz.snapshot.lineage import Evidence

from .links import Links


def link(links: Links) -> None:
    """Link what is still the very node of the copy."""
    for node in links.open():
        if node in links.twins:
            links.add(node, (links.twins[node],), Evidence.IDENTITY)
