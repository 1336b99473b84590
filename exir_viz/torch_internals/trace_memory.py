"""Release the graph that torch traced last.

Why: torch keeps it for its own checks until the next trace. A session that drops a stage frees its memory.
"""

from __future__ import annotations

from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="trace_memory",
    purpose="Release the memory of a stage that is deleted",
    without="The memory of a deleted stage is released only after the next export.",
    uses=("torch.fx.experimental.proxy_tensor._FAKE_TENSOR_ID_TO_PROXY_MAP_FOR_EXPORT.clear()",),
)


def forget_last_trace() -> None:
    """Release the graph that torch traced last."""
    if not FEATURE.is_usable():
        return
    from torch.fx.experimental import proxy_tensor

    proxy_tensor._FAKE_TENSOR_ID_TO_PROXY_MAP_FOR_EXPORT.clear()
