"""FLOPs of operators that torch's FlopCounterMode has no rule for: matrix products, attention, LSTM on a CPU.

A rule takes shapes, as torch's own do. It counts products and sums of matrix products only, as these do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch.utils.flop_counter import FlopCounterMode

from exir_viz.torch_internals.operators import cpu_kernels

_aten = torch.ops.aten
_Shape = Sequence[int]


def flop_counter() -> FlopCounterMode:
    """A mode that counts the FLOPs of all operators with a rule of torch or of this module."""
    kernels = cpu_kernels()
    rules = {} if kernels is None else {kernels.attention: _attention, kernels.int_mm: _matrix_product}
    return FlopCounterMode(display=False, custom_mapping=_RULES | rules)


def _matrix_product(a: _Shape, b: _Shape, *_: Any, **__: Any) -> int:
    """Of matrices, or of a batch of them; `b` may be a vector, and both may be."""
    return 2 * math.prod(a) * (b[-1] if len(b) > 1 else 1)


def _added_matrix_product(_bias: _Shape, a: _Shape, b: _Shape, *_: Any, **__: Any) -> int:
    return _matrix_product(a, b)


def _attention(query: _Shape, key: _Shape, value: _Shape, *_: Any, **__: Any) -> int:
    """As torch counts it: products with masked keys are included."""
    return 2 * math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _lstm_layer(x: _Shape, of_inputs: _Shape, of_state: _Shape, *_: Any, **__: Any) -> int:
    """`of_inputs` and `of_state` are the weights of one layer in one direction."""
    return 2 * math.prod(x[:-1]) * (math.prod(of_inputs) + math.prod(of_state))


_RULES: Final = {
    _aten.mv: _matrix_product,
    _aten.dot: _matrix_product,
    _aten.vdot: _matrix_product,
    _aten.addmv: _added_matrix_product,
    _aten.addbmm: _added_matrix_product,
    _aten.mkldnn_rnn_layer: _lstm_layer,
}
