"""The names of all operators of the dispatcher.

Why: `explain` suggests operators for a misspelled name, and checks which overloads exist.
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
    """Every name, such as "aten::add.Tensor"; none if torch does not expose them."""
    if not FEATURE.is_usable():
        return frozenset()
    import torch

    return frozenset(torch._C._dispatch_get_all_op_names())
