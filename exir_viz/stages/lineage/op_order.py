"""Align equal ops in equal order, for programs that share nothing else, such as after re-export. Inferred.

Both graphs are lists in execution order. Their calls are aligned like the lines of two texts: a line is the
op and its module, or the op only if modules are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from difflib import SequenceMatcher

from torch import fx

from exir_viz.snapshot.lineage import Evidence

from .links import CALLS, Links
from .live_graphs import LiveGraph
from .op_names import base, converts


def link(links: Links) -> None:
    """Align calls that have no link with calls that have no descendant."""
    with_descendants = links.with_descendants()
    for place, before in links.strangers():
        now = [node for node in _calls(place) if node not in links.ancestors]
        then = [node for node in _calls(before) if node not in with_descendants]
        line = _with_module if _know_modules(now) and _know_modules(then) else base
        for node, ancestor in _aligned(now, then, line):
            links.add(node, (ancestor,), Evidence.STRUCTURE)


def _calls(place: LiveGraph) -> list[fx.Node]:
    """Calls that compute. Quantize nodes are excluded: they are never the counterpart of an earlier node."""
    return [node for node in place.nodes if node.op in CALLS and not converts(node)]


def _aligned(
    now: list[fx.Node], then: list[fx.Node], line: Callable[[fx.Node], Hashable]
) -> list[tuple[fx.Node, fx.Node]]:
    matcher = SequenceMatcher(
        None, [line(node) for node in then], [line(node) for node in now], autojunk=False
    )
    return [
        (now[block.b + at], then[block.a + at])
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]


def _know_modules(nodes: list[fx.Node]) -> bool:
    """Whether modules other than the root are known."""
    return any(len(node.meta.get("nn_module_stack") or ()) > 1 for node in nodes)


def _with_module(node: fx.Node) -> Hashable:
    stack = node.meta.get("nn_module_stack") or {}
    return (base(node), *(path for path, _ in list(stack.values())[-1:]))
