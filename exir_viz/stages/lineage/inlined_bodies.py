"""Nodes of a body that a step inlined, such as the body of `with torch.no_grad()`.

torch traces such a body anew from the code that it generated for the body. What it records for a new node
names the call that holds the body, and a line of that code in place of the user's line:
`cos = torch.ops.aten.cos.default(cat)`. The same line of the same code says which node of the body it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.frames import assigned_variable, is_graph_code
from exir_viz.stages.live import method_of

if TYPE_CHECKING:
    from torch import fx

    from .live_graphs import LiveGraphs

_LAST_LINE: Final = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+), in .*\n(?P<text>.*)\s*\Z')


class BodyLines:
    """The lines of the code that torch generates for bodies, by the nodes that they compute.

    bodies: with the path of each, such as "forward/submod_1".
    """

    def __init__(self, bodies: Iterable[tuple[str, fx.Graph]]) -> None:
        self._bodies = tuple(bodies)

    def origin(self, node: fx.Node, method: str = "") -> fx.Node | None:
        """The node of a body that a node was, if the trace of the node is a line of one body.

        method: the method that the node is in; "" if unknown. Methods often have bodies with equal lines.
        """
        found = _LAST_LINE.search(_trace(node))
        if found is None or not is_graph_code(found["file"]):
            return None
        several = self._nodes.get((int(found["line"]), found["text"].strip()), ())
        origins = [origin for path, origin in several if method in ("", method_of(path))]
        return origins[0] if len(origins) == 1 else None

    @cached_property
    def _nodes(self) -> dict[tuple[int, str], list[tuple[str, fx.Node]]]:
        found: dict[tuple[int, str], list[tuple[str, fx.Node]]] = {}
        for path, graph in self._bodies:
            named = {node.name: node for node in graph.nodes}
            source = graph.python_code(root_module="self").src.splitlines()
            for line, text in enumerate(map(str.strip, source), 1):
                if (name := assigned_variable(text)) in named:
                    found.setdefault((line, text), []).append((path, named[name]))
        return found


def inlined_origins(parent: LiveGraphs, child: LiveGraphs) -> dict[fx.Node, fx.Node]:
    """Nodes of the child that were in a body of the parent → that node of the body."""
    bodies = [(place.path, place.graph) for place in parent.places if place.holders and place.lowered is None]
    if not bodies:
        return {}
    known = {_trace(node) for node in parent.nodes}
    lines = BodyLines(bodies)
    return {
        node: origin
        for place in child.places
        for node in place.nodes
        if _trace(node) not in known and (origin := lines.origin(node, method_of(place.path))) is not None
    }


def restore_lines(origins: Mapping[fx.Node, fx.Node]) -> None:
    """Give nodes the stack trace of the nodes that they were, with the user's lines."""
    for node, origin in origins.items():
        if "stack_trace" in origin.meta:
            node.meta["stack_trace"] = origin.meta["stack_trace"]


def _trace(node: fx.Node) -> str:
    """The stack trace of a node; a user's pass may have left any object there."""
    trace = node.meta.get("stack_trace")
    return trace if isinstance(trace, str) else ""
