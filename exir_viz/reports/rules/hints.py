"""Hints: what costs time or memory, or may surprise. A hint breaks no rule.

Each is based on bytes that the Snapshot says are moved or stored, or on a sentence of torch's documentation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.describe import DTYPES, item_bytes, short, value_bytes
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import ArgumentType, InputKind, StateEntry
from exir_viz.snapshot.records import LiteralType, TensorValue
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.state_use import state_use
from exir_viz.snapshot.symbol_names import value_text

from .rule import ALL, EXPORTED, Break, Rule, Subject, export_ir, node_named, overview, programming_model

_CASTS: Final = frozenset(("to", "_to_copy", "_to_dim_order_copy", "convert_element_type", "type_as"))
_COPIES: Final = frozenset(("clone", "contiguous", "_to_copy", "_clone_dim_order", "_to_dim_order_copy"))
# "L['x'].size()[1] == 6": the input, its item, the dimension, the size.
_FIXED_SIZE: Final = re.compile(r"L\['(\w+)'\]((?:\[[^\]]+\])*)\.size\(\)\[(\d+)\] == (\d+)")
_FIXED_SYMBOL: Final = re.compile(r"Eq\((\w+), (\d+)\)")
# Smaller tensors get no hint: their cost cannot be measured.
_WORTH: Final = 64 * 1024
_STATE: Final = {
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
}


def _round_trips(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        there = _cast(node)
        first = node.inputs[0] if there and node.inputs else None
        back = None if first is None else _cast(first)
        if there is None or back is None or first is None or there[1] != back[0]:
            continue
        narrow = (item_bytes(back[1]) or 0) < (item_bytes(back[0]) or 0)
        loss = ", which loses precision" if narrow else ""
        yield Break(
            node,
            f"{first.name} converts {DTYPES.get(back[0], back[0])} to {DTYPES.get(back[1], back[1])} and "
            f"{node.name} converts it back{loss}. Both read and write every element{_moved(node, first)}.",
            "Remove both conversions"
            + (", unless the rounding is intended." if narrow else ": the value is the same without them."),
        )


def _moved(*nodes: Node) -> str:
    sizes = [value_bytes(node.value) for node in nodes if node.value is not None]
    known = [one for one in sizes if one is not None]
    return f" ({byte_text(sum(known))} written)" if len(known) == len(nodes) else ""


def _cast(node: Node) -> tuple[str, str] | None:
    """The dtypes between which a node converts; None if it does not convert."""
    if node.target.name not in _CASTS or not node.inputs:
        return None
    source, result = node.inputs[0].value, node.value
    if not isinstance(source, TensorValue) or not isinstance(result, TensorValue):
        return None
    return (source.dtype, result.dtype) if source.dtype != result.dtype else None


def _copies(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if node.target.name not in _COPIES or not node.inputs or _cast(node) is not None:
            continue
        source, result = node.inputs[0].value, node.value
        if not isinstance(source, TensorValue) or not isinstance(result, TensorValue):
            continue
        amount = value_bytes(result)
        if source.device != result.device or (amount is not None and amount < _WORTH):
            continue
        is_same = source.stride == result.stride
        if node.target.name == "contiguous" and is_same:
            continue
        copied = f"{node.name} copies {value_text(node)}" + (
            "" if amount is None else f" ({byte_text(amount)})"
        )
        if is_same:
            yield Break(
                node,
                f"{copied} and changes neither its dtype nor its layout.",
                "Remove the copy, unless one of the two is written to afterwards.",
            )
        else:
            yield Break(
                node,
                f"{copied} because {node.inputs[0].name} has another layout, with the strides "
                f"{list(source.stride or ())}.",
                "Choose the order of dimensions so that no transposed tensor must be made contiguous.",
            )


def _constant_inputs(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    for spec in () if signature is None else signature.inputs:
        value = spec.arg.value
        if spec.kind is not InputKind.USER_INPUT or spec.arg.type is not ArgumentType.CONSTANT:
            continue
        if value is None or value.type is LiteralType.NONE:
            continue
        yield Break(
            node_named(graph, spec.arg.name),
            f"The input {spec.path or spec.arg.name} is fixed to {short(value)}. Calling the program with "
            "another value is an error.",
            "Pass a tensor, or for a whole number give its dynamic shape as Dim.DYNAMIC.",
        )


def _constant_tensors(subject: Subject) -> Iterator[Break]:
    for node, what, target, amount in _states(subject.method):
        if what == "constant" and amount >= _WORTH:
            yield Break(
                node,
                f"The tensor {target} ({byte_text(amount)}) is stored as a constant: it is neither a "
                "parameter nor a buffer of a module.",
                "Register it with register_buffer, so that it is in the state dict.",
            )


def _unused_inputs(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    for spec in () if signature is None else signature.inputs:
        node = node_named(graph, spec.arg.name)
        if node is None or spec.kind is not InputKind.USER_INPUT or node.users:
            continue
        if spec.arg.type is not ArgumentType.CONSTANT:
            yield Break(
                node,
                f"Nothing uses the input {spec.path or node.name}.",
                "Remove it from forward, if callers need not pass it.",
            )


def _unused_state(subject: Subject) -> Iterator[Break]:
    methods = subject.method.snapshot.methods.values()
    used: set[str | int] = set()  # by name, and by memory: another method may use it under another name
    for method in methods:
        storages = {entry.name: entry.storage for entry in method.state if entry.storage is not None}
        for name in (name for names in state_use(method).values() for name in names):
            used |= {name, storages.get(name, name)}
    own = {entry.name: entry.storage for entry in subject.method.state}
    for node, what, target, amount in _states(subject.method):
        if target in used or own.get(target) in used:
            continue
        if what == "parameter" or amount >= _WORTH:
            yield Break(
                node,
                f"Nothing uses the {what} {target} ({byte_text(amount)}), which the program stores.",
                "Delete it from the module before exporting.",
            )


def _unused_results(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        facts = subject.facts_of(node)
        if not facts.name or node.users or facts.writes or facts.returns_nothing or node.op == "instruction":
            continue
        if isinstance(node.value, TensorValue) and node.target.namespace == "aten":
            yield Break(
                node,
                f"Nothing uses the result of {node.name} ({op_name(node.target)}).",
                "Remove the call: graph.eliminate_dead_code().",
            )


def _states(method: Method) -> Iterator[tuple[Node, str, str, int]]:
    """The placeholders of state: the node, its kind in a word, its name in the module, its bytes."""
    graph, signature = method.graph, method.graph.signature
    for spec in () if signature is None else signature.inputs:
        node, what = node_named(graph, spec.arg.name), _STATE.get(spec.kind)
        if node is not None and what is not None:
            amount = 0 if node.value is None else value_bytes(node.value) or 0
            yield node, what, spec.target or node.name, amount


def _duplicates(subject: Subject) -> Iterator[Break]:
    groups: dict[tuple[int, int], list[StateEntry]] = defaultdict(list)
    for entry in subject.method.state:
        if entry.crc32 is not None and (entry.bytes or 0) >= _WORTH:
            groups[entry.value, entry.crc32].append(entry)
    nodes = {target: node for node, _, target, _ in _states(subject.method)}
    for entries in groups.values():
        first = entries[0]
        for entry in entries[1:]:
            if entry.storage is None or entry.storage != first.storage:
                yield Break(
                    nodes.get(entry.name),
                    f"{entry.name} holds the same values as {first.name} ({byte_text(entry.bytes)}), by "
                    "checksum.",
                    "Share one parameter between the modules, so that it is stored once.",
                )


def _not_persistent(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    for spec in () if signature is None else signature.inputs:
        if spec.kind is InputKind.BUFFER and spec.persistent is False:
            yield Break(
                node_named(graph, spec.arg.name),
                f"The buffer {spec.target} is not persistent: it is a constant of the program and not in its "
                "state dict.",
                "Register it with persistent=True, if loading a state dict must change it.",
            )


def _specialised(subject: Subject) -> Iterator[Break]:
    for symbol in subject.method.symbols:
        if symbol.lower is not None and symbol.lower == symbol.upper:
            bound = next(iter(symbol.bindings), None)
            name = symbol.dim or symbol.name
            yield Break(
                None if bound is None else node_named(subject.method.graph, bound.node),
                f"The dimension {name} was meant to be dynamic, and can only be {symbol.lower}.",
                _FIND_LINE,
            )
    yield from _fixed_by_guards(subject.method)


_FIND_LINE: Final = "Find the line that needs this size in the guards of the program, or make it static."


def _fixed_by_guards(method: Method) -> Iterator[Break]:
    """Dimensions that a guard fixes. Torch was to choose whether they vary: the program lost their symbols.

    A line of a lost symbol is theirs if it fixes the same size.
    """
    signature, known = method.graph.signature, {symbol.name for symbol in method.symbols}
    nodes = {
        spec.path or spec.arg.name: node_named(method.graph, spec.arg.name)
        for spec in (() if signature is None else signature.inputs)
    }
    lines: dict[str, dict[str, None]] = defaultdict(dict)
    for one in method.detail.guard_lines:
        found = _FIXED_SYMBOL.fullmatch(one.expr)
        if found is not None and found[1] not in known:
            lines[found[2]][f"{PurePath(one.file).name}:{one.line}"] = None
    for guard in method.guards:
        found = _FIXED_SIZE.fullmatch(guard)
        if found is None:
            continue
        name, dim, size = f"{found[1]}{found[2]}", found[3], found[4]
        where = [*lines.get(size, ())]
        place = f" because of {' or '.join(where)}" if where else ""
        yield Break(
            nodes.get(name),
            f"Dimension {dim} of {name} was meant to be dynamic, and can only be {size}{place}.",
            "Change that line so that it allows other sizes, or make the dimension static."
            if where
            else _FIND_LINE,
        )


RULES: Final = (
    Rule(
        "cast-round-trip",
        "A value is converted to another dtype and back",
        Outcome.NOTE,
        ALL,
        export_ir("FakeTensor"),
        _round_trips,
    ),
    Rule(
        "forced-copy",
        "A tensor of 64 KB or more is copied",
        Outcome.NOTE,
        ALL,
        export_ir("FakeTensor"),
        _copies,
    ),
    Rule(
        "constant-input",
        "An input is fixed to the value it was exported with",
        Outcome.NOTE,
        EXPORTED,
        programming_model("Input types"),
        _constant_inputs,
    ),
    Rule(
        "constant-tensor",
        "A tensor of 64 KB or more is stored as a constant",
        Outcome.NOTE,
        EXPORTED,
        programming_model("Effects of functionalization"),
        _constant_tensors,
        lost_in_pte="which tensors are parameters and buffers",
    ),
    Rule(
        "unused-input",
        "Nothing uses an input",
        Outcome.NOTE,
        EXPORTED,
        export_ir("placeholder"),
        _unused_inputs,
    ),
    Rule(
        "unused-state",
        "Nothing uses a parameter, or a buffer of 64 KB or more",
        Outcome.NOTE,
        EXPORTED,
        export_ir("ExportedProgram"),
        _unused_state,
    ),
    Rule(
        "unused-result",
        "Nothing uses the result of a call",
        Outcome.NOTE,
        EXPORTED,
        export_ir("call_function"),
        _unused_results,
    ),
    Rule(
        "duplicated-weight",
        "Two weights of 64 KB or more hold the same values",
        Outcome.NOTE,
        EXPORTED,
        export_ir("ExportedProgram"),
        _duplicates,
    ),
    Rule(
        "non-persistent-buffer",
        "A buffer is not in the state dict",
        Outcome.NOTE,
        EXPORTED,
        programming_model("Module State: Reads vs. Updates"),
        _not_persistent,
    ),
    Rule(
        "fixed-dimension",
        "A dynamic dimension has one possible size",
        Outcome.NOTE,
        EXPORTED,
        overview("Dim Hints"),
        _specialised,
    ),
)
