"""Write into a stage's Snapshot why its nodes are not delegated, so that every file and view of it has the
reasons.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import DelegationReason
from exir_viz.snapshot.lineage import Lineage
from exir_viz.snapshot.numbering import Numbering
from exir_viz.stages.records import Finding, FindingTopic


def with_delegation_reasons(
    snapshot: Snapshot, findings: Iterable[Finding], parent: Snapshot, lineage: Lineage | None
) -> Snapshot:
    """The Snapshot with the reasons among the findings; without any, with those of its nodes' ancestors."""
    texts = {one.node: (one.text, one.remedy) for one in findings if one.topic is FindingTopic.NOT_DELEGATED}
    if texts:
        numbering = Numbering(snapshot)
        nodes = (node for graph in snapshot.graphs for node in graph)
        by_node = {numbering.number(node): texts[node.id] for node in nodes if node.id in texts}
    elif lineage is not None:
        before = {
            node: (one.text, one.remedy) for one in parent.detail.delegation_reasons for node in one.nodes
        }
        links = zip(lineage.nodes, lineage.ancestors, strict=True)
        by_node = {node: before[ancestor] for node, ancestor in links if ancestor in before}
    else:
        by_node = {}
    if not by_node:
        return snapshot
    by_text: dict[tuple[str, str], list[int]] = {}
    for number, text in sorted(by_node.items()):
        by_text.setdefault(text, []).append(number)
    reasons = tuple(
        DelegationReason(text, tuple(numbers), remedy) for (text, remedy), numbers in by_text.items()
    )
    return snapshot.reworded(snapshot.skeleton, replace(snapshot.detail, delegation_reasons=reasons))
