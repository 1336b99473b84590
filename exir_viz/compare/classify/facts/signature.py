"""Changes in the inputs, outputs and state of a method.

Enters: two methods, and their matched nodes: state matches by its counterpart, whatever its name. Facts that
only one of them can have are left out (see `normalize.signatures`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize import signatures
from exir_viz.compare.normalize.emitted_programs import as_bounds, is_none
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.records import FactChange
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import InputKind, InputSpec, OutputKind, OutputSpec, StateEntry
from exir_viz.snapshot.records import Value

from .counterpart_names import AS_IT_IS, Called, called
from .differences import differences
from .input_order import order_changes

Specs: TypeAlias = dict[str, tuple[InputSpec | OutputSpec, Value | None]]


def signature_changes(a: Method, b: Method, pairing: Pairing) -> Iterator[FactChange]:
    """All of them; state that changed like the input that reads it is reported once."""
    names = called(a, b, pairing)
    backends = (
        _backends_by_state(a, pairing.a, pairing.b, pairing.of_a),
        _backends_by_state(b, pairing.b, pairing.a, pairing.of_b),
    )
    state = [_where(fact, *backends) for fact in _state(a, b, names)]
    reported = {fact.name for fact in state}
    yield from _inputs(a, b, names, reported)
    yield from _outputs(a, b, names)
    yield from state


def _backends_by_state(method: Method, side: Side, other: Side, of: Sequence[int]) -> dict[str, str]:
    """The backend of the other side that contains a state, by the state's name."""
    base = side.bases[method.graph.number]
    found = ((name, of[base + position]) for position, name in index_of(method.graph).states.items())
    return {
        name: other.backends[partner]
        for name, partner in found
        if partner != NONE and other.backends[partner]
    }


def _where(fact: FactChange, into: dict[str, str], out_of: dict[str, str]) -> FactChange:
    """State that was removed, or added, because a backend contains it."""
    if (fact.before is None) == (fact.after is None):
        return fact
    verb, backend = ("went into", into) if fact.after is None else ("came out of", out_of)
    if fact.name not in backend:
        return fact
    text = f"{fact.topic} `{fact.name}` {verb} {backend[fact.name]}: {fact.before or fact.after}"
    return replace(fact, text=text)


def _inputs(a: Method, b: Method, names: Called, reported: set[str]) -> Iterator[FactChange]:
    """Without state in `reported`, unless a buffer is not persistent: only inputs say so."""
    ours, theirs = signatures.inputs(a, b)
    has_bounds = signatures.is_emitted_once(a, b)
    before, after = _specs(a, ours), _specs(b, theirs, names)
    if has_bounds:
        before, after = _comparable_inputs(a, before), _comparable_inputs(b, after)
    unsaved = {name for specs in (before, after) for name, (spec, _) in specs.items() if _is_unsaved(spec)}
    changes = (*_spec_changes("input", before, after, has_bounds), *order_changes(ours, theirs))
    yield from (fact for fact in changes if fact.name not in reported or fact.name in unsaved)


def _comparable_inputs(method: Method, specs: Specs) -> Specs:
    """The inputs of a method, without the values that a file lacks."""
    if not method.snapshot.is_pte:
        return specs
    return {name: (spec, None if is_none(value) else value) for name, (spec, value) in specs.items()}


def _outputs(a: Method, b: Method, names: Called) -> Iterator[FactChange]:
    ours, theirs = signatures.outputs(a, b)
    return _spec_changes(
        "output", _specs(a, ours), _specs(b, theirs, names), signatures.is_emitted_once(a, b)
    )


def _spec_changes(topic: str, before: Specs, after: Specs, has_bounds: bool) -> Iterator[FactChange]:
    """By name: kind and value. In an emitted program a size is an upper bound if the other has a symbol."""
    before, after = _known(before, after), _known(after, before)
    if has_bounds:
        after = {
            name: (spec, as_bounds(before[name][1], value)[1] if name in before else value)
            for name, (spec, value) in after.items()
        }
    return differences(topic, _texts(before), _texts(after))


def _known(specs: Specs, others: Specs) -> Specs:
    """A value that one side lacks is taken from the other."""
    return {
        name: (spec, others[name][1] if value is None and name in others else value)
        for name, (spec, value) in specs.items()
    }


def _texts(specs: Specs) -> dict[str, str]:
    return {
        name: f"{_kind(spec)}{short(value)}{', not persistent' if _is_unsaved(spec) else ''}"
        for name, (spec, value) in specs.items()
    }


def _kind(spec: InputSpec | OutputSpec) -> str:
    """The kind in words; omitted for user inputs and outputs."""
    if spec.kind in (InputKind.USER_INPUT, OutputKind.USER_OUTPUT):
        return ""
    return f"{spec.kind.value.replace('_', ' ')} "


def _specs(method: Method, specs: Sequence[InputSpec | OutputSpec], names: Called = AS_IT_IS) -> Specs:
    """By state name or the user's path, else by position, each with its value."""
    found: Specs = {}
    for at, spec in enumerate(specs):
        arg = spec.arg
        value = method.graph[arg.name].value if arg.value is None and arg.name in method.graph else arg.value
        name = _target(spec, names) or spec.path or f"{at + 1}"
        found[f"{name} ({at + 1})" if name in found else name] = (spec, value)
    return found


def _is_unsaved(spec: InputSpec | OutputSpec) -> bool:
    """Whether it is a buffer that is not in the state dict."""
    return isinstance(spec, InputSpec) and spec.persistent is False


def _target(spec: InputSpec | OutputSpec, names: Called) -> str | None:
    """The state that an input reads or an output writes, or the input that an output writes."""
    if spec.target is None:
        return None
    is_input = spec.kind is OutputKind.USER_INPUT_MUTATION
    return names.input(spec.target) if is_input else names.state(spec.target)


def _state(a: Method, b: Method, names: Called) -> Iterator[FactChange]:
    ours, theirs = signatures.state(a, b)
    before, after = _state_texts(a, ours), _state_texts(b, theirs, names)
    # what only one side has keeps that side's name
    removed, new = before.keys() - after.keys(), after.keys() - before.keys()
    before |= _state_texts(a, [entry for entry in a.state if entry.name in removed])
    after |= _state_texts(b, [entry for entry in b.state if names.state(entry.name) in new], names)
    return differences("state", before, after)


def _state_texts(method: Method, state: Sequence[StateEntry], names: Called = AS_IT_IS) -> dict[str, str]:
    values = method.snapshot.values
    return {
        names.state(entry.name): f"{entry.kind.value} {short(values[entry.value])}, {byte_text(entry.bytes)}"
        for entry in state
    }
