"""What kind of work an op does, and the color of each kind: data, and the rule that reads it.

This is the one place that knows it; the TypeScript side's table is generated from it. The rule: control flow
and delegates go by their target's type, ATen-like ops by their name; in-place (`add_`), `_copy`, `_backward`
variants go with their base. An op that neither knows is `other`, never a guess.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from .records import Target, TargetType


class OpKind(StrEnum):
    """The kinds of ops, which a picture distinguishes by color."""

    MATRIX = "matrix"
    POINTWISE = "pointwise"
    REDUCE = "reduce"
    VIEW = "view"
    COPY = "copy"
    CONTROL = "control"
    DELEGATE = "delegate"
    IO = "io"
    OTHER = "other"


class Kind(NamedTuple):
    """A kind as shown: its words, its color (Okabe and Ito's, safe for the color-blind), its ops."""

    title: str
    color: str
    ops: frozenset[str]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS: Final[dict[OpKind, Kind]] = {
    OpKind.MATRIX: Kind(
        "matrix product, convolution, attention",
        "#0072B2",
        _names(
            """
            addbmm addmm addmv addr baddbmm bilinear bmm chain_matmul cholesky cholesky_solve conv1d conv2d
            conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
            convolution_overrideable cross custom_sdpa dot dyn_quant_matmul_4bit einsum flex_attention ger
            gru gru_cell inner int_mm inverse kron linear lstm lstm_cell lu_solve matmul matrix_exp
            matrix_power mkldnn_convolution mkldnn_linear mm multi_head_attention_forward mv outer qr
            rnn_relu rnn_tanh scaled_dot_product_attention scaled_dot_product_attention_math
            scaled_dot_product_efficient_attention scaled_dot_product_flash_attention
            scaled_dot_product_flash_attention_for_cpu scaled_mm slow_conv_transpose2d svd tensordot
            thnn_conv2d triangular_solve trilinear vdot weight_int4pack_mm weight_int8pack_mm
            """
        ),
    ),
    OpKind.POINTWISE: Kind(
        "pointwise",
        "#E69F00",
        _names(
            """
            abs absolute acos acosh add addcdiv addcmul alpha_dropout angle arccos arccosh arcsin arcsinh
            arctan arctan2 arctanh asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift
            bitwise_not bitwise_or bitwise_right_shift bitwise_xor bucketize cbrt ceil celu
            choose_qparams_affine clamp clamp_max clamp_min clip complex conj_physical convert_element_type
            copysign cos cosh deg2rad dequantize_affine dequantize_per_channel dequantize_per_tensor
            dequantize_per_token digamma div divide dropout elu eq equal erf erfc erfinv exp exp2 expm1
            fake_quantize_per_channel_affine fake_quantize_per_tensor_affine feature_dropout float_power
            floor floor_divide fmax fmin fmod frac frexp gcd ge gelu glu greater greater_equal gt hardshrink
            hardsigmoid hardswish hardtanh heaviside hypot i0 igamma igammac ilshift isclose isfinite isin
            isinf isnan isneginf isposinf isreal ixor lcm ldexp le leaky_relu lerp less less_equal lgamma
            log log10 log1p log2 log_sigmoid log_sigmoid_forward logaddexp logaddexp2 logical_and
            logical_not logical_or logical_xor logit lshift lt masked_fill maximum minimum mish mul multiply
            mvlgamma nan_to_num native_dropout ne neg negative nextafter normal_functional not_equal polar
            polygamma positive pow prelu prelu_kernel quantize_affine quantize_per_channel
            quantize_per_tensor quantize_per_token rad2deg reciprocal relu relu6 remainder round rrelu
            rrelu_with_noise rrelu_with_noise_functional rshift rsqrt rsub selu sgn sigmoid sign signbit
            silu sin sinc sinh softplus softshrink sqrt square sub subtract tan tanh threshold true_divide
            trunc where xlogy xor
            """
        ),
    ),
    OpKind.REDUCE: Kind(
        "reduction, norm, pooling, sorting",
        "#009E73",
        _names(
            """
            adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
            adaptive_max_pool2d adaptive_max_pool3d all allclose amax amin aminmax any argmax argmin argsort
            avg_pool1d avg_pool2d avg_pool3d batch_norm batch_norm_no_update batch_norm_with_update
            binary_cross_entropy binary_cross_entropy_with_logits bincount cdist cdist_forward
            choose_qparams choose_qparams_per_token_asymmetric choose_qparams_symmetric cosine_similarity
            count_nonzero cross_entropy_loss ctc_loss cudnn_batch_norm cummax cummin cumprod cumsum diff
            dist fractional_max_pool2d fractional_max_pool3d fused_rms_norm group_norm histc huber_loss
            instance_norm kl_div kthvalue l1_loss layer_norm linalg__powsum linalg_norm linalg_vector_norm
            local_response_norm log_softmax logcumsumexp logsumexp lp_pool max max_dim max_pool1d
            max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices
            mean median min min_dim mkldnn_max_pool2d mode mse_loss multinomial nanmean nanmedian nansum
            native_batch_norm native_batch_norm_legit native_batch_norm_legit_functional
            native_batch_norm_legit_no_training native_group_norm native_layer_norm native_norm nll_loss
            nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd nms norm norm_except_dim nuclear_norm
            pdist pdist_forward prod quantile renorm rms_norm roi_align safe_softmax searchsorted
            smooth_l1_loss softmax softmin sort std std_mean sum sum_to_size topk trace unique unique2
            unique_consecutive unique_dim var var_mean weight_norm weight_norm_interface
            """
        ),
    ),
    OpKind.VIEW: Kind(
        "view and shape",
        "#8A8F98",
        _names(
            """
            adjoint alias as_strided atleast_1d atleast_2d atleast_3d broadcast_in_dim broadcast_tensors
            broadcast_to ccol_indices chunk col_indices collapse_view conj crow_indices detach diagonal dim
            dsplit expand expand_as flatten fw_primal getitem hsplit imag indices is_contiguous item
            lift_fresh linalg_diagonal local_scalar_dense mH mT matrix_H meshgrid moveaxis movedim narrow
            neg_view numel numpy_T permute ravel real reshape reshape_alias reshape_as resolve_conj
            resolve_neg row_indices select size slice slice_inverse split split_dim split_with_sizes squeeze
            storage_offset stride swapaxes swapdims sym_is_contiguous sym_numel sym_size sym_storage_offset
            sym_stride t tensor_split transpose unbind unflatten unfold unsafe_chunk unsafe_split
            unsafe_split_with_sizes unsafe_view unsqueeze values view view_as view_as_complex view_as_real
            view_of vsplit
            """
        ),
    ),
    OpKind.COPY: Kind(
        "copy, gather, create",
        "#CC79A7",
        _names(
            """
            FreeCall MoveCall NullCall alloc arange block_diag cat channel_shuffle clone clone_dim_order
            coalesce col2im column_stack combinations concat concatenate constant_pad_nd contiguous copy
            cumulative_trapezoid diag diag_embed diagonal_scatter dstack embedding embedding_4bit
            embedding_bag embedding_byte embedding_dense embedding_renorm embedding_sparse empty
            empty_dim_order empty_like empty_permuted empty_strided eye fill flip fliplr flipud free full
            full_like gather grid_sampler grid_sampler_2d grid_sampler_3d hstack im2col index index_add
            index_copy index_fill index_put index_put_impl index_reduce index_select iota lift linspace
            logspace masked_scatter masked_select move narrow_scatter native_channel_shuffle
            new_empty new_empty_strided new_full new_ones new_zeros nonzero nonzero_numpy nonzero_static
            normal one_hot ones ones_like pad pad_circular pad_enum pin_memory pixel_shuffle pixel_unshuffle
            put rand rand_like randint randint_like randn randn_like random randperm range reflection_pad1d
            reflection_pad2d reflection_pad3d repeat repeat_interleave replication_pad1d replication_pad2d
            replication_pad3d resize resize_as roll rot90 scalar_tensor scatter scatter_add scatter_reduce
            select_scatter set slice_scatter sparse_broadcast_to stack take take_along_dim tensor tile to
            to_copy to_dense to_dim_order tril tril_indices triu triu_indices type_as uniform unsafe_index
            unsafe_index_put unsafe_masked_index update_cache upsample_bicubic2d upsample_bicubic2d_aa
            upsample_bilinear2d upsample_bilinear2d_aa upsample_linear1d upsample_nearest1d
            upsample_nearest2d upsample_nearest3d upsample_nearest_exact1d upsample_nearest_exact2d
            upsample_nearest_exact3d upsample_trilinear3d vander vstack zero zeros zeros_like
            """
        ),
    ),
    OpKind.CONTROL: Kind(
        "control flow and checks",
        "#D55E00",
        _names(
            """
            assert_async assert_scalar assert_tensor_metadata functional_assert_async
            functional_assert_scalar functional_sym_constrain_range functional_sym_constrain_range_for_size
            make_dep_token print JumpFalseCall sym_constrain_range sym_constrain_range_for_size
            """
        ),
    ),
    OpKind.DELEGATE: Kind("delegate", "#56B4E9", _names("DelegateCall executorch_call_delegate")),
    OpKind.IO: Kind("input and output", "#4B5563", frozenset()),
    OpKind.OTHER: Kind("other op", "#F0E442", frozenset()),
}

# Whose op names mean what ATen's do. `executorch_prim` and `prim` are the runtime's own.
NAMESPACES: Final = _names(
    "aten prims prim executorch_prim dim_order_ops quantized_decomposed torchao torchvision quantized llama"
)
# Python's arithmetic on sizes, and torch's functions for symbolic numbers.
SIZE_ARITHMETIC: Final = ("operator.", "builtins.", "math.", "torch.sym_", "torch._sym_")
_BY_NAME: Final = {name: kind for kind, entry in KINDS.items() for name in entry.ops}
# Families, for names that the tables do not list.
PREFIXES: Final = (
    ("special_", OpKind.POINTWISE),
    ("linalg_", OpKind.MATRIX),
    ("fft_", OpKind.MATRIX),
    ("conv", OpKind.MATRIX),
    ("scaled_dot_product_", OpKind.MATRIX),
    ("upsample_", OpKind.COPY),
    ("cast_", OpKind.COPY),
)
# Variants that go with their base.
SUFFIXES: Final = ("_copy", "_functional", "_backward", "_data")
# Ops that check something at run time and yield nothing, by their names.
ASSERTS: Final = frozenset(
    [
        "_assert_async",
        "_assert_scalar",
        "_assert_tensor_metadata",
        "_functional_assert_async",
        "_functional_assert_scalar",
        "sym_constrain_range",
        "sym_constrain_range_for_size",
        "_functional_sym_constrain_range",
        "_functional_sym_constrain_range_for_size",
    ]
)

# Ops that do no work of their own, as `op_name` names them: an element of a tuple, and memory for a result.
ITEM: Final = "getitem"
MEMORY: Final = "executorch.exir.memory.alloc"
NO_WORK: Final = frozenset((ITEM, MEMORY))


def op_name(target: Target) -> str:
    """An op as people say it, the same in every dialect: "aten.view.default", "cond", "getitem"."""
    if target.type is TargetType.OP:
        return ".".join(part for part in (target.namespace, target.name, target.overload) if part)
    if target.type in (TargetType.HIGHER_ORDER, TargetType.BUILTIN):
        return target.name or target.text
    return target.text


def does_work(target: Target) -> bool:
    """Whether a call with this target does work. Calls in `NO_WORK` are part of another call."""
    return op_name(target) not in NO_WORK


def is_instruction(target: Target) -> bool:
    """Whether a call with this target is one instruction of the runtime: an operator's, or a delegate's.

    In an ExecuTorch program the debug handles of these are their instructions' numbers. Others keep what they
    had before: control flow, and since ExecuTorch 1.5 the getitem of a delegate's result.
    """
    return target.type is TargetType.OP or target.name == "executorch_call_delegate"


def op_kind(op: str, target: Target) -> OpKind:
    """The kind of a node, from its `op` and its target."""
    if op in ("placeholder", "output", "get_attr"):
        return OpKind.IO
    if target.type is TargetType.HIGHER_ORDER:
        return _BY_NAME.get(target.name, OpKind.CONTROL)
    if target.type in (TargetType.BUILTIN, TargetType.FUNCTION) and target.text.startswith(SIZE_ARITHMETIC):
        return OpKind.VIEW
    name = target.name or target.text
    if target.type is TargetType.OP and target.namespace not in NAMESPACES:
        return OpKind.OTHER
    return _by_name(name)


def _by_name(name: str) -> OpKind:
    base = name.strip("_")
    while base and base not in _BY_NAME:
        base = next((base.removesuffix(end) for end in SUFFIXES if base.endswith(end)), "")
    if base:
        return _BY_NAME[base]
    stem = name.strip("_")
    return next((kind for prefix, kind in PREFIXES if stem.startswith(prefix)), OpKind.OTHER)
