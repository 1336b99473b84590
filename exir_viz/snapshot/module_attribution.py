"""Which module call each node belongs to, including nodes without `nn_module_stack`.

Later passes add nodes that name no module: delegate calls, copies, memory allocations, ops traced under
`no_grad`. Costs, diffs, tables and the picture need a module for these too, and all of them ask here:

- a call of a delegate or a branch belongs to the innermost module around everything in it;
- an element of a tuple belongs where the tuple was made;
- any other node that names no module belongs where its users are;
- a node that only the output uses belongs where its inputs were made;
- any other node of a branch or a delegate belongs where the graph's call is.

A call of a module is one piece of the execution. So a node that reads from a call and feeds the same call ran
within it, even if it names a module further out: strict export writes this for ops under `no_grad`.

A delegate's ops count as if they replaced the call, so that lowering moves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from .columns import NONE
from .delegate_links import delegate_links
from .graph import Graph, Node
from .index import COMPUTES, common_start, index_of
from .numbering import Numbering
from .opkind import ITEM, op_name
from .records import Scope
from .snapshot import Snapshot

# A node that gathers values from more modules than this belongs to what is around all of them anyway.
_MOST_SOURCES = 16


def owner_of(node: Node) -> int:
    """The number of the innermost module call of a node; NONE where it is in none."""
    return owners_of(node.graph)[node.position]


def module_of(node: Node) -> tuple[Scope, ...]:
    """The module calls around a node, outermost first, inferred where the node names none."""
    return node.graph.snapshot.scope_chain(owner_of(node))


def owners_of(graph: Graph) -> Sequence[int]:
    """By position: the number of the innermost module call; NONE where there is none."""
    kept: list[list[int]] | None = graph.snapshot.derived.get("owners")
    if kept is None:
        kept = graph.snapshot.derived["owners"] = _Attribution(graph.snapshot).owners
    return kept[graph.number]


def delegated(call: Node) -> Sequence[Graph]:
    """The delegates that a node calls; empty for any other node."""
    return index_of(call.graph).delegated.get(call.position, ())


class _Attribution:
    """The modules of all nodes of one Snapshot. Nodes are numbered through all graphs."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._starts = Numbering(snapshot).starts
        self._chains: dict[int, list[int]] = {}
        self._steps: dict[tuple[int, int], int] = {}
        self.owners: list[list[int]] = [list(graph.columns.scopes) for graph in snapshot.graphs]
        # No call at all, and calls of modules that call others: a node there may belong further in.
        self._open = {NONE, *(scope.parent for scope in snapshot.scopes)}
        inlined: set[int] = set()
        for graph in snapshot.graphs:
            if graph.number not in inlined:
                inlined |= self._attribute(graph)

    def _attribute(self, graph: Graph) -> set[int]:
        """Attribute the nodes of a graph and of the delegates it calls; returns the delegates' numbers."""
        if not delegate_links(graph):
            self._attribute_plain(graph)
            return set()
        flat = Flattened(graph, self._starts)
        known: dict[int, int] = {}
        for number, (at, position) in flat.nodes.items():
            owner = self.owners[at][position]
            known[number] = owner if owner != NONE else self._within(self._snapshot.graphs[at], position)
        self._infer(
            [number for number, owner in known.items() if owner in self._open],
            known,
            flat.inputs.__getitem__,
            lambda number: flat.users.get(number, ()),
        )
        for number, (at, position) in flat.nodes.items():
            self.owners[at][position] = known[number]
        for call, link in flat.links.items():
            inner = self.owners[link.inner.number]
            computed = [inner[at] for at, op in enumerate(link.inner.columns.ops) if op in COMPUTES]
            if self.owners[graph.number][call] == NONE:
                self.owners[graph.number][call] = self._common(computed)
        self._inherit(graph)
        for at, item, source in flat.items:
            if self.owners[at][item] == NONE:
                self.owners[at][item] = self.owners[at][source]
        for link in flat.links.values():
            self._inherit(link.inner)
        return {link.inner.number for link in flat.links.values()}

    def _attribute_plain(self, graph: Graph) -> None:
        """Attribute the nodes of a graph that calls no delegate: only those that may move are looked at."""
        owners = self.owners[graph.number]
        calls = Calls(graph)
        candidates = self._candidates(graph)
        unsure = []
        for position in candidates:
            if owners[position] in self._open and calls.is_call(position):
                if owners[position] == NONE:
                    owners[position] = self._within(graph, position)
                if owners[position] in self._open:
                    unsure.append(position)
        if unsure:
            self._infer(unsure, owners, calls.inputs, calls.users)
        self._inherit(graph)
        for position in candidates:
            if owners[position] == NONE and calls.is_item(position):
                owners[position] = owners[index_of(graph).inputs(position)[0]]

    def _candidates(self, graph: Graph) -> Sequence[int]:
        """Positions of nodes that may belong elsewhere than they name, in order.

        Where all calls name modules, these are the ones that interrupt a call of a module: most programs
        have none.
        """
        columns = graph.columns
        computing = [at for at, op in enumerate(columns.ops) if op in COMPUTES]
        named: list[int] = [columns.scopes[at] for at in computing]
        if NONE in named:
            return range(len(graph))
        counts = Counter(named)
        last = {scope: at for at, scope in enumerate(named)}
        first = {named[at]: at for at in range(len(named) - 1, -1, -1)}
        scopes = self._snapshot.scopes
        for scope in range(len(scopes) - 1, -1, -1):  # calls within others come after them
            around = scopes[scope].parent
            if scope in counts and around != NONE:
                counts[around] += counts[scope]
                first[around] = min(first.get(around, first[scope]), first[scope])
                last[around] = max(last.get(around, last[scope]), last[scope])
        spans = [
            (first[scope], last[scope])
            for scope, count in counts.items()
            if last[scope] - first[scope] + 1 != count
        ]
        found = {computing[at] for start, stop in spans for at in range(start, stop + 1)}
        return sorted(found)

    def _within(self, graph: Graph, position: int) -> int:
        """Around everything in the graphs that a node calls, where they name modules."""
        subgraphs = [
            inner for at in (position, *index_of(graph).inputs(position)) for inner in graph.subgraphs_of(at)
        ]
        chains = [chain for one in subgraphs for inner in one.walk() if (chain := index_of(inner).around)]
        common = common_start(chains)
        return common[-1] if common else NONE

    def _infer(
        self,
        unsure: Iterable[int],
        known: list[int] | dict[int, int],
        inputs: Callable[[int], Iterable[int]],
        users: Callable[[int], Iterable[int]],
    ) -> None:
        """Infer owners against the execution order, so that a chain of unnamed nodes follows its last user.

        unsure: the nodes whose owner is NONE or has calls of modules within. known: the owners by node.
        """
        sources: dict[int, tuple[int, ...]] = {}
        for number in unsure:
            found: dict[int, None] = {}
            for origin in inputs(number):
                found.update(dict.fromkeys((*sources.get(origin, ()), known[origin])))
            found.pop(NONE, None)
            sources[number] = tuple(found)[-_MOST_SOURCES:]
        for number, reads in reversed(sources.items()):
            owner = known[number]
            fed = {known[user] for user in users(number)} - {NONE}
            # Calls of modules that the node feeds, and whether it reads from one of them.
            into = {self._below(owner, one) for one in fed} - {NONE}
            if not into.isdisjoint(self._below(owner, one) for one in reads):
                for around in {self._common((read, user)) for read in reads for user in fed}:
                    owner = self._innermost(owner, around)
            if known[number] == NONE:
                owner = self._innermost(owner, self._common(fed or reads))
            known[number] = owner

    def _innermost(self, owner: int, other: int) -> int:
        """The second where it lies within the first, else the first; anything lies within NONE."""
        return other if owner == NONE or owner in self._chain(other) else owner

    def _inherit(self, graph: Graph) -> None:
        """Other nodes of a nested graph belong where the graph's call is."""
        holder = graph.holder
        owner = NONE if holder is None else self.owners[holder.graph.number][holder.position]
        if owner == NONE:
            return
        own = self.owners[graph.number]
        own[:] = [owner if one == NONE else one for one in own]

    def _below(self, owner: int, other: int) -> int:
        """The call directly within the first that the second lies in; NONE where it lies in none."""
        pair = (owner, other)
        found = self._steps.get(pair)
        if found is None:
            chain = self._chain(other)
            at = 0 if owner == NONE else chain.index(owner) + 1 if owner in chain else len(chain)
            found = self._steps[pair] = chain[at] if at < len(chain) else NONE
        return found

    def _common(self, owners: Iterable[int]) -> int:
        """The innermost module call around all of some; NONE counts as unknown."""
        chains = [self._chain(owner) for owner in dict.fromkeys(owners) if owner != NONE]
        common = common_start(chains)
        return common[-1] if common else NONE

    def _chain(self, owner: int) -> list[int]:
        chain = self._chains.get(owner)
        if chain is None:
            chain = self._chains[owner] = self._snapshot.scope_numbers(owner)
        return chain


class Calls:
    """The inputs and users of nodes. An element of a tuple counts as the call that made the tuple."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._index = index_of(graph)

    @cached_property
    def _item_targets(self) -> AbstractSet[int]:
        return item_targets(self._graph.snapshot)

    def is_item(self, position: int) -> bool:
        """Whether a node takes an element of a tuple."""
        columns = self._graph.columns
        if columns.ops[position] not in COMPUTES or not columns.arity[position]:
            return False
        return columns.targets[position] in self._item_targets

    def is_call(self, position: int) -> bool:
        """Whether a node computes something."""
        return self._graph.columns.ops[position] in COMPUTES and not self.is_item(position)

    def inputs(self, position: int) -> Iterator[int]:
        """The calls that a call reads from."""
        for read in self._index.inputs(position):
            at = read
            while self.is_item(at):
                at = self._index.inputs(at)[0]
            if self.is_call(at):
                yield at

    def users(self, position: int) -> Iterator[int]:
        """The calls that read from a call."""
        pending = list(self._graph.user_positions(position))[::-1]
        while pending:
            at = pending.pop()
            if self.is_item(at):
                pending.extend(reversed(self._graph.user_positions(at)))
            elif self.is_call(at):
                yield at


class Flattened:
    """A graph with its delegates' ops in place of their calls: nodes in order, their inputs and users.

    An element of a tuple counts as the node that made the tuple. Inputs, attributes and outputs are left out.
    """

    def __init__(self, graph: Graph, starts: Sequence[int]) -> None:
        """`starts`: by number of a graph, how many nodes the graphs before it have."""
        self.links = delegate_links(graph)
        self._is_item = item_targets(graph.snapshot)
        # By number: the graph's number and the position in it, in execution order.
        self.nodes: dict[int, tuple[int, int]] = {}
        self.inputs: dict[int, list[int]] = {}
        self.users: dict[int, list[int]] = {}
        # Elements of tuples: the graph's number, the position, and the position of the tuple.
        self.items: list[tuple[int, int, int]] = []
        self._starts = starts
        self._same: dict[int, int] = {}
        for position in range(len(graph)):
            link = self.links.get(position)
            if link is None:
                self._add(graph, position)
                continue
            for at, passed in link.inputs.items():
                self._same[self._number(link.inner, at)] = self._number(graph, passed)
            for at in range(len(link.inner)):
                self._add(link.inner, at)
            for item, at in link.outputs.items():
                self._same[self._number(graph, item)] = self._number(link.inner, at)

    def _number(self, graph: Graph, position: int) -> int:
        return self._starts[graph.number] + position

    def _origin(self, number: int) -> int:
        while number in self._same:
            number = self._same[number]
        return number

    def _add(self, graph: Graph, position: int) -> None:
        if graph.columns.ops[position] not in COMPUTES:
            return
        number = self._number(graph, position)
        inputs = index_of(graph).inputs(position)
        if inputs and graph.columns.targets[position] in self._is_item:
            self.items.append((graph.number, position, inputs[0]))
            self._same.setdefault(number, self._number(graph, inputs[0]))
            return
        self.nodes[number] = (graph.number, position)
        start = self._starts[graph.number]
        origins = dict.fromkeys([self._origin(start + at) if self._same else start + at for at in inputs])
        read = self.inputs[number] = [origin for origin in origins if origin in self.nodes]
        for origin in read:
            self.users.setdefault(origin, []).append(number)


def item_targets(snapshot: Snapshot) -> AbstractSet[int]:
    """The numbers of the targets that take an element of a tuple."""
    kept: AbstractSet[int] | None = snapshot.derived.get("item_targets")
    if kept is None:
        found = {number for number, target in enumerate(snapshot.targets) if op_name(target) == ITEM}
        kept = snapshot.derived["item_targets"] = found
    return kept
