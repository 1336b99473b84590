"""The names of all operators of the dispatcher.

Why: `explain` suggests operators for a name with a typing error, and finds out which overloads really exist.
"""

from __future__ import annotations

from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="operator_names",
    purpose="Suggest operators for a name that is unknown",
    without="Unknown operator names come without suggestions.",
    uses=("torch._C._dispatch_get_all_op_names",),
)


def all_operator_names() -> frozenset[str]:
    """Every name, such as "aten::add.Tensor"; none where torch does not tell."""
    if not FEATURE.is_usable():
        return frozenset()
    import torch

    return frozenset(torch._C._dispatch_get_all_op_names())
