"""What a backend made of a delegate: the graph in its payload, as plain data.

A payload has tensors and ops of the backend's own. They are no nodes of the program: they are not counted,
compared or laid out with it. An op is linked to the delegate's nodes it was made from, with the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from .records import Record

# Why an op of a payload is linked to nodes: they have its debug handle, or its place among the ops.
EVIDENCE = ("debug handle", "order", "")


class Quantization(Record, frozen=True):
    """How the integers of a tensor represent numbers.

    `scheme` is "per tensor", "per channel", "per block" or "dynamic per token". `scales` and `zero_points`
    are the first ones of `count`. A dynamic scheme computes them at run time and has none.
    """

    scheme: str
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    count: int = 0
    axis: int | None = None
    block: int | None = None


class PayloadTensor(Record, frozen=True):
    """A tensor of a payload. `role` is "input", "output", "constant" or "intermediate".

    `bytes` is the size of a constant's data; `key` its name where the data is outside of the payload.
    `scale_bytes` and `scale_key` are the same of its scales, where they are data of their own.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    role: str
    bytes: int | None = None
    key: str = ""
    quantization: Quantization | None = None
    scale_bytes: int | None = None
    scale_key: str = ""


class PayloadOption(Record, frozen=True):
    """An option of an op, as text."""

    name: str
    text: str


class PayloadOp(Record, frozen=True):
    """An op of a payload. `inputs` and `outputs` are positions in `Payload.tensors`.

    `nodes` are positions in the delegate's graph of the nodes it was made from, and `evidence` why they are.
    """

    type: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: tuple[PayloadOption, ...] = ()
    handle: int | None = None
    nodes: tuple[int, ...] = ()
    evidence: str = ""


class Payload(Record, frozen=True):
    """The graph in a payload, in the order in which the backend runs it.

    `reader` names the package that read it. `problem` says why there is no graph: the payload is malformed,
    or its reader failed.
    """

    format: str
    reader: str
    tensors: tuple[PayloadTensor, ...] = ()
    ops: tuple[PayloadOp, ...] = ()
    problem: str = ""


def named_data(payload: Payload | None) -> dict[str, int]:
    """The weights and scales that a payload names and that are stored outside of it: bytes by name."""
    named: dict[str, int] = {}
    for tensor in () if payload is None else payload.tensors:
        for key, size in ((tensor.key, tensor.bytes), (tensor.scale_key, tensor.scale_bytes)):
            if key:
                named[key] = size or 0
    return named


def payload_problems(payload: Payload, nodes: int) -> Iterator[str]:
    """What is wrong with the numbers in a payload of a delegate of so many nodes."""
    count = len(payload.tensors)
    for number, op in enumerate(payload.ops):
        tensors = (*op.inputs, *op.outputs)
        if any(not 0 <= one < count for one in tensors):
            yield f"op {number} ({op.type}) names a tensor out of range (0 to {count - 1})"
        if any(not 0 <= one < nodes for one in op.nodes):
            yield f"op {number} ({op.type}) names a node out of range (0 to {nodes - 1})"
        if op.evidence not in EVIDENCE:
            yield f"op {number} ({op.type}) has evidence {op.evidence!r}, which is unknown"


def tensor_text(tensor: PayloadTensor) -> str:
    """ "qcint8[8, 3, 3, 3]"."""
    return f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"
