"""Rules of the edge dialect: its operators, their dtypes, no scalars, and dim order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from exir_viz.compare.normalize.schemas import parameters
from exir_viz.reports.report import Outcome
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.operators import DtypeRule, dtypes_refused, known_operators
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import ArgumentType, InputKind, OutputKind
from exir_viz.snapshot.records import SequenceValue, TargetType, TensorValue, Value
from exir_viz.stages.steps.remedies import dtype_remedy

from .rule import EDGE, LOWERED, Break, Rule, Subject, exir, node_named

_DELEGATE: Final = "executorch_call_delegate"
# Dtypes that no kernel of ExecuTorch takes.
_OTHERS: Final = ("complex64", "bfloat16")
_SCALAR_ARGUMENTS: Final = (ArgumentType.SYM_INT, ArgumentType.SYM_FLOAT, ArgumentType.SYM_BOOL)


def _operators(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        facts = subject.facts_of(node)
        if facts.name and not facts.is_edge and not facts.is_runtime:
            yield Break(
                node,
                f"{node.name} calls {node.target.text}, which is no edge operator.",
                "Call exir_ops.edge in passes after to_edge, not torch.ops.",
            )


def _dtypes(subject: Subject) -> Iterator[Break]:
    for node, rule, found in dtypes_of_calls(subject):
        if not rule.allows(found):
            yield Break(
                node,
                dtypes_refused(found, op_name(node.target)),
                remedy_of(rule, found),
            )


def dtypes_of_calls(subject: Subject) -> Iterator[tuple[Node, DtypeRule, dict[str, str]]]:
    """The calls whose dtypes the edge dialect limits: the rule, and their dtypes by argument and result."""
    known = known_operators()
    for node in subject.calls():
        facts = subject.facts_of(node)
        rule = known.dtypes_of(facts.name) if facts.is_edge or facts.name in known.outs else None
        if rule is not None:
            yield node, rule, _dtypes_of(node, rule)


def refused_near(rule: DtypeRule, found: Mapping[str, str]) -> dict[str, str] | None:
    """The dtypes with one other, so that the dialect does not allow them; None if it allows all such.

    A dtype that is allowed elsewhere comes first: a mixture is refused more often than a dtype.
    """
    every = dict.fromkeys(dtype for name in rule.names for dtype in rule.allowed(name))
    for wanted in (True, False):
        for name in found:
            for dtype in (*every, *_OTHERS):
                tried = {**found, name: dtype}
                if (dtype in rule.allowed(name)) is wanted and not rule.allows(tried):
                    return tried
    return None


def remedy_of(rule: DtypeRule, found: Mapping[str, str]) -> str:
    """The dtype that the result must have with these arguments; what to do if the arguments do not fit."""
    arguments = {name: dtype for name, dtype in found.items() if not name.startswith("__ret")}
    results = rule.results(arguments)
    if results:
        return f"With these arguments the result is {' or '.join(results)}: convert it where it is used."
    return dtype_remedy(rule, found)


def _dtypes_of(node: Node, rule: DtypeRule) -> dict[str, str]:
    """The dtypes of a call's tensors, by argument and result as the rule names them."""
    known = parameters(node.target) or ()
    given: dict[str, object] = {
        **{one.name: arg for one, arg in zip(known, node.args, strict=False)},
        **node.kwargs,
    }
    found: dict[str, str] = {}
    for name in rule.names:
        dtype = None if name.startswith("__ret") else _dtype(given.get(name))
        if dtype is not None:
            found[name] = dtype
    results = [name for name in rule.names if name not in {one.name for one in known}]
    for name, result in zip(results, _parts(node.value), strict=False):
        if isinstance(result, TensorValue):
            found[name] = result.dtype
    return found


def _parts(value: Value | None) -> tuple[Value | None, ...]:
    return value.items if isinstance(value, SequenceValue) else (value,)


def _dtype(arg: object) -> str | None:
    """The dtype of a node's tensor, or of the first in a list."""
    if isinstance(arg, list | tuple):
        arg = next(iter(arg), None)
    value = arg.value if isinstance(arg, Node) else None
    return value.dtype if isinstance(value, TensorValue) else None


def _scalar_arguments(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if not subject.facts_of(node).is_edge:
            continue
        for one, arg in zip(parameters(node.target) or (), node.args, strict=False):
            if one.type in ("Tensor", "Tensor?") and isinstance(arg, bool | int | float):
                yield Break(
                    node,
                    f"{node.name} passes the number {arg} as {one.name}, which must be a tensor.",
                    "Make a tensor of it with aten.scalar_tensor or aten.full.",
                )


def _scalar_inputs(subject: Subject) -> Iterator[Break]:
    graph, signature = subject.method.graph, subject.method.graph.signature
    if signature is None:
        return
    for spec in signature.inputs:
        if spec.kind is InputKind.USER_INPUT and spec.arg.type in _SCALAR_ARGUMENTS:
            yield Break(
                node_named(graph, spec.arg.name),
                f"The input {spec.path or spec.arg.name} is a number, not a tensor.",
                "Pass a tensor of one element.",
            )
    for out in signature.outputs:
        if out.kind is OutputKind.USER_OUTPUT and out.arg.type in _SCALAR_ARGUMENTS:
            yield Break(
                node_named(graph, out.arg.name),
                f"The output {out.path or out.arg.name} is a number, not a tensor.",
                "Return a tensor: torch.scalar_tensor(n).",
            )


def _dim_order(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        wanted, value = node.kwargs.get("dim_order"), node.value
        if node.target.namespace != "dim_order_ops" or not isinstance(wanted, list | tuple):
            continue
        if isinstance(value, TensorValue) and not _fits(value, tuple(wanted)):
            yield Break(
                node,
                f"{node.name} asks for the dim order {list(wanted)}, but its result has the strides "
                f"{list(value.stride or ())}.",
                "Run the pass again that computes meta['val'].",
            )
    uses_dim_order = any(target.namespace == "dim_order_ops" for target in subject.snapshot.targets)
    replaced = known_operators().dim_order
    for node in subject.calls() if uses_dim_order else ():
        facts = subject.facts_of(node)
        if facts.is_edge and facts.name in replaced:
            instead = replaced[facts.name].replace("::", ".")
            yield Break(
                node,
                f"{node.name} calls {op_name(node.target)} in a program that uses dim order.",
                f"Call {instead}.",
            )


def _fits(value: TensorValue, order: tuple[object, ...]) -> bool:
    """Whether the strides decrease in this order. Dimensions of size one, and symbols, always fit."""
    if value.stride is None or sorted(map(str, order)) != sorted(map(str, range(len(value.shape)))):
        return value.stride is None
    pairs = [(value.shape[at], value.stride[at]) for at in order if isinstance(at, int)]
    strides = [stride for size, stride in pairs if size != 1]
    known = [stride for stride in strides if isinstance(stride, int)]
    return len(known) < len(strides) or known == sorted(known, reverse=True)


def _delegates(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if node.target.type is not TargetType.HIGHER_ORDER or node.target.name != _DELEGATE:
            continue
        first = node.args[0] if node.args else None
        owner = node if subject.snapshot.is_pte else first  # an instruction names its delegate itself
        subgraphs = owner.subgraphs if isinstance(owner, Node) else ()
        if not any(graph.delegate is not None for graph in subgraphs):
            yield Break(
                node,
                f"The first argument of {node.name} is no delegate.",
                "Pass the get_attr node of a LoweredBackendModule first.",
            )
            continue
        inner = next(graph for graph in subgraphs if graph.delegate is not None)
        wanted = _user_inputs(inner)
        given = len(node.args) - (owner is first)
        if wanted is not None and wanted != given:
            yield Break(
                node,
                f"{node.name} passes {plural(given, 'value')} to {inner.name}, which has "
                f"{plural(wanted, 'input')}.",
                "Pass one value for each user input of the delegate.",
            )


def _user_inputs(graph: Graph) -> int | None:
    """How many inputs a delegate takes from its call; None if its graph is not known."""
    if not len(graph) or graph.signature is None:
        return None
    return sum(spec.kind is InputKind.USER_INPUT for spec in graph.signature.inputs)


RULES: Final = (
    Rule(
        "edge-operators",
        "Calls are of edge operators",
        Outcome.ERROR,
        EDGE,
        exir("Edge Dialect Properties, 1"),
        _operators,
    ),
    Rule(
        "edge-dtypes",
        "Dtypes are a combination that the operator allows",
        Outcome.ERROR,
        LOWERED,
        exir("Edge Operators"),
        _dtypes,
        stricter="ExecuTorch stops checking dtypes at the first delegate or branch of a graph, "
        "and does not check them after to_edge.",
    ),
    Rule(
        "scalar-arguments",
        "No number is passed for a tensor",
        Outcome.ERROR,
        EDGE,
        exir("Edge Dialect Properties, 2"),
        _scalar_arguments,
        stricter="ExecuTorch converts numbers to tensors in to_edge, and does not check it afterwards.",
    ),
    Rule(
        "scalar-inputs",
        "Inputs and outputs of the graph are tensors",
        Outcome.WARNING,
        EDGE,
        exir("Edge Dialect Properties, 2"),
        _scalar_inputs,
        stricter="to_edge accepts numbers as inputs and outputs; to_executorch refuses some of them.",
    ),
    Rule(
        "dim-order",
        "Dim orders agree with strides, and are used throughout",
        Outcome.ERROR,
        EDGE,
        exir("Edge Dialect"),
        _dim_order,
    ),
    Rule(
        "delegate-call",
        "A delegate call passes a delegate, and its inputs",
        Outcome.ERROR,
        LOWERED,
        exir("Using the Edge Dialect"),
        _delegates,
        stricter="The verifiers do not compare a call with the delegate's inputs.",
    ),
)
