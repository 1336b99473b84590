"""Find which placeholders of a graph its ops may write to, from the ops' schemas, without running anything.

If in doubt, the answer is yes: an unneeded copy costs a little, a missing one changes the user's module.
"""

from __future__ import annotations

import operator

from torch import fx

from exir_viz.torch_internals.operators import (
    HigherOrderOperator,
    aten_operator,
    aten_schema_of,
    may_be_composite,
)

# Batch and instance norm write to these in training mode, which their schemas do not say.
_UNDECLARED = frozenset({"running_mean", "running_var"})
_TRAINS = ("training", "train", "use_input_stats")
# Composite ops whose result is always new memory; others may return a view of their input.
_FRESH = frozenset(
    {f"aten::{op}" for op in (
        "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input",
        "linear", "matmul", "einsum", "batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm",
        "scaled_dot_product_attention", "max_pool1d", "max_pool2d", "max_pool3d", "adaptive_avg_pool1d",
        "adaptive_avg_pool2d", "adaptive_avg_pool3d", "cross_entropy_loss", "embedding_bag",
    )}
)  # fmt: skip


def written(module: fx.GraphModule) -> set[str]:
    """The names of placeholders that an op of the graph, or of a nested graph, may write to."""
    roots: dict[fx.Node, frozenset[str]] = {}
    found: set[str] = set()
    for node in module.graph.nodes:
        if node.op == "placeholder":
            roots[node] = frozenset({node.name})
        elif node.op == "call_function":
            for argument in _mutated(module, node):
                found |= roots.get(argument, frozenset())
            if _may_alias(node):
                inputs = (roots.get(used, frozenset()) for used in node.all_input_nodes)
                roots[node] = frozenset().union(*inputs)
    return found


def _mutated(module: fx.GraphModule, node: fx.Node) -> list[fx.Node]:
    if isinstance(node.target, HigherOrderOperator):
        return node.all_input_nodes if _holds_writes(module, node) else []
    schema = aten_schema_of(node.target)
    if schema is None:
        return []
    given = dict(zip((argument.name for argument in schema.arguments), node.args, strict=False))
    given.update(node.kwargs)
    found: list[fx.Node] = []
    trains = any(given.get(name, False) for name in _TRAINS)
    for argument in schema.arguments:
        declared = argument.alias_info is not None and argument.alias_info.is_write
        if declared or (trains and argument.name in _UNDECLARED):
            fx.map_arg(given.get(argument.name), found.append)
    return found


def _holds_writes(module: fx.GraphModule, node: fx.Node) -> bool:
    for used in node.all_input_nodes:
        target = getattr(module, str(used.target), None) if used.op == "get_attr" else None
        inner = getattr(target, "original_module", target)
        inner = getattr(inner, "graph_module", inner)
        if isinstance(inner, fx.GraphModule) and (written(inner) or has_writes(inner)):
            return True
    return False


def has_writes(module: fx.GraphModule) -> bool:
    """Whether an op of the graph, or of a nested graph, writes to an input."""
    calls = (node for node in module.graph.nodes if node.op == "call_function")
    return any(_mutated(module, node) for node in calls)


def _may_alias(node: fx.Node) -> bool:
    if node.target is operator.getitem or isinstance(node.target, HigherOrderOperator):
        return True
    schema = aten_schema_of(node.target)
    if schema is None:
        return True
    if any(returned.alias_info is not None for returned in schema.returns):
        return True
    op = aten_operator(node.target)
    # reshape, contiguous, to: a view or a copy, which their schema does not say
    if op is None or op.name() in _FRESH:  # type: ignore[no-untyped-call]
        return False
    return may_be_composite(op)
