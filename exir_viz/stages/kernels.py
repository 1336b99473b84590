"""What torch knows of its own operators, asked once per process: it takes a quarter of a second to collect.

Operators that are registered later are in neither: torch takes up only its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any


@cache
def core_table() -> Mapping[Any, Any]:
    """torch's decompositions to Core ATen, by operator."""
    from torch.export import default_decompositions

    table: Any = default_decompositions()
    return MappingProxyType(dict(table.items()))


@cache
def composite_ops() -> frozenset[Any]:
    """The composite operators that torch can keep whole if told to."""
    from torch._export.utils import _collect_all_valid_cia_ops

    return frozenset(_collect_all_valid_cia_ops())


def rule_of(op: Any) -> Any:
    """The decomposition of an operator: of Core ATen's table, or of torch's whole one; None without any."""
    from torch._decomp import decomposition_table

    return core_table().get(op) or decomposition_table.get(op)


def forget_last_trace() -> None:
    """Let go of the graph that torch traced last: it keeps that one, for its own checks, until the next."""
    from torch.fx.experimental import proxy_tensor

    proxy_tensor._FAKE_TENSOR_ID_TO_PROXY_MAP_FOR_EXPORT.clear()
