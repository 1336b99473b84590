"""Which parameters, buffers and constants a method uses, also under another name that shares their memory."""

from __future__ import annotations

from collections import defaultdict

from .program import InputKind
from .snapshot import Method

_STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ)


def state_use(method: Method) -> dict[str, tuple[str, ...]]:
    """By the name of a parameter, buffer or constant: the names by which ops use its memory.

    Its own name if they use that, else the names of those that share its memory, such as tied weights.
    """
    graph, signature = method.graph, method.graph.signature
    inputs = () if signature is None else signature.inputs
    nodes = {
        spec.target or spec.arg.name: graph[spec.arg.name]
        for spec in inputs
        if spec.kind in _STATE and spec.arg.name in graph
    }
    storages = {entry.name: entry.storage for entry in method.state}
    sharing: dict[int | None, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        if node.users:
            sharing[storages.get(name)].append(name)
    sharing.pop(None, None)
    return {
        name: (name,) if node.users else tuple(sharing.get(storages.get(name), ()))
        for name, node in nodes.items()
    }
