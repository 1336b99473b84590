"""What a reader of a `.pte` must know: what was inferred, and what the file does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.format import byte_text
from exir_viz.upgrade_hint import upgrade_hint

from .container import Container, is_external
from .dataflow import Dataflow
from .schema import ExecutionPlan, KernelTypes, Tensor, TensorShapeDynamism

_REFERENCES = (
    "A .pte does not mark which arguments an instruction writes. References between nodes, "
    "memory lifetimes and outputs are inferred from the order of the instructions and "
    "ExecuTorch's emitter rules."
)
_NAMES = "A .pte has no node names: they are made from the operator and the instruction number."
_VIEWS = "Views of static shape are not instructions. A view node is shown where two values share memory."
_JUMPS = (
    "Control flow is stored as jumps. After a branch, a reference goes to the last "
    "instruction that wrote the value, whichever branch ran. Values carried between loop "
    "iterations are not drawn."
)
_BUFFERS = (
    "A .pte does not mark mutable buffers. They are inferred: planned tensors that precede "
    "the inputs, have initial data, or are read before they are written."
)
_DYNAMIC = "Sizes of dynamic tensors are upper bounds: a .pte has no symbolic sizes."
_DELEGATES = (
    "A .pte does not list the ops that were delegated, only what the backend made of them. Which "
    "arguments of a delegate are outputs is inferred, unless its payload says so: the last ones that are not "
    "written before."
)
_EXTERNAL = "Constants stored in another file (.ptd) were not read."


def explain_plan(
    builder: SnapshotBuilder,
    plan: ExecutionPlan,
    values: Sequence[KernelTypes],
    flow: Dataflow,
    unread: Sequence[str],
) -> None:
    """Say of one plan what applies to it."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    steps = [step for chain in flow.chains for step in chain]
    texts = {
        ("pte-references", _REFERENCES): bool(steps),
        ("pte-names", _NAMES): bool(steps),
        ("pte-views", _VIEWS): bool(flow.views),
        ("pte-jumps", _JUMPS): any(step.jump is not None for step in steps),
        ("pte-buffers", _BUFFERS): bool(flow.buffers),
        ("pte-dynamic", _DYNAMIC): any(one.shape_dynamism != TensorShapeDynamism.STATIC for one in tensors),
        ("pte-delegates", _DELEGATES): bool(plan.delegates),
        ("pte-external", _EXTERNAL): any(map(is_external, tensors)),
        ("pte-chains", "Instruction chains are shown one after the other."): len(plan.chains) > 1,
    }
    for (code, text), applies in texts.items():
        if applies:
            builder.notice(code, text)
    for reason in unread:
        builder.notice("pte-pytree", f"The container of inputs or outputs was not read: {reason}.")


def explain_file(builder: SnapshotBuilder, container: Container) -> None:
    """Say of the file what lies beside its methods."""
    program = container.program
    if program.segments:
        data = byte_text(container.segment_bytes)
        builder.notice(
            "pte-segments", f"Segments of data after the program: {len(program.segments)}, {data}."
        )
    if program.version:
        builder.notice(
            "pte-version",
            f"The program is of schema {program.version}, and this exir_viz knows 0. New fields are "
            f"not shown. {upgrade_hint()}",
        )
    for table, field in sorted(container.unknown):
        builder.notice(
            "pte-unknown",
            f"A newer ExecuTorch wrote field {field} of {table}: it is not shown. {upgrade_hint()}",
        )
