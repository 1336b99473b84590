"""Which operators do not read or write all elements of their tensors. Bytes moved leave these out."""

from __future__ import annotations

from typing import Final

# They allocate, change what a tensor says of itself, or return views.
_MOVE_NOTHING: Final = frozenset((
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided",
    "resize", "resize_", "set_", "detach_", "t_", "transpose_", "squeeze_", "unsqueeze_", "as_strided_",
    "swapaxes_", "swapdims_", "positive", "meshgrid",
))  # fmt: skip
# They return their input itself if it is already what they make, unless an argument asks for a copy, or for
# training.
_MAY_RETURN_INPUT: Final = frozenset((
    "to", "type_as", "dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout",
))  # fmt: skip
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


def moves_nothing(op: str) -> bool:
    """Whether an operator ("empty") neither reads nor writes elements."""
    return op in _MOVE_NOTHING


def may_return_input(op: str) -> bool:
    """Whether an operator returns its input itself, if there is nothing to convert and it need not copy."""
    return op in _MAY_RETURN_INPUT


def writes_by_data(op: str) -> bool:
    """Whether it depends on the data which elements of its first tensor an operator writes."""
    return op in _WRITE_BY_DATA


def least_read(op: str, at: int, size: int, written: int) -> int:
    """The bytes that an operator must read of its argument number `at`, of `size` bytes."""
    if at == 0 and (op in _FIRST_IS_ONLY_WRITTEN or op in _READ_BY_DATA or op in _WRITE_BY_DATA):
        return 0
    if at == 0 and op in _READ_WHAT_THEY_WRITE:
        return min(size, written)
    if op == "where" and at > 0:  # of each element one of the two
        return 0
    return size
