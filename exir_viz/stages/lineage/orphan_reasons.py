"""Why a node exists that has no ancestor in the parent stage."""

from __future__ import annotations

import operator

from torch import fx

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.opkind import ASSERTS
from exir_viz.torch_internals.operators import schema_of

from .from_node import sources
from .links import Links
from .op_names import base, converts


def reasons(links: Links) -> dict[fx.Node, str]:
    """A sentence for every node of the child that has no link."""
    return {node: _reason(node, links) for node in links.child.nodes if node not in links.ancestors}


def _reason(node: fx.Node, links: Links) -> str:
    if node.op == "placeholder":
        return _state(node)
    if node.op == "get_attr":
        return _attribute(node, links)
    if node.op == "output":
        return "The outputs of a graph that this step made."
    name = base(node)
    if name == "alloc":
        return _memory(node)
    if name in ASSERTS:
        return "Checks at run time what export assumed about the data."
    if node.users and all(base(user) in ASSERTS for user in node.users):
        return "Part of a check at run time."
    if converts(node):
        return f"Added to quantize: {'for ' + _names(_served(node)) if node.users else 'nothing uses it'}."
    if name == "copy_":
        return _written_back(node)
    if written := _written(node, links):
        return f"The new value of {written}, which the program changes."
    if node.target is operator.getitem and isinstance(node.args[0], fx.Node):
        return f"One of the outputs of {node.args[0].name}."
    return _unknown(node)


def _unknown(node: fx.Node) -> str:
    level = sources(node.meta.get("from_node"))
    while level and (deeper := sources(level[0].from_node)):
        level = deeper
    if not level:
        return "Added by this step, which does not record its origin."
    first = f"{level[0].name} ({level[0].target})"
    return f"Made during this step, first as {first}."


def _written(node: fx.Node, links: Links) -> str:
    """The state or input that a node's value is written to at the end of the program."""
    program = links.child.place_of[node].program
    if program is None:
        return ""
    signature = program.graph_signature
    changes: dict[str, str] = {**signature.buffers_to_mutate, **signature.user_inputs_to_mutate}
    return changes.get(node.name, "")


def _state(node: fx.Node) -> str:
    """An input that the parent does not have: a scale, a zero point, or another constant."""
    reader = next(filter(converts, node.users), None)
    if reader is None:
        return "A constant added by this step."
    whom, argument = _names(_served(node)), _argument(node, reader)
    if argument == "input" and base(reader).startswith("dequantize"):
        return f"Added to quantize: the integer form of what {whom} reads."
    return f"Added to quantize: {argument} of {reader.name}, for {whom}."


def _argument(node: fx.Node, reader: fx.Node) -> str:
    """The name of the argument, in the user's schema, that the node is passed as: "scales", "zero_points"."""
    schema = schema_of(reader.target)
    names = [] if schema is None else [argument.name for argument in schema.arguments]
    given = (*zip(names, reader.args, strict=False), *reader.kwargs.items())
    return next((name for name, value in given if value is node), "an argument")


def _attribute(node: fx.Node, links: Links) -> str:
    place = links.child.submodules.get(node)
    if place is None:
        return "A constant added to the graph by this step."
    if place.lowered is not None:
        calls = sum(one.op == "call_function" for one in place.nodes)
        return f"Refers to the delegate of {place.lowered.backend_id}, which runs {plural(calls, 'call')}."
    return "Refers to a graph that this step made."


def _memory(node: fx.Node) -> str:
    """`memory.alloc` is the `out` argument of the op that writes to it."""
    # An item of memory for several results is read from it, and does not write.
    outs = [(user, name) for user in node.users for name, value in user.kwargs.items() if value is node]
    if not outs:
        return "Memory that is never written."
    user, out = outs[0]
    which = f" ({out})" if out != "out" else ""
    return f"The memory that {user.name} writes its output{which} to: its op is an out variant."


def _written_back(node: fx.Node) -> str:
    into, new = (arg.name if isinstance(arg, fx.Node) else str(arg) for arg in node.args[:2])
    return f"Writes {new} back into {into}, whose value the program changes."


def _served(node: fx.Node) -> list[fx.Node]:
    """The nodes that it quantizes for: its users, or the users of those that only convert."""
    found: dict[fx.Node, None] = {}
    level = list(node.users)
    while level:
        found |= dict.fromkeys(one for one in level if not converts(one))
        level = [user for one in level if converts(one) for user in one.users]
    return list(found)


def _names(nodes: list[fx.Node]) -> str:
    names = [node.name for node in nodes]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
