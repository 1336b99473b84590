"""How torch matches `dynamic_shapes` with the arguments of a module.

Why: a program does not keep which dimensions the user named, and the re-export form refers to inputs by name.
torch's own functions say which specification belongs to which input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="dynamic_shapes",
    purpose="Show the user's names of dimensions; export again with dimensions given as text",
    without=("Dimensions have no names and cannot be given as text: pass dynamic_shapes= to torch.export."),
    uses=(
        "torch.export.dynamic_shapes._combine_args(f, args, kwargs)",
        "torch.export.dynamic_shapes._tree_map_with_path(func, tree, shapes, *, tree_name)",
        "torch.export.dynamic_shapes._DerivedDim",
        "torch.export.dynamic_shapes._DimHint",
        "torch.export._tree_utils.reorder_kwargs(user_kwargs, spec)",
    ),
)


def combined(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The arguments of a call by the names of forward's signature."""
    from torch.export import dynamic_shapes

    return dynamic_shapes._combine_args(module, tuple(args), dict(kwargs))


def map_leaves(function: Callable[..., Any], tree: Any, *shapes: Any) -> Any:
    """Map the leaves of combined arguments, with the specification of each if `shapes` has them.

    The user's own container classes become lists, as torch requires.
    """
    from torch.export import dynamic_shapes

    if not shapes:
        return dynamic_shapes._tree_map_with_path(function, tree)
    return dynamic_shapes._tree_map_with_path(function, tree, *shapes, tree_name="inputs")


def in_programs_order(kwargs: Mapping[str, Any], spec: Any) -> dict[str, Any]:
    """Keyword arguments in the order of a program's inputs."""
    from torch.export._tree_utils import reorder_kwargs

    return reorder_kwargs(dict(kwargs), spec)


def is_derived(dim: object) -> bool:
    """Whether a dimension is computed from another: `2 * batch + 1`."""
    from torch.export import dynamic_shapes

    return isinstance(dim, dynamic_shapes._DerivedDim)


def is_hint(dim: object) -> bool:
    """Whether a dimension is one of Dim.AUTO, Dim.DYNAMIC and Dim.STATIC."""
    from torch.export import dynamic_shapes

    return isinstance(dim, dynamic_shapes._DimHint)
