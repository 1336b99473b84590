"""Where the picture puts each node: derived here once, and sent to the page with the skeleton.

Files do not hold it: whoever reads a Snapshot derives it anew, so that no file can contradict itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .columns import DelegateCall, Placement
from .delegate_links import DelegateLink, delegate_links
from .graph import Graph
from .index import COMPUTES, index_of
from .module_attribution import homes_of
from .opkind import OpKind, op_name
from .program import MUTATIONS
from .records import Target
from .snapshot import Snapshot

# What a node may be of another op, by the name of its target.
_PARTS = {"alloc": "memory", "getitem": "item", "copy_": "write"}


def placements_of(snapshot: Snapshot) -> tuple[Placement, ...]:
    """The placement of every graph."""
    names = delegate_names(snapshot)
    return tuple(_placement(graph, names) for graph in snapshot.graphs)


def delegate_names(snapshot: Snapshot) -> dict[int, str]:
    """By number of a delegate's graph: "XNNPACK 3", counted by backend in execution order."""
    counts: Counter[str] = Counter()
    found = {}
    for graph in snapshot.graphs:
        if graph.delegate is not None:
            backend = backend_name(graph.delegate.backend)
            counts[backend] += 1
            found[graph.number] = f"{backend} {counts[backend]}"
    return found


def backend_name(identifier: str) -> str:
    """A backend as its users call it: "XnnpackBackend" is XNNPACK; others without "Backend"."""
    bare = re.sub(r"(Backend|BackendDelegate|Delegate)$", "", identifier) or identifier
    return "XNNPACK" if bare == "Xnnpack" else bare


def _placement(graph: Graph, names: dict[int, str]) -> Placement:
    scopes, homes = graph.columns.scopes, homes_of(graph)
    inferred = [at for at, home in enumerate(homes) if home != scopes[at]]
    links = delegate_links(graph)
    linked = {item for link in links.values() for item in link.outputs}
    into = {at: host for at, host in _folded(graph) if at not in linked}
    return Placement(
        inferred=tuple(inferred),
        homes=tuple(homes[at] for at in inferred),
        folded=tuple(into),
        into=tuple(_end(into, host) for host in into.values()),
        written=tuple(_written(graph)),
        delegates=tuple(_calls(graph, links, names)),
    )


def _end(into: dict[int, int], host: int) -> int:
    """The op at the end of a chain: of an item that is written back, the call it is an item of."""
    while host in into:
        host = into[host]
    return host


def _folded(graph: Graph) -> Iterator[tuple[int, int]]:
    """Nodes that are part of another op's work, with that op: its memory, its only result, its write-back."""
    index = index_of(graph)
    names = {number: _PARTS.get(target.name or op_name(target)) for number, target in _targets(graph).items()}
    for at, (op, target) in enumerate(zip(graph.columns.ops, graph.columns.targets, strict=True)):
        part = names[target]
        if part is None or op not in COMPUTES:
            continue
        inputs, users = index.inputs(at), graph.user_positions(at)
        if part == "memory" and not inputs and len(users) == 1:
            yield at, users[0]
        elif part == "item" and len(inputs) == 1 and _is_only_item(graph, inputs[0], at):
            yield at, inputs[0]
        elif part == "write" and not users and len(inputs) == 2 and _is_written_back(graph, *inputs):
            yield at, inputs[1]


def _targets(graph: Graph) -> dict[int, Target]:
    return {number: graph.snapshot.targets[number] for number in set(graph.columns.targets)}


def _is_written_back(graph: Graph, state: int, value: int) -> bool:
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


def _calls(graph: Graph, links: dict[int, DelegateLink], names: dict[int, str]) -> Iterator[DelegateCall]:
    for call, graphs in index_of(graph).delegated.items():
        for inner in graphs:
            link = links.get(call)
            yield DelegateCall(
                call=call,
                graph=inner.number,
                name=names[inner.number],
                is_linked=link is not None,
                inputs=() if link is None else tuple(link.inputs.items()),
                outputs=() if link is None else tuple(link.outputs.items()),
            )
