"""When a value is last used: where the Python form frees it."""

from __future__ import annotations

from exir_viz.snapshot.graph import Graph


def last_uses(graph: Graph) -> dict[int, list[int]]:
    """By position: the nodes whose values are not needed after it, in the order torch frees them."""
    seen = bytearray(len(graph))
    dead: dict[int, list[int]] = {}
    for position in range(len(graph) - 1, -1, -1):
        for one in graph[position].input_positions:
            if not seen[one]:
                seen[one] = 1
                dead.setdefault(position, []).append(one)
    for position in range(len(graph)):
        if not graph.user_positions(position):
            dead.setdefault(position, []).append(position)
    return dead
