"""ExecuTorch's program.fbs as Python types: the tables of a `.pte`, field by field, in the schema's order.

The order is the format: a field's place in its table is its id. Fields are named as in program.fbs, which the
installed ExecuTorch brings along; a test holds the two against each other. An absent table is None, an absent
vector empty, an absent string "". Vectors of bytes are views of the file, not copies.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, TypeAlias

import msgspec

# A number and its form in the file, in the letters of Python's struct.
Byte: TypeAlias = Annotated[int, "b"]
Int32: TypeAlias = Annotated[int, "i"]
UInt32: TypeAlias = Annotated[int, "I"]
Int64: TypeAlias = Annotated[int, "q"]
UInt64: TypeAlias = Annotated[int, "Q"]
Float64: TypeAlias = Annotated[float, "d"]
Flag: TypeAlias = Annotated[bool, "?"]
Bytes: TypeAlias = memoryview

FILE_IDENTIFIER = b"ET12"
EMPTY = memoryview(b"")


class ScalarType(IntEnum):
    BYTE = 0
    CHAR = 1
    SHORT = 2
    INT = 3
    LONG = 4
    HALF = 5
    FLOAT = 6
    DOUBLE = 7
    BOOL = 11
    QINT8 = 12
    QUINT8 = 13
    QINT32 = 14
    BFLOAT16 = 15
    QUINT4X2 = 16
    QUINT2X4 = 17
    BITS16 = 22
    FLOAT8E5M2 = 23
    FLOAT8E4M3FN = 24
    FLOAT8E5M2FNUZ = 25
    FLOAT8E4M3FNUZ = 26
    UINT16 = 27
    UINT32 = 28
    UINT64 = 29


class TensorShapeDynamism(IntEnum):
    STATIC = 0
    DYNAMIC_BOUND = 1
    DYNAMIC_UNBOUND = 2


class TensorDataLocation(IntEnum):
    SEGMENT = 0
    EXTERNAL = 1


class DeviceType(IntEnum):
    CPU = 0
    CUDA = 1


class DataLocation(IntEnum):
    INLINE = 0
    SEGMENT = 1


class Table(msgspec.Struct, frozen=True, gc=False):
    """Base of all tables."""


class ContainerMetadata(Table, frozen=True):
    encoded_inp_str: str = ""
    encoded_out_str: str = ""


class Null(Table, frozen=True):
    pass


class AllocationDetails(Table, frozen=True):
    memory_id: UInt32 = 0
    memory_offset_low: UInt32 = 0
    memory_offset_high: UInt32 = 0

    @property
    def offset(self) -> int:
        """Bytes from the start of the arena."""
        return self.memory_offset_high << 32 | self.memory_offset_low


class ExtraTensorInfo(Table, frozen=True):
    mutable_data_segments_idx: UInt64 = 0
    fully_qualified_name: str = ""
    location: Byte = 0
    device_type: Byte = 0
    device_index: Byte = 0


class Tensor(Table, frozen=True):
    scalar_type: Byte = 0
    storage_offset: Int32 = 0
    sizes: tuple[Int32, ...] = ()
    dim_order: Bytes = EMPTY
    requires_grad: Flag = False
    data_buffer_idx: UInt32 = 0
    allocation_info: AllocationDetails | None = None
    layout: Byte = 0
    shape_dynamism: Byte = 0
    extra_tensor_info: ExtraTensorInfo | None = None


class Int(Table, frozen=True):
    int_val: Int64 = 0


class Bool(Table, frozen=True):
    bool_val: Flag = False


class Double(Table, frozen=True):
    double_val: Float64 = 0.0


class String(Table, frozen=True):
    string_val: str = ""


class IntList(Table, frozen=True):
    """Numbers of values, not integers: an item may be known only at run time."""

    items: tuple[Int64, ...] = ()


class DoubleList(Table, frozen=True):
    items: tuple[Float64, ...] = ()


class BoolList(Table, frozen=True):
    items: tuple[Flag, ...] = ()


class TensorList(Table, frozen=True):
    items: tuple[Int32, ...] = ()


class OptionalTensorList(Table, frozen=True):
    items: tuple[Int32, ...] = ()


KernelTypes: TypeAlias = (
    Null
    | Int
    | Bool
    | Double
    | Tensor
    | String
    | IntList
    | DoubleList
    | BoolList
    | TensorList
    | OptionalTensorList
)


class EValue(Table, frozen=True):
    val: KernelTypes | None = None


class Operator(Table, frozen=True):
    name: str = ""
    overload: str = ""


class KernelCall(Table, frozen=True):
    op_index: Int32 = 0
    args: tuple[Int32, ...] = ()


class DelegateCall(Table, frozen=True):
    delegate_index: Int32 = 0
    args: tuple[Int32, ...] = ()


class MoveCall(Table, frozen=True):
    move_from: Int32 = 0
    move_to: Int32 = 0


class JumpFalseCall(Table, frozen=True):
    cond_value_index: Int32 = 0
    destination_instruction: Int32 = 0


class FreeCall(Table, frozen=True):
    value_index: Int32 = 0


InstructionArguments: TypeAlias = KernelCall | DelegateCall | MoveCall | JumpFalseCall | FreeCall


class Instruction(Table, frozen=True):
    instr_args: InstructionArguments | None = None


class Frame(Table, frozen=True):
    filename: str = ""
    lineno: Int32 = 0
    name: str = ""
    context: str = ""


class FrameList(Table, frozen=True):
    items: tuple[Frame, ...] = ()


class BackendDelegateDataReference(Table, frozen=True):
    location: Byte = 0
    index: UInt32 = 0


class CompileSpec(Table, frozen=True):
    key: str = ""
    value: Bytes = EMPTY


class BackendDelegate(Table, frozen=True):
    id: str = ""
    processed: BackendDelegateDataReference | None = None
    compile_specs: tuple[CompileSpec, ...] = ()


class Chain(Table, frozen=True):
    inputs: tuple[Int32, ...] = ()
    outputs: tuple[Int32, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    stacktrace: tuple[FrameList, ...] = ()


class NonConstBufferDevice(Table, frozen=True):
    buffer_idx: Int32 = 0
    device_type: Byte = 0
    device_index: Byte = 0


class ExecutionPlan(Table, frozen=True):
    name: str = ""
    container_meta_type: ContainerMetadata | None = None
    values: tuple[EValue, ...] = ()
    inputs: tuple[Int32, ...] = ()
    outputs: tuple[Int32, ...] = ()
    chains: tuple[Chain, ...] = ()
    operators: tuple[Operator, ...] = ()
    delegates: tuple[BackendDelegate, ...] = ()
    non_const_buffer_sizes: tuple[Int64, ...] = ()
    non_const_buffer_device: tuple[NonConstBufferDevice, ...] = ()


class Buffer(Table, frozen=True):
    storage: Bytes = EMPTY


class BackendDelegateInlineData(Table, frozen=True):
    data: Bytes = EMPTY


class DataSegment(Table, frozen=True):
    offset: UInt64 = 0
    size: UInt64 = 0


class SubsegmentOffsets(Table, frozen=True):
    segment_index: UInt32 = 0
    offsets: tuple[UInt64, ...] = ()


class NamedData(Table, frozen=True):
    key: str = ""
    segment_index: UInt32 = 0


class Program(Table, frozen=True):
    version: UInt32 = 0
    execution_plan: tuple[ExecutionPlan, ...] = ()
    constant_buffer: tuple[Buffer, ...] = ()
    backend_delegate_data: tuple[BackendDelegateInlineData, ...] = ()
    segments: tuple[DataSegment, ...] = ()
    constant_segment: SubsegmentOffsets | None = None
    mutable_data_segments: tuple[SubsegmentOffsets, ...] = ()
    named_data: tuple[NamedData, ...] = ()
