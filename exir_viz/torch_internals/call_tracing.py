"""Trace one call to a graph, with its fake values and its real constants.

Why: a node of a program takes fake tensors, and constants that are real. make_fx refuses this mixture unless
a private option allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch import fx

_MAKE_FX: Final = "torch.fx.experimental.proxy_tensor.make_fx"

FEATURE: Final = Feature(
    name="call_tracing",
    purpose="Preview a call that takes constants",
    without="A call that takes constants has no preview.",
    uses=(f"{_MAKE_FX}(f, *, decomposition_table, tracing_mode, _allow_non_fake_inputs)",),
)


def traced(
    call: Callable[..., Any], values: Sequence[Any], table: Mapping[Any, Any] | None
) -> fx.GraphModule:
    """The graph of a call with these values; operators in `table` are decomposed."""
    from torch.fx.experimental.proxy_tensor import make_fx

    decompositions = None if table is None else dict(table)
    if not FEATURE.is_usable():
        return make_fx(call, decomposition_table=decompositions, tracing_mode="real")(*values)
    return make_fx(
        call, decomposition_table=decompositions, tracing_mode="real", _allow_non_fake_inputs=True
    )(*values)
