"""Collect the links between two stages. The first evidence found for a node decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from torch import fx

from exir_viz.snapshot.lineage import EXACT, Evidence, Lineage, lineage_of

from .live_graphs import LiveGraph, LiveGraphs

CALLS = ("call_function", "call_method", "call_module")


@dataclass(eq=False)
class Links:
    """The links found so far between two stages: nodes of the child → nodes of the parent.

    originals: nodes of the working copy of the parent → nodes of the parent.
    """

    parent: LiveGraphs
    child: LiveGraphs
    originals: Mapping[fx.Node, fx.Node] = field(default_factory=dict)
    ancestors: dict[fx.Node, tuple[fx.Node, ...]] = field(default_factory=dict)
    evidence: dict[fx.Node, Evidence] = field(default_factory=dict)
    pairs: dict[LiveGraph, LiveGraph] = field(default_factory=dict)  # a graph object that both stages share

    def add(self, node: fx.Node, ancestors: Iterable[fx.Node], evidence: Evidence) -> None:
        """Link a node, unless it is linked already."""
        found = tuple(dict.fromkeys(ancestors))
        if found and node not in self.ancestors:
            self.ancestors[node] = found
            self.evidence[node] = evidence

    def only(self, node: fx.Node) -> fx.Node | None:
        """The ancestor of a node that has exactly one, with exact evidence."""
        found = self.ancestors.get(node, ())
        return found[0] if len(found) == 1 and self.evidence[node] in EXACT else None

    def strangers(self) -> list[tuple[LiveGraph, LiveGraph]]:
        """Pairs of graphs without any exact link between their calls: links between them must be inferred."""
        return [
            (place, before)
            for place, before in self.pairs.items()
            if not any(node.op in CALLS and self.only(node) is not None for node in place.nodes)
        ]

    def with_descendants(self) -> set[fx.Node]:
        """Nodes of the parent that have a descendant."""
        return {ancestor for ancestors in self.ancestors.values() for ancestor in ancestors}

    def open(self, *ops: str) -> list[fx.Node]:
        """Nodes of the child that have no link yet, of some kinds or of all."""
        return [
            node for node in self.child.nodes if node not in self.ancestors and (not ops or node.op in ops)
        ]

    def finish(self, reasons: dict[fx.Node, str]) -> Lineage:
        """The links as a record, in node numbers."""
        numbers, before = self.child.numbers, self.parent.numbers
        links = {
            (numbers[node], before[ancestor]): self.evidence[node]
            for node, ancestors in self.ancestors.items()
            for ancestor in ancestors
        }
        return lineage_of(links, {numbers[node]: reason for node, reason in reasons.items()})
