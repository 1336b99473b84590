"""Sizes and strides → dim order: which dimension is outermost in memory. Imports no torch.

The rule is torch's (`Tensor.dim_order`): contiguous and channels-last first, then by falling stride; a stride
of zero does not count, and equal strides are ordered by size. A symbolic size or stride counts as its hint;
without a hint the order is unknown, and is not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence

_CHANNELS_LAST = (0, 2, 3, 1)

Size = int | None


def dim_order(sizes: Sequence[Size], strides: Sequence[int | None]) -> tuple[int, ...] | None:
    """The order, outermost first; None where a stride is unknown. An unknown size is taken not to be one."""
    count = len(sizes)
    if count < 2:
        return tuple(range(count))
    stride = [one for one in strides if one is not None]
    if len(stride) != count:
        return None
    natural = tuple(range(count))
    contiguous = _follows(natural, sizes, stride)
    channels_last = count == 4 and _follows(_CHANNELS_LAST, sizes, stride)
    if contiguous and not channels_last:
        return natural
    if channels_last and not contiguous:
        return _CHANNELS_LAST
    return _sorted(sizes, stride)


def _follows(order: tuple[int, ...], sizes: Sequence[Size], stride: list[int]) -> bool:
    """Are the elements packed in this order? A dimension of size one may have any stride."""
    if 0 in sizes:
        return True
    step: int | None = 1
    for dim in reversed(order):
        size = sizes[dim]
        if size != 1:
            if stride[dim] != step:
                return False
            step = None if size is None else step * size
    return True


def _sorted(size: Sequence[Size], stride: list[int]) -> tuple[int, ...]:
    # An insertion sort, innermost first, as torch does it: the comparison is not transitive, so that another
    # sort could end elsewhere.
    perm = list(reversed(range(len(size))))
    for start in range(1, len(perm)):
        at = start
        for before in reversed(range(start)):
            swap = _compare(perm[before], perm[at], size, stride)
            if swap < 0:
                break
            if swap > 0:
                perm[before], perm[at] = perm[at], perm[before]
                at = before
    return tuple(reversed(perm))


def _compare(a: int, b: int, size: Sequence[Size], stride: list[int]) -> int:
    """Below zero: a is inside b; above: b is inside a; zero: their strides do not say."""
    if stride[a] == 0 or stride[b] == 0:
        return 0
    if stride[a] == stride[b]:
        first, second = size[a], size[b]
        return 0 if first is not None and second is not None and second >= first else 1
    return -1 if stride[b] > stride[a] else 1
