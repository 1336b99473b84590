"""Edge operators: their class, the edge operator of an ATen operator, and the dtypes that it allows.

Why: ExecuTorch wraps every ATen operator in its own class, in private modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .features import Feature
from .operators import OpOverload, overload_name, schema_name

FEATURE: Final = Feature(
    name="edge_operators",
    purpose="Find the edge operator of an ATen operator, and check the dtypes of its calls",
    without="Edge operators are not recognized: calls that break the edge rules are not named.",
    uses=(
        "executorch.exir.dialects._ops.ops.edge",
        "executorch.exir.dialects.edge._ops.EdgeOpOverload",
        "executorch.exir.dialects.edge._ops.EdgeDialectFunctionSchema",
    ),
    attributes=("executorch.exir.dialects.edge._ops.EdgeOpOverload._schema",),
)


def edge_operator(op: OpOverload) -> Any:
    """The edge operator that to_edge creates for an operator; None if unknown."""
    if not FEATURE.is_usable():
        return None
    from executorch.exir.dialects._ops import ops

    packet = getattr(getattr(ops.edge, op.namespace), schema_name(op).partition("::")[2])
    return getattr(packet, overload_name(op))


def is_edge_operator(target: Any) -> bool:
    """Whether it is an operator of the edge dialect. This imports ExecuTorch."""
    if not FEATURE.is_usable():
        return False
    from executorch.exir.dialects.edge._ops import EdgeOpOverload

    return isinstance(target, EdgeOpOverload)


def allows_dtypes(target: Any, dtypes: Mapping[str, Any]) -> bool:
    """Whether an edge operator allows these dtypes of its arguments. True if it has no rule."""
    rule = getattr(target._schema, "dtype_constraint", None)
    return rule is None or bool(rule.validate(dict(dtypes)))
