"""What changed of a method beside its nodes: signature, state, symbols, guards, totals, memory plan.

Enters: two Snapshots, and which nodes are each other's. Leaves: for each method of either, its facts that
differ. Methods are the same by name, or where each side has only one. State goes by its counterpart,
whatever it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.describe import short, size
from exir_viz.snapshot.program import InputSpec, OutputKind, OutputSpec, StateEntry
from exir_viz.snapshot.records import Value
from exir_viz.snapshot.rollup import method_count

from . import interface
from .called import AS_IT_IS, Called, called
from .constraints import constraint_changes
from .pairing import Pairing
from .parts import as_bounds, count_parts
from .records import FactChange, MethodChange
from .unread import count_unread

T = TypeVar("T")


def method_changes(a: Snapshot, b: Snapshot, pairing: Pairing) -> tuple[MethodChange, ...]:
    """Every method of either side, in b's order, then those that a alone has."""
    before, after = a.methods, b.methods
    if len(before) == len(after) == 1:
        return (_both(a.method, b.method, pairing),)
    found = [
        _both(before[name], after[name], pairing) if name in before else _added(after[name]) for name in after
    ]
    gone = [
        MethodChange(name, "", (_fact("method", name, name, None),)) for name in before if name not in after
    ]
    return (*found, *gone)


def _added(method: Method) -> MethodChange:
    return MethodChange("", method.name, (_fact("method", method.name, None, method.name),))


def _both(a: Method, b: Method, pairing: Pairing) -> MethodChange:
    names = called(a, b, pairing)
    told = (
        *(_dialect(a, b), _totals(a, b, pairing)),
        *(_inputs(a, b, names), _outputs(a, b, names), _state(a, b, names)),
        *(_constraints(a, b), _memory(a, b)),
    )
    return MethodChange(a.name, b.name, tuple(fact for facts in told for fact in facts))


def differences(
    topic: str, before: Mapping[T, str], after: Mapping[T, str], name: Callable[[T], str] = str
) -> Iterator[FactChange]:
    """The keys whose texts differ or that are on one side only, in b's order, then a's."""
    for key in [*after, *(key for key in before if key not in after)]:
        if before.get(key) != after.get(key):
            yield _fact(topic, name(key), before.get(key), after.get(key))


def _fact(topic: str, name: str, before: str | None, after: str | None) -> FactChange:
    if before is None:
        text = f"{topic} `{name}` is new"
    elif after is None:
        text = f"{topic} `{name}` is gone"
    else:
        return FactChange(topic, name, f"{topic} `{name}`: {before} → {after}", before, after)
    shown = before if after is None else after
    return FactChange(topic, name, f"{text}: {shown}" if shown != name else text, before, after)


def _dialect(a: Method, b: Method) -> Iterator[FactChange]:
    return differences("dialect", {a.name: a.dialect.value}, {a.name: b.dialect.value})


def _totals(a: Method, b: Method, pairing: Pairing) -> Iterator[FactChange]:
    ours, theirs = _counted(a), _counted(b)
    items = count_unread(a) - count_unread(b)
    parts = count_parts(a, pairing.a), count_parts(b, pairing.b)
    before, after = method_count(a), method_count(b)
    for at, (name, more) in enumerate(
        (("nodes", before.nodes - after.nodes), ("calls", before.ops - after.ops))
    ):
        if more == items + parts[0][at] - parts[1][at]:  # nothing but what is no difference
            del ours[name], theirs[name]
    if interface.is_emitted_once(a, b):  # to what is emitted they are constants
        del ours["parameters"], theirs["parameters"]
        if any(
            len(held) < len(method.state) for held, method in zip(interface.state(a, b), (a, b), strict=True)
        ):
            del ours["bytes of state"], theirs["bytes of state"]
    return differences("size", ours, theirs)


def _counted(method: Method) -> dict[str, str]:
    count = method_count(method)
    return {
        "nodes": f"{count.nodes:,}",
        "calls": f"{count.ops:,}",
        "parameters": f"{count.parameters:,}",
        "bytes of state": size(count.bytes),
        "nested graphs": f"{sum(1 for _ in method.graphs()) - 1:,}",
    }


def _inputs(a: Method, b: Method, names: Called) -> Iterator[FactChange]:
    ours, theirs = interface.inputs(a, b)
    return _spec_changes("input", _specs(a, ours), _specs(b, theirs, names), interface.is_emitted_once(a, b))


def _outputs(a: Method, b: Method, names: Called) -> Iterator[FactChange]:
    ours, theirs = interface.outputs(a, b)
    return _spec_changes("output", _specs(a, ours), _specs(b, theirs, names), interface.is_emitted_once(a, b))


Specs: TypeAlias = dict[str, tuple[InputSpec | OutputSpec, Value | None]]


def _spec_changes(topic: str, before: Specs, after: Specs, has_bounds: bool) -> Iterator[FactChange]:
    """By name: kind and value. Of what is emitted a size is a bound where the other has a symbol."""
    if has_bounds:
        after = {
            name: (spec, as_bounds(before[name][1], value)[1] if name in before else value)
            for name, (spec, value) in after.items()
        }
    return differences(topic, _texts(before), _texts(after))


def _texts(specs: Specs) -> dict[str, str]:
    return {name: f"{spec.kind.value} {short(value)}{_kept(spec)}" for name, (spec, value) in specs.items()}


def _specs(method: Method, specs: Sequence[InputSpec | OutputSpec], names: Called = AS_IT_IS) -> Specs:
    """By the state that it stands for or where the user passes it, else by its place, each with its value."""
    found: Specs = {}
    made = _handed_back(method) if specs and isinstance(specs[0], OutputSpec) else ()
    for at, spec in enumerate(specs):
        arg = spec.arg
        held = method.graph[arg.name].value if arg.value is None and arg.name in method.graph else arg.value
        if len(made) == len(specs):  # a step may have left old names in the signature
            held = made[at].value
        name = _target(spec, names) or spec.path or f"{at + 1}"
        found[f"{name} ({at + 1})" if name in found else name] = (spec, held)
    return found


def _handed_back(method: Method) -> tuple[Node, ...]:
    """What the graph hands back, where that is nodes alone."""
    last = method.graph[len(method.graph) - 1] if len(method.graph) else None
    return last.inputs if last is not None and last.op == "output" else ()


def _kept(spec: InputSpec | OutputSpec) -> str:
    """Of a buffer that is no part of the state dict, that it is none."""
    return ", not persistent" if isinstance(spec, InputSpec) and spec.persistent is False else ""


def _target(spec: InputSpec | OutputSpec, names: Called) -> str | None:
    """The state that an input reads or an output writes, or the input that an output writes."""
    if spec.target is None:
        return None
    is_input = spec.kind is OutputKind.USER_INPUT_MUTATION
    return names.input(spec.target) if is_input else names.state(spec.target)


def _state(a: Method, b: Method, names: Called) -> Iterator[FactChange]:
    ours, theirs = interface.state(a, b)
    return differences("state", _held(a, ours), _held(b, theirs, names))


def _held(method: Method, state: Sequence[StateEntry], names: Called = AS_IT_IS) -> dict[str, str]:
    values = method.snapshot.values
    return {
        names.state(entry.name): f"{entry.kind.value} {short(values[entry.value])}, {size(entry.bytes)}"
        for entry in state
    }


def _constraints(a: Method, b: Method) -> Iterator[FactChange]:
    """Of symbols and guards; what is emitted knows neither."""
    if not interface.is_emitted_once(a, b):
        yield from constraint_changes(a, b)
        yield from differences("guard", {each: each for each in a.guards}, {each: each for each in b.guards})


def _memory(a: Method, b: Method) -> Iterator[FactChange]:
    return differences("memory", _arenas(a), _arenas(b), lambda arena: f"arena {arena}")


def _arenas(method: Method) -> dict[int, str]:
    return {arena.id: f"{arena.bytes:,} bytes on {arena.device}" for arena in method.detail.arenas}
