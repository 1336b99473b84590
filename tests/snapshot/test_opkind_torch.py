"""The table of op kinds against what torch says of its ops."""

from __future__ import annotations

import torch

from exir_viz.snapshot.opkind import OpKind, op_kind
from exir_viz.snapshot.records import Target, TargetType

# torch tags them by how they are computed; for a reader they move data, or reduce.
_TAGGED_POINTWISE = {"clone": OpKind.COPY, "max": OpKind.REDUCE, "min": OpKind.REDUCE}


def _ops(tag: torch.Tag) -> dict[str, OpKind]:
    """The kind of every ATen op that has a tag, by name."""
    found = {}
    for full in sorted(torch._C._dispatch_get_all_op_names()):
        namespace, _, name = full.partition("::")
        name, _, overload = name.partition(".")
        packet = getattr(torch.ops.aten, name, None) if namespace == "aten" else None
        op = getattr(packet, overload or "default", None)
        if op is not None and tag in op.tags:
            target = Target(TargetType.OP, str(op), "aten", name, overload or "default")
            found[name] = op_kind("call_function", target)
    return found


def test_pointwise_ops() -> None:
    kinds = _ops(torch.Tag.pointwise)
    assert len(kinds) > 200
    odd = {name: kind for name, kind in kinds.items() if kind is not OpKind.POINTWISE}
    assert odd == _TAGGED_POINTWISE


def test_reductions() -> None:
    kinds = _ops(torch.Tag.reduction)
    assert len(kinds) > 10
    assert {name for name, kind in kinds.items() if kind is not OpKind.REDUCE} == set()


def test_every_core_op_has_a_kind() -> None:
    kinds = _ops(torch.Tag.core)
    assert len(kinds) > 150
    assert {name for name, kind in kinds.items() if kind is OpKind.OTHER} == set()
