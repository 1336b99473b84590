"""Which nodes of a delegate have another op in its payload than in the payload that the backend makes now.

Two payloads of one program have the same ops in the same order. An op differs by its options, by the
constants that it reads, or by the scales of its result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from torch import fx

from exir_viz.errors import FileError
from exir_viz.measure.delegate_parts.regions import quantizes
from exir_viz.readers.graphs import named_data
from exir_viz.readers.payloads.reader import read_payload
from exir_viz.readers.payloads.source import PayloadSource
from exir_viz.snapshot.payload import Payload, PayloadOp, PayloadTensor

_LIMITS = ("output_min", "output_max")


def changed_nodes(actual: Any, fresh: Any, nodes: Sequence[fx.Node]) -> tuple[fx.Node, ...]:
    """The nodes whose op differs in two lowered modules; none if that is not known.

    An activation is fused into the op before it, as the limits of its result.
    """
    payloads = [_payload(one) for one in (actual, fresh)]
    if None in payloads:
        return ()
    ours, theirs = (one for one in payloads if one is not None)
    if [op.type for op in ours[0].ops] != [op.type for op in theirs[0].ops]:
        return ()
    handles = {op.handle for op in ours[0].ops}
    found: dict[fx.Node, None] = {}
    for one, other in zip(ours[0].ops, theirs[0].ops, strict=True):
        parts = [tuple(_parts(op, *side)) for op, side in ((one, ours), (other, theirs))]
        if parts[0] == parts[1] and one.options == other.options:
            continue
        own = [node for node in nodes if one.handle is not None and _handle(node) == one.handle]
        fused = [*_fused(own, handles)]
        is_limit = parts[0] == parts[1] and _unlimited(one) == _unlimited(other)
        found |= dict.fromkeys(fused if is_limit and fused else own)
    return tuple(found)


_Read = tuple[Payload, PayloadSource]


def _payload(lowered: Any) -> _Read | None:
    source = PayloadSource.of(lowered.processed_bytes, named_data(lowered))
    try:
        payload = read_payload(lowered.backend_id, source)
    except FileError:
        return None
    return None if payload is None else (payload, source)


def _parts(op: PayloadOp, payload: Payload, source: PayloadSource) -> Iterator[Any]:
    """What an op reads in addition to the results of others, and its own results."""
    for at in op.inputs:
        tensor = payload.tensors[at]
        if tensor.role in ("constant", "input"):
            yield _described(tensor), _digest(tensor, source)
    yield from (_described(payload.tensors[at]) for at in op.outputs)


def _described(tensor: PayloadTensor) -> Any:
    return tensor.dtype, tensor.shape, tensor.role, tensor.bytes, tensor.quantization


def _digest(tensor: PayloadTensor, source: PayloadSource) -> str:
    data = source.named_data(tensor.key, tensor.bytes) if tensor.key and tensor.bytes else None
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _unlimited(op: PayloadOp) -> list[Any]:
    return [option for option in op.options if option.name not in _LIMITS]


def _handle(node: fx.Node) -> int | None:
    handle = node.meta.get("debug_handle")
    return handle if isinstance(handle, int) else None


def _fused(own: Sequence[fx.Node], handles: Collection[int | None]) -> Iterator[fx.Node]:
    """The nodes without an op of their own that follow a node, while there is one each."""
    for node in own:
        users = list(node.users)
        while len(users) == 1 and _is_fused(users[0], handles):
            yield users[0]
            users = list(users[0].users)


def _is_fused(node: fx.Node, handles: Collection[int | None]) -> bool:
    return node.op == "call_function" and _handle(node) not in handles and not quantizes(node)
