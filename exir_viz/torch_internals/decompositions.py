"""Decompositions: rules, composite operators, and previews."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch import fx

# Composite operators: list them, and keep them whole while one call is decomposed.
#
# Why: a preview of one decomposed call must keep the composite operators that the rule calls, as
# `run_decompositions` keeps operators that are not named. torch's functions for that are private.

COMPOSITE_OPERATORS: Final = Feature(
    name="composite_operators",
    purpose="Preview one decomposed call with all other composite operators kept whole",
    without="A preview decomposes all composite operators, not only the requested one.",
    uses=(
        "torch._export.utils._collect_all_valid_cia_ops()",
        "torch._export.utils._special_op_to_preserve_cia",
        "torch.export.exported_program._override_composite_implicit_decomp(cia_ops_to_callable)",
        "torch._dispatch.python.enable_python_dispatcher()",
    ),
)


def composite_ops() -> frozenset[Any]:
    """The composite operators that torch can keep whole on request; none if this is unknown."""
    return _collected() if COMPOSITE_OPERATORS.available() is None else frozenset()


@cache
def _collected() -> frozenset[Any]:
    from torch._export.utils import _collect_all_valid_cia_ops

    return frozenset(_collect_all_valid_cia_ops())


@contextmanager
def kept_whole(but: Any) -> Iterator[None]:
    """Keep all composite operators whole except one."""
    if not COMPOSITE_OPERATORS.is_usable():
        yield
        return
    from torch._dispatch.python import enable_python_dispatcher
    from torch._export.utils import _special_op_to_preserve_cia
    from torch.export.exported_program import _override_composite_implicit_decomp

    kept = dict.fromkeys(composite_ops() - {but}, _special_op_to_preserve_cia)
    with _override_composite_implicit_decomp(kept), enable_python_dispatcher():
        yield


# torch's table of all decompositions. Core ATen's public table is a part of it.
#
# Why: "decompose exactly these operators" works for every operator that torch has a rule for.

DECOMPOSITION_RULES: Final = Feature(
    name="decomposition_rules",
    purpose="Decompose operators that are outside the table of Core ATen",
    without="Only operators in the table of Core ATen can be decomposed.",
    uses=("torch._decomp.decomposition_table.get(op)",),
)


def any_rule_of(op: Any) -> Any:
    """The decomposition of an operator in torch's whole table; None without any."""
    if not DECOMPOSITION_RULES.is_usable():
        return None
    from torch._decomp import decomposition_table

    return decomposition_table.get(op)


# What functionalization makes of an operator.
#
# Why: in-place operators, and composite ones that torch cannot keep, have no rule in any table. Their preview
# is their functionalization.

FUNCTIONALIZATION: Final = Feature(
    name="functionalization",
    purpose="Preview an operator that functionalization decomposes",
    without="Operators that functionalization decomposes have no preview.",
    uses=("torch._subclasses.functional_tensor.dispatch_functionalize(func)",),
)


def functionalized(op: Any) -> Any:
    """The operator as functionalization runs it, as a callable.

    Raises UnsupportedTorch if torch does not expose it.
    """
    FUNCTIONALIZATION.required()
    from torch._subclasses.functional_tensor import dispatch_functionalize

    return dispatch_functionalize(op)


# Trace one call to a graph, with its fake values and its real constants.
#
# Why: a node of a program takes fake tensors, and constants that are real. make_fx refuses this mixture
# unless a private option allows it.

_MAKE_FX: Final = "torch.fx.experimental.proxy_tensor.make_fx"

CALL_TRACING: Final = Feature(
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
    if not CALL_TRACING.is_usable():
        return make_fx(call, decomposition_table=decompositions, tracing_mode="real")(*values)
    return make_fx(
        call, decomposition_table=decompositions, tracing_mode="real", _allow_non_fake_inputs=True
    )(*values)
