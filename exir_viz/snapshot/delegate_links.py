"""How the graph of a delegate is wired into the graph that calls it.

The call passes its arguments to the delegate's inputs in order, and each `getitem` of the call reads one of
the delegate's outputs. With these links a delegate's ops can be read in place of the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .graph import Graph, Node
from .index import index_of
from .opkind import ITEM, op_name
from .program import InputKind


@dataclass(frozen=True, slots=True)
class DelegateLink:
    """One call of a delegate. Keys are positions in the delegate's or in the calling graph, as named.

    Attributes
    ----------
    call
        The position of the call in the calling graph.
    inner
        The delegate's graph.
    inputs
        By position of an input in the delegate: the position of the node that the call passes.
    outputs
        By position of a `getitem` in the calling graph: the position of the delegate's node that it reads.
    """

    call: int
    inner: Graph
    inputs: Mapping[int, int]
    outputs: Mapping[int, int]


def delegate_links(graph: Graph) -> Mapping[int, DelegateLink]:
    """The delegate calls of a graph by position, where the delegate's graph is known and fits the call."""
    kept: dict[int, DelegateLink] | None = vars(graph).get("_delegate_links")
    if kept is None:
        calls = index_of(graph).delegated.items()
        links = {call: _link(graph[call], graphs[0]) for call, graphs in calls if len(graphs) == 1}
        kept = {call: link for call, link in links.items() if link is not None}
        vars(graph)["_delegate_links"] = kept
    return kept


def origin_across(node: Node) -> Node | None:
    """The node that has the same value, earlier and across the border of a delegate; None if there is none.

    Of an input in a delegate that is what the call passes, of an item of a call what the delegate returns.
    """
    link = _link_around(node.graph)
    if link is not None and node.position in link[1].inputs:
        return link[0][link[1].inputs[node.position]]
    calls = (delegate_links(node.graph).get(call.position) for call in node.inputs[:1])
    return next((call.inner[call.outputs[node.position]] for call in calls if call is not None), None)


def copies_across(node: Node) -> Iterator[Node]:
    """The nodes that have the same value, later and across a border: the reverse of `origin_across`."""
    for user in node.users:
        call = delegate_links(node.graph).get(user.position)
        if call is not None:
            yield from (call.inner[at] for at, passed in call.inputs.items() if passed == node.position)
        link = _link_around(node.graph) if user.op == "output" else None
        if link is not None:
            yield from (link[0][item] for item, at in link[1].outputs.items() if at == node.position)


def _link_around(graph: Graph) -> tuple[Graph, DelegateLink] | None:
    """The graph that calls a delegate's graph, and the link of the call."""
    holder = graph.holder if graph.delegate is not None else None
    if holder is None:
        return None
    # in a .pte the call itself holds the delegate, else the node that names it for the call
    links = (delegate_links(holder.graph).get(node.position) for node in (holder, *holder.users))
    return next(((holder.graph, link) for link in links if link is not None), None)


def _link(call: Node, inner: Graph) -> DelegateLink | None:
    passed = [argument for argument in call.args if not _names_delegate(argument, inner)]
    wanted = _user_inputs(inner)
    output = next((node for node in inner if node.op == "output"), None)
    if output is None or not index_of(inner).computes or len(passed) != len(wanted):
        return None
    results = output.args[0] if output.args else None
    items = list(results) if isinstance(results, list | tuple) else [results]
    outputs = {}
    for user in call.users:
        number = user.args[1] if op_name(user.target) == ITEM and len(user.args) == 2 else None
        result = items[number] if isinstance(number, int) and 0 <= number < len(items) else None
        if not isinstance(result, Node):
            return None
        outputs[user.position] = result.position
    pairs = zip(wanted, passed, strict=True)
    inputs = {at: argument.position for at, argument in pairs if isinstance(argument, Node)}
    return DelegateLink(call.position, inner, inputs, outputs)


def _names_delegate(argument: object, inner: Graph) -> bool:
    return isinstance(argument, Node) and inner in argument.subgraphs


def _user_inputs(inner: Graph) -> list[int]:
    user = InputKind.USER_INPUT.value
    return [at for at, role in index_of(inner).roles.items() if role in (user, "input")]
