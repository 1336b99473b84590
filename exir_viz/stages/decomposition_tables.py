"""What torch knows of its own operators, asked once per process: it takes a quarter of a second to collect.

Operators that are registered later are in neither: torch takes up only its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from exir_viz.torch_internals.decomposition_rules import any_rule_of


@cache
def core_table() -> Mapping[Any, Any]:
    """torch's decompositions to Core ATen, by operator."""
    from torch.export import default_decompositions

    table: Any = default_decompositions()
    return MappingProxyType(dict(table.items()))


def decomposition_of(op: Any) -> Any:
    """The decomposition of an operator: of Core ATen's table, or of torch's whole one; None without any."""
    return core_table().get(op) or any_rule_of(op)
