"""Values and shapes as short text, and their bytes, as in `labextension/src/snapshot/describe.ts`."""

from __future__ import annotations

from .records import Dim, Literal, MapValue, ObjectValue, SequenceValue, SymValue, TensorValue, Value

# torch's own abbreviations (torch.utils._dtype_abbrs), by the dtype's name.
DTYPES = {
    "bfloat16": "bf16",
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e8m0fnu": "f8e8m0fnu",
    "float4_e2m1fn_x2": "f4e2m1fnx2",
    "complex32": "c32",
    "complex64": "c64",
    "complex128": "c128",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "bool": "b8",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "bits16": "b16",
    "bits1x8": "b1x8",
}

ITEM_BYTES = {
    "bool": 1, "uint8": 1, "int8": 1, "qint8": 1, "quint8": 1, "bits1x8": 1,
    "uint16": 2, "int16": 2, "float16": 2, "bfloat16": 2, "bits16": 2,
    "uint32": 4, "int32": 4, "float32": 4, "complex32": 4, "qint32": 4,
    "uint64": 8, "int64": 8, "float64": 8, "complex64": 8,
    "complex128": 16, "float4_e2m1fn_x2": 1,
}  # fmt: skip


def item_bytes(dtype: str) -> int | None:
    """Bytes of one element; None for a dtype we do not know."""
    return 1 if dtype.startswith("float8_") else ITEM_BYTES.get(dtype)


def value_bytes(value: Value) -> int | None:
    """Bytes of a value's elements; None where a size is symbolic or the value is no tensor."""
    if isinstance(value, SequenceValue):
        sizes = [value_bytes(item) for item in value.items]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None
    if not isinstance(value, TensorValue):
        return None
    size = item_bytes(value.dtype)
    for dim in value.shape:
        if size is None or isinstance(dim, str):
            return None
        size *= dim
    return size


def dims(shape: tuple[Dim, ...]) -> str:
    return ", ".join(str(dim) for dim in shape)


def tensor_text(value: TensorValue) -> str:
    """As torch writes it: "f32[16, 64]", with its device where that is not the CPU: "f32[16, 64]cuda:0"."""
    device = "" if value.device == "cpu" else value.device
    return f"{DTYPES.get(value.dtype, value.dtype)}[{dims(value.shape)}]{device}"


def short(value: Value | None) -> str:
    """One line: "f32[16, 64]", "Sym(u0)", "(f32[4], i64[])", "None", "–" where nothing is known."""
    match value:
        case None:
            return "–"
        case TensorValue():
            return tensor_text(value)
        case SymValue():
            return f"Sym({value.expr})"
        case Literal():
            return repr(value.text) if value.type.value == "str" else value.text
        case SequenceValue():
            inner = ", ".join(short(item) for item in value.items)
            return f"[{inner}]" if value.type == "list" else f"({inner})"
        case MapValue():
            pairs = zip(value.keys, value.items, strict=True)
            return "{" + ", ".join(f"{key}: {short(item)}" for key, item in pairs) + "}"
        case ObjectValue():
            return f"<{value.role} {value.cls or value.name}".rstrip() + ">"
