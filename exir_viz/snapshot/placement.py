"""Where the picture puts each node: derived here once, and sent to the page as part of its data.

Files carry it for pages. Python derives it from the program again, so that no file can contradict itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from .columns import NONE, DelegateCall, DelegatePart, Placement
from .delegate_links import DelegateLink, delegate_links
from .graph import Graph
from .index import COMPUTES, index_of
from .module_attribution import Flattened, owners_of
from .numbering import Numbering
from .opkind import ITEM, MEMORY, OpKind, does_work, is_instruction, op_name
from .program import MUTATIONS, Dialect
from .records import GraphNumber, NodeNumber, ScopeNumber, Target
from .snapshot import Method, Snapshot

_WRITE = "copy_"


def placements_of(snapshot: Snapshot) -> tuple[Placement, ...]:
    """The placement of every graph: derived once for a Snapshot and its copies with other texts."""
    kept: tuple[Placement, ...] | None = snapshot.derived.get("placements")
    if kept is None:
        names = delegate_names(snapshot)
        starts = Numbering(snapshot).starts
        kept = tuple(_placement(graph, names, starts) for graph in snapshot.graphs)
        snapshot.derived["placements"] = kept
    return kept


class DelegateName(NamedTuple):
    """How a delegate is called: "XNNPACK 3"."""

    backend: str
    number: int

    def __str__(self) -> str:
        return f"{self.backend} {self.number}"


def delegate_names(snapshot: Snapshot) -> dict[int, DelegateName]:
    """By number of a delegate's graph: its name, counted by backend in execution order."""
    counts: Counter[str] = Counter()
    found = {}
    for graph in snapshot.graphs:
        if graph.delegate is not None:
            backend = backend_name(graph.delegate.backend)
            counts[backend] += 1
            found[graph.number] = DelegateName(backend, counts[backend])
    return found


def backend_name(identifier: str) -> str:
    """A backend as its users call it: "XnnpackBackend" is XNNPACK; others without "Backend"."""
    bare = re.sub(r"(Backend|BackendDelegate|Delegate)$", "", identifier) or identifier
    return "XNNPACK" if bare == "Xnnpack" else bare


def _placement(graph: Graph, names: dict[int, DelegateName], starts: Sequence[int]) -> Placement:
    scopes, owners = graph.columns.scopes, owners_of(graph)
    inferred = [at for at, owner in enumerate(owners) if owner != scopes[at]]
    links = delegate_links(graph)
    linked = {item for link in links.values() for item in link.outputs}
    into = {at: host for at, host in _folded(graph) if at not in linked}
    return Placement(
        inferred=tuple(inferred),
        owners=tuple(ScopeNumber(owners[at]) for at in inferred),
        folded=tuple(into),
        into=tuple(_end(into, host) for host in into.values()),
        written=tuple(_written(graph)),
        delegates=tuple(_calls(graph, links, names)),
        order=tuple(map(NodeNumber, _order_before(graph, starts))) if links else (),
    )


def _order_before(graph: Graph, starts: Sequence[int]) -> tuple[int, ...]:
    """The ops of a graph and of its delegates in the order before lowering, as far as their data flow allows.

    Lowering moves what a delegate runs, but keeps the debug handles, which count in the order of the edge
    program. Ops with the same handle come in the order in which arguments are computed.
    """
    flat = Flattened(graph, starts)
    handles = _handles(graph, flat)
    places = _computed(flat, handles)
    keys = {number: (handle, places[number]) for number, handle in handles.items()}
    waiting = {number: len(inputs) for number, inputs in flat.inputs.items()}
    items: dict[int, list[int]] = {}
    for at, item, source in flat.items:
        items.setdefault(starts[at] + source, []).append(starts[at] + item)
    ready = [(*keys[number], number) for number, count in waiting.items() if count == 0]
    heapify(ready)
    found: list[int] = []
    while ready:
        number = heappop(ready)[2]
        found += [number, *items.get(number, ())]
        for user in flat.users.get(number, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                heappush(ready, (*keys[user], user))
    return tuple(found)


def _computed(flat: Flattened, handles: Mapping[int, int]) -> dict[int, int]:
    """By node: its place where each node comes right after its arguments, the first of these first."""
    places: dict[int, int] = {}
    results = [number for number in flat.nodes if number not in flat.users]
    pending = sorted(results, key=handles.__getitem__, reverse=True)
    entered: set[int] = set()
    while pending:
        number = pending[-1]
        if number not in entered:
            entered.add(number)
            pending += [read for read in reversed(flat.inputs[number]) if read not in entered]
            continue
        pending.pop()
        places.setdefault(number, len(places))
    return places


def _handles(graph: Graph, flat: Flattened) -> dict[int, int]:
    """By node: its debug handle in the edge program; if unknown, as if it ran right after what it reads.

    In an emitted program, debug handles outside of delegates count instructions.
    """
    details, targets = graph.snapshot.detail.graphs, graph.snapshot.targets
    emitted = _emitted_method(graph)
    before = () if emitted is None else emitted.detail.edge_handles
    found: dict[int, int] = {}
    for number, (at, position) in flat.nodes.items():
        own = details[at].handles[position]
        is_outside = emitted is not None and at == graph.number
        if is_outside and is_instruction(targets[graph.columns.targets[position]]):
            own = before[own] if own in range(len(before)) else NONE
        reads = (found[read] for read in flat.inputs[number])
        found[number] = max(reads, default=NONE) if own == NONE else own
    for number in reversed(found):
        if found[number] == NONE:
            found[number] = min((found[user] for user in flat.users.get(number, ())), default=NONE)
    return found


def _emitted_method(graph: Graph) -> Method | None:
    """The method of a graph in an ExecuTorch program; None in other programs."""
    methods = graph.snapshot.methods.values()
    return next((one for one in methods if one.dialect is Dialect.EXECUTORCH and graph in one.graphs()), None)


def _end(into: dict[int, int], host: int) -> int:
    """The op at the end of a chain: of an item that is written back, the call it is an item of."""
    while host in into:
        host = into[host]
    return host


def _folded(graph: Graph) -> Iterator[tuple[int, int]]:
    """Nodes that are part of another op's work, with that op: its memory, its only result, its write-back."""
    index = index_of(graph)
    names = {number: _part(target) for number, target in _targets(graph).items()}
    for at, (op, target) in enumerate(zip(graph.columns.ops, graph.columns.targets, strict=True)):
        part = names[target]
        if part is None or op not in COMPUTES:
            continue
        inputs, users = index.inputs(at), graph.user_positions(at)
        if part == MEMORY and not inputs and len(users) == 1:
            yield at, users[0]
        elif part == ITEM and len(inputs) == 1 and _is_only_item(graph, inputs[0], at):
            yield at, inputs[0]
        elif part == _WRITE and writes_back(graph, at):
            yield at, inputs[1]


def _part(target: Target) -> str | None:
    """What a call with this target may be of another op; `_folded` says whether it is."""
    return _WRITE if target.name == _WRITE else op_name(target) if not does_work(target) else None


def _targets(graph: Graph) -> dict[int, Target]:
    return {number: graph.snapshot.targets[number] for number in set(graph.columns.targets)}


def writes_back(graph: Graph, position: int) -> bool:
    """Whether a call is the `copy_` that to_executorch adds to write a result to state or to an input."""
    inputs = index_of(graph).inputs(position)
    if graph[position].target.name != _WRITE or len(inputs) != 2 or graph.user_positions(position):
        return False
    state, value = inputs
    return state in index_of(graph).roles and graph.columns.ops[value] in COMPUTES


def _is_only_item(graph: Graph, call: int, item: int) -> bool:
    is_call = graph.columns.ops[call] in COMPUTES and index_of(graph).kinds[call] is not OpKind.CONTROL
    return is_call and list(graph.user_positions(call)) == [item]


def _written(graph: Graph) -> Iterator[int]:
    """Nodes that the output names only to write them back to state or to an input."""
    outputs = () if graph.signature is None else graph.signature.outputs
    written = {spec.arg.name for spec in outputs if spec.kind in MUTATIONS}
    returned = {spec.arg.name for spec in outputs if spec.kind not in MUTATIONS}
    for at, name in enumerate(graph.columns.names) if written else ():
        if name in written and name not in returned:
            yield at


def _calls(
    graph: Graph, links: Mapping[int, DelegateLink], names: dict[int, DelegateName]
) -> Iterator[DelegateCall]:
    sizes = _ops_in_modules([graph, *(link.inner for link in links.values())]) if links else Counter()
    for call, graphs in index_of(graph).delegated.items():
        for inner in graphs:
            link = links.get(call)
            yield DelegateCall(
                call=call,
                graph=GraphNumber(inner.number),
                name=str(names[inner.number]),
                backend=names[inner.number].backend,
                number=names[inner.number].number,
                is_linked=link is not None,
                inputs=() if link is None else tuple(link.inputs.items()),
                outputs=() if link is None else tuple(link.outputs.items()),
                parts=() if link is None else _parts(inner, owners_of(graph)[call], sizes),
            )


def _ops_in_modules(graphs: Iterable[Graph]) -> Counter[int]:
    """By module call: how many ops of some graphs are in it."""
    own: Counter[int] = Counter()
    for graph in graphs:
        owners = owners_of(graph)
        own.update(owners[at] for at in working(graph))
    found: Counter[int] = Counter()
    for owner, count in own.items():
        for scope in graph.snapshot.scope_numbers(owner):
            found[scope] += count
    return found


def working(graph: Graph) -> list[int]:
    """The positions of the calls that do work; the call of a delegate does what is in its graph."""
    works = {number: does_work(target) for number, target in _targets(graph).items()}
    columns, calls = graph.columns, index_of(graph).delegated
    pairs = enumerate(zip(columns.ops, columns.targets, strict=True))
    return [at for at, (op, target) in pairs if op in COMPUTES and works[target] and at not in calls]


def _parts(inner: Graph, around: int, sizes: Mapping[int, int]) -> tuple[DelegatePart, ...]:
    """The parts of a delegate whose ops lie within a module call; none where one box shows them all.

    An op is in the part of the innermost module that the delegate does not run as a whole.
    """
    run = _ops_in_modules([inner])
    owners = owners_of(inner)
    ends: dict[int, int] = {}
    parts: dict[int, list[int]] = {}
    for at, op in enumerate(inner.columns.ops):
        if op not in COMPUTES:
            continue
        owner = owners[at]
        if owner not in ends:
            chain = inner.snapshot.scope_numbers(owner)
            within = chain[chain.index(around) + 1 :] if around in chain else chain
            left = (scope for scope in within if run[scope] < sizes[scope])
            ends[owner] = max(left, key=chain.index, default=around)
        parts.setdefault(ends[owner], []).append(at)
    if len(parts) < 2:
        return ()
    ended = sorted(parts.items(), key=lambda part: part[1][-1])
    return tuple(DelegatePart(ScopeNumber(owner), tuple(nodes)) for owner, nodes in ended)
