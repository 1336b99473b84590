"""Nodes of a copy that a pass left standing: they are the parent's, for the copy was made of it."""

from __future__ import annotations

from collections.abc import Mapping

from torch import fx

from exir_viz.snapshot.lineage import Evidence

from .links import Links


def link(links: Links, kin: Mapping[fx.Node, fx.Node]) -> None:
    """Link what is still the very node of the copy."""
    for node in links.open():
        if node in kin:
            links.add(node, (kin[node],), Evidence.IDENTITY)
