"""The export doctor: what keeps torch.export from exporting a module. Nothing here imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from exir_viz.extras import needs_extra
from exir_viz.options import by_name, flag, instance, named_options
from exir_viz.readers.accepted_inputs import arguments_of

from .diagnosis import Diagnosis

if TYPE_CHECKING:
    import torch


@named_options
def doctor(
    model: torch.nn.Module,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    draft: bool = False,
) -> Diagnosis:
    """Find everything that keeps a module from export: your lines, torch's reasons, and code to paste.

    The module is exported both ways, strict and not. If that fails, the export goes on with the values of the
    example inputs, so that all problems of a run are found together.

    Parameters
    ----------
    model
        The module. It is not changed.
    args, kwargs, dynamic_shapes
        Its example inputs and dynamic shapes, as for `load`.
    draft
        Also run torch's draft_export, which makes a graph to explore even if export fails. It is slow.

    Returns
    -------
    Diagnosis
        A sequence of blockers. Print it, or use `.can_export`, `.works`, `.frame`.

    Raises
    ------
    WrongArgument
        If `model` is no module.

    Examples
    --------
    >>> print(exir_viz.doctor(model, x))
    Export of Net: non-strict works, strict works; nothing to fix.
    """
    needs_extra("doctor()", "torch")
    import torch

    from .diagnose import diagnose

    module = instance("doctor", "model", model, torch.nn.Module)
    named, is_draft = by_name("doctor", "kwargs", kwargs), flag("doctor", "draft", draft)
    return diagnose(module, arguments_of(module, args, named), named, dynamic_shapes, is_draft=is_draft)
