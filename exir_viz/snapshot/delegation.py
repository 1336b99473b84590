"""Which ops run on which backend, which run on the CPU, and the bytes that cross between the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .columns import NONE, CpuRow, DelegateRow, Delegation
from .delegate_links import delegate_links
from .graph import Graph, Node
from .index import COMPUTES, index_of
from .module_attribution import home_of
from .numbering import Numbering
from .opkind import op_name
from .placement import delegate_names
from .rollup import module_path
from .snapshot import Snapshot

# Part of calling an op, and no work of their own.
_PLUMBING = ("alloc", "getitem")


@dataclass
class _Row:
    nodes: list[int] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    bytes: int | None = 0


def delegation_of(snapshot: Snapshot, reasons: Mapping[str, str] | None = None) -> Delegation | None:
    """The delegates of a Snapshot and the ops outside of them; None where nothing is delegated.

    Parameters
    ----------
    reasons
        By id of a node outside all delegates: why it is not delegated. Files do not hold reasons.
    """
    names = delegate_names(snapshot)
    if not names:
        return None
    reasons = reasons or {}
    numbering = Numbering(snapshot)
    rows: dict[tuple[str, str], _Row] = {}
    delegated = 0
    for graph in snapshot.graphs:
        if _backend_of(graph) is not None:
            delegated += sum(1 for _ in _ops(graph))
            continue
        calls = index_of(graph).delegated
        for node in _ops(graph):
            if node.position not in calls:
                reason = reasons.get(node.id, "")
                _count(rows.setdefault((op_name(node.target), reason), _Row()), node, calls, numbering)
    cpu = [
        CpuRow(op, reason, tuple(row.nodes), len(row.calls), row.bytes)
        for (op, reason), row in sorted(rows.items(), key=lambda item: _order(item[1]), reverse=True)
    ]
    return Delegation(
        ops=delegated + sum(len(row.nodes) for row in cpu),
        delegated=delegated,
        delegates=tuple(_delegate(snapshot.graphs[number], str(name)) for number, name in names.items()),
        cpu=tuple(cpu),
    )


def share_text(snapshot: Snapshot) -> str:
    """How much of a program a backend took: "70 % on XNNPACK"; empty where nothing is delegated."""
    kept: str | None = snapshot.derived.get("delegation_share")
    if kept is None:
        found = delegation_of(snapshot)
        kept = "" if found is None else _share_text(snapshot, found)
        snapshot.derived["delegation_share"] = kept
    return kept


def _share_text(snapshot: Snapshot, found: Delegation) -> str:
    names = delegate_names(snapshot)
    ops: Counter[str] = Counter()
    for row in found.delegates:
        ops[names[row.graph].backend] += row.ops
    return ", ".join(f"{100 * count / max(found.ops, 1):.0f} % on {name}" for name, count in ops.items())


def _order(row: _Row) -> tuple[int, int, int]:
    return len(row.calls), row.bytes or 0, len(row.nodes)


def _backend_of(graph: Graph | None) -> Graph | None:
    """The delegate that a graph is, or is nested in."""
    while graph is not None and graph.delegate is None:
        graph = graph.parent
    return graph


def _ops(graph: Graph) -> Iterable[Node]:
    """The calls that do work, control flow and the calls of delegates included."""
    for position, op in enumerate(graph.columns.ops):
        if op in COMPUTES:
            node = graph[position]
            if (node.target.name or op_name(node.target)) not in _PLUMBING:
                yield node


def _count(row: _Row, node: Node, calls: Mapping[int, object], numbering: Numbering) -> None:
    """Add a node outside all delegates, and what it reads from and hands to these."""
    row.nodes.append(numbering.number(node))
    graph, index = node.graph, index_of(node.graph)
    crossing = []
    for at in node.input_positions:
        source = index.inputs(at)[0] if op_name(graph[at].target) == "getitem" and index.inputs(at) else at
        if source in calls:
            row.calls.add(numbering.number(graph[source]))
            crossing.append(at)
    fed = [user for user in graph.user_positions(node.position) if user in calls]
    row.calls.update(numbering.number(graph[user]) for user in fed)
    crossing += [node.position] if fed else []
    row.bytes = _sum([row.bytes, *(index.bytes[at] for at in crossing)])


def _sum(sizes: Iterable[int | None]) -> int | None:
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def _delegate(inner: Graph, name: str) -> DelegateRow:
    call = inner.holder
    bytes_in = bytes_out = None
    if call is not None:
        outer = index_of(call.graph)
        state = {at for at, role in outer.roles.items() if role not in ("user_input", "input")}
        passed = [at for at in dict.fromkeys(call.input_positions) if at not in state]
        values = [at for at in passed if call.graph[at].op != "get_attr"]
        bytes_in = _sum(outer.bytes[at] for at in values)
        link = delegate_links(call.graph).get(call.position)
        bytes_out = None if link is None else _sum(outer.bytes[at] for at in link.outputs)
    home = NONE if call is None else home_of(call)
    return DelegateRow(
        graph=inner.number,
        name=name,
        module="" if home == NONE else module_path(inner.snapshot.scopes[home].path),
        ops=sum(1 for _ in _ops(inner)),
        bytes=None if inner.delegate is None else inner.delegate.bytes,
        bytes_in=bytes_in,
        bytes_out=bytes_out,
    )
