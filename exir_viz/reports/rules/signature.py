"""Rules of the graph signature: its inputs, outputs and state agree with the graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import MUTATIONS, ArgumentType, Dialect, InputKind, OutputKind, StateKind
from exir_viz.snapshot.records import ObjectValue

from .rule import ATEN, EXPORTED, Break, Rule, Subject, exir, export_ir, node_named

_NAMED: Final = frozenset(
    (ArgumentType.TENSOR, ArgumentType.SYM_INT, ArgumentType.SYM_FLOAT, ArgumentType.SYM_BOOL)
)
_STATE: Final = {
    InputKind.PARAMETER: (StateKind.PARAMETER,),
    InputKind.BUFFER: (StateKind.BUFFER,),
    InputKind.CONSTANT_TENSOR: (StateKind.CONSTANT,),
    InputKind.CUSTOM_OBJ: (StateKind.CUSTOM_OBJ,),
}
_WRITTEN_INPUTS: Final = {
    OutputKind.BUFFER_MUTATION: InputKind.BUFFER,
    OutputKind.PARAMETER_MUTATION: InputKind.PARAMETER,
    OutputKind.USER_INPUT_MUTATION: InputKind.USER_INPUT,
}
_FIRST: Final = MUTATIONS | {OutputKind.TOKEN}
_SECTION: Final = export_ir("ExportedProgram")
_UPDATE: Final = "Update graph_signature in the pass that changed the graph."


def _inputs(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    if signature is None:
        return
    placeholders = [node for node in graph if node.op == "placeholder"]
    for node, spec in zip(placeholders, signature.inputs, strict=False):
        if spec.arg.type in _NAMED and spec.arg.name != node.name:
            yield Break(
                node,
                f"The placeholder is named {node.name}, but the signature names it {spec.arg.name}.",
                _UPDATE,
            )
    for node in placeholders[len(signature.inputs) :]:
        yield Break(node, f"The signature has no input for the placeholder {node.name}.", _UPDATE)
    for spec in signature.inputs[len(placeholders) :]:
        yield Break(None, f"The signature names the input {spec.arg.name}, which the graph lacks.", _UPDATE)


def _state(subject: Subject) -> Iterator[Break]:
    signature = subject.method.graph.signature
    if signature is None:
        return
    kinds = {entry.name: entry.kind for entry in subject.method.state}
    for spec in signature.inputs:
        if spec.kind not in _STATE:
            continue
        node = node_named(subject.method.graph, spec.arg.name)
        word = spec.kind.value.replace("_", " ")
        if spec.target is None:
            yield Break(node, f"The signature does not say which {word} {spec.arg.name} is.", _UPDATE)
        elif spec.target not in kinds:
            yield Break(
                node,
                f"{spec.arg.name} is the {word} {spec.target!r}, which the program does not hold.",
                "Add it to the state dict or the constants, or remove the input.",
            )
        elif spec.kind is InputKind.PARAMETER and kinds[spec.target] is not StateKind.PARAMETER:
            yield Break(
                node,
                f"{spec.target!r} is a {kinds[spec.target].value}, but the signature says parameter.",
                "Store it as an nn.Parameter, or change its kind in the signature.",
            )
        if spec.kind is InputKind.BUFFER and spec.persistent is None and not subject.snapshot.is_pte:
            yield Break(
                node,
                f"The signature does not say whether the buffer {spec.target!r} is persistent.",
                "Set persistent=True or False in its InputSpec.",
            )


def _outputs(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    output = next((node for node in reversed(tuple(graph)) if node.op == "output"), None)
    if signature is None or output is None:
        return
    returned = output.args[0] if output.args else ()
    items = returned if isinstance(returned, list | tuple) else (returned,)
    if subject.dialect is Dialect.EXECUTORCH:  # a write-back may be an op of the graph here
        return
    if len(items) != len(signature.outputs):
        yield Break(
            output,
            f"The graph returns {plural(len(items), 'value')}, but the signature names "
            f"{len(signature.outputs)}.",
            _UPDATE,
        )
        return
    for at, (item, spec) in enumerate(zip(items, signature.outputs, strict=True)):
        if isinstance(item, Node) and spec.arg.type in _NAMED and spec.arg.name != item.name:
            yield Break(
                item,
                f"Output {at} is {item.name}, but the signature names {spec.arg.name}.",
                _UPDATE,
            )


def _order(subject: Subject) -> Iterator[Break]:
    signature = subject.method.graph.signature
    if signature is None or subject.dialect is Dialect.EXECUTORCH:
        return
    first = ""
    for spec in signature.outputs:
        if spec.kind not in _FIRST:
            first = first or spec.arg.name or "a constant"
        elif first:
            yield Break(
                node_named(subject.method.graph, spec.arg.name),
                f"{spec.arg.name} updates {spec.target!r} and comes after the output {first}. Updates of "
                "state must come first.",
                "Return updates of buffers and inputs before the user's outputs.",
            )


def _written(subject: Subject) -> Iterator[Break]:
    signature = subject.method.graph.signature
    if signature is None:
        return
    for spec in signature.outputs:
        if spec.kind not in MUTATIONS:
            continue
        kind = _WRITTEN_INPUTS[spec.kind]
        known = {
            one.arg.name if kind is InputKind.USER_INPUT else one.target
            for one in signature.inputs
            if one.kind is kind
        }
        if spec.target not in known:
            word = kind.value.replace("_", " ")
            yield Break(
                node_named(subject.method.graph, spec.arg.name),
                f"{spec.arg.name} updates {spec.target!r}, which is no {word} of the signature.",
                _UPDATE,
            )


def _module_calls(subject: Subject) -> Iterator[Break]:
    graph = subject.method.graph
    for call in subject.method.detail.module_calls:
        if call.signature is None:
            continue
        for role, arguments in (("input", call.signature.inputs), ("output", call.signature.outputs)):
            for arg in arguments:
                if arg.name and arg.name not in graph:
                    yield Break(
                        None,
                        f"The {role} {arg.name} of the preserved module {call.path!r} is not in the graph.",
                        "Export without preserve_module_call_signature: lowering renames these values.",
                    )


def _pytree(subject: Subject) -> Iterator[Break]:
    signature = subject.method.graph.signature
    for spec in () if signature is None else signature.inputs:
        node = node_named(subject.method.graph, spec.arg.name)
        if spec.kind is not InputKind.USER_INPUT or node is None:
            continue
        if spec.arg.type is ArgumentType.CUSTOM_OBJ or isinstance(node.value, ObjectValue):
            cls = spec.arg.cls or (node.value.cls if isinstance(node.value, ObjectValue) else "object")
            yield Break(
                node,
                f"The input {spec.path or node.name} is a {cls}, which is no tensor, number or text.",
                "Pass its tensors as inputs, or register the class as a pytree node.",
            )


RULES: Final = (
    Rule(
        "signature-inputs",
        "The signature names every placeholder, in order",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _inputs,
    ),
    Rule(
        "signature-state",
        "Parameters, buffers and constants of the signature exist",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _state,
    ),
    Rule(
        "signature-outputs",
        "The signature names every output, in order",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _outputs,
    ),
    Rule(
        "output-order",
        "Updates of buffers and inputs come before user outputs",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _order,
    ),
    Rule(
        "updated-input",
        "An update names a buffer, parameter or input that exists",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _written,
    ),
    Rule(
        "module-call-signature",
        "Preserved module calls name nodes of the graph",
        Outcome.ERROR,
        EXPORTED,
        _SECTION,
        _module_calls,
    ),
    Rule(
        "pytree-inputs",
        "Inputs are tensors, numbers, text or containers of these",
        Outcome.WARNING,
        ATEN,
        exir("ATen Dialect Properties, 3"),
        _pytree,
        stricter="The verifiers do not look at the classes of inputs.",
    ),
)
