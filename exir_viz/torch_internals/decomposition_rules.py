"""torch's table of all decompositions. Core ATen's public table is a part of it.

Why: "decompose exactly these operators" works for every operator that torch has a rule for.
"""

from __future__ import annotations

from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="decomposition_rules",
    purpose="Decompose operators that are outside the table of Core ATen",
    without="Only operators in the table of Core ATen can be decomposed.",
    uses=("torch._decomp.decomposition_table.get(op)",),
)


def any_rule_of(op: Any) -> Any:
    """The decomposition of an operator in torch's whole table; None without any."""
    if not FEATURE.is_usable():
        return None
    from torch._decomp import decomposition_table

    return decomposition_table.get(op)
