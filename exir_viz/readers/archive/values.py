"""The records of values in a file → Values, by name; equal bytes are read once.

torch rebuilds a value from dtype, sizes, strides, device and requires_grad alone: offset and layout, though
the file has them, are not in the program it loads, and are left at their defaults here (see `read`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.schema import Graph, SymNumber, TensorMeta
from exir_viz.readers.archive.symbols import Scalar, Symbols, hint_of
from exir_viz.readers.dimorder import dim_order
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.records import Dim, LiteralType, ObjectValue, SymValue, TensorValue, Value

# torch's ScalarType, Layout and MemoryFormat by number; numbers that ExecuTorch's older copy has otherwise.
DTYPES: Final = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64",
    9: "complex32", 10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16",
    29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz",
    33: "float8_e8m0fnu", 34: "uint32", 35: "uint64",
}  # fmt: skip
EXIR_DTYPES: Final = {14: "uint16", 15: "float8_e5m2", 16: "float8_e4m3fn"}
LAYOUTS: Final = {
    1: "sparse_coo", 2: "sparse_csr", 3: "sparse_csc", 4: "sparse_bsr", 5: "sparse_bsc", 6: "_mkldnn",
    7: "strided",
}  # fmt: skip
MEMORY_FORMATS: Final = {
    1: "contiguous_format",
    2: "channels_last",
    3: "channels_last_3d",
    4: "preserve_format",
}

tensor_decoder: Final = msgspec.json.Decoder(TensorMeta)
number_decoder: Final = msgspec.json.Decoder(SymNumber)


class Known(NamedTuple):
    """A value and its number in the values table."""

    value: Value
    number: int


class ValueReader:
    """Metadata of values → Known; the tables are those of one method."""

    def __init__(
        self, place: MemberPlace, values: Interner[Value], symbols: Symbols, dtypes: dict[int, str]
    ) -> None:
        self._place = place
        self._values = values
        self._symbols = symbols
        self._dtypes = dtypes
        self._tensors: dict[bytes, Known] = {}
        self._numbers: dict[tuple[LiteralType, bytes], Known] = {}

    def known(self, value: Value) -> Known:
        return Known(value, self._values[value])

    def named(self, graph: Graph, name: str) -> Known:
        """The value of that name, by the tables of the graph."""
        if (object_ := graph.custom_obj_values.get(name)) is not None:
            return self.known(ObjectValue("script_object", object_.class_fqn, object_.name))
        for table, kind in (
            (graph.sym_bool_values, LiteralType.BOOL),
            (graph.sym_float_values, LiteralType.FLOAT),
            (graph.sym_int_values, LiteralType.INT),
        ):
            if table and (raw := table.get(name)) is not None:
                return self._number(kind, bytes(raw))
        meta = graph.tensor_values.get(name)
        if meta is None:
            raise self._place.malformed(f"the value {brief(name)} has no metadata")
        key = bytes(meta)
        found = self._tensors.get(key)
        if found is None:
            read = self._place.decode(tensor_decoder.decode, key, f"the value {brief(name)}")
            found = self._tensors[key] = self.known(self.tensor(read))
        return found

    def dtype(self, number: int) -> str:
        found = self._dtypes.get(number)
        if found is None:
            raise self._place.malformed(f"{number} is not the number of a dtype")
        return found

    def tensor(self, meta: TensorMeta, offset: bool = False) -> TensorValue:
        """A tensor; with its offset where it lies in a storage of the file."""
        if len(meta.sizes) > limits.MAX_RANK or len(meta.sizes) != len(meta.strides):
            raise self._place.malformed(
                f"a tensor has {len(meta.sizes)} sizes and {len(meta.strides)} strides, and at most "
                f"{limits.MAX_RANK} of each are read"
            )
        self._place.spend(1 + len(meta.sizes))
        device = meta.device
        return TensorValue(
            dtype=self.dtype(meta.dtype),
            shape=tuple(self._dim(size, 0) for size in meta.sizes),
            stride=tuple(self._dim(stride, -limits.MAX_DIM) for stride in meta.strides),
            offset=self._dim(meta.storage_offset, 0) if offset else 0,
            device=device.type if device.index is None else f"{device.type}:{device.index}",
            requires_grad=meta.requires_grad,
            dim_order=dim_order(
                [self._hint(size) for size in meta.sizes], [self._hint(stride) for stride in meta.strides]
            ),
        )

    def _dim(self, size: SymNumber, least: int) -> Dim:
        if size.as_expr is not None:
            text = self._symbols.text(size.as_expr)
            constant = self._symbols.constant(text)
            if constant is None:
                return text
        elif size.as_int is not None:
            constant = size.as_int
        else:
            raise self._place.malformed("a size is neither a number nor an expression")
        if not least <= constant <= limits.MAX_DIM:
            raise self._place.too_large(f"a tensor has a size or stride of {brief(str(constant))}")
        return constant

    def _hint(self, size: SymNumber) -> int | None:
        if size.as_expr is None:
            return size.as_int
        hint = hint_of(size.as_expr)
        if hint is None:
            hint = self._symbols.hint(self._symbols.text(size.as_expr))
        return _whole(hint)

    def _number(self, kind: LiteralType, key: bytes) -> Known:
        found = self._numbers.get((kind, key))
        if found is None:
            self._place.spend(1)
            read = self._place.decode(number_decoder.decode, key, "a symbolic number")
            found = self._numbers[kind, key] = self.known(self._symbolic(kind, read))
        return found

    def _symbolic(self, kind: LiteralType, number: SymNumber) -> Value:
        if number.as_expr is None:
            return literal_of(self._constant(kind, number))
        text = self._symbols.text(number.as_expr)
        constant = self._symbols.constant(text)
        if constant is not None and kind is LiteralType.INT:
            return literal_of(constant)
        hint = hint_of(number.as_expr)
        if hint is None:
            hint = self._symbols.hint(text)
        return SymValue(kind, text, None if hint is None else repr(hint))

    def _constant(self, kind: LiteralType, number: SymNumber) -> Scalar:
        value: Scalar | str | None
        if kind is LiteralType.BOOL:
            value = number.as_bool
        else:
            value = number.as_int if kind is LiteralType.INT else number.as_float
        if value is None:
            raise self._place.malformed("a symbolic number is neither a number nor an expression")
        return to_float(value, self._place) if kind is LiteralType.FLOAT else value  # type: ignore[return-value]


def to_float(number: float | str, place: MemberPlace) -> float:
    """JSON has no infinity; torch writes "Infinity", "-Infinity" and "NaN"."""
    try:
        return float(number)
    except (ValueError, OverflowError) as error:
        raise place.malformed(f"{brief(str(number))} is not a number") from error


def _whole(hint: Scalar | None) -> int | None:
    return int(hint) if isinstance(hint, int) else None
