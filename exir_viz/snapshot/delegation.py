"""Which ops run on which backend, which run on the CPU, and the bytes that cross between the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from exir_viz.backends import gather

from .columns import NONE, CpuRow, DelegateRow, Delegation
from .format import percent
from .graph import Graph, Node
from .index import delegate_around, index_of
from .module_attribution import owner_of
from .numbering import Numbering
from .opkind import ITEM, op_name
from .payload import named_data
from .placement import delegate_names, working, writes_back
from .records import GraphNumber, NodeNumber, SequenceValue, TensorValue
from .rollup import module_path
from .snapshot import Snapshot
from .symbol_names import in_user_names

_WRITE_BACK = "to_executorch adds it to write a result to state or to an input"


@dataclass(eq=False)
class OpsOnCpu:
    """Ops outside all delegates that share operator and reason.

    Attributes
    ----------
    calls
        The calls of delegates that they read from or feed.
    bytes
        What crosses there; None if a size is symbolic.
    is_write_back
        to_executorch added them to write results to state or inputs; no backend can run them.
    """

    op: str
    reason: str
    remedy: str
    is_write_back: bool
    nodes: list[Node] = field(default_factory=list)
    calls: set[tuple[int, int]] = field(default_factory=set)
    bytes: int | None = 0
    has_tensors: bool = False


def ops_on_cpu(snapshot: Snapshot, problems: list[str]) -> list[OpsOnCpu]:
    """The ops outside all delegates. First come those that touch most delegates: delegating them joins most.

    The reasons come from the Snapshot; for nodes without one, from backend packages. `problems` gets what
    packages failed in.
    """
    contributed = dict(
        item for _, given in gather("delegation_reasons", snapshot, problems) for item in given.items()
    )
    named, numbering = in_user_names(snapshot), Numbering(snapshot)
    stated = {number: reason for reason in named.detail.delegation_reasons for number in reason.nodes}
    rows: dict[tuple[str, str, str, bool], OpsOnCpu] = {}
    for graph in snapshot.graphs:
        if delegate_around(graph) is not None:
            continue
        calls = index_of(graph).delegated
        for node in (graph[position] for position in working(graph)):
            recorded, is_back = stated.get(numbering.number(node)), writes_back(graph, node.position)
            reason = (
                recorded.text if recorded else str(contributed.get(node.id, _WRITE_BACK if is_back else ""))
            )
            key = op_name(node.target), reason, recorded.remedy if recorded else "", is_back
            _count(rows.setdefault(key, OpsOnCpu(*key)), node, calls)
    return sorted(rows.values(), key=_order, reverse=True)


def delegation_of(snapshot: Snapshot) -> Delegation | None:
    """What a page shows of the delegates and of the ops outside of them; None where nothing is delegated."""
    names = delegate_names(snapshot)
    if not names:
        return None
    numbering, share = Numbering(snapshot), share_of(snapshot)
    return Delegation(
        ops=share.ops,
        delegated=share.delegated,
        percent=percent(share.delegated, share.ops) if share.is_known else None,
        delegates=tuple(_delegate(snapshot.graphs[number]) for number in names),
        cpu=tuple(
            CpuRow(
                row.op,
                row.reason,
                tuple(NodeNumber(numbering.number(node)) for node in row.nodes),
                row.is_write_back,
            )
            for row in ops_on_cpu(snapshot, [])
        ),
        share=share.text,
    )


class Share(NamedTuple):
    """How many ops do work, and how many of these each backend runs; the CPU runs the rest.

    A delegate counts by the ops in it, not by its call. Elements of tuples and memory for results do no work
    of their own. Every view that says what share a backend runs counts by this.
    """

    ops: int
    backends: Mapping[str, int]
    is_known: bool = True
    """False of a file that does not say which ops its delegates hold."""

    @property
    def delegated(self) -> int:
        return sum(self.backends.values())

    @property
    def on_cpu(self) -> int:
        return self.ops - self.delegated

    @property
    def text(self) -> str:
        """ "70% on XNNPACK"; without a share "partly on XNNPACK"; empty where nothing is delegated."""
        if not self.is_known:
            return f"partly on {', '.join(self.backends)}"
        parts = (f"{percent(count, self.ops)}% on {name}" for name, count in self.backends.items())
        return ", ".join(parts)


def share_of(snapshot: Snapshot) -> Share:
    """What each backend runs of a program."""
    kept: Share | None = snapshot.derived.get("share")
    if kept is None:
        names = delegate_names(snapshot)
        backends: Counter[str] = Counter()
        on_cpu = 0
        for graph in snapshot.graphs:
            delegate = delegate_around(graph)
            count = len(working(graph))
            if delegate is None:
                on_cpu += count
            else:
                backends[names[delegate.number].backend] += count
        is_known = all(len(snapshot.graphs[number]) for number in names)
        for name in names.values() if not is_known else ():
            backends[name.backend] += 0
        kept = snapshot.derived["share"] = Share(on_cpu + backends.total(), backends, is_known)
    return kept


def delegate_bytes(graph: Graph) -> int | None:
    """The bytes that a backend keeps for a delegate: its payload, and the data that this names beside it.

    Of weights outside of a payload whose format is not known, nothing is counted.
    """
    if graph.delegate is None or graph.delegate.bytes is None:
        return None
    return graph.delegate.bytes + sum(named_data(graph.payload).values())


def module_of(delegate: Graph) -> str:
    """The path of the module that contains all ops of a delegate; "" for none, or the program itself."""
    owner = NONE if delegate.holder is None else owner_of(delegate.holder)
    return "" if owner == NONE else module_path(delegate.snapshot.scopes[owner].path)


def _order(row: OpsOnCpu) -> tuple[bool, bool, int, int, int]:
    """What touches most delegates is greatest; ops that only compute sizes are less, write-backs least."""
    return not row.is_write_back, row.has_tensors, len(row.calls), row.bytes or 0, len(row.nodes)


def _count(row: OpsOnCpu, node: Node, calls: Mapping[int, object]) -> None:
    """Add a node outside all delegates, and what it reads from and hands to these."""
    row.nodes.append(node)
    row.has_tensors |= isinstance(node.value, TensorValue | SequenceValue)
    graph, index = node.graph, index_of(node.graph)
    crossing = []
    for position in node.input_positions:
        is_item = op_name(graph[position].target) == ITEM and index.inputs(position)
        source = index.inputs(position)[0] if is_item else position
        if source in calls:
            row.calls.add((graph.number, source))
            crossing.append(position)
    fed = [user for user in graph.user_positions(node.position) if user in calls]
    row.calls.update((graph.number, user) for user in fed)
    crossing += [node.position] if fed else []
    row.bytes = total_bytes([row.bytes, *(index.bytes[position] for position in crossing)])


def total_bytes(sizes: Iterable[int | None]) -> int | None:
    """The sum; None if one is unknown."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def _delegate(inner: Graph) -> DelegateRow:
    ops = sum(len(working(graph)) for graph in inner.walk())
    return DelegateRow(GraphNumber(inner.number), module_of(inner), ops, delegate_bytes(inner))
