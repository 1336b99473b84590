"""Parts of a delegate's program, as programs of their own that the same backend can lower.

A quantized op is cut only together with the ops that quantize and dequantize around it: backends lower these
as one. What a part reads from outside becomes its inputs, and what others read of it its outputs.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

from exir_viz.torch_internals.edge import absorbed_mark
from exir_viz.torch_internals.pytrees import pytree


class Part(NamedTuple):
    """A part of a program: the program of its own, and the nodes that are its inputs and outputs."""

    program: ExportedProgram
    inputs: list[fx.Node]
    outputs: list[fx.Node]


def units(graph: fx.Graph) -> list[tuple[fx.Node, ...]]:
    """The smallest parts, in execution order. A node that dequantizes is in the unit of each reader."""
    of: dict[fx.Node, int] = {}
    found: list[list[fx.Node]] = []
    is_open: list[bool] = []  # a quantized op whose result is not quantized yet
    for node in graph.nodes:
        if node.op != "call_function" or (dequantizes(node) and _readers(node)):
            continue
        inner = [one for one in node.all_input_nodes if one in of]
        region = next((of[one] for one in inner if _joins(node, one, is_open[of[one]])), None)
        if region is None:
            region = len(found)
            found.append([])
            is_open.append(False)
        dequantized = [one for one in node.all_input_nodes if dequantizes(one) and one not in found[region]]
        found[region] += [*dequantized, node]
        of[node] = region
        is_open[region] = (is_open[region] or bool(dequantized)) and not quantizes(node)
    position = {node: at for at, node in enumerate(graph.nodes)}
    ordered = [tuple(sorted(one, key=position.__getitem__)) for one in found]
    return sorted(ordered, key=lambda one: position[one[-1]])


def _joins(node: fx.Node, producer: fx.Node, is_open: bool) -> bool:
    return node.target is operator.getitem or quantizes(node) or (is_open and not quantizes(producer))


def quantizes(node: fx.Node) -> bool:
    """Whether a node makes integers of floats."""
    return _calls(node, "quantize_per") and not dequantizes(node)


def dequantizes(node: fx.Node) -> bool:
    """Whether a node makes floats of integers."""
    return _calls(node, "dequantize_per")


def _calls(node: fx.Node, op: str) -> bool:
    """Whether a node calls such an op; an input may have the name of the op that makes it."""
    return node.op == "call_function" and op in str(node.target)


def _readers(node: fx.Node) -> bool:
    return any(user.op == "call_function" for user in node.users)


def part(program: ExportedProgram, nodes: Iterable[fx.Node], shown: Collection[fx.Node] = ()) -> Part:
    """The nodes of a program as a program of their own.

    `shown`: nodes that it returns in any case. Of one that quantizes it returns the dequantized value, if an
    op in the part reads that.
    """
    chosen = _closed({*nodes})
    ordered = [node for node in program.graph.nodes if node in chosen]
    state = {spec.arg.name: spec for spec in program.graph_signature.input_specs if spec.target is not None}
    needed = dict.fromkeys(one for node in ordered for one in node.all_input_nodes if one not in chosen)
    lifted = [one for one in needed if one.name in state]
    inputs = [one for one in needed if one.name not in state]
    read_inside = {node: _dequantized(node, chosen) for node in shown if quantizes(node)}
    outputs = [
        node
        for node in ordered
        if _is_output(node, chosen) or (node in shown and read_inside.get(node) is None)
    ]
    extra = [one for one in read_inside.values() if one is not None and one not in outputs]
    ends = {
        node
        for node in outputs
        if node in shown or any(user.op != "output" and user not in chosen for user in node.users)
    }
    ends |= {user for one in inputs if one.op == "call_function" for user in one.users}
    mark = absorbed_mark()  # where a part is cut off, no neighbour absorbs a node
    graph, copies = fx.Graph(), dict[fx.Node, fx.Node]()
    for one in (*lifted, *inputs):
        copies[one] = graph.placeholder(one.name)
        copies[one].meta = dict(one.meta)
    for node in ordered:
        copies[node] = graph.node_copy(node, copies.__getitem__)
        copies[node].name = node.name
        copies[node].meta = {
            key: value for key, value in node.meta.items() if node not in ends or key != mark
        }
    # a returned integer would not be absorbed by the op that makes it: an op of its own dequantizes it
    results = {one: copies[one] for one in outputs}
    for node in extra:
        results[node] = graph.node_copy(node, copies.__getitem__)
        results[node].meta = {key: value for key, value in node.meta.items() if key != mark}
    outputs = [*results]
    returned = graph.output(tuple(results.values()))
    returned.meta["val"] = tuple(one.meta.get("val") for one in outputs)
    specs = [state[one.name] for one in lifted] + [
        InputSpec(InputKind.USER_INPUT, TensorArgument(copies[one].name), None) for one in inputs
    ]
    returns = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(one.name), None) for one in results.values()]
    names = {spec.target for spec in specs}
    tree = pytree.tree_flatten((tuple(one.name for one in inputs), {}))[1]
    out_tree = pytree.tree_flatten(tuple(one.name for one in outputs))[1]
    call = ModuleCallSignature(inputs=[], outputs=[], in_spec=tree, out_spec=out_tree)
    return Part(
        ExportedProgram(
            root=torch.nn.Module(),
            graph=graph,
            graph_signature=ExportGraphSignature(input_specs=specs, output_specs=returns),
            state_dict={name: one for name, one in program.state_dict.items() if name in names},
            range_constraints=dict(program.range_constraints),
            module_call_graph=[ModuleCallEntry("", call)],
            constants={name: one for name, one in program.constants.items() if name in names},
            verifiers=[program.verifier],
        ),
        inputs,
        outputs,
    )


def whole(program: ExportedProgram) -> Part:
    """A program as it is, with all its inputs and outputs in their order."""
    state = {spec.arg.name for spec in program.graph_signature.input_specs if spec.target is not None}
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    returned = pytree.tree_leaves(program.graph.output_node().args)
    return Part(
        program,
        [node for node in placeholders if node.name not in state],
        [node for node in returned if isinstance(node, fx.Node)],
    )


def _closed(nodes: set[fx.Node]) -> set[fx.Node]:
    """The nodes, with those that quantize what they dequantize, and dequantize what they quantize."""
    found = set(nodes)
    for node in nodes:
        if dequantizes(node):
            found |= {one for one in node.all_input_nodes if one.op == "call_function" and quantizes(one)}
        elif quantizes(node):
            found |= {*[user for user in node.users if dequantizes(user)][:1]}
    for node in [*found]:  # the ops that compute scales at run time
        if dequantizes(node) or quantizes(node):
            found |= {*_scales(node)}
    return found


def _dequantized(node: fx.Node, chosen: set[fx.Node]) -> fx.Node | None:
    """The first of the chosen nodes that dequantizes what a node quantizes."""
    return next((user for user in node.users if user in chosen and dequantizes(user)), None)


def _scales(node: fx.Node) -> Sequence[fx.Node]:
    """What computes the scale of a node that quantizes dynamically."""
    items = [one for one in node.all_input_nodes if one.target is operator.getitem]
    return [*items, *(one for item in items for one in item.all_input_nodes)]


def _is_output(node: fx.Node, chosen: set[fx.Node]) -> bool:
    """Whether a node's value is read outside; of integers only what dequantizes them, if there is such."""
    outside = [user for user in node.users if user not in chosen]
    if any(user.op == "output" for user in outside):
        return True
    if not outside or isinstance(node.meta.get("val"), tuple | list):
        return False
    is_dequantized = quantizes(node) and any(dequantizes(user) for user in node.users if user in chosen)
    return not is_dequantized
