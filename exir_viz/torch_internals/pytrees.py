"""torch's pytrees: how nested inputs and outputs become flat lists.

Why: a program keeps the structure of its inputs as a TreeSpec of `torch.utils._pytree`. torch has no public
module for it, though its documentation asks users to register their classes there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .features import Feature

FEATURE: Final = Feature(
    name="pytrees",
    purpose="Read the structure of inputs and outputs",
    without="Programs cannot be captured or run.",
    uses=(
        "torch.utils._pytree.TreeSpec",
        "torch.utils._pytree.keystr(kp)",
        "torch.utils._pytree.tree_flatten(tree)",
        "torch.utils._pytree.tree_is_leaf(tree)",
        "torch.utils._pytree.tree_leaves(tree)",
        "torch.utils._pytree.tree_map(func, tree)",
        "torch.utils._pytree.tree_unflatten(leaves, treespec)",
    ),
)

if not TYPE_CHECKING:
    FEATURE.required()

from torch.utils import _pytree as pytree  # noqa: E402  only where it is there

__all__ = ["FEATURE", "pytree"]
