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

from exir_viz.snapshot.frames import GENERATED

if TYPE_CHECKING:
    from torch import fx

    from .live_graphs import LiveGraphs

_LAST_LINE: Final = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+), in .*\n(?P<text>.*)\s*\Z')
_NAME: Final = re.compile(r"(\w+)(?:\s*:[^=]*)?\s=\s")


class BodyLines:
    """The lines of the code that torch generates for bodies, by the nodes that they compute."""

    def __init__(self, bodies: Iterable[fx.Graph]) -> None:
        self._bodies = tuple(bodies)

    def origin(self, node: fx.Node) -> fx.Node | None:
        """The node of a body that a node was, if the trace of the node is a line of one body."""
        found = _LAST_LINE.search(_trace(node))
        if found is None or not GENERATED.match(found["file"]):
            return None
        origins = self._nodes.get((int(found["line"]), found["text"].strip()), ())
        return origins[0] if len(origins) == 1 else None

    @cached_property
    def _nodes(self) -> dict[tuple[int, str], list[fx.Node]]:
        found: dict[tuple[int, str], list[fx.Node]] = {}
        for graph in self._bodies:
            named = {node.name: node for node in graph.nodes}
            source = graph.python_code(root_module="self").src.splitlines()
            for line, text in enumerate(map(str.strip, source), 1):
                if (name := _NAME.match(text)) and name[1] in named:
                    found.setdefault((line, text), []).append(named[name[1]])
        return found


def inlined_origins(parent: LiveGraphs, child: LiveGraphs) -> dict[fx.Node, fx.Node]:
    """Nodes of the child that were in a body of the parent → that node of the body."""
    bodies = [place.graph for place in parent.places if place.holders and place.lowered is None]
    if not bodies:
        return {}
    known = {_trace(node) for node in parent.nodes}
    lines = BodyLines(bodies)
    found = {node: lines.origin(node) for node in child.nodes if _trace(node) not in known}
    return {node: origin for node, origin in found.items() if origin is not None}


def restore_lines(origins: Mapping[fx.Node, fx.Node]) -> None:
    """Give nodes the stack trace of the nodes that they were, with the user's lines."""
    for node, origin in origins.items():
        if "stack_trace" in origin.meta:
            node.meta["stack_trace"] = origin.meta["stack_trace"]


def _trace(node: fx.Node) -> str:
    """The stack trace of a node; a user's pass may have left any object there."""
    trace = node.meta.get("stack_trace")
    return trace if isinstance(trace, str) else ""
