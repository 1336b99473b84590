"""The methods of two programs in the same words: pairs, symbols, inputs and outputs.

What only one of two methods can know is left out. A `.pte` does not say which buffers are saved, which
constants were parameters or buffers, nor that it writes to state; and what ExecuTorch serializes has no
argument names: an input is then `args[0]`. Two exports may call the same input size s77 and s12: a symbol is
the same where both programs read it at the same place of the same input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import InputKind, InputSpec, OutputKind, OutputSpec, StateEntry, StateKind
from exir_viz.snapshot.symbol_names import renamed, symbols_of, user_names

from .delegates import is_within


def methods(a: Snapshot, b: Snapshot) -> Iterator[tuple[Method, Method]]:
    """All of both sides, in b's order."""
    if len(a.methods) == len(b.methods) == 1:
        yield a.method, b.method
        return
    for name, method in b.methods.items():
        if name in a.methods:
            yield a.methods[name], method


def in_the_same_words(a: Snapshot, b: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Both with a's names for the symbols that are the same, or with the user's where either knows them."""
    b = renamed(b, _names(a, b))
    names = user_names([*symbols_of(a), *symbols_of(b)])
    return renamed(a, names), renamed(b, names)


def _names(a: Snapshot, b: Snapshot) -> Mapping[str, str]:
    """By b's name: a's. Empty unless renaming keeps all symbols distinct."""
    found: dict[str, str] = {}
    for before, after in methods(a, b):
        ours = _places(before)
        for place, symbol in _places(after).items():
            if place in ours:
                found.setdefault(symbol, ours[place])
    kept = {symbol.name for method in b.methods.values() for symbol in method.symbols} - found.keys()
    distinct = len(set(found.values())) == len(found) and kept.isdisjoint(found.values())
    return found if distinct and any(old != new for old, new in found.items()) else {}


def _places(method: Method) -> dict[tuple[str, str], str]:
    """By input (its path, or its position) and path within its value: the symbol read there."""
    inputs = {spec.arg.name: spec.path or f"{at}" for at, spec in enumerate(method.signature.inputs)}
    return {
        (inputs[binding.node], binding.path): symbol.name
        for symbol in method.symbols
        for binding in symbol.bindings
        if binding.node in inputs
    }


Inputs: TypeAlias = tuple[InputSpec, ...]
Outputs: TypeAlias = tuple[OutputSpec, ...]
State: TypeAlias = tuple[StateEntry, ...]
Paths: TypeAlias = Sequence[str | None]
_UNNAMED = "args["
_OF_DELEGATES = "NamedData"
# A step of a path into a named tuple or a data class; a file has its index.
_FIELD = re.compile(r"\.\w+|\[\d+\]")
replace = msgspec.structs.replace


def is_emitted_once(a: Method, b: Method) -> bool:
    """Whether exactly one of them is emitted."""
    return a.snapshot.is_pte != b.snapshot.is_pte


def is_bare_once(a: Method, b: Method) -> bool:
    """Whether exactly one of them is a plain GraphModule, without signature, state, ranges and guards."""
    return (a.graph.signature is None) != (b.graph.signature is None)


def known_inputs(a: Method, b: Method) -> tuple[Inputs, Inputs]:
    """The inputs of both, without what the other does not know, and with a's names for those of b."""
    before, after = a.signature.inputs, b.signature.inputs
    if is_emitted_once(a, b):
        before, after = map(_constants, (before, after))
    if is_emitted_once(a, b) or not (_knows_persistence(before) and _knows_persistence(after)):
        before, after = (tuple(replace(spec, persistent=None) for spec in specs) for specs in (before, after))
    return before, _named_as(before, after)


def known_outputs(a: Method, b: Method) -> tuple[Outputs, Outputs]:
    """The outputs of both; updates of state and of inputs only if both have them."""
    before, after = a.signature.outputs, b.signature.outputs
    if not is_emitted_once(a, b):
        return before, after
    mutation = OutputKind.BUFFER_MUTATION
    before, after = (tuple(one for one in specs if one.kind is not mutation) for specs in (before, after))
    returned = OutputKind.USER_OUTPUT
    if any(one.kind is not returned for one in (*before, *after)):  # a file returns everything, and counts it
        return _by_place(before), _by_place(after)
    return before, _fields_named_as(before, after)


def _fields_named_as(a: Outputs, b: Outputs) -> Outputs:
    """b's outputs, with a's names if only field names differ: a file has their indices."""
    if len(a) != len(b):
        return b
    return tuple(
        replace(new, path=old.path) if _counted(old.path) == _counted(new.path) else new
        for old, new in zip(a, b, strict=True)
    )


def _counted(path: str | None) -> str:
    return _FIELD.sub("[]", path or "")


def _by_place(specs: Outputs) -> Outputs:
    """All of them as plain outputs by position."""
    return tuple(replace(one, kind=OutputKind.USER_OUTPUT, target=None, path=None) for one in specs)


def output_nodes(method: Method) -> tuple[Node, ...]:
    """The outputs of the graph, if these are only nodes."""
    last = method.graph[len(method.graph) - 1] if len(method.graph) else None
    return last.inputs if last is not None and last.op == "output" else ()


def known_state(a: Method, b: Method) -> tuple[State, State]:
    """The state of both: as constants if one has no kinds; in a file, without the state of delegates.

    Unused state is in no file: weights that delegates copied, for example.
    """
    if not is_emitted_once(a, b):
        return a.state, b.state
    tensors = (StateKind.PARAMETER, StateKind.BUFFER)
    before, after = (
        tuple(
            replace(one, kind=StateKind.CONSTANT) if one.kind in tensors else one
            for one in method.state
            if one.cls != _OF_DELEGATES and one.name in read
        )
        for method, read in ((a, _read(a)), (b, _read(b)))
    )
    return before, after


def _read(method: Method) -> set[str]:
    """The names of state that a graph of the method reads, delegates excluded."""
    found: set[str] = set()
    for graph in method.graphs():
        if not is_within(graph):
            found.update(index_of(graph).states.values())
            found.update(node.target.text for node in graph if node.op == "get_attr")
    return found


def _constants(specs: Inputs) -> Inputs:
    state = (InputKind.PARAMETER, InputKind.BUFFER)
    return tuple(
        replace(spec, kind=InputKind.CONSTANT_TENSOR) if spec.kind in state else spec for spec in specs
    )


def _knows_persistence(specs: Inputs) -> bool:
    buffers = [spec for spec in specs if spec.kind is InputKind.BUFFER]
    return all(spec.persistent is not None for spec in buffers)


def _named_as(a: Inputs, b: Inputs) -> Inputs:
    """b's inputs, with a's names for those that have a name on one side only; they match by position."""
    paths = iter(named_as(paths_of(a), paths_of(b)))
    return tuple(replace(spec, path=next(paths)) if spec.kind is InputKind.USER_INPUT else spec for spec in b)


def named_as(a: Paths, b: Paths) -> Paths:
    """The user's paths of b's inputs, with a's for the same position unless both have names."""
    shared = [new if is_named(old) and is_named(new) else old for old, new in zip(a, b, strict=False)]
    return [*shared, *b[len(shared) :]]


def paths_of(specs: Sequence[InputSpec]) -> Paths:
    """The user's path of each user input."""
    return [spec.path for spec in specs if spec.kind is InputKind.USER_INPUT]


def is_named(path: str | None) -> bool:
    """Whether it is the user's name, not only a position."""
    return path is not None and not path.startswith(_UNNAMED)
