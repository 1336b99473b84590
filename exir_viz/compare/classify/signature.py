"""Changes in the inputs, outputs and state of a method, their order, and how it is called.

Enters: two methods, and their matched nodes: state matches by its counterpart, whatever its name. Facts that
only one of them can have are left out (see `normalize.methods`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.emitted_programs import as_bounds, is_none
from exir_viz.compare.normalize.methods import (
    is_emitted_once,
    known_inputs,
    known_outputs,
    known_state,
    named_as,
)
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.records import FactChange
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import InputKind, InputSpec, OutputKind, OutputSpec, StateEntry, Tree
from exir_viz.snapshot.records import Literal, LiteralType, Value

from .differences import differences


class Called(NamedTuple):
    """By name in b: the name in a; of state, and of input nodes. `names_in_a`: all names in a.

    `in_branches`: state of a file that the other side has as a constant of a branch, where it is no state.
    """

    states: Mapping[str, str]
    inputs: Mapping[str, str]
    names_in_a: frozenset[str]
    in_branches: frozenset[str] = frozenset()

    def state(self, name: str) -> str:
        return self._in_a(self.states, name)

    def input(self, name: str) -> str:
        return self._in_a(self.inputs, name)

    def _in_a(self, names: Mapping[str, str], name: str) -> str:
        """Its own name if it has no counterpart, marked if a uses that name for something else."""
        return names.get(name) or (f"{name} (new)" if name in self.names_in_a else name)


AS_IT_IS = Called({}, {}, frozenset())


def called(a: Method, b: Method, pairing: Pairing) -> Called:
    """The names of all inputs of b that have a counterpart among those of a."""
    states, inputs = {}, {}
    before, after = index_of(a.graph), index_of(b.graph)
    start_a, start_b = pairing.a.bases[a.graph.number], pairing.b.bases[b.graph.number]
    for position in after.roles:
        at = pairing.of_b[start_b + position] - start_a
        if pairing.of_b[start_b + position] == NONE or at not in before.roles:
            continue
        inputs[b.graph.columns.names[position]] = a.graph.columns.names[at]
        if position in after.states and at in before.states:
            states[after.states[position]] = before.states[at]
    in_branches = (
        *_in_branches(a, pairing.a, pairing.of_a, pairing.b),
        *_in_branches(b, pairing.b, pairing.of_b, pairing.a),
    )
    names_in_a = frozenset((*states.values(), *inputs.values()))
    return Called(states, inputs, names_in_a, frozenset(in_branches))


def _in_branches(method: Method, side: Side, of: Sequence[int], other: Side) -> Iterator[str]:
    start = side.bases[method.graph.number]
    for position, name in index_of(method.graph).states.items():
        if of[start + position] in other.inlined.constants:
            yield name


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
    ours, theirs = (
        [spec for spec in specs if spec.target not in names.in_branches] for specs in known_inputs(a, b)
    )
    has_bounds = is_emitted_once(a, b)
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
    ours, theirs = known_outputs(a, b)
    return _spec_changes("output", _specs(a, ours), _specs(b, theirs, names), is_emitted_once(a, b))


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
    ours, theirs = (
        [entry for entry in state if entry.name not in names.in_branches] for state in known_state(a, b)
    )
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


_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# An order of more names than this is not readable; only their number is given.
_MOST_NAMES = 8


def order_changes(before: Sequence[InputSpec], after: Sequence[InputSpec]) -> Iterator[FactChange]:
    """At most one fact: two that swapped places, one that moved, or the order of those that did."""
    a, b = _places(before), _places(after)
    ours, theirs = _other_order([path for path in a if path in b], [path for path in b if path in a])
    if not ours:
        return
    for path in (ours[0], ours[-1]):  # without the moved one, the others are in the same order
        if len(ours) > 2 and [one for one in ours if one != path] == [one for one in theirs if one != path]:
            was, now = _nth(a[path]), _nth(b[path])
            yield FactChange("input", path, f"input `{path}` is now {now}, it was {was}", was, now)
            return
    was, now = _listed(ours), _listed(theirs)
    names = ", ".join(f"`{path}`" for path in sorted(ours))
    is_swap = len(ours) == 2
    text = f"inputs {names} swapped places" if is_swap else f"order of inputs: {was} → {now}"
    yield FactChange("input", "order", text, was, now)


def _places(specs: Sequence[InputSpec]) -> dict[str, int]:
    """By the user's path: its index, from 0."""
    passed = [spec.path for spec in specs if spec.kind is InputKind.USER_INPUT]
    return {path: at for at, path in enumerate(passed) if path is not None}


def _other_order(a: list[str], b: list[str]) -> tuple[list[str], list[str]]:
    """The part of both orders without the common beginning and end."""
    differ = [at for at, (one, other) in enumerate(zip(a, b, strict=True)) if one != other]
    return (a[differ[0] : differ[-1] + 1], b[differ[0] : differ[-1] + 1]) if differ else ([], [])


def _nth(place: int) -> str:
    return _NTH[place] if place < len(_NTH) else f"number {place + 1}"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMES:,} more" if len(paths) > _MOST_NAMES else ""
    return ", ".join(f"`{path}`" for path in paths[:_MOST_NAMES]) + more


_MAPPINGS = frozenset(("dict", "collections.OrderedDict", "collections.defaultdict"))
_COUNTED = frozenset(("tuple", "list"))
_PLACE, _KEYWORD = "by place", "by keyword"


class _Argument(NamedTuple):
    """One argument: its name, or `args[0]` if only its position is known."""

    name: str
    passed: str
    tree: Tree


def calling_changes(a: Method, b: Method) -> Iterator[FactChange]:
    """Changes of the arguments that both take, then of the outputs."""
    ours, theirs = _arguments(a), _arguments(b)
    names = named_as([one.name for one in ours], [one.name for one in theirs])
    known = {one.name: one for one in ours}
    for name, after in zip(names, theirs, strict=True):
        before = known.get(name or "")
        if before is None:
            continue
        path = before.name if not before.name.startswith("args[") else after.name
        if before.passed != after.passed:
            yield _container_fact("input", path, before.passed, after.passed)
        yield from (_container_fact("input", *one) for one in _containers(path, before.tree, after.tree))
    if a.detail.out_spec is not None and b.detail.out_spec is not None:
        both = a.detail.out_spec, b.detail.out_spec
        yield from (_container_fact("output", *one) for one in _containers("", *both))


def _container_fact(topic: str, path: str, before: str, after: str) -> FactChange:
    what = f"{topic} `{path}`" if path else "what is handed back"
    return FactChange(topic, path, f"{what}: {before} → {after}", before, after)


def _arguments(method: Method) -> list[_Argument]:
    """In the order in which they are passed; none if the method does not say."""
    spec = method.detail.in_spec
    if spec is None or len(spec.children) != 2 or spec.children[1].type != "dict":
        return []
    signatures = (call.signature for call in method.detail.module_calls if not call.path)
    root = next((one for one in signatures if one is not None), None)
    names = root.arg_names or () if root is not None else ()
    args, kwargs = spec.children
    return [
        *(
            _Argument(names[at] if at < len(names) else f"args[{at}]", _PLACE, tree)
            for at, tree in enumerate(args.children)
        ),
        *(
            _Argument(key.text, _KEYWORD, tree)
            for key, tree in zip(kwargs.keys, kwargs.children, strict=False)
        ),
    ]


def _containers(path: str, a: Tree, b: Tree) -> Iterator[tuple[str, str, str]]:
    """Where two trees differ, outermost first: the path, and what each side has there."""
    if a.type != b.type:
        yield path, _words(a), _words(b)
    elif a.context != b.context and a.context is not None and b.context is not None:
        yield path, f"{_words(a)} {a.context}", f"{_words(b)} {b.context}"
    else:
        theirs = dict(_children(b))
        for step, child in _children(a):
            if step in theirs:
                yield from _containers(f"{path}{step}", child, theirs[step])


def _children(tree: Tree) -> Iterable[tuple[str, Tree]]:
    """By key for mappings, in any order, else by position."""
    if tree.type in _MAPPINGS and len(tree.keys) == len(tree.children):
        return zip(map(_key, tree.keys), tree.children, strict=True)
    return ((f"[{at}]", child) for at, child in enumerate(tree.children))


def _key(key: Literal) -> str:
    return f'["{key.text}"]' if key.type is LiteralType.STR else f"[{key.text}]"


def _words(tree: Tree) -> str:
    """ "list of 2", "one value", "OrderedDict"."""
    if tree.type == "leaf":
        return "one value"
    count = f" of {len(tree.children):,}" if tree.type in _COUNTED else ""
    return f"{tree.type.rpartition('.')[2]}{count}"
