"""Analyses of one graph that several views share: op counts, roles of inputs, neighbourhoods, paths.

`index_of(graph)` keeps one index per graph. Everything is computed once, when first asked for, in time linear
in nodes and edges.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from .columns import NONE, OPS
from .describe import value_bytes
from .graph import Graph
from .opkind import OpKind, op_kind
from .records import Target

# Nodes that do something when the program runs; the rest name inputs, attributes and outputs.
COMPUTES = frozenset(OPS.index(op) for op in ("call_function", "call_method", "call_module", "instruction"))


def index_of(graph: Graph) -> GraphIndex:
    """The index of a graph: the same one for the same graph."""
    kept: GraphIndex | None = vars(graph).get("_index")
    if kept is None:
        kept = vars(graph)["_index"] = GraphIndex(graph)
    return kept


class GraphIndex:
    """What can be counted and reached in one graph. Nodes are positions."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def computes(self) -> int:
        """How many nodes do something: calls and instructions."""
        return sum(op in COMPUTES for op in self.graph.columns.ops)

    @cached_property
    def ops(self) -> dict[Target, int]:
        """Calls by target, the most frequent first, equal counts by name."""
        targets = self.graph.snapshot.targets
        columns = zip(self.graph.columns.ops, self.graph.columns.targets, strict=True)
        counts = Counter(targets[target] for op, target in columns if op in COMPUTES)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0].text)))

    @cached_property
    def kinds(self) -> tuple[OpKind, ...]:
        """The kind of every node."""
        targets = self.graph.snapshot.targets
        seen: dict[tuple[int, int], OpKind] = {}
        found = []
        for key in zip(self.graph.columns.ops, self.graph.columns.targets, strict=True):
            kind = seen.get(key)
            if kind is None:
                kind = seen[key] = op_kind(OPS[key[0]], targets[key[1]])
            found.append(kind)
        return tuple(found)

    @cached_property
    def roles(self) -> dict[int, str]:
        """By position of a placeholder: its InputKind ("parameter", …), or "input"."""
        signature = self.graph.signature
        kinds = {} if signature is None else {spec.arg.name: spec.kind.value for spec in signature.inputs}
        placeholder = OPS.index("placeholder")
        names, ops = self.graph.columns.names, self.graph.columns.ops
        return {at: kinds.get(names[at], "input") for at, op in enumerate(ops) if op == placeholder}

    @cached_property
    def states(self) -> dict[int, str]:
        """By position of a placeholder: the name of the state it reads ("layers.0.weight")."""
        specs = () if self.graph.signature is None else self.graph.signature.inputs
        targets = {spec.arg.name: spec.target for spec in specs if spec.target is not None}
        names = self.graph.columns.names
        return {at: targets[names[at]] for at in self.roles if names[at] in targets}

    @cached_property
    def delegated(self) -> dict[int, list[Graph]]:
        """By position of a call: what a backend took that it runs. In a `.pte` the call itself holds it."""
        found: dict[int, list[Graph]] = {}
        for ref in self.graph.columns.subgraphs:
            inner = self.graph.snapshot.graphs[ref.graph]
            if inner.delegate is None:
                continue
            is_call = self.graph.columns.ops[ref.node] in COMPUTES
            for call in [ref.node] if is_call else self.graph.user_positions(ref.node):
                found.setdefault(call, []).append(inner)
        return found

    @cached_property
    def bytes(self) -> tuple[int | None, ...]:
        """The bytes of every node's value; None where a size is symbolic or there is no tensor."""
        sizes = [value_bytes(value) for value in self.graph.snapshot.values]
        return tuple(sizes[value] if value >= 0 else None for value in self.graph.columns.values)

    @cached_property
    def around(self) -> list[int] | None:
        """Numbers of the module calls around all calls that name one, outermost first; None if none does."""
        columns = self.graph.columns
        called = {scope for op, scope in zip(columns.ops, columns.scopes, strict=True) if op in COMPUTES}
        chains = [self.graph.snapshot.scope_numbers(scope) for scope in sorted(called - {NONE})]
        return common_start(chains) if chains else None

    # -- who is reached from whom -------------------------------------------------------------------------

    def inputs(self, position: int) -> Sequence[int]:
        """The nodes a node uses."""
        start, stop = self.graph.input_span(position)
        return [position - back for back in self.graph.columns.inputs[start:stop]]

    def ancestors(self, positions: Iterable[int], steps: int | None = None) -> dict[int, int]:
        """What the nodes are computed from, with how many steps away; themselves at 0."""
        return _reach(positions, self.inputs, steps)

    def descendants(self, positions: Iterable[int], steps: int | None = None) -> dict[int, int]:
        """What is computed from the nodes, with how many steps away; themselves at 0."""
        return _reach(positions, self.graph.user_positions, steps)

    def neighbourhood(self, position: int, steps: int) -> dict[int, int]:
        """Up to `steps` against and along the edges; not the siblings that share an input."""
        return self.descendants([position], steps) | self.ancestors([position], steps)

    def between(self, start: int, stop: int) -> tuple[int, ...]:
        """Every node on some path from one node to another, in execution order; empty where there is none."""
        if start > stop:
            return ()
        found = self.descendants([start]).keys() & self.ancestors([stop]).keys()
        return tuple(sorted(found))

    def shortest(self, start: int, stop: int) -> tuple[int, ...]:
        """One shortest path from one node to another, both ends included; empty where there is none."""
        away = self.ancestors([stop])
        if start not in away:
            return ()
        path = [start]
        while path[-1] != stop:
            users, nearer = self.graph.user_positions(path[-1]), away[path[-1]] - 1
            path.append(next(user for user in users if away.get(user) == nearer))
        return tuple(path)


def delegate_around(graph: Graph | None) -> Graph | None:
    """The delegate that a graph is, or is nested in."""
    while graph is not None and graph.delegate is None:
        graph = graph.parent
    return graph


def common_start(chains: Sequence[list[int]]) -> list[int]:
    """The longest common start of sequences."""
    rows = itertools.takewhile(lambda row: len(set(row)) == 1, zip(*chains, strict=False))
    return [row[0] for row in rows]


def _reach(start: Iterable[int], edges: Callable[[int], Sequence[int]], steps: int | None) -> dict[int, int]:
    found = dict.fromkeys(start, 0)
    queue = deque(found)
    while queue:
        position = queue.popleft()
        distance = found[position] + 1
        if steps is not None and distance > steps:
            continue
        for other in edges(position):
            if other not in found:
                found[other] = distance
                queue.append(other)
    return found
