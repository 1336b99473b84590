"""`%load_ext exir_viz`: a cell that ends with a program of torch or ExecuTorch shows a card of it.

Types are registered by name, so that neither torch nor ExecuTorch is imported for this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from exir_viz.errors import ExirVizError
from exir_viz.extras import is_installed
from exir_viz.snapshot import Snapshot

# Module and name of each type.
PROGRAM_TYPES: Final = (
    ("torch.export.exported_program", "ExportedProgram"),
    ("executorch.exir.program._program", "EdgeProgramManager"),
    ("executorch.exir.program._program", "ExecutorchProgramManager"),
)


def load_ipython_extension(ipython: Any) -> None:
    """Show cards from now on."""
    formatter = ipython.display_formatter.mimebundle_formatter
    has_page = getattr(ipython, "kernel", None) is not None
    for module, name in PROGRAM_TYPES:
        formatter.for_type_by_name(module, name, _card_bundle if has_page else _text_bundle)


def unload_ipython_extension(ipython: Any) -> None:
    """Show what torch and ExecuTorch print, as before."""
    formatter = ipython.display_formatter.mimebundle_formatter
    for module, name in PROGRAM_TYPES:
        formatter.pop(f"{module}.{name}", None)


def _text_bundle(program: object) -> Mapping[str, Any] | None:
    """For a terminal: the summary."""
    snapshot = _captured(program)
    return None if snapshot is None else {"text/plain": str(snapshot)}


def _card_bundle(program: object) -> object:
    snapshot = _captured(program)
    if snapshot is None:
        return None
    from .card import Card, card_html

    if is_installed("notebook"):
        return Card(program, snapshot)._repr_mimebundle_()
    return {"text/html": card_html(snapshot), "text/plain": str(snapshot)}


def _captured(program: object) -> Snapshot | None:
    """None for a program that cannot be captured: then IPython prints it as it would without us."""
    from exir_viz.readers.live import capture

    try:
        return capture(program)
    except ExirVizError:
        return None
