"""Tell an error of a quantized delegate from roundings that add up.

Two kernels may round the result of an op in eight bits to neighboring integers. The next ops compute with
these, so after dozens of ops the results are far apart although each op is right.
"""

from __future__ import annotations

import torch

from .parts import DelegateParts
from .regions import part, quantizes, units, whole


def rounding_ops(parts: DelegateParts) -> int:
    """How many ops of a quantized delegate were checked, if each is right for the values that it got; else 0.

    The delegate is lowered again so that it returns the value of every op. Its outputs must be those that the
    delegate itself computes, and each value within two steps of what eager torch computes from the values
    before it.
    """
    graph = parts.program.graph
    if not any(quantizes(node) for node in graph.nodes):
        return 0
    every = units(graph)
    cut = part(parts.program, (node for unit in every for node in unit), {unit[-1] for unit in every})
    own = whole(parts.program)
    try:
        found = parts.run(parts.lower(cut), cut)
        actual = parts.run(parts.lowered, own)
    except Exception:  # noqa: BLE001  a backend raises what it likes for a program that it cannot lower
        return 0
    by_name = {node.name: value for node, value in zip(cut.outputs, found, strict=True)}
    for node, value in zip(own.outputs, actual, strict=True):
        other = by_name.get(node.name)
        if other is None or not torch.equal(other, value):
            return 0
    return 0 if parts.wrong_values(found, cut) else len(every)
