"""torch's decomposition tables, collected once per process: this takes a quarter of a second.

Operators that are registered later are in neither table: torch includes only its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from exir_viz.torch_internals.decompositions import any_rule_of


@cache
def core_table() -> Mapping[Any, Any]:
    """torch's decompositions to Core ATen, by operator."""
    from torch.export import default_decompositions

    table: Any = default_decompositions()
    # Functions of sizes, such as aten.sym_size.int, are in the table, but torch computes them itself.
    return MappingProxyType({op: rule for op, rule in table.items() if not str(op).startswith("aten.sym_")})


def decomposition_of(op: Any) -> Any:
    """The decomposition of an operator: from Core ATen's table, else from torch's whole table. None without
    any.
    """
    return core_table().get(op) or any_rule_of(op)
