"""XNNPACK's payload → Payload: its header, the flatbuffer of its graph, and where constants are.

Nothing is executed, and of the constants only the first scales are read. A payload begins with four zero
bytes and the header "XH00", which says where the flatbuffer and the constants are; early ones are the
flatbuffer alone.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from exir_viz.errors import FileTooLarge, TruncatedFile, UnknownFormat, UnsupportedVersion
from exir_viz.readers.flatbuffer.corrupt import Corrupt
from exir_viz.readers.flatbuffer.table_reader import TableReader
from exir_viz.snapshot.payload import Payload, PayloadOp, PayloadOption, PayloadTensor, Quantization
from exir_viz.upgrade_hint import upgrade_hint

from .source import PayloadSource
from .xnnpack_schema import (
    DATATYPES,
    FILE_IDENTIFIERS,
    INPUT_FLAG,
    INVALID_ID,
    OUTPUT_FLAG,
    PerChannelGroupQuant,
    PerChannelQuant,
    PerTensorQuant,
    PerTokenDynamicQuant,
    QuantParams,
    XNNGraph,
    XNNQuantizedTensorValue,
    XNNTensorValue,
    XNode,
    XValue,
)

FORMAT = "XNNPACK graph"
# Its own length, offset and size of the flatbuffer, offset and size of the constants.
_HEADER = struct.Struct("<HIIIQ")
_HEADER_MAGIC = b"XH00"
# Graphs of whole models are under 1 MB. XN00 keeps weights in the flatbuffer: hence the high limit.
MAX_GRAPH_BYTES = 256 << 20
# Scales that a payload shows; the rest is counted.
MAX_SCALES = 16
_DEFAULT_HANDLE = 65535  # what XNNPACK writes for a node without a debug handle
_NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


def read(source: PayloadSource) -> Payload:
    """Read a payload of XNNPACK; raises Corrupt."""
    graph_at, graph_size, constants_at, constants_size = _parts(source)
    if graph_size > MAX_GRAPH_BYTES:
        reason = f"its graph takes {graph_size:,} bytes, the limit is {MAX_GRAPH_BYTES:,}"
        raise Corrupt(reason, FileTooLarge)
    data = memoryview(source.read_at(graph_at, graph_size))
    if len(data) < graph_size:
        end = graph_at + graph_size
        raise Corrupt(f"it ends after {source.size:,} bytes, its graph at {end:,}", TruncatedFile)
    if bytes(data[4:8]) not in FILE_IDENTIFIERS:
        known = " and ".join(repr(one) for one in FILE_IDENTIFIERS)
        raise Corrupt(
            f"its graph is {bytes(data[4:8])!r}, and {known} are known", UnsupportedVersion, upgrade_hint()
        )
    graph: XNNGraph = TableReader(data).root(XNNGraph)
    return _GraphReader(source, graph, constants_at, constants_size).read()


def _parts(source: PayloadSource) -> tuple[int, int, int, int]:
    """Where the flatbuffer and the constants are: offset and size of each."""
    head = source.read_at(0, 8 + _HEADER.size)
    if len(head) < 8:
        raise Corrupt(f"it ends after {len(head)} bytes, before its header", TruncatedFile)
    if head[4:8] in FILE_IDENTIFIERS:
        return 0, source.size, source.size, 0
    if head[4:8] != _HEADER_MAGIC:
        raise Corrupt(f"it begins with {head[:8]!r}, as no payload of XNNPACK does", UnknownFormat)
    if len(head) < 8 + _HEADER.size:
        raise Corrupt(f"it ends after {len(head)} bytes, within its header", TruncatedFile)
    length, graph_at, graph_size, constants_at, constants_size = _HEADER.unpack_from(head, 8)
    if length < 8 + _HEADER.size or graph_size < 8:
        raise Corrupt(f"its header claims {length} bytes, and {graph_size} of a graph")
    if constants_at + constants_size > source.size:
        end = constants_at + constants_size
        raise Corrupt(f"it ends after {source.size:,} bytes, its header claims {end:,}", TruncatedFile)
    return graph_at, graph_size, constants_at, constants_size


class _GraphReader:
    def __init__(
        self, source: PayloadSource, graph: XNNGraph, constants_at: int, constants_size: int
    ) -> None:
        self._source = source
        self._graph = graph
        self._base = constants_at
        self._constants_size = constants_size
        self._positions: dict[int, int] = {}

    def read(self) -> Payload:
        tensors = [
            self._located(f".xvalues[{number}]", self._tensor, value)
            for number, value in enumerate(self._graph.xvalues)
        ]
        ops = [
            self._located(f".xnodes[{number}]", self._op, node)
            for number, node in enumerate(self._graph.xnodes)
        ]
        return Payload(FORMAT, "exir-viz", tuple(tensors), tuple(ops))

    def _located(self, where: str, read: Any, table: Any) -> Any:
        try:
            return read(table)
        except Corrupt as error:
            raise error.within(where) from None

    # -- tensors ------------------------------------------------------------------------------------------

    def _tensor(self, value: XValue) -> PayloadTensor:
        one = value.xvalue_union
        base, params = (
            (one.tensor_value, one.quant_params) if isinstance(one, XNNQuantizedTensorValue) else (one, None)
        )
        if base is None:
            raise Corrupt("it holds no tensor")
        if not 0 < base.datatype < len(DATATYPES):
            raise Corrupt(
                f"its datatype is {base.datatype}, and 1 to {len(DATATYPES) - 1} are known",
                UnsupportedVersion,
                upgrade_hint(),
            )
        if base.id_out in self._positions:
            raise Corrupt(f"two tensors have id {base.id_out}")
        self._positions[base.id_out] = len(self._positions)
        size, key = self._constant(base.constant_buffer_idx)
        scale_size, scale_key = self._constant(getattr(params, "scale_buffer_idx", 0))
        name = DATATYPES[base.datatype]
        return PayloadTensor(
            name=f"tensor_{base.id_out}",
            dtype=_NAMES.get(name, name),
            shape=base.dims,
            role=_role(base),
            bytes=size,
            key=key,
            quantization=None if params is None else self._quantization(params),
            scale_bytes=scale_size,
            scale_key=scale_key,
        )

    def _constant(self, index: int) -> tuple[int | None, str]:
        """The size of a constant's data, and its name where it is outside of the payload."""
        if index == 0:
            return None, ""
        if index < len(self._graph.constant_data):
            data = self._graph.constant_data[index]
            if not data.named_key and data.offset + data.size > self._constants_size:
                end = data.offset + data.size
                raise Corrupt(
                    f"its data ends at {end:,} of {self._constants_size:,} bytes of constants", TruncatedFile
                )
            return data.size, data.named_key
        if index < len(self._graph.constant_buffer):
            return len(self._graph.constant_buffer[index].storage), ""
        known = max(len(self._graph.constant_data), len(self._graph.constant_buffer))
        raise Corrupt(f"its data is constant {index}, and there are {known}")

    def _quantization(self, params: QuantParams) -> Quantization:
        match params:
            case PerTensorQuant():
                return Quantization("per tensor", _finite((params.scale,)), (params.zero_point,), 1)
            case PerTokenDynamicQuant():
                return Quantization("dynamic per token")
            case PerChannelQuant():
                count, scales = self._scales(params, "f")
                return Quantization("per channel", scales, (), count, params.channel_dim)
            case PerChannelGroupQuant():
                count, scales = self._scales(params, "H")
                return Quantization("per block", scales, (), count, params.channel_dim, params.group_size)

    def _scales(
        self, params: PerChannelQuant | PerChannelGroupQuant, letter: str
    ) -> tuple[int, tuple[float, ...]]:
        """How many scales there are, and the first ones: in the table, or among the constants.

        letter: "f" for 32-bit floats, "H" for bfloat16.
        """
        if params.scale:
            return len(params.scale), _finite(params.scale[:MAX_SCALES])
        if isinstance(params, PerChannelGroupQuant) and params.scale_bf16:
            return len(params.scale_bf16), _finite(map(_bfloat16, params.scale_bf16[:MAX_SCALES]))
        size, key = self._constant(params.scale_buffer_idx)
        if size is None:
            raise Corrupt("it has no scales")
        width = struct.calcsize(letter)
        if params.num_scales * width > size:
            raise Corrupt(f"its {params.num_scales:,} scales take more than the {size:,} bytes of their data")
        wanted = min(params.num_scales, MAX_SCALES)
        data = self._first_bytes(params.scale_buffer_idx, key, wanted * width)
        if data is None:
            return params.num_scales, ()
        if len(data) < wanted * width:
            raise Corrupt(f"its scales end after {len(data)} bytes", TruncatedFile)
        numbers = struct.unpack_from(f"<{wanted}{letter}", data)
        return params.num_scales, _finite(map(_bfloat16, numbers) if letter == "H" else numbers)

    def _first_bytes(self, index: int, key: str, size: int) -> bytes | None:
        if key:
            return self._source.named_data(key, size)
        if index < len(self._graph.constant_data):
            return self._source.read_at(self._base + self._graph.constant_data[index].offset, size)
        return bytes(self._graph.constant_buffer[index].storage[:size])

    # -- ops ----------------------------------------------------------------------------------------------

    def _op(self, node: XNode) -> PayloadOp:
        table = node.xnode_union
        if table is None:
            raise Corrupt("it holds no op")
        type_name = type(table).__name__.removeprefix("XNN")
        fields = {name: getattr(table, name) for name in table.__struct_fields__}
        ids = {name: number for name, number in fields.items() if name.endswith("_id")}
        if type_name.startswith("Concatenate"):
            count = int(type_name.removeprefix("Concatenate"))
            ids = {
                name: ids[name] for name in (*(f"input{one}_id" for one in range(1, count + 1)), "output_id")
            }
        inputs = [number for name, number in ids.items() if not name.startswith("output")]
        outputs = [number for name, number in ids.items() if name.startswith("output")]
        limits = node.output_min_max
        if limits is not None:
            fields |= {"output_min": limits.output_min, "output_max": limits.output_max}
        return PayloadOp(
            type=type_name,
            inputs=tuple(self._position(one) for one in inputs if one != INVALID_ID),
            outputs=tuple(self._position(one) for one in outputs if one != INVALID_ID),
            options=tuple(_options(fields)),
            handle=None if node.debug_handle == _DEFAULT_HANDLE else node.debug_handle,
        )

    def _position(self, identifier: int) -> int:
        position = self._positions.get(identifier)
        if position is None:
            raise Corrupt(f"it names tensor {identifier}, which does not exist")
        return position


def _role(tensor: XNNTensorValue) -> str:
    if tensor.constant_buffer_idx:
        return "constant"
    if tensor.flags & INPUT_FLAG:
        return "input"
    return "output" if tensor.flags & OUTPUT_FLAG else "intermediate"


def _options(fields: Mapping[str, Any]) -> Iterator[PayloadOption]:
    """What is not at its default: ids, counts of dimensions and zeros say nothing."""
    for name, value in fields.items():
        if (
            name.endswith("_id")
            or name == "num_dims"
            or (name not in {"output_min", "output_max"} and not value)
        ):
            continue
        if name in {"output_min", "output_max"} and math.isinf(value):
            continue
        yield PayloadOption(name, f"{value:.6g}" if isinstance(value, float) else str(value))


def _bfloat16(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])


def _finite(scales: Any) -> tuple[float, ...]:
    found = tuple(scales)
    if not all(map(math.isfinite, found)):
        raise Corrupt("one of its scales is no finite number")
    return found
