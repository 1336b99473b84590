"""Dtypes, layouts and memory formats as ExecuTorch's emitter writes them into a `.pte`: by a number."""

from __future__ import annotations

from exir_viz.readers.flatbuffer.values import DTYPES
from exir_viz.snapshot.records import Literal, LiteralType

_LAYOUTS = {0: "strided"}
_MEMORY_FORMATS = {0: "contiguous_format", 1: "preserve_format"}
_KINDS = {
    "ScalarType": (LiteralType.DTYPE, DTYPES),
    "Layout": (LiteralType.LAYOUT, _LAYOUTS),
    "MemoryFormat": (LiteralType.MEMORY_FORMAT, _MEMORY_FORMATS),
}


def emitted_literal(kind: str, number: int) -> Literal | None:
    """What a number stands for where a parameter takes no numbers; None where it does, or nobody knows."""
    type_, names = _KINDS.get(kind, (None, {}))
    return Literal(type_, f"torch.{names[number]}") if type_ is not None and number in names else None
