"""Where the inputs of an op come from and where its result goes, through views and borders of delegates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.delegate_links import copies_across, delegate_links, origin_across
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import ITEM, OpKind, op_kind, op_name

# Ops that move elements and compute nothing.
_MOVES = frozenset((
    "clone", "contiguous", "_to_dim_order_copy", "_clone_dim_order", "alias", "detach", "dropout",
    "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "permute", "transpose", "t", "view",
    "expand", "split", "split_with_sizes", "chunk", "unbind", "lift_fresh_copy", "to", "_to_copy",
    "view_copy", "permute_copy", "transpose_copy", "t_copy", "expand_copy", "squeeze_copy",
    "unsqueeze_copy", "select", "slice", "select_copy", "slice_copy", "split_copy",
    "split_with_sizes_copy", "unbind_copy", "alias_copy", "detach_copy",
))  # fmt: skip


def only_moves(node: Node) -> bool:
    """Whether an op computes nothing: a view, a copy, an item of a tuple."""
    return (
        op_name(node.target) == ITEM
        or node.target.name in _MOVES
        or op_kind(node.op, node.target) is OpKind.VIEW
    )


def source_of(node: Node) -> Node:
    """The node that computed a value, or the input or state it is."""
    for _ in range(10_000):
        outer = origin_across(node)
        if outer is not None:
            node = outer
        elif node.op == "call_function" and only_moves(node) and node.inputs:
            node = node.inputs[0]
        else:
            break
    return node


def users_of(node: Node) -> Iterator[Node]:
    """The nodes that compute with a value, and the output of a method where it leaves."""
    seen: set[str] = set()
    stack = [node]
    while stack:
        value = stack.pop()
        if value.id in seen:
            continue
        seen.add(value.id)
        stack += copies_across(value)
        for user in value.users:
            if user.op == "output":
                if user.graph.delegate is None and user.graph.type == "method":
                    yield user
            elif user.op == "call_function" and only_moves(user):
                stack.append(user)
            elif not (user.op == "call_function" and index_of(user.graph).delegated.get(user.position)):
                yield user


def returned_by_delegates(snapshot: Snapshot) -> Iterator[tuple[Node, Node]]:
    """The ops in delegates whose results leave, through quantize ops too: each with the node outside."""
    for graph in snapshot.graphs:
        for link in delegate_links(graph).values():
            for outer, inner in link.outputs.items():
                node = link.inner[inner]
                while node.op == "call_function" and node.inputs and _only_passes(node):
                    node = node.inputs[0]
                yield node, graph[outer]


def first_items(snapshot: Snapshot) -> Iterator[tuple[Node, Node]]:
    """The ops that return several values, such as a norm: each with the node that takes the first."""
    for graph in snapshot.graphs:
        for item in graph:
            if item.op == "call_function" and op_name(item.target) == ITEM and item.args[1:] == (0,):
                yield item.inputs[0], item


def _only_passes(node: Node) -> bool:
    return only_moves(node) or "quantize_per" in node.target.name


def is_state(node: Node) -> bool:
    """Whether a node is a parameter, a buffer or a constant."""
    if node.op == "get_attr":
        return True
    role = index_of(node.graph).roles.get(node.position, "")
    return node.op == "placeholder" and role not in ("user_input", "input")


def by_call(snapshot: Snapshot) -> Mapping[int, str]:
    """By number of a delegate's graph: the id of the node that calls it."""
    found: dict[int, str] = {}
    for graph in snapshot.graphs:
        for ref in graph.columns.subgraphs:
            holder = graph[ref.node]
            # in a .pte the call itself holds the delegate, else the node that names it for the call
            call = holder if holder.op == "call_function" else next(iter(holder.users), holder)
            found[ref.graph] = call.id
    return found
