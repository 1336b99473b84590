"""The operators of a stage: how often each is called, and what decomposing it would do.

The facts come from torch at run time: its table, the operators' tags and their kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.stages.decomposition_tables import core_table, decomposition_of
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.records import OpRow
from exir_viz.stages.steps.failures import origin_of
from exir_viz.torch_internals.decompositions import composite_ops
from exir_viz.torch_internals.operators import has_composite_kernel

if TYPE_CHECKING:
    from torch import fx

    from exir_viz.stages.stage import Stage
    from exir_viz.torch_internals.operators import OpOverload

_MOST_NODES: Final = 20


def table(stage: Stage) -> tuple[OpRow, ...]:
    """One row for each operator, the most frequent first, equal counts by name."""
    if stage.live is None:
        raise NotPossible(f"Stage {stage.name!r} has no live program, so its operators cannot be decomposed.")
    return rows(stage.live)


def rows(live: LivePrograms) -> tuple[OpRow, ...]:
    """The same rows, for live programs."""
    from exir_viz.torch_internals.operators import OpOverload

    calls: dict[OpOverload, list[fx.Node]] = {}
    for node in _calls(live):
        if isinstance(node.target, OpOverload):
            calls.setdefault(node.target, []).append(node)
    found = [_row(op, nodes, live) for op, nodes in calls.items()]
    return tuple(sorted(found, key=lambda row: (-row.count, row.op)))


def _row(op: OpOverload, nodes: list[fx.Node], live: LivePrograms) -> OpRow:
    import torch

    return OpRow(
        op=str(op),
        count=len(nodes),
        decomposes=decomposition_of(op) is not None,
        in_core_table=op in core_table(),
        core=torch.Tag.core in op.tags,
        implicit=is_implicit(op),
        nodes=tuple(origin_of(node, live) for node in nodes[:_MOST_NODES]),
    )


def is_implicit(op: OpOverload) -> bool:
    """Whether functionalization replaces an operator: it writes in place, or it is composite and torch cannot
    keep it.

    torch keeps all composite operators that it can: those that its table decomposes, and a few of Core ATen.
    """
    from exir_viz.torch_internals.operators import is_mutable

    name = str(op.name())  # type: ignore[no-untyped-call]
    return is_mutable(op) or (
        has_composite_kernel(name) and op not in core_table() and op not in composite_ops()
    )


def _calls(live: LivePrograms) -> Iterator[fx.Node]:
    for program in live.programs.values():
        for module in program.graph_module.modules():
            for node in getattr(getattr(module, "graph", None), "nodes", ()):
                if node.op == "call_function":
                    yield node
