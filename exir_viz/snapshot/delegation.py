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


@dataclass
class _Row:
    nodes: list[int] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    bytes: int | None = 0
    moved: int | None = 0
    has_tensors: bool = False
    time_share: float | None = None
    is_write_back: bool = False


def delegation_of(
    snapshot: Snapshot,
    time_shares: Mapping[str, float] | None = None,
) -> Delegation | None:
    """The delegates of a Snapshot and the ops outside of them; None where nothing is delegated.

    The reasons come from the Snapshot; for nodes without one, from backend packages.

    Parameters
    ----------
    time_shares
        By id of a node: its part of a run, 0 to 1 (see `Profile.delegation`).
    """
    names = delegate_names(snapshot)
    if not names:
        return None
    problems: list[str] = []
    contributed = dict(
        item for _, given in gather("delegation_reasons", snapshot, problems) for item in given.items()
    )
    reasons, time_shares = contributed | dict(in_user_names(snapshot).delegation_reasons), time_shares or {}
    numbering = Numbering(snapshot)
    rows: dict[tuple[str, str, bool], _Row] = {}
    for graph in snapshot.graphs:
        if delegate_around(graph) is not None:
            continue
        calls = index_of(graph).delegated
        for node in (graph[at] for at in working(graph)):
            reason, is_back = str(reasons.get(node.id, "")), writes_back(graph, node.position)
            key = op_name(node.target), reason or (_WRITE_BACK if is_back else ""), is_back
            row = rows.setdefault(key, _Row(is_write_back=is_back))
            _count(row, node, calls, numbering)
            row.time_share = _added(row.time_share, time_shares.get(node.id))
    cpu = [
        CpuRow(
            op,
            reason,
            tuple(map(NodeNumber, row.nodes)),
            len(row.calls),
            row.bytes,
            row.moved,
            row.time_share,
            is_back,
        )
        for (op, reason, is_back), row in sorted(rows.items(), key=lambda item: _order(item[1]), reverse=True)
    ]
    share = share_of(snapshot)
    return Delegation(
        ops=share.ops,
        delegated=share.delegated,
        percent=percent(share.delegated, share.ops) if share.is_known else None,
        delegates=tuple(
            _delegate(snapshot.graphs[number], str(name), time_shares) for number, name in names.items()
        ),
        cpu=tuple(cpu),
        problems=tuple(dict.fromkeys(problems)),
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


def _order(row: _Row) -> tuple[bool, bool, int, int, int]:
    """What touches most delegates is greatest; ops that only compute sizes are less, write-backs least."""
    return not row.is_write_back, row.has_tensors, len(row.calls), row.bytes or 0, len(row.nodes)


def _count(row: _Row, node: Node, calls: Mapping[int, object], numbering: Numbering) -> None:
    """Add a node outside all delegates, and what it reads from and hands to these."""
    row.nodes.append(numbering.number(node))
    row.has_tensors |= isinstance(node.value, TensorValue | SequenceValue)
    graph, index = node.graph, index_of(node.graph)
    crossing = []
    for at in node.input_positions:
        source = index.inputs(at)[0] if op_name(graph[at].target) == ITEM and index.inputs(at) else at
        if source in calls:
            row.calls.add(numbering.number(graph[source]))
            crossing.append(at)
    fed = [user for user in graph.user_positions(node.position) if user in calls]
    row.calls.update(numbering.number(graph[user]) for user in fed)
    crossing += [node.position] if fed else []
    row.bytes = _sum([row.bytes, *(index.bytes[at] for at in crossing)])
    places = dict.fromkeys((*node.input_positions, node.position))
    tensors = [at for at in places if isinstance(graph[at].value, TensorValue | SequenceValue)]
    row.moved = _sum([row.moved, *(index.bytes[at] for at in tensors)])


def _sum(sizes: Iterable[int | None]) -> int | None:
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def _added(one: float | None, other: float | None) -> float | None:
    return one if other is None else (one or 0.0) + other


def _delegate(inner: Graph, name: str, time_shares: Mapping[str, float]) -> DelegateRow:
    call = inner.holder
    # A backend that times its ops separately has no time for the whole.
    timed = None if call is None else time_shares.get(call.id)
    for node in () if timed is not None or not time_shares else inner:
        timed = _added(timed, time_shares.get(node.id))
    bytes_in = bytes_out = None
    if call is not None:
        outer = index_of(call.graph)
        state = {at for at, role in outer.roles.items() if role not in ("user_input", "input")}
        passed = [at for at in dict.fromkeys(call.input_positions) if at not in state]
        values = [at for at in passed if call.graph[at].op != "get_attr"]
        bytes_in = _sum(outer.bytes[at] for at in values)
        bytes_out = outer.bytes[call.position]
    owner = NONE if call is None else owner_of(call)
    return DelegateRow(
        graph=GraphNumber(inner.number),
        name=name,
        module="" if owner == NONE else module_path(inner.snapshot.scopes[owner].path),
        ops=sum(len(working(graph)) for graph in inner.walk()),
        bytes=delegate_bytes(inner),
        bytes_in=bytes_in,
        bytes_out=bytes_out,
        time_share=timed,
    )
