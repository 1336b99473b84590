"""torch's JSON of an exported program, typed: decoding refuses anything else.

Unions are dicts of one key: `{"as_int": 3}`. Their values, and whatever repeats (nodes, tensor metadata,
metadata strings), stay raw bytes until they are needed, so that equal bytes are read once and a program of
100,000 nodes is never in memory as objects all at once. Fields that are not named here are ignored, as torch
ignores them.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Union: TypeAlias = dict[str, msgspec.Raw]
# JSON has no infinity: torch writes it as a string.
Number: TypeAlias = int | float | str


class Version(msgspec.Struct):
    major: int
    minor: int


class Head(msgspec.Struct):
    """The version, which says how to read the rest."""

    schema_version: Version
    verifiers: list[str] = []


class Hint(msgspec.Struct):
    as_int: int | None = None
    as_float: Number | None = None
    as_bool: bool | None = None


class SymExpr(msgspec.Struct):
    expr_str: str
    hint: Hint | None = None


class SymNumber(msgspec.Struct):
    """SymInt, SymFloat or SymBool: one of the fields is set."""

    as_expr: SymExpr | None = None
    as_int: int | None = None
    as_float: Number | None = None
    as_bool: bool | None = None


class Device(msgspec.Struct):
    type: str
    index: int | None = None


class TensorMeta(msgspec.Struct):
    dtype: int
    sizes: list[SymNumber]
    requires_grad: bool
    device: Device
    strides: list[SymNumber]
    storage_offset: SymNumber
    layout: int


class Named(msgspec.Struct):
    """TensorArgument, TokenArgument."""

    name: str


class SymArgument(msgspec.Struct):
    """SymIntArgument, SymFloatArgument, SymBoolArgument: a node's name or a constant."""

    as_name: str | None = None
    as_int: int | None = None
    as_float: Number | None = None
    as_bool: bool | None = None


class OptionalTensor(msgspec.Struct):
    as_tensor: Named | None = None
    as_none: bool | None = None


class CustomObject(msgspec.Struct):
    name: str
    class_fqn: str


class Complex(msgspec.Struct):
    real: Number
    imag: Number


class GraphArgument(msgspec.Struct):
    name: str
    graph: msgspec.Raw


class NamedArgument(msgspec.Struct):
    """`kind` is 1 for positional, 2 for keyword; older programs do not say."""

    name: str
    arg: Union
    kind: int | None = None


class Node(msgspec.Struct):
    """Older programs have no `name`: the name of the output is used, or one is generated."""

    target: str
    inputs: list[NamedArgument]
    outputs: list[Union]
    metadata: Union
    is_hop_single_tensor_return: bool | None = None
    name: str | None = None


class Graph(msgspec.Struct):
    inputs: list[Union]
    outputs: list[Union]
    nodes: list[msgspec.Raw]
    tensor_values: Union
    sym_int_values: Union
    sym_bool_values: Union
    is_single_tensor_return: bool = False
    custom_obj_values: dict[str, CustomObject] = {}
    sym_float_values: Union = {}


class SpecBody(msgspec.Struct):
    """The body of every kind of input and output spec; which fields are set depends on the kind."""

    arg: msgspec.Raw = msgspec.Raw(b"")
    name: str | None = None
    value: Union | None = None
    parameter_name: str | None = None
    buffer_name: str | None = None
    tensor_constant_name: str | None = None
    custom_obj_name: str | None = None
    user_input_name: str | None = None
    persistent: bool | None = None


class GraphSignature(msgspec.Struct):
    input_specs: list[dict[str, SpecBody]]
    output_specs: list[dict[str, SpecBody]]


class RangeConstraint(msgspec.Struct):
    min_val: Number | None = None
    max_val: Number | None = None


class CallSignature(msgspec.Struct):
    inputs: list[Union]
    outputs: list[Union]
    in_spec: str
    out_spec: str
    forward_arg_names: list[str] | None = None


class ModuleCall(msgspec.Struct):
    fqn: str
    signature: CallSignature | None = None


class NamedTuple(msgspec.Struct):
    field_names: list[str]


class GraphModule(msgspec.Struct):
    graph: Graph
    signature: GraphSignature
    module_call_graph: list[ModuleCall]
    metadata: dict[str, str] = {}
    treespec_namedtuple_fields: dict[str, NamedTuple] = {}


class Program(msgspec.Struct):
    graph_module: GraphModule
    opset_version: dict[str, int]
    range_constraints: dict[str, RangeConstraint]
    schema_version: Version
    verifiers: list[str] = []
    torch_version: str = "<=2.4"
    guards_code: list[str] = []


class Payload(msgspec.Struct):
    """One weight or constant: which member holds its storage, and how the tensor lies in it."""

    path_name: str
    is_param: bool
    use_pickle: bool
    tensor_meta: TensorMeta | None = None


class PayloadConfig(msgspec.Struct):
    config: dict[str, Payload]


class Source(msgspec.Struct):
    """One NodeSource of from_node."""

    name: str = ""
    target: str = ""
    graph_id: int = -1
    pass_name: str = ""
    action: str = ""
    from_node: list[Source | None] | None = None
