"""Changes of a method outside its nodes: name, signature, state, symbols, guards, totals, memory plan.

Enters: two Snapshots, and their matched nodes. Leaves: for each method of either, its facts that differ.
Methods match by name, or if each side has only one. If only one has a memory plan, its arenas are listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from exir_viz.compare.align.groups import count_unread
from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.emitted_programs import count_parts
from exir_viz.compare.normalize.inlined_branches import LOOP
from exir_viz.compare.normalize.methods import is_bare_once, is_emitted_once, is_named, methods, output_nodes
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.records import FactChange, MethodChange
from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.opkind import does_work
from exir_viz.snapshot.program import Symbol
from exir_viz.snapshot.records import Dim, MemorySpec, TensorValue
from exir_viz.snapshot.rollup import Count, method_count

from .differences import differences, fact
from .not_compared import lacks_core
from .signature import calling_changes, signature_changes

# A method that says where gradients and parameters begin among the outputs of another.
_OF_TRAINING = "__et_training_"
_TRAINING = "ExecuTorch writes it for programs that return gradients"


def method_changes(a: Snapshot, b: Snapshot, pairing: Pairing) -> tuple[MethodChange, ...]:
    """Every method of either side, in b's order, then those that only a has."""
    before = {after.name: one for one, after in methods(a, b)}
    kept = {one.name for one in before.values()}
    return (
        *(
            _both(before[name], method, pairing) if name in before else _added(method)
            for name, method in b.methods.items()
        ),
        *(_removed(method) for name, method in a.methods.items() if name not in kept),
    )


def with_names(methods: tuple[MethodChange, ...]) -> tuple[MethodChange, ...]:
    """With the method's name in the text of each fact, if there are several methods."""
    return methods if len(methods) < 2 else tuple(map(_with_name, methods))


def _with_name(one: MethodChange) -> MethodChange:
    name = one.b or one.a
    facts = [
        fact if fact.topic == "method" else replace(fact, text=f"method `{name}`, {fact.text}")
        for fact in one.facts
    ]
    return replace(one, facts=tuple(facts))


def _added(method: Method) -> MethodChange:
    return MethodChange("", method.name, (_explained(fact("method", method.name, None, method.name)),))


def _removed(method: Method) -> MethodChange:
    return MethodChange(method.name, "", (_explained(fact("method", method.name, method.name, None)),))


def _explained(one: FactChange) -> FactChange:
    """With the reason, if ExecuTorch adds such a method itself."""
    return replace(one, text=f"{one.text}: {_TRAINING}") if one.name.startswith(_OF_TRAINING) else one


def _both(a: Method, b: Method, pairing: Pairing) -> MethodChange:
    facts_by_topic = [_totals(a, b, pairing)]
    if not is_bare_once(a, b):
        facts_by_topic = [
            _dialect(a, b),
            *facts_by_topic,
            signature_changes(a, b, pairing),
            calling_changes(a, b),
        ]
        facts_by_topic += [_constraints(a, b), memory_changes(a, b, pairing)]
    return MethodChange(
        a.name, b.name, tuple(one for facts in (_renamed(a, b), *facts_by_topic) for one in facts)
    )


def _renamed(a: Method, b: Method) -> Iterator[FactChange]:
    """A renamed method: runtimes call methods by name."""
    if a.name != b.name:
        yield FactChange("method", b.name, f"method `{a.name}` is now called `{b.name}`", a.name, b.name)


def _dialect(a: Method, b: Method) -> Iterator[FactChange]:
    if lacks_core(a, b):
        return iter(())
    return differences("dialect", {a.name: a.dialect.value}, {a.name: b.dialect.value})


def _totals(a: Method, b: Method, pairing: Pairing) -> Iterator[FactChange]:
    before, after = method_count(a), method_count(b)
    ours, theirs = _texts(a, before, pairing.a), _texts(b, after, pairing.b)
    items = count_unread(a) - count_unread(b)
    parts = count_parts(a, pairing.a), count_parts(b, pairing.b)
    more = before.nodes - after.nodes, before.ops - after.ops
    for at, name in enumerate(("nodes", "calls")):
        if more[at] == items + parts[0][at] - parts[1][at]:  # only changes that do not count
            del ours[name], theirs[name]
    # a plain graph has no state; in an emitted program all state is constant, and equal constants are stored
    # once
    if is_bare_once(a, b) or is_emitted_once(a, b):
        for name in ("parameters", "bytes of state"):
            del ours[name], theirs[name]
    return differences("size", ours, theirs)


def _texts(method: Method, count: Count, side: Side) -> dict[str, str]:
    nested = [graph for graph in method.graphs() if graph.number not in side.inlined.graphs]
    return {
        "nodes": f"{count.nodes:,}",
        "calls": f"{count.ops:,}",
        "parameters": f"{count.parameters:,}",
        "bytes of state": byte_text(count.bytes),
        "nested graphs": f"{len(nested) - 1:,}",
    }


def _constraints(a: Method, b: Method) -> Iterator[FactChange]:
    """Of symbols and guards; an emitted program has neither."""
    if not is_emitted_once(a, b):
        yield from constraint_changes(a, b)
        yield from differences("guard", {each: each for each in a.guards}, {each: each for each in b.guards})


_SIZE = re.compile(r"size\(\)\[(\d+)\]")


def constraint_changes(a: Method, b: Method) -> Iterator[FactChange]:
    """Symbols by name, then the ranges of expressions that are no symbol."""
    before, after = ({symbol.name: symbol for symbol in method.symbols} for method in (a, b))
    for name in [*after, *(name for name in before if name not in after)]:
        yield from _symbol(name, before.get(name), after.get(name), a, b)
    ours, theirs = _ranges(a, before.keys() | after.keys()), _ranges(b, before.keys() | after.keys())
    for expr in [*theirs, *(expr for expr in ours if expr not in theirs)]:
        old, new = ours.get(expr), theirs.get(expr)
        if old != new:
            yield FactChange(
                "range", expr, f"range of `{expr}`{_how(old, new)}", _range_text(old), _range_text(new)
            )


Bounds = tuple[str, str]


def _symbol(name: str, old: Symbol | None, new: Symbol | None, a: Method, b: Method) -> Iterator[FactChange]:
    before, after = _bounds(old), _bounds(new)
    if old is not None and new is not None:
        if before != after:
            yield FactChange(
                "symbol",
                name,
                f"symbol `{name}`{_how(before, after)}",
                _range_text(before),
                _range_text(after),
            )
        return
    symbol = old if new is None else new
    dim = None if symbol is None else _where(symbol, b if new is None else a)
    if isinstance(dim, int) and new is None:
        text = f"symbol `{name}` was specialized to {dim}"
    elif isinstance(dim, int):
        text = f"symbol `{name}` added where {dim} was fixed"
    else:
        text = f"symbol `{name}` {'removed' if new is None else 'added'}"
    yield FactChange("symbol", name, text, _range_text(before), _range_text(after))


def _where(symbol: Symbol, other: Method) -> Dim | None:
    """The size that the other method has where the symbol is bound."""
    for binding in symbol.bindings:
        match = _SIZE.fullmatch(binding.path)
        if match and binding.node in other.graph:
            value = other.graph[binding.node].value
            if isinstance(value, TensorValue) and int(match[1]) < len(value.shape):
                return value.shape[int(match[1])]
    return None


def _ranges(method: Method, symbols: set[str]) -> dict[str, Bounds]:
    return {
        one.expr: (_bound(one.lower), _bound(one.upper)) for one in method.ranges if one.expr not in symbols
    }


def _bounds(symbol: Symbol | None) -> Bounds | None:
    return None if symbol is None else (_bound(symbol.lower or "-oo"), _bound(symbol.upper or "oo"))


def _bound(text: str) -> str:
    """A bound for display: torch has an integer infinity (`int_oo`), and sympy a float one (`oo`)."""
    return text.replace("int_oo", "∞").replace("oo", "∞")


def _how(old: Bounds | None, new: Bounds | None) -> str:
    if old is None or new is None:
        return f" {'added' if old is None else 'removed'}: {_range_text(new or old)}"
    inner, outer = _within(new, old), _within(old, new)
    verb = " narrowed" if inner and not outer else " widened" if outer and not inner else ""
    return f"{verb}: {_range_text(old)} → {_range_text(new)}"


def _within(inner: Bounds, outer: Bounds) -> bool:
    low, high = (_number(bound) for bound in inner)
    least, most = (_number(bound) for bound in outer)
    return least <= low and high <= most


def _number(bound: str) -> float:
    """A bound as a number; an expression compares as None."""
    try:
        return float(bound.replace("∞", "inf"))
    except ValueError:
        return float("nan")


def _range_text(bounds: Bounds | None) -> str | None:
    if bounds is None:
        return None
    return f"{bounds[0]} to {bounds[1]}"


Place: TypeAlias = tuple[int, int] | None
_PLANNED, _LEFT = "planned", "not planned"
# More names than this are only counted.
_MOST_NAMES = 6


class _Pair(NamedTuple):
    """Two matched nodes."""

    a: Node
    b: Node


def memory_changes(a: Method, b: Method, pairing: Pairing) -> Iterator[FactChange]:
    """All of them."""
    yield from differences("memory", _arenas(a), _arenas(b), lambda arena: f"arena {arena}")
    if not a.detail.arenas or not b.detail.arenas:
        return
    pairs = list(_pairs(a, pairing))
    inputs = [pair for pair in pairs if pair.a.op == pair.b.op == "placeholder" and _planning(pair.a)]
    paths = _input_paths(a), _input_paths(b)
    yield from _planned("input", [(pair, _name(pair, paths)) for pair in inputs])
    ours, theirs = ({node: at for at, node in enumerate(output_nodes(one), 1)} for one in (a, b))
    outputs = {ours[pair.a]: pair for pair in pairs if pair.a in ours and pair.b in theirs}
    yield from _planned("output", [(outputs[place], f"{place}") for place in sorted(outputs)])
    yield from _elsewhere(pairs)


def _arenas(method: Method) -> dict[int, str]:
    return {arena.id: f"{arena.bytes:,} bytes on {arena.device}" for arena in method.detail.arenas}


def _pairs(a: Method, pairing: Pairing) -> Iterator[_Pair]:
    calls = pairing.a.inlined.calls
    for graph in a.graphs():
        base = pairing.a.bases[graph.number]
        for node in graph:
            if calls.get(base + node.position) == LOOP or base + node.position in pairing.a.unclear:
                continue  # its results are not compared
            partner = pairing.of_a[base + node.position]
            if node.op != "output" and partner != NONE and pairing.of_b[partner] == base + node.position:
                yield _Pair(node, pairing.b.node(partner))


def _input_paths(method: Method) -> dict[str, str]:
    """The user's path by name of an input."""
    specs = method.signature.inputs
    return {spec.arg.name: spec.path for spec in specs if spec.path is not None and is_named(spec.path)}


def _name(pair: _Pair, paths: tuple[dict[str, str], dict[str, str]]) -> str:
    """The name of an input, from the side that has one."""
    return paths[0].get(pair.a.name) or paths[1].get(pair.b.name) or pair.a.name


def _planned(what: str, pairs: Sequence[tuple[_Pair, str]]) -> Iterator[FactChange]:
    """The inputs, or outputs, whose memory is planned on one side only; one fact per direction."""
    for before, after in ((_PLANNED, _LEFT), (_LEFT, _PLANNED)):
        names = [
            f"`{name}`" for pair, name in pairs if (_planning(pair.a), _planning(pair.b)) == (before, after)
        ]
        if names:
            shown = ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names):,} of {len(pairs):,}"
            text = f"memory of {what}{'s' if len(names) > 1 else ''} {shown}: {before} → {after}"
            yield FactChange("memory", what, text, before, after)


def _planning(node: Node) -> str | None:
    """Whether the memory of an input or output is planned. None if it needs none, such as a number."""
    places = _places(node)
    return None if not places else _LEFT if None in places else _PLANNED


def _elsewhere(pairs: Iterable[_Pair]) -> Iterator[FactChange]:
    """How many of the values in both plans have other addresses: one fact of the whole, not of a node."""
    placed = [
        (x, y)
        for pair in pairs
        if does_work(pair.a.target)  # the value of a node that does no work belongs to another call
        for x, y in zip(_places(pair.a), _places(pair.b), strict=False)
        if x is not None and y is not None
    ]
    if other := sum(x != y for x, y in placed):
        text = (
            f"memory: {other:,} of {plural(len(placed), 'value')} {'lies' if other == 1 else 'lie'} elsewhere"
        )
        yield FactChange("memory", "values", text)


def _places(node: Node) -> list[Place]:
    """Arena and offset of each of its values; None if the caller provides the memory."""
    return [_place(spec) for spec in node.specs if not spec.const]


def _place(spec: MemorySpec) -> Place:
    return None if spec.mem_id is None or spec.offset is None else (spec.mem_id, spec.offset)
