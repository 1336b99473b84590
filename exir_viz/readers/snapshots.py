"""The Snapshot of whatever a verb is called with: a file, a stage, a live program, or a module to export."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from exir_viz.extras import needs_extra
from exir_viz.snapshot import Snapshot

from .accepted_inputs import check_inputs_unused
from .files import recorded

if TYPE_CHECKING:
    import torch

# How a verb exports a module with inputs and options.
Export = Callable[["torch.nn.Module", tuple[Any, ...], Mapping[str, Any]], Snapshot]


def snapshot_of(
    verb: str,
    x: object,
    args: tuple[Any, ...],
    export: Mapping[str, Any],
    exported: Export | None = None,
) -> Snapshot:
    """The Snapshot; inputs and options are for a module only, which is captured, or read by `exported`."""
    given = {"args": args, **export}
    kept = recorded(x)
    if kept is not None:
        check_inputs_unused(verb, x, given)
        return kept
    needs_extra(f"{verb}() of a live program", "torch")
    from .live import capture

    if is_exported(x):
        return capture(x, *args, **export) if exported is None else exported(x, args, export)
    check_inputs_unused(verb, x, given)
    return capture(x)


def is_exported(x: object) -> TypeGuard[torch.nn.Module]:
    """Whether it is a module that must be exported, no graph yet. No such module exists before torch does."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.nn.Module) and not isinstance(x, torch.fx.GraphModule)
