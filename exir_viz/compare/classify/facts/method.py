"""Changes of a method outside its nodes: name, signature, state, symbols, guards, totals, memory plan.

Enters: two Snapshots, and their matched nodes. Leaves: for each method of either, its facts that differ.
Methods match by name, or if each side has only one. State matches by its counterpart, whatever its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.align.unused_items import count_unread
from exir_viz.compare.normalize import signatures
from exir_viz.compare.normalize.emitted_programs import count_parts
from exir_viz.compare.normalize.paired_methods import methods
from exir_viz.compare.records import FactChange, MethodChange
from exir_viz.snapshot import Method, Snapshot
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.rollup import Count, method_count

from .call_convention import calling_changes
from .constraints import constraint_changes
from .differences import differences, fact
from .memory import memory_changes
from .missing_from_files import lacks_core
from .signature import signature_changes

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
    if not signatures.is_bare_once(a, b):
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
    ours, theirs = _texts(a, before), _texts(b, after)
    items = count_unread(a) - count_unread(b)
    parts = count_parts(a, pairing.a), count_parts(b, pairing.b)
    more = before.nodes - after.nodes, before.ops - after.ops
    for at, name in enumerate(("nodes", "calls")):
        if more[at] == items + parts[0][at] - parts[1][at]:  # only changes that do not count
            del ours[name], theirs[name]
    # a plain graph has no state; in an emitted program all state is constant, and equal constants are stored
    # once
    if signatures.is_bare_once(a, b) or signatures.is_emitted_once(a, b):
        for name in ("parameters", "bytes of state"):
            del ours[name], theirs[name]
    return differences("size", ours, theirs)


def _texts(method: Method, count: Count) -> dict[str, str]:
    return {
        "nodes": f"{count.nodes:,}",
        "calls": f"{count.ops:,}",
        "parameters": f"{count.parameters:,}",
        "bytes of state": byte_text(count.bytes),
        "nested graphs": f"{sum(1 for _ in method.graphs()) - 1:,}",
    }


def _constraints(a: Method, b: Method) -> Iterator[FactChange]:
    """Of symbols and guards; an emitted program has neither."""
    if not signatures.is_emitted_once(a, b):
        yield from constraint_changes(a, b)
        yield from differences("guard", {each: each for each in a.guards}, {each: each for each in b.guards})
