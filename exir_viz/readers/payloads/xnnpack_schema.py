"""XNNPACK's schema.fbs as Python types, as `flatbuffer.schema` has program.fbs; a test compares the two.

It is the schema of ExecuTorch 1.0 to 1.5. Releases only appended fields and ops, so one schema reads all.
Deprecated fields keep their place. Each op of a union has its own type, even if it shares its fields.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from exir_viz.readers.flatbuffer.schema import EMPTY, Bytes, Int32, Table, UInt32, UInt64

Int16: TypeAlias = Annotated[int, "h"]
UInt16: TypeAlias = Annotated[int, "H"]
Float32: TypeAlias = Annotated[float, "f"]

# XN00 kept constants in the flatbuffer, XN01 keeps them behind it or by name.
FILE_IDENTIFIERS = (b"XN00", b"XN01")
INVALID_ID = 0xFFFFFFFF
INPUT_FLAG = 1
OUTPUT_FLAG = 2
# XNNDatatype, without "xnn_datatype_".
DATATYPES = (
    *("invalid", "fp32", "fp16", "qint8", "quint8", "qint32", "qcint8", "qcint32", "qcint4", "qdint8"),
    *("qbint4", "qpint8", "int32", "pfp32", "bf16"),
)


class Buffer(Table, frozen=True):
    storage: Bytes = EMPTY


class PerChannelGroupQuant(Table, frozen=True):
    scale: tuple[Float32, ...] = ()
    channel_dim: Int32 = 0
    group_size: Int32 = 0
    scale_bf16: tuple[UInt16, ...] = ()
    scale_buffer_idx: UInt32 = 0
    num_scales: UInt32 = 0


class PerChannelQuant(Table, frozen=True):
    scale: tuple[Float32, ...] = ()
    channel_dim: Int32 = 0
    scale_buffer_idx: UInt32 = 0
    num_scales: UInt32 = 0


class PerTokenDynamicQuant(Table, frozen=True):
    num_nonbatch_dims: Int32 = 0


class PerTensorQuant(Table, frozen=True):
    scale: Float32 = 0.0
    zero_point: Int32 = 0


QuantParams: TypeAlias = PerChannelQuant | PerTensorQuant | PerTokenDynamicQuant | PerChannelGroupQuant


class XNNTensorValue(Table, frozen=True):
    datatype: Int16 = 0
    num_dims: UInt32 = 0
    dims: tuple[UInt32, ...] = ()
    constant_buffer_idx: UInt32 = 0
    external_id: UInt32 = 0
    flags: UInt32 = 0
    id_out: UInt32 = 0


class XNNQuantizedTensorValue(Table, frozen=True):
    tensor_value: XNNTensorValue | None = None
    quant_params: QuantParams | None = None


class XValue(Table, frozen=True):
    xvalue_union: XNNTensorValue | XNNQuantizedTensorValue | None = None


class XNNStaticTranspose(Table, frozen=True):
    num_dims: UInt32 = 0
    perm: tuple[UInt32, ...] = ()
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNStaticResizeBilinear2D(Table, frozen=True):
    new_height: UInt32 = 0
    new_width: UInt32 = 0
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNStaticConstantPad(Table, frozen=True):
    pre_paddings: tuple[UInt32, ...] = ()
    post_paddings: tuple[UInt32, ...] = ()
    padding_value: Float32 = 0.0
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class _XNNNode2x1(Table, frozen=True):
    input1_id: UInt32 = 0
    input2_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class _XNNNode1x1(Table, frozen=True):
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class _XNNCat(Table, frozen=True):
    axis: UInt32 = 0
    input1_id: UInt32 = 0
    input2_id: UInt32 = 0
    input3_id: UInt32 = 0
    input4_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0
    input5_id: UInt32 = 0


class XNNELU(Table, frozen=True):
    alpha: Float32 = 0.0
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNFullyConnected(Table, frozen=True):
    input1_id: UInt32 = 0
    filter_id: UInt32 = 0
    bias_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class _XNNNodeConv(Table, frozen=True):
    padding_top: UInt32 = 0
    padding_right: UInt32 = 0
    padding_bottom: UInt32 = 0
    padding_left: UInt32 = 0
    kernel_height: UInt32 = 0
    kernel_width: UInt32 = 0
    subsampling_height: UInt32 = 0
    subsampling_width: UInt32 = 0
    dilation_height: UInt32 = 0
    dilation_width: UInt32 = 0
    group_input_channels: UInt32 = 0
    group_output_channels: UInt32 = 0
    groups: UInt32 = 0
    adjustment_height: UInt32 = 0
    adjustment_width: UInt32 = 0
    input1_id: UInt32 = 0
    filter_id: UInt32 = 0
    bias_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class _XNNPooling2D(Table, frozen=True):
    padding_top: UInt32 = 0
    padding_right: UInt32 = 0
    padding_bottom: UInt32 = 0
    padding_left: UInt32 = 0
    pooling_height: UInt32 = 0
    pooling_width: UInt32 = 0
    stride_height: UInt32 = 0
    stride_width: UInt32 = 0
    dilation_height: UInt32 = 0
    dilation_width: UInt32 = 0
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNStaticReshape(Table, frozen=True):
    num_dims: UInt32 = 0
    new_shape: tuple[UInt32, ...] = ()
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNStaticSlice(Table, frozen=True):
    num_dims: UInt32 = 0
    offsets: tuple[UInt32, ...] = ()
    sizes: tuple[UInt32, ...] = ()
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNScaledDotProductAttention(Table, frozen=True):
    query_id: UInt32 = 0
    key_id: UInt32 = 0
    value_id: UInt32 = 0
    scale_id: UInt32 = 0
    mask_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNArgMaxPooling2d(Table, frozen=True):
    padding_top: UInt32 = 0
    padding_right: UInt32 = 0
    padding_bottom: UInt32 = 0
    padding_left: UInt32 = 0
    pooling_height: UInt32 = 0
    pooling_width: UInt32 = 0
    input_id: UInt32 = 0
    output_value_id: UInt32 = 0
    output_index_id: UInt32 = 0
    flags: UInt32 = 0


class XNNLeakyReLU(Table, frozen=True):
    negative_slope: Float32 = 0.0
    input_id: UInt32 = 0
    output_id: UInt32 = 0
    flags: UInt32 = 0


class XNNAdd(_XNNNode2x1, frozen=True):
    pass


class XNNSoftmax(_XNNNode1x1, frozen=True):
    pass


class XNNSigmoid(_XNNNode1x1, frozen=True):
    pass


class XNNClamp(_XNNNode1x1, frozen=True):
    pass


class XNNConv2d(_XNNNodeConv, frozen=True):
    pass


class XNNDiv(_XNNNode2x1, frozen=True):
    pass


class XNNAvgPooling2d(_XNNPooling2D, frozen=True):
    pass


class XNNMinimum(_XNNNode2x1, frozen=True):
    pass


class XNNDepthwiseConv2d(_XNNNodeConv, frozen=True):
    pass


class XNNMaxPooling2d(_XNNPooling2D, frozen=True):
    pass


class XNNMultiply(_XNNNode2x1, frozen=True):
    pass


class XNNSubtract(_XNNNode2x1, frozen=True):
    pass


class XNNFloor(_XNNNode1x1, frozen=True):
    pass


class XNNConvert(_XNNNode1x1, frozen=True):
    pass


class XNNGlobalAvgPooling2d(_XNNNode1x1, frozen=True):
    pass


class XNNSquareRoot(_XNNNode1x1, frozen=True):
    pass


class XNNCeiling(_XNNNode1x1, frozen=True):
    pass


class XNNHardswish(_XNNNode1x1, frozen=True):
    pass


class XNNMaximum(_XNNNode2x1, frozen=True):
    pass


class XNNNegate(_XNNNode1x1, frozen=True):
    pass


class XNNSquare(_XNNNode1x1, frozen=True):
    pass


class XNNAbs(_XNNNode1x1, frozen=True):
    pass


class XNNPReLU(_XNNNode2x1, frozen=True):
    pass


class XNNConcatenate2(_XNNCat, frozen=True):
    pass


class XNNConcatenate3(_XNNCat, frozen=True):
    pass


class XNNConcatenate4(_XNNCat, frozen=True):
    pass


class XNNBatchMatrixMultiply(_XNNNode2x1, frozen=True):
    pass


class XNNConcatenate5(_XNNCat, frozen=True):
    pass


class XNNConvTranspose2d(_XNNNodeConv, frozen=True):
    pass


class XNNReciprocalSquareRoot(_XNNNode1x1, frozen=True):
    pass


class XNNLog(_XNNNode1x1, frozen=True):
    pass


class XNNGelu(_XNNNode1x1, frozen=True):
    pass


class XNNTanh(_XNNNode1x1, frozen=True):
    pass


class XNNExp(_XNNNode1x1, frozen=True):
    pass


class XNNSin(_XNNNode1x1, frozen=True):
    pass


class XNNCopy(_XNNNode1x1, frozen=True):
    pass


class XNNCos(_XNNNode1x1, frozen=True):
    pass


XNodeUnion: TypeAlias = (
    XNNAdd
    | XNNFullyConnected
    | XNNSoftmax
    | XNNSigmoid
    | XNNStaticTranspose
    | XNNClamp
    | XNNConv2d
    | XNNDiv
    | XNNStaticResizeBilinear2D
    | XNNStaticConstantPad
    | XNNAvgPooling2d
    | XNNMinimum
    | XNNDepthwiseConv2d
    | XNNMaxPooling2d
    | XNNMultiply
    | XNNSubtract
    | XNNFloor
    | XNNConvert
    | XNNGlobalAvgPooling2d
    | XNNStaticReshape
    | XNNArgMaxPooling2d
    | XNNSquareRoot
    | XNNCeiling
    | XNNHardswish
    | XNNLeakyReLU
    | XNNMaximum
    | XNNNegate
    | XNNSquare
    | XNNELU
    | XNNAbs
    | XNNPReLU
    | XNNConcatenate2
    | XNNConcatenate3
    | XNNConcatenate4
    | XNNStaticSlice
    | XNNScaledDotProductAttention
    | XNNBatchMatrixMultiply
    | XNNConcatenate5
    | XNNConvTranspose2d
    | XNNReciprocalSquareRoot
    | XNNLog
    | XNNGelu
    | XNNTanh
    | XNNExp
    | XNNSin
    | XNNCopy
    | XNNCos
)


class OutputMinMax(Table, frozen=True):
    output_min: Float32 = 0.0
    output_max: Float32 = 0.0


class XNode(Table, frozen=True):
    xnode_union: XNodeUnion | None = None
    debug_handle: UInt32 = 0
    output_min_max: OutputMinMax | None = None


class ConstantDataOffset(Table, frozen=True):
    offset: UInt64 = 0
    size: UInt64 = 0
    named_key: str = ""


class XNNGraph(Table, frozen=True):
    version: str = ""
    xnodes: tuple[XNode, ...] = ()
    xvalues: tuple[XValue, ...] = ()
    num_externs: UInt32 = 0
    input_ids: tuple[UInt32, ...] = ()
    output_ids: tuple[UInt32, ...] = ()
    # only in XN00
    constant_buffer: tuple[Buffer, ...] = ()
    mem_buffer_sizes: tuple[UInt32, ...] = ()
    constant_data: tuple[ConstantDataOffset, ...] = ()
