"""Rules of the ATen dialects: which operators, which effects, which memory format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.operators import is_builtin, known_operators, not_core
from exir_viz.snapshot.opkind import ASSERTS, op_name
from exir_viz.snapshot.program import Dialect, InputKind
from exir_viz.snapshot.records import TargetType, TensorValue
from exir_viz.stages.steps.remedies import Remedy

from .rule import ATEN, CORE, EDGE, FUNCTIONAL, Break, Rule, Subject, exir, overview

# Functions of torch that its verifier allows in addition to operators: of numbers, and autograd modes.
_FUNCTIONS: Final = (
    *("torch.sym_", "torch._sym_", "torch.autograd.grad_mode.", "torch._C._set_grad_enabled"),
    *("torch.amp.autocast_mode.", "torch._functorch.predispatch.", "torch.export.custom_ops."),
    "torch.fx.experimental.symbolic_shapes.cast_symbool_to_symint_guardless",
)
_EDGE_TEXT: Final = "executorch.exir.dialects."
_MEMORY_FORMAT: Final = "The verifiers do not check memory formats at this dialect."


def _operators(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        target = node.target
        if target.type is TargetType.OP:
            if target.text.startswith(_EDGE_TEXT):
                yield Break(
                    node,
                    f"{node.name} calls the edge operator {op_name(target)} in an ATen program.",
                    "Call torch.ops.aten here; to_edge makes edge operators of these.",
                )
        elif target.type is TargetType.HIGHER_ORDER or is_builtin(target):
            continue
        elif not target.text.startswith(_FUNCTIONS):
            yield Break(
                node,
                f"{node.name} calls {target.text}, which is no operator.",
                "Register it as a custom operator with torch.library.custom_op, or call ATen operators.",
            )


def _meta_kernels(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if subject.facts_of(node).has_no_meta:
            yield Break(
                node,
                f"torch has no meta kernel for {op_name(node.target)}, so its result's shape is a guess.",
                "Register one: torch.library.register_fake.",
            )


def _contiguous(subject: Subject) -> Iterator[Break]:
    signature = subject.method.graph.signature
    for spec in () if signature is None else signature.inputs:
        name = spec.arg.name
        if spec.kind not in _FORMATTED or name not in subject.method.graph:
            continue
        node = subject.method.graph[name]
        value = node.value
        order = value.dim_order if isinstance(value, TensorValue) else None
        if order is not None and order != tuple(range(len(order))):
            what = f"{spec.kind.value.replace('_', ' ')} {spec.target or spec.path or name}"
            yield Break(
                node,
                f"The {what} has the dim order ({', '.join(map(str, order))}), not the contiguous one.",
                "Call .contiguous() on it before exporting.",
            )


_FORMATTED: Final = frozenset(
    (InputKind.USER_INPUT, InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
)


def _mutations(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if subject.facts_of(node).writes:
            yield Break(
                node,
                f"{node.name} calls {op_name(node.target)}, which writes to an argument.",
                "Call run_decompositions({}), or the functional form of the operator.",
            )


def _aliases(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        if subject.facts_of(node).is_alias:
            yield Break(
                node,
                f"{node.name} calls {op_name(node.target)}, whose result shares memory with its input.",
                f"Call {_copying(node.target.name)}, which the edge dialect has instead.",
            )


def _copying(name: str) -> str:
    copying = f"aten::{name}_copy"
    known = known_operators().view_copy
    found = any(one.partition(".")[0] == copying for one in known)
    return copying.replace("::", ".") if found else "an operator that copies"


def _core(subject: Subject) -> Iterator[Break]:
    """Whether it is an assertion. They compute nothing: every decomposition keeps them, and to_edge removes
    them.
    """
    for node in subject.calls():
        facts = subject.facts_of(node)
        if subject.dialect is Dialect.ATEN_CORE and node.target.name in ASSERTS:
            continue
        if facts.name and not facts.is_core and not facts.is_runtime:
            name = op_name(node.target)
            yield Break(
                node,
                f"{name} is not a Core ATen operator. to_edge decomposes it."
                if facts.decomposes
                else not_core(name),
                "Decompose it: run_decompositions(), or name it in decompose([…]). Keep it only if the "
                "backend or the runtime has a kernel for it."
                if facts.decomposes
                else Remedy.NOT_CORE,
            )


RULES: Final = (
    Rule(
        "aten-operators",
        "Calls are of ATen, higher-order or registered custom operators",
        Outcome.ERROR,
        ATEN,
        exir("ATen Dialect Properties, 1"),
        _operators,
    ),
    Rule(
        "meta-kernel",
        "Every operator has a meta kernel",
        Outcome.ERROR,
        ATEN,
        exir("ATen Dialect Properties, 2"),
        _meta_kernels,
        stricter="torch finds a missing meta kernel only while it exports.",
    ),
    Rule(
        "memory-format",
        "Inputs, parameters and buffers are contiguous",
        Outcome.WARNING,
        ATEN,
        exir("ATen Dialect Properties, 5"),
        _contiguous,
        stricter=_MEMORY_FORMAT,
    ),
    Rule(
        "no-mutation",
        "No operator writes to an argument",
        Outcome.ERROR,
        FUNCTIONAL,
        overview("Overview, graph properties"),
        _mutations,
    ),
    Rule(
        "no-aliasing",
        "No operator returns a view of its input",
        Outcome.WARNING,
        EDGE,
        overview("Overview, graph properties"),
        _aliases,
        stricter="ExecuTorch accepts views that Core ATen has, and copies them when it plans memory.",
    ),
    Rule(
        "core-aten",
        "Operators are of Core ATen",
        Outcome.ERROR,
        CORE | EDGE,
        overview("Export IR, Decompositions"),
        _core,
        stricter="torch's verifier allows every ATen operator. ExecuTorch's rejects those that to_edge does "
        "not decompose.",
    ),
)
