"""How each op of a program computes: in integers, or in float and why.

A quantized program has dequantize and quantize ops around float ops: a backend that has an integer kernel
replaces all three. Before lowering, this is possible for ops that quantizers annotate (`_INTEGER_OPS`). After
lowering it is known: an op outside all delegates computes in float, and the payload of a delegate has dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import delegate_around, index_of
from exir_viz.snapshot.module_attribution import owner_of
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.payload import Payload, PayloadTensor
from exir_viz.snapshot.placement import delegate_names, working
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Record, SequenceValue, TensorValue
from exir_viz.snapshot.rollup import module_path

from .dataflow import by_call, is_state, only_moves, source_of, users_of
from .numbers import (
    StateReader,
    TensorQuantization,
    is_dequantize,
    is_dynamic,
    is_quantize,
    numbers_of,
)

# Ops with an integer form in XNNPACK, Core ML, QNN, Ethos-U and ExecuTorch's own kernels, by bare name.
_INTEGER_OPS = frozenset((
    "conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d", "conv_transpose2d", "linear",
    "addmm", "mm", "bmm", "matmul", "add", "add_", "sub", "mul", "mul_", "relu", "relu_", "hardtanh",
    "hardtanh_", "relu6", "clamp", "mean", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "_adaptive_avg_pool2d", "avg_pool2d", "max_pool2d", "max_pool2d_with_indices", "cat",
    "constant_pad_nd", "pad", "upsample_bilinear2d", "sigmoid", "tanh", "hardswish", "hardswish_",
    "hardsigmoid", "leaky_relu",
))  # fmt: skip
# Activations that a backend computes together with the op before them.
_FUSED = frozenset((
    "relu", "relu_", "hardtanh", "hardtanh_", "relu6", "clamp", "batch_norm",
    "_native_batch_norm_legit_no_training",
))  # fmt: skip
_FLOATS = ("float", "bfloat")
# Ops of XNNPACK's payload that compute nothing.
_MOVES = frozenset(("Convert", "Copy", "StaticTranspose", "StaticReshape", "StaticSlice"))
# What makes the memory that an op of an executorch program writes its result to.
_BUFFER = "alloc"
_QUANTIZED_DTYPES = ("q", "int8", "uint8", "int4")


class OpStatus(StrEnum):
    """How an op computes.

    integer: the payload of its backend has it in integers. quantized: its inputs are dequantized and its
    result is quantized, so that a backend can compute it in integers. dynamic: the same, with scales that are
    computed at run time. weights: only its weights are integers. between: it computes in float, between a
    dequantize and a quantize op. float: it computes in float.
    """

    INTEGER = "integer"
    QUANTIZED = "quantized"
    DYNAMIC = "dynamic"
    WEIGHTS = "weights"
    BETWEEN = "between"
    FLOAT = "float"


# How each status is called in texts, in the order of a report.
TITLES = {
    OpStatus.INTEGER: "integer",
    OpStatus.QUANTIZED: "quantized",
    OpStatus.DYNAMIC: "dynamic",
    OpStatus.WEIGHTS: "weights only",
    OpStatus.BETWEEN: "float between integers",
    OpStatus.FLOAT: "float",
}


class OpQuantization(Record, frozen=True):
    """One op of a program.

    Attributes
    ----------
    node
        Its id; for an op of a payload alone, the id of the delegate's call.
    op
        The operator: "aten.linear.default"; of a payload alone its type: "XNNPACK 1: FullyConnected".
    module
        The path of its module.
    status
        How it computes.
    reason
        Why, where it computes in float.
    inputs, weights, output
        How its inputs, weights and result are quantized.
    """

    node: str
    op: str
    module: str
    status: OpStatus
    reason: str = ""
    inputs: tuple[TensorQuantization, ...] = ()
    weights: tuple[TensorQuantization, ...] = ()
    output: TensorQuantization | None = None


class Assessment:
    """Rows for the ops of one program."""

    def __init__(self, snapshot: Snapshot, state: StateReader) -> None:
        self._snapshot = snapshot
        self._state = state
        self._calls = by_call(snapshot)
        self._names = delegate_names(snapshot)
        dialects = {method.graph.number: method.dialect for method in snapshot.methods.values()}
        self._is_lowered = bool(self._names) or Dialect.EXECUTORCH in dialects.values()
        # of a .pte: which ops its delegates hold is not known
        self._has_payloads_alone = any(len(snapshot.graphs[number]) == 0 for number in self._names)
        self.pairs = 0

    def rows(self) -> Iterator[OpQuantization]:
        """The ops, in the order of the program; those that only move elements are left out."""
        done: set[int] = set()
        for graph in self._snapshot.graphs:
            yield from self._of_graph(graph, done)

    def _of_graph(self, graph: Graph, done: set[int]) -> Iterator[OpQuantization]:
        """The ops of a graph, those of a delegate where it is called; each graph once."""
        if graph.number in done:
            return
        done.add(graph.number)
        made = _made_of(graph)
        delegated = index_of(graph).delegated
        for node in (graph[at] for at in sorted((*working(graph), *delegated))):
            for inner in delegated.get(node.position, ()):
                yield from self._of_graph(inner, done)
            if is_quantize(node):
                self.pairs += 1
            elif _computes(node):
                at = node.position
                if graph.payload is not None and at not in made and node.target.name in _FUSED:
                    at = source_of(node.inputs[0]).position  # it is part of the op before it
                yield self._row(node, made.get(at))
        if graph.payload is not None and len(graph) == 0:
            yield from self._of_payload(graph, graph.payload)

    def _row(self, node: Node, made: bool | None) -> OpQuantization:
        read = [one for one in node.inputs if _is_float(one) and one.target.name != _BUFFER]
        sources = [source_of(one) for one in read]
        weights = [one for one in sources if is_dequantize(one) and is_state(source_of(one.inputs[0]))]
        values = [one for one in sources if not is_state(one) and one not in weights]
        integers = [one for one in values if is_dequantize(one)]
        quantizes = self._quantizes(node)
        status, reason = self._status(node, values, weights, quantizes)
        if made is not None and status in (OpStatus.QUANTIZED, OpStatus.DYNAMIC):
            integer = OpStatus.DYNAMIC if status is OpStatus.DYNAMIC else OpStatus.INTEGER
            status = integer if made else OpStatus.BETWEEN
            reason = "" if made else "Its backend computes it in float, as its payload shows."
        return OpQuantization(
            node.id,
            op_name(node.target),
            _module(node),
            status,
            reason,
            tuple(numbers_of(one, self._state) for one in dict.fromkeys(integers)),
            tuple(numbers_of(one, self._state) for one in dict.fromkeys(weights)),
            numbers_of(quantizes[0], self._state) if quantizes else None,
        )

    def _status(
        self, node: Node, values: list[Node], weights: list[Node], quantizes: list[Node]
    ) -> tuple[OpStatus, str]:
        integers = [one for one in values if is_dequantize(one)]
        before = node if not values or node.target.name not in _FUSED else values[0]
        follows = before is not node and before.target.name in _INTEGER_OPS  # relu after conv
        if follows and not integers:
            inner = [source_of(one) for one in before.inputs if _is_float(one)]
            integers = values if any(is_dequantize(one) for one in inner) else []
        if weights and any(is_dynamic(one) for one in integers if is_dequantize(one)):
            return OpStatus.DYNAMIC, ""
        is_whole = bool(values) and len(integers) == len(values)
        if is_whole and quantizes:
            return self._between_or_quantized(node)
        if weights and not integers:
            return OpStatus.WEIGHTS, "Its weights are integers, its inputs are float."
        if not integers and not quantizes:
            if self._has_payloads_alone:
                return OpStatus.FLOAT, "No backend accepted it: between delegates it computes in float."
            reason = self._read_in_float(node) or "its result is not quantized"
            return OpStatus.FLOAT, f"Not quantized: no input is dequantized, and {reason}."
        if is_whole:
            of_program = " and is an output of the program" if self._is_output(node) else ""
            reason = self._read_in_float(node) or f"its result is not quantized{of_program}"
            return OpStatus.FLOAT, f"{reason[0].upper()}{reason[1:]}."
        missing = ", ".join(dict.fromkeys(one.name for one in values if one not in integers))
        if not values:
            return OpStatus.FLOAT, "It has no inputs to quantize."
        return OpStatus.FLOAT, f"Its input {missing} is float."

    def _between_or_quantized(self, node: Node) -> tuple[OpStatus, str]:
        if self._is_lowered and delegate_around(node.graph) is None:
            return (
                OpStatus.BETWEEN,
                "No backend accepted it with its dequantize and quantize ops: these run as separate ops.",
            )
        if node.target.name not in _INTEGER_OPS and node.target.name not in _FUSED:
            return OpStatus.BETWEEN, "Quantizers do not support it: it is in float between quantized ops."
        return OpStatus.QUANTIZED, ""

    def _is_output(self, node: Node) -> bool:
        return any(user.op == "output" for user in users_of(node))

    def _read_in_float(self, node: Node) -> str:
        """Who reads the result of an op in float, if it is quantized for others; else ""."""
        users = list(users_of(node))
        if not any(map(is_quantize, users)):
            return ""
        readers = dict.fromkeys(one.name for one in users if not is_quantize(one) and one.op != "output")
        who = [*readers, *(["the output"] if self._is_output(node) else [])]
        return f"{' and '.join(who)} {'reads' if len(who) == 1 else 'read'} its result in float"

    def _quantizes(self, node: Node) -> list[Node]:
        """The quantize ops of its result; none if any user needs floats. An activation may come between."""
        users = list(users_of(node))
        if len(users) == 1 and users[0].target.name in _FUSED and node.target.name in _INTEGER_OPS:
            users = list(users_of(users[0]))
        return users if users and all(map(is_quantize, users)) else []

    def _of_payload(self, graph: Graph, payload: Payload) -> Iterator[OpQuantization]:
        """The ops of a payload whose nodes are not known: of a `.pte`."""
        name = str(self._names[graph.number])
        for op in payload.ops:
            self.pairs += op.type == "Convert"
            if op.type in _MOVES:
                continue
            inputs = [payload.tensors[at] for at in op.inputs]
            outputs = [payload.tensors[at] for at in op.outputs]
            values = [one for one in inputs if one.role != "constant"]
            weights = [one for one in inputs if one.role == "constant"]
            whole = [_is_integer(one) for one in (*values, *outputs)]
            if all(whole):
                status, reason = OpStatus.INTEGER, ""
            elif any(_is_dynamic_tensor(one) for one in values):
                status, reason = OpStatus.DYNAMIC, ""
            elif any(map(_is_integer, weights)):
                status, reason = OpStatus.WEIGHTS, "Its weights are integers, its inputs are float."
            else:
                status, reason = OpStatus.FLOAT, "Its payload has float tensors."
            numbers = [found for one in outputs if (found := _numbers(one))]
            yield OpQuantization(
                self._calls.get(graph.number, graph.path),
                f"{name}: {op.type}",
                "",
                status,
                reason,
                tuple(found for one in values if (found := _numbers(one))),
                tuple(found for one in weights if (found := _numbers(one))),
                numbers[0] if numbers else None,
            )


def _made_of(graph: Graph) -> dict[int, bool]:
    """By position of a delegated op that its payload has: whether it is computed in integers there.

    Payload ops without nodes decide for the nodes without payload ops, if they agree.
    """
    payload = graph.payload
    found: dict[int, bool] = {}
    unmatched: set[bool] = set()
    for op in () if payload is None else payload.ops:
        if payload is None or op.type in _MOVES:
            continue
        values = [payload.tensors[at] for at in (*op.inputs, *op.outputs)]
        is_integer = all(_is_integer(one) for one in values if one.role != "constant") or any(
            map(_is_dynamic_tensor, values)
        )
        found.update(dict.fromkeys(op.nodes, is_integer))
        if not op.nodes:
            unmatched.add(is_integer)
    if len(unmatched) == 1:
        rest = [one for one in graph if _computes(one) and one.target.name not in _FUSED]
        for node in rest:
            found.setdefault(node.position, *unmatched)
    return found


def _is_integer(tensor: PayloadTensor) -> bool:
    return tensor.dtype.startswith(_QUANTIZED_DTYPES)


def _is_dynamic_tensor(tensor: PayloadTensor) -> bool:
    return tensor.quantization is not None and tensor.quantization.scheme.startswith("dynamic")


def _numbers(tensor: PayloadTensor) -> TensorQuantization | None:
    return None if tensor.quantization is None else TensorQuantization(tensor.dtype, tensor.quantization)


def _computes(node: Node) -> bool:
    """Whether an op computes floats: no move, no size, no quantize or dequantize op."""
    if node.op != "call_function" or only_moves(node) or is_dequantize(node) or node.subgraphs:
        return False
    if node.target.name.startswith("choose_qparams") or delegate_call(node):
        return False
    return _is_float(node)


def delegate_call(node: Node) -> bool:
    """Whether a node runs a delegate."""
    return "call_delegate" in node.target.name


def _is_float(node: Node) -> bool:
    value = node.value
    items = value.items if isinstance(value, SequenceValue) else (value,)
    return any(isinstance(one, TensorValue) and one.dtype.startswith(_FLOATS) for one in items)


def _module(node: Node) -> str:
    owner = owner_of(node)
    return "" if owner < 0 else module_path(node.graph.snapshot.scopes[owner].path)
