"""Dtypes, layouts and memory formats as ExecuTorch's emitter writes them into a `.pte`: by a number."""

from __future__ import annotations

from .records import Literal, LiteralType

SCALAR_TYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 12: "qint8", 13: "quint8", 14: "qint32",
    15: "bfloat16", 16: "quint4x2", 17: "quint2x4",
    22: "bits16", 23: "float8_e5m2", 24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz",
    27: "uint16", 28: "uint32", 29: "uint64",
}  # fmt: skip
_LAYOUTS = {0: "strided"}
_MEMORY_FORMATS = {0: "contiguous_format", 1: "preserve_format"}
_KINDS = {
    "ScalarType": (LiteralType.DTYPE, SCALAR_TYPES),
    "Layout": (LiteralType.LAYOUT, _LAYOUTS),
    "MemoryFormat": (LiteralType.MEMORY_FORMAT, _MEMORY_FORMATS),
}


def emitted_literal(kind: str, number: int) -> Literal | None:
    """The constant that a number encodes; None if the parameter takes numbers, or the number is unknown."""
    type_, names = _KINDS.get(kind, (None, {}))
    return Literal(type_, f"torch.{names[number]}") if type_ is not None and number in names else None
