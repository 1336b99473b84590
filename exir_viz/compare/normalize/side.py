"""One Snapshot for the matcher: flat columns of small numbers with equal meaning on both sides.

Enters: a Snapshot and the `Tables` shared by the two sides of a comparison. Leaves: a `Side`, whose lists are
indexed by node number (a graph's base plus position). Nested graphs come at the position of their holder, so
that a delegated op is still near its former neighbors.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType

from msgspec.structs import replace

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE, OPS
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import COMPUTES, index_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import ITEM, MEMORY, op_name
from exir_viz.snapshot.program import InputKind
from exir_viz.snapshot.records import (
    Literal,
    Scope,
    SequenceValue,
    SymValue,
    Target,
    TargetType,
    TensorValue,
    Value,
)
from exir_viz.snapshot.rollup import module_path

from .emitted_programs import (
    Unclear,
    inputs_without_value,
    is_none,
    is_planned,
    parts_of_calls,
    varies,
    with_bounds,
)
from .inlined_branches import Inlining, inline_branches
from .schemas import VIEW, VIEW_AT_RUN_TIME, comparable

# Suffixes and prefixes of one op in some dialects: `view_copy`, `_to_dim_order_copy`.
_DIALECT = re.compile(r"^_?(unsafe_)?|(_dim_order)?(_copy)?_?$")
# Ops with another name after lowering that do the same work.
_FAMILIES = {
    "et_view": "view",
    "transpose": "permute",
    "t": "permute",
    "reshape": "view",
    "flatten": "view",
    "contiguous": "clone",
    "truediv": "div",
    "iadd": "add",
    "isub": "sub",
    "imul": "mul",
    "itruediv": "div",
}
# Targets that name an op of torch: in a graph of Dynamo or of symbolic tracing, these are its functions.
_OPS = frozenset((TargetType.OP, TargetType.BUILTIN, TargetType.FUNCTION, TargetType.METHOD))


# A step of a path that strict export writes as an index.
_INDEXED = re.compile(r"\[['\"]?([^\]'\"]*)['\"]?\]")

_INPUTS = frozenset(map(OPS.index, ("placeholder", "get_attr")))
ScopeKey = tuple[str, str, int]


class Tables:
    """The tables that both sides share: equal records have equal numbers."""

    def __init__(self) -> None:
        self.ops: Interner[str] = Interner()
        self.families: Interner[str] = Interner()
        self.records: Interner[Hashable] = Interner()


class Side:
    """One Snapshot, flat. `calls` says which nodes compute; `order` lists all nodes in execution order.

    `parts`: nodes that are part of a call, each with the call, if the other side is emitted and cannot have
    them; they are no inputs. `items`: calls that represent their only item. `inlined`: branches that
    count as part of the graph around, because they do so on the other side. `equal_state`: the key of
    constants of which equal ones count as the first of them. `functions`: the call of the user's code that
    made a node, from `torch_fn`, or `by_source_fn` from Dynamo's `source_fn_stack`. `unclear`:
    delegate calls whose results are not compared, and these results, each with the call.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        tables: Tables,
        *,
        is_met_emitted: bool = False,
        unclear: Unclear = MappingProxyType({}),
        equal_state: Mapping[int, Hashable] = MappingProxyType({}),
        by_source_fn: bool = False,
    ) -> None:
        self.snapshot = snapshot
        self.bases = bases(snapshot)
        self._numbering = Numbering(snapshot)
        self.size = sum(len(graph) for graph in snapshot.graphs)
        self.targets: list[int] = []
        self.families: list[int] = []
        self.values: list[int] = []
        self.arguments: list[int] = []
        self.functions: list[int] = []
        self.calls: list[bool] = []
        self.inputs: list[Sequence[int]] = []
        self.items: dict[int, int] = {}
        self._by_source_fn = by_source_fn
        self._is_once_emitted = snapshot.is_pte != is_met_emitted
        self._fill(tables)
        self.equal_state = equal_state
        self._read_first_of_equal_state(tables.ops[VIEW])
        if snapshot.is_pte and not is_met_emitted:
            self._forget(tables)
        if is_met_emitted and not snapshot.is_pte:
            self._emit(tables)
        self.inlined = Inlining({})
        if self._is_once_emitted:
            self.inlined = inline_branches(self, tables, is_file=snapshot.is_pte)
        self.parts = {**(parts_of_calls(self) if is_met_emitted else {}), **self.inlined.parts}
        self.unclear = unclear
        self.parts.update(self._without_results())
        for one in self.parts:
            self.calls[one] = False
        self.getitem = tables.ops[ITEM]
        self.view = tables.ops[VIEW]
        self.alloc = tables.ops[MEMORY]
        self.backends = [name for graph in snapshot.graphs for name in (_backend(graph),) * len(graph)]
        self.order = [number for graph in _roots(snapshot) for number in _flat(graph, self.bases, set())]
        if is_met_emitted or snapshot.is_pte:
            self.order = self._with_followers()
        self.rank = [0] * self.size
        for at, number in enumerate(self.order):
            self.rank[number] = at

    def _read_first_of_equal_state(self, view: int) -> None:
        """Read the first of constants that are equal, and the first of equal views of one constant.

        A `.pte` has its views where they are first read, so that which is which shows only in their source.
        """
        first: dict[Hashable, int] = {}
        for number, key in self.equal_state.items():
            first.setdefault(key, number)
        merged = {number: first[key] for number, key in self.equal_state.items()}
        for number, inputs in enumerate(self.inputs if merged else ()):
            self.inputs[number] = read = [merged.get(one, one) for one in inputs]
            if self.targets[number] == view and read and read[0] in merged:
                merged[number] = first.setdefault((read[0], self.values[number]), number)

    def _without_results(self) -> dict[int, int]:
        """Results that are not compared, each with its call, which then has no value."""
        unclear = self.unclear
        for number, inputs in enumerate(self.inputs if unclear else ()):
            call = unclear.get(number)
            self.inputs[number] = [
                unclear.get(one, one) for one in inputs if call is None or unclear.get(one) != call
            ]
        for call in set(unclear.values()):
            self.values[call] = NONE
        return {number: call for number, call in unclear.items() if number != call}

    def _with_followers(self) -> list[int]:
        """The order, with items of tuples and views right after what they are of.

        Both have no instruction in a `.pte`, so there they are where they are first read.
        """
        followers: dict[int, list[int]] = {}
        leaders: list[int] = []
        seen: set[int] = set()
        for number in self.order:
            source = self.inputs[number][0] if self.inputs[number] else NONE
            follows = self.targets[number] in (self.getitem, self.view) and source in seen
            (followers.setdefault(source, []) if follows else leaders).append(number)
            seen.add(number)
        found: list[int] = []
        todo = leaders[::-1]
        while todo:
            found.append(number := todo.pop())
            todo += reversed(followers.get(number, ()))
        return found

    def _fill(self, tables: Tables) -> None:
        snapshot, detail, records = self.snapshot, self.snapshot.detail, tables.records
        ops = [tables.ops[_named(target)] for target in snapshot.targets]
        families = [tables.families[family(target)] for target in snapshot.targets]
        of_inputs = [*(records[promised(value, True)] for value in snapshot.values), NONE]
        # A call without a result has None as its value, or none: torch does both, and a file has none.
        of_calls = [
            *(NONE if is_none(value) else records[promised(value, False)] for value in snapshot.values),
            NONE,
        ]
        arguments: dict[tuple[int, int], int] = {}
        made_by = [stack[-1:] for stack in detail.source_fns] if self._by_source_fn else detail.torch_fns
        functions = [*(records["function", fn] for fn in made_by), NONE]
        for graph in snapshot.graphs:
            columns, more, base = graph.columns, graph.detail, self.bases[graph.number]
            self.targets += [ops[one] for one in columns.targets]
            self.families += [families[one] for one in columns.targets]
            self.values += [
                of_inputs[one] if op in _INPUTS else of_calls[one]
                for one, op in zip(columns.values, columns.ops, strict=True)
            ]
            for position in index_of(graph).roles:
                if self._is_traced(graph, position):
                    self.values[base + position] = of_calls[columns.values[position]]
            for pair in zip(columns.targets, more.calls, strict=True):
                known = arguments.get(pair)
                if known is None:
                    call = comparable(detail.calls[pair[1]], snapshot.targets[pair[0]])
                    known = arguments[pair] = records[call]
                self.arguments.append(known)
            callers = more.source_fns if self._by_source_fn else more.torch_fns
            self.functions += [functions[one] for one in callers]
            self.calls += [op in COMPUTES for op in columns.ops]
            at = 0
            for position, count in enumerate(columns.arity, base):
                self.inputs.append([position - back for back in columns.inputs[at : at + count]])
                at += count

    def _forget(self, tables: Tables) -> None:
        """Remove what a file lacks: symbolic numbers, and inputs that are neither a tensor nor a number."""
        numbers = {
            at: tables.records[with_bounds(value, ())]
            for at, value in enumerate(self.snapshot.values)
            if isinstance(value, SymValue)
        }
        for graph in self.snapshot.graphs:
            base = self.bases[graph.number]
            for position, at in enumerate(graph.columns.values):
                if at in numbers:
                    self.values[base + position] = numbers[at]
        for number in inputs_without_value(self.snapshot):
            self.values[number] = NONE

    def _emit(self, tables: Tables) -> None:
        """Convert to the form of a file: its values and views, sizes at their largest."""
        at_run_time = tables.ops[VIEW_AT_RUN_TIME]
        for number in range(self.size):
            node = self.node(number)
            specs = node.specs
            if isinstance(node.value, SymValue) or varies(specs):
                bounds = with_bounds(node.value, specs)
                self.values[number] = NONE if bounds is None else tables.records[self._promised(node, bounds)]
            if node.target.text == VIEW and (varies(specs) or not is_planned(specs)):
                self.targets[number] = at_run_time

    @cached_property
    def users(self) -> list[list[int]]:
        """The users of each node, in order of their numbers, each once."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for number, inputs in enumerate(self.inputs):
            for one in inputs:
                if not found[one] or found[one][-1] != number:
                    found[one].append(number)
        return found

    def node(self, number: int) -> Node:
        return self._numbering.node(number)

    def value(self, number: int) -> Value | None:
        """The comparable part of a node's value."""
        node = self.node(self.items.get(number, number))
        return None if node.value is None else self._promised(node, node.value)

    def _promised(self, node: Node, value: Value) -> Value:
        is_given = OPS.index(node.op) in _INPUTS and not self._is_traced(node.graph, node.position)
        return promised(value, is_given)

    def _is_traced(self, graph: Graph, position: int) -> bool:
        """Whether tracing decides if it requires a gradient. In a file all state is alike."""
        index = index_of(graph)
        is_state = self._is_once_emitted and position in index.states
        return is_state or index.roles.get(position) == InputKind.BUFFER


def promised(value: Value, is_fact: bool) -> Value:
    """The value without what depends on how a program was traced or saved.

    A file stores neither the offset of a view in its storage nor that a constant was once symbolic, and the
    hint of a symbol is only an example. `requires_grad` of a computed value depends on the mode of the trace
    (`torch.export` sets it, `to_edge` does not), so it counts only if `is_fact`: user inputs, parameters.
    """
    match value:
        case TensorValue():
            return replace(value, offset=0, requires_grad=is_fact and value.requires_grad)
        case SequenceValue():
            # torch writes a tuple for several results, and a file of it a list
            return replace(value, type="tuple", items=tuple(promised(one, is_fact) for one in value.items))
        case SymValue() if value.expr in ("True", "False") or value.expr.lstrip("-").isdecimal():
            return Literal(value.type, value.expr)
        case SymValue():
            return replace(value, hint=None)
    return value


def bases(snapshot: Snapshot) -> list[int]:
    """By graph: the total length of the graphs before it. A node's number is this plus its position."""
    return [0, *accumulate(len(graph) for graph in snapshot.graphs)][:-1]


def scope_key(scope: Scope) -> ScopeKey:
    """A module call's path that is equal in every way of exporting: `L['self'].a[0]` is `a.0`."""
    path = module_path(scope.path)
    return ("scope", _INDEXED.sub(r".\1", path) if "[" in path else path, scope.call)


def family(target: Target) -> str:
    """The name of an op in every dialect: `view` for aten.view, aten.view_copy, aten.reshape."""
    name = op_in_any_dialect(target)
    return _FAMILIES.get(name, name) if target.type in _OPS else name


def op_in_any_dialect(target: Target) -> str:
    """The name of an op in every dialect: `view` for aten.view, aten.view_copy, memory.view.

    A graph of Dynamo calls functions and methods: `torch._C._nn.linear` is the `linear` of aten.linear.
    """
    if target.text == VIEW:
        return "view"
    if target.type not in _OPS or op_name(target) == ITEM:
        return _named(target)
    name = target.name if target.type is TargetType.OP else op_name(target).rpartition(".")[2]
    return _DIALECT.sub("", name) or name


def _named(target: Target) -> str:
    if target.type in (TargetType.INPUT, TargetType.OUTPUT, TargetType.ATTRIBUTE):
        return target.type.value
    return op_name(target)


def _roots(snapshot: Snapshot) -> Iterator[Graph]:
    return (graph for graph in snapshot.graphs if graph.parent is None)


def _backend(graph: Graph) -> str:
    """The backend of a delegate's graph; "" for other graphs."""
    outer: Graph | None = graph
    while outer is not None:
        if outer.delegate is not None:
            return outer.delegate.backend
        outer = outer.parent
    return ""


def _flat(graph: Graph, starts: list[int], seen: set[int]) -> Iterator[int]:
    base, calls_with_subgraphs = starts[graph.number], {ref.node for ref in graph.columns.subgraphs}
    for position in range(len(graph)):
        if position in calls_with_subgraphs:
            for inner in graph.subgraphs_of(position):
                if inner.number not in seen:
                    seen.add(inner.number)
                    yield from _flat(inner, starts, seen)
        yield base + position
