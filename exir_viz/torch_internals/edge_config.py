"""ExecuTorch's options of lowering to edge, some of which have private names.

Why: "check the rules" and "dim order" are options of EdgeCompileConfig that start with an underscore.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from executorch.exir import EdgeCompileConfig

FEATURE: Final = Feature(
    name="edge_config",
    purpose="Lower to edge without checking the rules, or without dim order operators",
    without="check_ir and dim_order have no effect: ExecuTorch's defaults apply.",
    uses=("executorch.exir.EdgeCompileConfig(*, _check_ir_validity, _skip_dim_order, preserve_ops)",),
)


def edge_config(
    *, check_ir: bool = True, dim_order: bool = True, preserve: Iterable[Any] = ()
) -> EdgeCompileConfig:
    """The options as ExecuTorch's config. Each call makes a new one: ExecuTorch appends to its lists."""
    from executorch.exir import EdgeCompileConfig

    if not FEATURE.is_usable():
        return EdgeCompileConfig(preserve_ops=list(preserve))
    return EdgeCompileConfig(
        _check_ir_validity=check_ir, _skip_dim_order=not dim_order, preserve_ops=list(preserve)
    )
