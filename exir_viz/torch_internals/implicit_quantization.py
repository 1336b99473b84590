"""How XNNPACK's partitioner marks a quantize or dequantize op that the op beside it absorbs.

Why: a part that is cut off has no such neighbor, and its ops must not be marked.
"""

from __future__ import annotations

from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="implicit_quantization",
    purpose="Bisect quantized delegates of XNNPACK",
    without="Parts of quantized delegates may not be lowered when they are bisected.",
    uses=("executorch.backends.xnnpack.utils.quant_utils.IS_IMPLICIT_Q_DQ_TAG",),
)


def absorbed_mark() -> str:
    """The key of a node's meta that marks it; "" if unknown."""
    if not FEATURE.is_usable():
        return ""
    from executorch.backends.xnnpack.utils import quant_utils

    return str(quant_utils.IS_IMPLICIT_Q_DQ_TAG)
