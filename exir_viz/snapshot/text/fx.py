"""A graph in the FX text format: what torch prints of `str(graph)`, a line a node.

Equal to torch's text except where a Snapshot keeps less than FX: type annotations of hand-written graphs.
"""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.records import Arg, Call, Literal, NodeArg

from .arguments import fx, operator, python
from .text_line import LineKind, TextLine, split


def graph_lines(graph: Graph) -> Iterator[TextLine]:
    """The graph's lines, without nested graphs, as torch prints them."""
    yield TextLine("graph():", LineKind.DEF, graph.number)
    columns, tables = graph.columns, graph.snapshot.detail.calls
    for position, name in enumerate(columns.names):
        names = [columns.names[one] for one in graph[position].input_positions]
        text = _node(graph, position, name, tables[graph.detail.calls[position]], names)
        yield from split(f"    {text}", LineKind.CODE, graph.number, position)


def _node(graph: Graph, position: int, name: str, call: Call, names: list[str]) -> str:
    node = graph[position]
    op, target = node.op, node.target.text
    if op == "output":
        return f"return {_printed(call.args[0], names) if call.args else None}"
    head = f"%{name} : [num_users={len(graph.user_positions(position))}] = {op}[target={target}]"
    if op == "placeholder":
        return f"{head}(default={_printed(call.args[0], names)})" if call.args else head
    if op == "get_attr":
        return head
    args = ", ".join(fx(arg, names) for arg in call.args) + ("," if len(call.args) == 1 else "")
    pairs = zip(call.names, call.values, strict=True)
    kwargs = ", ".join(f"{key}: {fx(value, names)}" for key, value in pairs)
    return f"{head}(args = ({args}), kwargs = {{{kwargs}}})"


def _printed(arg: Arg, names: list[str]) -> str:
    """As `str` of it: a node by its bare name, a string without quotes, what a container holds as `repr`."""
    match arg:
        case NodeArg():
            return names[arg.at]
        case Literal():
            return arg.text
        case _:
            return python(arg, names, operator)
