/**
 * Kinds of ops, colors and short names of dtypes. Made by `python -m exir_viz.typescript` from the Python
 * that owns them: change them there.
 */

export type OpKind = keyof typeof KINDS;

/** By kind: its words, its color, and the ops that are of it. */
export const KINDS = {
  matrix: {
    title: "matrix product, convolution, attention",
    color: "#0072B2",
    ops: `
      addbmm addmm addmv addr baddbmm bilinear bmm chain_matmul cholesky cholesky_solve conv1d
      conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
      convolution_overrideable cross custom_sdpa dot dyn_quant_matmul_4bit einsum flex_attention ger
      gru gru_cell inner int_mm inverse kron linear lstm lstm_cell lu_solve matmul matrix_exp
      matrix_power mkldnn_convolution mkldnn_linear mm multi_head_attention_forward mv outer qr
      rnn_relu rnn_tanh scaled_dot_product_attention scaled_dot_product_attention_math
      scaled_dot_product_efficient_attention scaled_dot_product_flash_attention
      scaled_dot_product_flash_attention_for_cpu scaled_mm slow_conv_transpose2d svd tensordot
      thnn_conv2d triangular_solve trilinear vdot weight_int4pack_mm weight_int8pack_mm`,
  },
  pointwise: {
    title: "pointwise",
    color: "#E69F00",
    ops: `
      abs absolute acos acosh add addcdiv addcmul alpha_dropout angle arccos arccosh arcsin arcsinh
      arctan arctan2 arctanh asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift
      bitwise_not bitwise_or bitwise_right_shift bitwise_xor bucketize cbrt ceil celu
      choose_qparams_affine clamp clamp_max clamp_min clip complex conj_physical
      convert_element_type copysign cos cosh deg2rad dequantize_affine dequantize_per_channel
      dequantize_per_tensor dequantize_per_token digamma div divide dropout elu eq equal erf erfc
      erfinv exp exp2 expm1 fake_quantize_per_channel_affine fake_quantize_per_tensor_affine
      feature_dropout float_power floor floor_divide fmax fmin fmod frac frexp gcd ge gelu glu
      greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot i0 igamma
      igammac ilshift isclose isfinite isin isinf isnan isneginf isposinf isreal ixor lcm ldexp le
      leaky_relu lerp less less_equal lgamma log log10 log1p log2 log_sigmoid log_sigmoid_forward
      logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit lshift lt
      masked_fill maximum minimum mish mul multiply mvlgamma nan_to_num native_dropout ne neg
      negative nextafter normal_functional not_equal polar polygamma positive pow prelu prelu_kernel
      quantize_affine quantize_per_channel quantize_per_tensor quantize_per_token rad2deg reciprocal
      relu relu6 remainder round rrelu rrelu_with_noise rrelu_with_noise_functional rshift rsqrt
      rsub selu sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink sqrt square sub
      subtract tan tanh threshold true_divide trunc where xlogy xor`,
  },
  reduce: {
    title: "reduction, norm, pooling, sorting",
    color: "#009E73",
    ops: `
      adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
      adaptive_max_pool2d adaptive_max_pool3d all allclose amax amin aminmax any argmax argmin
      argsort avg_pool1d avg_pool2d avg_pool3d batch_norm batch_norm_no_update
      batch_norm_with_update binary_cross_entropy binary_cross_entropy_with_logits bincount cdist
      cdist_forward choose_qparams choose_qparams_per_token_asymmetric choose_qparams_symmetric
      cosine_similarity count_nonzero cross_entropy_loss ctc_loss cudnn_batch_norm cummax cummin
      cumprod cumsum diff dist fractional_max_pool2d fractional_max_pool3d fused_rms_norm group_norm
      histc huber_loss instance_norm kl_div kthvalue l1_loss layer_norm linalg__powsum linalg_norm
      linalg_vector_norm local_response_norm log_softmax logcumsumexp logsumexp lp_pool max max_dim
      max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
      max_pool3d_with_indices mean median min min_dim mkldnn_max_pool2d mode mse_loss multinomial
      nanmean nanmedian nansum native_batch_norm native_batch_norm_legit
      native_batch_norm_legit_functional native_batch_norm_legit_no_training native_group_norm
      native_layer_norm native_norm nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward
      nll_loss_nd nms norm norm_except_dim nuclear_norm pdist pdist_forward prod quantile renorm
      rms_norm roi_align safe_softmax searchsorted smooth_l1_loss softmax softmin sort std std_mean
      sum sum_to_size topk trace unique unique2 unique_consecutive unique_dim var var_mean
      weight_norm weight_norm_interface`,
  },
  view: {
    title: "view and shape",
    color: "#8A8F98",
    ops: `
      adjoint alias as_strided atleast_1d atleast_2d atleast_3d broadcast_in_dim broadcast_tensors
      broadcast_to ccol_indices chunk col_indices collapse_view conj crow_indices detach diagonal
      dim dsplit expand expand_as flatten fw_primal getitem hsplit imag indices is_contiguous item
      lift_fresh linalg_diagonal local_scalar_dense mH mT matrix_H meshgrid moveaxis movedim narrow
      neg_view numel numpy_T permute ravel real reshape reshape_alias reshape_as resolve_conj
      resolve_neg row_indices select size slice slice_inverse split split_dim split_with_sizes
      squeeze storage_offset stride swapaxes swapdims sym_is_contiguous sym_numel sym_size
      sym_storage_offset sym_stride t tensor_split transpose unbind unflatten unfold unsafe_chunk
      unsafe_split unsafe_split_with_sizes unsafe_view unsqueeze values view view_as view_as_complex
      view_as_real view_of vsplit`,
  },
  copy: {
    title: "copy, gather, create",
    color: "#CC79A7",
    ops: `
      FreeCall MoveCall NullCall alloc arange block_diag cat channel_shuffle clone clone_dim_order
      coalesce col2im column_stack combinations concat concatenate constant_pad_nd contiguous copy
      cumulative_trapezoid diag diag_embed diagonal_scatter dstack embedding embedding_4bit
      embedding_bag embedding_byte embedding_dense embedding_renorm embedding_sparse empty
      empty_dim_order empty_like empty_permuted empty_strided eye fill flip fliplr flipud free full
      full_like gather grid_sampler grid_sampler_2d grid_sampler_3d hstack im2col index index_add
      index_copy index_fill index_put index_put_impl index_reduce index_select iota lift linspace
      logspace masked_scatter masked_select move narrow_scatter native_channel_shuffle new_empty
      new_empty_strided new_full new_ones new_zeros nonzero nonzero_numpy nonzero_static normal
      one_hot ones ones_like pad pad_circular pad_enum pin_memory pixel_shuffle pixel_unshuffle put
      rand rand_like randint randint_like randn randn_like random randperm range reflection_pad1d
      reflection_pad2d reflection_pad3d repeat repeat_interleave replication_pad1d replication_pad2d
      replication_pad3d resize resize_as roll rot90 scalar_tensor scatter scatter_add scatter_reduce
      select_scatter set slice_scatter sparse_broadcast_to stack take take_along_dim tensor tile to
      to_copy to_dense to_dim_order tril tril_indices triu triu_indices type_as uniform unsafe_index
      unsafe_index_put unsafe_masked_index update_cache upsample_bicubic2d upsample_bicubic2d_aa
      upsample_bilinear2d upsample_bilinear2d_aa upsample_linear1d upsample_nearest1d
      upsample_nearest2d upsample_nearest3d upsample_nearest_exact1d upsample_nearest_exact2d
      upsample_nearest_exact3d upsample_trilinear3d vander vstack zero zeros zeros_like`,
  },
  control: {
    title: "control flow and checks",
    color: "#D55E00",
    ops: `
      JumpFalseCall assert_async assert_scalar assert_tensor_metadata functional_assert_async
      functional_assert_scalar functional_sym_constrain_range
      functional_sym_constrain_range_for_size make_dep_token print sym_constrain_range
      sym_constrain_range_for_size`,
  },
  delegate: {
    title: "delegate",
    color: "#56B4E9",
    ops: "DelegateCall executorch_call_delegate",
  },
  io: {
    title: "input and output",
    color: "#4B5563",
    ops: "",
  },
  other: {
    title: "other op",
    color: "#F0E442",
    ops: "",
  },
} as const;

/** Whose op names mean what ATen's do. */
export const NAMESPACES = `
aten dim_order_ops executorch_prim llama prim prims quantized quantized_decomposed torchao
torchvision`;

/** How Python's arithmetic on sizes begins. */
export const SIZE_ARITHMETIC = "operator. builtins. math. torch.sym_ torch._sym_";

/** Families of ops that KINDS does not list, by their beginning. */
export const PREFIXES = {
  special_: "pointwise",
  linalg_: "matrix",
  fft_: "matrix",
  conv: "matrix",
  scaled_dot_product_: "matrix",
  upsample_: "copy",
  cast_: "copy",
} as const;

/** Endings of variants that go with their base. */
export const SUFFIXES = "_copy _functional _backward _data";

/** Names of ops that check something at run time and yield nothing. */
export const ASSERTS = `
  _assert_async _assert_scalar _assert_tensor_metadata _functional_assert_async
  _functional_assert_scalar _functional_sym_constrain_range _functional_sym_constrain_range_for_size
  sym_constrain_range sym_constrain_range_for_size`;

/** The name of the op that takes one item out of a tuple. */
export const ITEM = "getitem";

/** The name of the op that allocates memory for a result. */
export const MEMORY = "executorch.exir.memory.alloc";

/** Names of ops that are part of another op's work. */
export const NO_WORK = ["executorch.exir.memory.alloc", "getitem"] as const;

/** Short names, by torch's name. */
export const DTYPES: Readonly<Record<string, string>> = {
  bfloat16: "bf16",
  float64: "f64",
  float32: "f32",
  float16: "f16",
  float8_e4m3fn: "f8e4m3fn",
  float8_e5m2: "f8e5m2",
  float8_e4m3fnuz: "f8e4m3fnuz",
  float8_e5m2fnuz: "f8e5m2fnuz",
  float8_e8m0fnu: "f8e8m0fnu",
  float4_e2m1fn_x2: "f4e2m1fnx2",
  complex32: "c32",
  complex64: "c64",
  complex128: "c128",
  int8: "i8",
  int16: "i16",
  int32: "i32",
  int64: "i64",
  bool: "b8",
  uint8: "u8",
  uint16: "u16",
  uint32: "u32",
  uint64: "u64",
  bits16: "b16",
  bits1x8: "b1x8",
};

/** Colors of categories. */
export const PALETTE = [
  "#0072B2",
  "#E69F00",
  "#009E73",
  "#CC79A7",
  "#D55E00",
  "#56B4E9",
  "#8A8F98",
  "#F0E442",
] as const;

/** Bytes of one element. */
export const ITEM_BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  uint8: 1,
  int8: 1,
  qint8: 1,
  quint8: 1,
  bits1x8: 1,
  uint16: 2,
  int16: 2,
  float16: 2,
  bfloat16: 2,
  bits16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  complex32: 4,
  qint32: 4,
  uint64: 8,
  int64: 8,
  float64: 8,
  complex64: 8,
  complex128: 16,
  float4_e2m1fn_x2: 1,
};
