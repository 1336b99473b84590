"""What torch's draft_export finds: it goes on after a problem, and reports all of them, and a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.errors import ExportFailed
from exir_viz.snapshot import Snapshot
from exir_viz.stages.output_capture import discarded_output
from exir_viz.torch_internals.export import DraftFailure, draft_failures, logged_failures

from .blockers import blocker, of_wrong_fake_kernel
from .records import Blocker, Fix

if TYPE_CHECKING:
    import torch

_DRAFT: Final = "draft"
_REASONS: Final = {
    "DATA_DEPENDENT_ERROR": "Could not guard on data-dependent expression {}",
    "MISSING_FAKE_KERNEL": "UnsupportedOperatorException: {}",
    "MISMATCHED_FAKE_KERNEL": "Mismatched fake kernel: {}",
    "GUARD_ADDED": "Constraints violated: a guard was added, {}",
}


def draft_blockers(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    dynamic_shapes: Any,
    notes: list[str],
) -> tuple[list[Blocker], Snapshot | None]:
    """The blockers of draft_export, and its program. If it fails itself, that is the last blocker."""
    import torch

    from exir_viz.readers.exporting import failure, no_marks_on_tensors

    name = type(module).__name__
    before: list[DraftFailure] = []
    try:
        with discarded_output(), no_marks_on_tensors((args, kwargs)), logged_failures() as before:
            program = torch.export.draft_export(module, args, dict(kwargs), dynamic_shapes=dynamic_shapes)
    except Exception as error:  # noqa: BLE001  # torch raises what it likes here: it is reported
        notes.append(f"draft_export fails too: {type(error).__name__}: {error}")
        last = blocker(failure(module, error), _DRAFT, "")
        return [*_blockers(name, before), *([last] if last.line else [])], None
    from exir_viz.readers.live import capture_programs

    snapshot = capture_programs(name, {"forward": program}, None)
    return list(_blockers(name, draft_failures(program))), snapshot


def _blockers(module: str, failures: Iterable[DraftFailure]) -> Iterator[Blocker]:
    for one in failures:
        reason = _REASONS.get(one.kind, "{}").format(one.subject.replace("::", "."))
        error = ExportFailed(module, reason, file=one.file, line=one.line, code=one.code)
        found = blocker(error, _DRAFT, "")
        if one.kind == "MISMATCHED_FAKE_KERNEL":
            found = of_wrong_fake_kernel(found)
        if one.shapes:
            fix = Fix("Export with the dynamic shapes that hold", f"dynamic_shapes = {one.shapes}")
            found = replace(found, fixes=(fix,))
        yield found
