"""What functionalization makes of an operator.

Why: in-place operators, and composite ones that torch cannot keep, have no rule in any table. Their preview
is their functionalization.
"""

from __future__ import annotations

from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="functionalization",
    purpose="Preview an operator that functionalization decomposes",
    without="Operators that functionalization decomposes have no preview.",
    uses=("torch._subclasses.functional_tensor.dispatch_functionalize(func)",),
)


def functionalized(op: Any) -> Any:
    """The operator as functionalization runs it, as a callable.

    Raises UnsupportedTorch if torch does not expose it.
    """
    FEATURE.required()
    from torch._subclasses.functional_tensor import dispatch_functionalize

    return dispatch_functionalize(op)
