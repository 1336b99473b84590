"""Rules of the graph itself: its nodes, their order, and their metadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import (
    Arg,
    MapArg,
    ObjectArg,
    SequenceArg,
    SequenceValue,
    SliceArg,
    TargetType,
    TensorValue,
)

from .rule import ALL, EXPORTED, FUNCTIONAL, LOWERED, Break, Rule, Subject, export_ir

_KINDS: Final = frozenset(("placeholder", "call_function", "get_attr", "output"))
_RUN_PASS: Final = "Correct the pass that changed the graph; graph.lint() tells when it is sound."


def _placeholders_first(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        first: Node | None = None
        for node in subject.nodes_of(graph):
            if node.op != "placeholder":
                first = first or node
            elif first is not None:
                yield Break(
                    node,
                    f"The placeholder {node.name} comes after {first.name}. Placeholders must come first.",
                    "Insert placeholders before the first other node: graph.inserting_before(first_node).",
                )


def _single_output(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        outputs = [node for node in subject.nodes_of(graph) if node.op == "output"]
        if not outputs:
            yield Break(
                graph[len(graph) - 1],
                f"The graph {graph.path} has no output node.",
                "End the graph with graph.output(…).",
            )
        for node in outputs[1:]:
            yield Break(
                node,
                f"{node.name} is the second output node of {graph.path}. A graph has one.",
                "Return everything with one output node, as a tuple.",
            )
        if len(outputs) == 1 and outputs[0].position != len(graph) - 1:
            after = graph[outputs[0].position + 1]
            yield Break(
                after,
                f"{after.name} comes after the output node. The output node must be last.",
                "Insert nodes before the output node: graph.inserting_before(output).",
            )


def _node_kind(subject: Subject) -> Iterator[Break]:
    allowed = {*_KINDS, "instruction"} if subject.dialect is Dialect.EXECUTORCH else _KINDS
    for graph in subject.graphs:
        for node in subject.nodes_of(graph):
            if node.op not in allowed:
                yield Break(
                    node,
                    f"{node.name} is a {node.op} node. An exported graph has placeholder, call_function, "
                    "get_attr and output nodes only.",
                    "Export the module again, so that submodules and methods become operators.",
                )


def _earlier_inputs(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        calls = subject.snapshot.detail.calls
        late = {number for number in set(graph.detail.calls) if _has_absent(*calls[number].args)
                or _has_absent(*calls[number].values)}  # fmt: skip
        for node in subject.nodes_of(graph):
            for source in node.input_positions:
                if source >= node.position:
                    name = graph.columns.names[source] if source < len(graph) else "a node"
                    yield Break(node, f"{node.name} uses {name}, which does not come before it.", _RUN_PASS)
            if graph.detail.calls[node.position] in late:
                yield Break(node, f"{node.name} uses a node that does not come before it.", _RUN_PASS)


def _has_absent(*args: Arg) -> bool:
    for arg in args:
        match arg:
            case ObjectArg():
                if arg.cls.endswith("fx.node.Node") or arg.cls == "torch.fx.Node":
                    return True
            case SequenceArg() | MapArg():
                if _has_absent(*arg.items):
                    return True
            case SliceArg():
                if _has_absent(arg.start, arg.stop, arg.step):
                    return True
    return False


def _unique_names(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        seen: set[str] = set()
        for node in subject.nodes_of(graph):
            if node.name in seen:
                yield Break(
                    node,
                    f"Two nodes of {graph.path} are named {node.name}.",
                    "Create nodes with graph.create_node, which gives each a new name.",
                )
            seen.add(node.name)


def _node_value(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        for node in subject.nodes_of(graph):
            if node.value is not None or node.op not in ("placeholder", "call_function"):
                continue
            if node.op == "call_function" and subject.facts_of(node).returns_nothing:
                continue
            yield Break(
                node,
                f"{node.name} has no meta['val'], so the shape and dtype of its result are unknown.",
                "Set node.meta['val'] in the pass that made the node, or run the pass as an ExportPass.",
            )


def _get_attr(subject: Subject) -> Iterator[Break]:
    """Branches may read their own tensors; torch and ExecuTorch also allow constants in lowered programs."""
    if subject.dialect not in FUNCTIONAL | {Dialect.ATEN_TRAINING} or subject.dialect in LOWERED:
        return
    for graph in subject.graphs:
        if graph.type != "method":
            continue
        for node in subject.nodes_of(graph):
            if node.op == "get_attr" and not node.subgraphs and isinstance(node.value, TensorValue):
                yield Break(
                    node,
                    f"{node.name} reads the tensor {node.target.text!r} with get_attr. Only submodules may "
                    "be read; parameters and buffers are inputs of the graph.",
                    "Lift the tensor to an input: register it as a parameter or buffer and export again.",
                )


def _getitem_range(subject: Subject) -> Iterator[Break]:
    for graph in subject.graphs:
        for node in subject.nodes_of(graph):
            if node.op != "call_function" or op_name(node.target) != "getitem" or len(node.args) != 2:
                continue
            source, item = node.args
            if not isinstance(source, Node) or not isinstance(item, int):
                continue
            if isinstance(source.value, SequenceValue) and not -len(source.value.items) <= item < len(
                source.value.items
            ):
                yield Break(
                    node,
                    f"{node.name} takes item {item} of {source.name}, which has "
                    f"{plural(len(source.value.items), 'item')}.",
                    "Correct the index, or the pass that changed how many results the call has.",
                )


def _called_subgraph(subject: Subject) -> Iterator[Break]:
    """A branch or loop body is passed as a get_attr node; its inputs must match the operands."""
    for graph in subject.graphs:
        for node in subject.nodes_of(graph):
            if node.op != "call_function" or node.target.name != "cond" or not _is_higher_order(node):
                continue
            operands = node.args[3] if len(node.args) > 3 else ()
            if not isinstance(operands, list | tuple):
                continue
            for branch in node.args[1:3]:
                for inner in branch.subgraphs if isinstance(branch, Node) else ():
                    count = _placeholders(inner)
                    if len(inner) and count != len(operands):
                        yield Break(
                            node,
                            f"{node.name} passes {plural(len(operands), 'value')} to {inner.name}, "
                            f"which has {plural(count, 'input')}.",
                            "Give both branches an input for each operand of torch.cond.",
                        )


def _is_higher_order(node: Node) -> bool:
    return node.target.type is TargetType.HIGHER_ORDER


def _placeholders(graph: Graph) -> int:
    return sum(node.op == "placeholder" for node in graph)


RULES: Final = (
    Rule(
        "placeholders-first",
        "Placeholders are the first nodes of a graph",
        Outcome.ERROR,
        ALL,
        export_ir("placeholder"),
        _placeholders_first,
    ),
    Rule(
        "single-output",
        "A graph has one output node, and it is the last",
        Outcome.ERROR,
        ALL,
        export_ir("output"),
        _single_output,
    ),
    Rule(
        "node-kind",
        "Nodes are placeholder, call_function, get_attr or output",
        Outcome.ERROR,
        EXPORTED,
        export_ir("Graph"),
        _node_kind,
    ),
    Rule(
        "earlier-inputs",
        "Arguments refer to earlier nodes",
        Outcome.ERROR,
        ALL,
        export_ir("Graph"),
        _earlier_inputs,
    ),
    Rule(
        "unique-names",
        "No two nodes of a graph have the same name",
        Outcome.ERROR,
        ALL,
        export_ir("Node"),
        _unique_names,
    ),
    Rule(
        "node-value",
        "Placeholders and calls have meta['val']",
        Outcome.ERROR,
        EXPORTED,
        export_ir("Metadata"),
        _node_value,
    ),
    Rule(
        "get-attr",
        "get_attr reads submodules only",
        Outcome.ERROR,
        EXPORTED,
        export_ir("get_attr"),
        _get_attr,
    ),
    Rule(
        "getitem-range",
        "getitem takes an item that there is",
        Outcome.ERROR,
        ALL,
        export_ir("FakeTensor"),
        _getitem_range,
        stricter="The verifiers do not compare the index with the number of results.",
    ),
    Rule(
        "branch-inputs",
        "A branch has an input for each operand",
        Outcome.ERROR,
        EXPORTED,
        export_ir("get_attr"),
        _called_subgraph,
        stricter="The verifiers check each graph alone.",
    ),
)
