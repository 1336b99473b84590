"""How much operators must read and write at least: not all of their tensors, and shared memory once."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from typing import Final, NamedTuple

# The first of the two arguments of `where` that elements are chosen from.
_FIRST_CHOICE: Final = 1

# They allocate, change what a tensor says of itself, or return views.
_MOVE_NOTHING: Final = frozenset((
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided",
    "resize", "resize_", "set_", "detach_", "t_", "transpose_", "squeeze_", "unsqueeze_", "as_strided_",
    "swapaxes_", "swapdims_", "positive",
))  # fmt: skip
# They return their input itself if it is already what they make, unless an argument asks for a copy.
_MAY_RETURN_INPUT: Final = frozenset((
    "to", "type_as", "contiguous", "sum_to_size",
))  # fmt: skip
# They return their input itself, unless an argument asks for training.
_RETURN_INPUT: Final = frozenset((
    "dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout",
))  # fmt: skip
# They return a view if the strides of their input allow it; otherwise they copy to contiguous memory.
_MAY_COPY: Final = frozenset(("reshape", "reshape_as", "flatten", "ravel"))
# They write to their first tensor, or make one of its shape, without reading it.
_FIRST_IS_ONLY_WRITTEN: Final = frozenset((
    "zero", "zero_", "fill", "fill_", "copy", "copy_", "normal_", "uniform_", "random_", "bernoulli_",
    "exponential_", "geometric_", "cauchy_", "log_normal_", "zeros_like", "ones_like", "full_like",
    "rand_like", "randn_like", "randint_like", "new_zeros", "new_ones", "new_full",
))  # fmt: skip
# They read as much of their first tensor as they write, or less.
_READ_WHAT_THEY_WRITE: Final = frozenset((
    "slice_copy", "select_copy", "narrow_copy", "diagonal_copy", "as_strided_copy", "diag", "trace",
    "masked_select", "constant_pad_nd", "pad", "upsample_nearest1d", "upsample_nearest2d",
    "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d",
    "upsample_bicubic2d",
))  # fmt: skip
# How much of the first tensor they read depends on the data: twice the same row is read once.
_READ_BY_DATA: Final = frozenset((
    "embedding", "embedding_bag", "_embedding_bag", "index_select", "gather", "index", "take",
    "take_along_dim", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "nll_loss",
    "nll_loss_forward", "nll_loss2d", "nll_loss2d_forward", "searchsorted", "tril", "triu",
    "masked_fill", "masked_scatter", "index_put", "index_copy", "index_fill", "scatter",
    "slice_scatter", "select_scatter", "diagonal_scatter", "as_strided_scatter",
))  # fmt: skip
# How much of the first tensor they read and write depends on the data.
_WRITE_BY_DATA: Final = frozenset((
    "index_put_", "_index_put_impl_", "index_copy_", "index_fill_", "index_add_", "index_reduce_",
    "scatter_", "scatter_add_", "scatter_reduce_", "masked_fill_", "masked_scatter_", "put_", "tril_",
    "triu_",
))  # fmt: skip

# They add a product to their first tensor, which they ignore if `beta` is 0: beta * self + alpha * (a @ b).
_ADD_PRODUCT: Final = frozenset((
    "addmm", "addmm_", "addmv", "addmv_", "addbmm", "addbmm_", "baddbmm", "baddbmm_", "addr", "addr_",
    "_addmm_activation",
))  # fmt: skip
# Of these, they ignore what they multiply if `alpha` is 0; the others multiply all the same.
_SKIP_PRODUCT: Final = _ADD_PRODUCT - {"baddbmm", "baddbmm_", "addr", "addr_"}
# Their scalars, in the order of their schemas, where a file has all arguments by position.
PRODUCT_SCALARS: Final = {"beta": 3, "alpha": 4}


class Extent(NamedTuple):
    """The part of a memory that a tensor uses, from byte `start` to `stop`, and how many bytes of it."""

    memory: Hashable
    start: int
    stop: int
    size: int


def moves_nothing(op: str) -> bool:
    """Whether an operator ("empty") neither reads nor writes elements."""
    return op in _MOVE_NOTHING


def may_return_input(op: str) -> bool:
    """Whether an operator returns its input itself, if there is nothing to convert and it need not copy."""
    return op in _MAY_RETURN_INPUT


def returns_input(op: str) -> bool:
    """Whether an operator returns its input itself, except in training."""
    return op in _RETURN_INPUT


def may_copy(op: str) -> bool:
    """Whether an operator copies its input where it cannot return a view of it."""
    return op in _MAY_COPY


def writes_by_data(op: str) -> bool:
    """Whether it depends on the data which elements of its first tensor an operator writes."""
    return op in _WRITE_BY_DATA


def _least_reads(op: str, sizes: Sequence[int], written: int, zero: Collection[str]) -> list[int]:
    """The bytes that an operator must read of each argument; `sizes` are the bytes of the arguments."""
    reads = list(sizes)
    if op in _ADD_PRODUCT and "beta" in zero:
        reads[:1] = [0] * len(reads[:1])
    if op in _SKIP_PRODUCT and "alpha" in zero:
        reads[1:3] = [0] * len(reads[1:3])
    if op in _FIRST_IS_ONLY_WRITTEN or op in _READ_BY_DATA or op in _WRITE_BY_DATA:
        reads[:1] = [0] * len(reads[:1])
    elif op in _READ_WHAT_THEY_WRITE:
        reads[:1] = [min(size, written) for size in reads[:1]]
    elif op == "where" and len(sizes) > _FIRST_CHOICE + 1:  # of each element one of the two
        reads[_FIRST_CHOICE if sizes[_FIRST_CHOICE] > sizes[_FIRST_CHOICE + 1] else _FIRST_CHOICE + 1] = 0
    return reads


def bytes_read(op: str, arguments: Sequence[Sequence[Extent]], written: int, zero: Collection[str]) -> int:
    """The bytes that an operator must read of the memory of its arguments, if it writes `written` bytes.

    `zero` names the scalars of `PRODUCT_SCALARS` that are, or may be, 0.
    """
    sizes = [distinct_bytes(several) for several in arguments]
    whole: list[Extent] = []
    part = 0
    for several, size, least in zip(arguments, sizes, _least_reads(op, sizes, written, zero), strict=True):
        if least == size:
            whole += several
        else:
            part += least
    return distinct_bytes(whole) + part


def distinct_bytes(extents: Sequence[Extent]) -> int:
    """The bytes in memory of some tensors: of those that overlap, the largest one."""
    if len({one.memory for one in extents}) == len(extents):
        return sum(one.size for one in extents)
    by_memory: dict[Hashable, list[Extent]] = defaultdict(list)
    for one in extents:
        by_memory[one.memory].append(one)
    total = 0
    for found in by_memory.values():
        end = largest = 0
        for one in sorted(found, key=lambda one: one.start):
            if one.start >= end:
                total, largest = total + largest, 0
            end, largest = max(end, one.stop), max(largest, one.size)
        total += largest
    return total


def extent(
    memory: Hashable, item: int, offset: int, shape: Sequence[int], stride: Sequence[int]
) -> Extent | None:
    """The part of a memory that a tensor with items of `item` bytes uses; None where it has no elements."""
    if not math.prod(shape):
        return None
    dims = [(size, step) for size, step in zip(shape, stride, strict=True) if step]
    reach = 1 + sum((size - 1) * step for size, step in dims)
    size = min(math.prod(size for size, _ in dims), reach)
    return Extent(memory, offset * item, (offset + reach) * item, size * item)
