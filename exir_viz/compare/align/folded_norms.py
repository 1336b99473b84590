"""Match batch norms that one side folded into the op before them, as quantization does.

A norm that does not train and has no counterpart was folded if its user now reads the op before it, and the
bias of that op is new or has other values, and so has its weight as far as known. The norm is then part of
what the op became, and its state part of the bias. Whether the bias was really computed from these is not
proven here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.side import Side
from exir_viz.compare.normalize.stored_contents import StoredContents
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import TensorValue

from .pairing import MatchEvidence, Pairing

# The norms of all dialects, with the position of the argument that says whether it trains.
_NORMS = frozenset({"batch_norm", "native_batch_norm", "_native_batch_norm_legit", "cudnn_batch_norm"})
_IN_USE = frozenset({"_native_batch_norm_legit_no_training", "_batch_norm_no_update"})
_TRAINS = 5
_FOLDS = frozenset({
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution",
    "linear", "addmm",
})  # fmt: skip
# With more calls than this between two matched ops, it is not quantization.
_FARTHEST = 4


class _Half(NamedTuple):
    """One side of a Pairing; `of` is the counterpart of each node."""

    side: Side
    contents: StoredContents
    of: list[int]
    users: Sequence[Sequence[int]]


def attach_folded(pairing: Pairing, a: StoredContents, b: StoredContents) -> None:
    """Attach each folded norm to what the op before it became, and its state to the bias."""
    halves = (
        _Half(pairing.a, a, pairing.of_a, pairing.users_a),
        _Half(pairing.b, b, pairing.of_b, pairing.users_b),
    )
    for half, other, is_b in ((*halves, False), (*halves[::-1], True)):
        for norm in list(_free_norms(half)):
            op = _became(half, other, norm)
            bias = NONE if op == NONE else _new_bias(half, other, op)
            if bias == NONE:
                continue
            for part in (norm, *_items(half, norm)):
                pairing.link(*((op, part) if is_b else (part, op)), MatchEvidence.FOLDED)
            numbers = (one for one in half.side.inputs[norm][1:] if one in half.contents.stored)
            for part in dict.fromkeys(numbers):
                if half.of[part] == NONE:
                    pairing.join(*((bias, part) if is_b else (part, bias)), MatchEvidence.FOLDED)


def _free_norms(half: _Half) -> Iterator[int]:
    """Norms that do not train and have no counterpart, in execution order."""
    side = half.side
    for number in side.order:
        if half.of[number] == NONE and side.calls[number] and side.inputs[number]:
            node = side.node(number)
            name = node.target.name
            if name in _IN_USE or (name in _NORMS and node.args[_TRAINS : _TRAINS + 1] == (False,)):
                yield number


def _became(half: _Half, other: _Half, norm: int) -> int:
    """What the op before a norm became, if it is read in the norm's place; else NONE."""
    before = half.side.inputs[norm][0]
    op = half.of[before]
    if op == NONE or other.of[op] != before or half.users[before] != [norm]:
        return NONE
    if not {half.side.node(before).target.name, other.side.node(op).target.name} <= _FOLDS:
        return NONE
    if _keeps_weight(half, other, op):
        return NONE
    readers = {half.of[one] for at in (norm, *_items(half, norm)) for one in half.users[at]} - {NONE}
    return op if readers & _readers(other, op) else NONE


def _keeps_weight(half: _Half, other: _Half, op: int) -> bool:
    """Whether the weights of both ops are known to be equal. Folding scales them."""
    before, after = (next(_weights(*one), NONE) for one in ((half, other.of[op]), (other, op)))
    return NONE not in (before, after) and _equal(half, other, before, after) is True


def _readers(half: _Half, number: int) -> set[int]:
    """The users of a node, through calls that only this side has."""
    found: set[int] = set()
    level = [number]
    for _ in range(_FARTHEST):
        users = {user for one in level for user in half.users[one]}
        found |= {user for user in users if half.of[user] != NONE}
        level = [user for user in users if half.of[user] == NONE]
    return found


def _items(half: _Half, norm: int) -> list[int]:
    return [one for one in half.users[norm] if half.side.targets[one] == half.side.getitem]


def _new_bias(half: _Half, other: _Half, op: int) -> int:
    """The bias of an op, if it had none before, or one with other values; else NONE."""
    bias = next(_biases(other, op), NONE)
    before = next(_biases(half, other.of[op]), NONE)
    if NONE in (bias, before) or other.of[bias] != before:
        return bias
    return bias if _equal(half, other, before, bias) is False else NONE


def _equal(half: _Half, other: _Half, before: int, after: int) -> bool | None:
    """Whether two pieces of state have equal values; None if unknown."""
    sums = [side.checksum(side.stored[at]) for side, at in ((half.contents, before), (other.contents, after))]
    return None if None in sums else sums[0] == sums[1]


def _biases(half: _Half, op: int) -> Iterator[int]:
    return (at for at, rank in _state(half, op) if rank == 1)


def _weights(half: _Half, op: int) -> Iterator[int]:
    return (at for at, rank in _state(half, op) if rank > 1)


def _state(half: _Half, op: int) -> Iterator[tuple[int, int]]:
    """The state that an op reads, also transposed or dequantized, and its rank."""
    for one in half.side.inputs[op]:
        at = half.side.inputs[one][0] if half.side.calls[one] and half.side.inputs[one] else one
        value = half.side.value(at)
        if at in half.contents.stored and isinstance(value, TensorValue):
            yield at, len(value.shape)
