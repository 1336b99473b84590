"""The lines at which TorchDynamo cannot trace a module, all of them.

Why: strict export fails at the first. torch._dynamo.explain goes on after each, and needs the options that
strict export sets, which are private.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from traceback import FrameSummary
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    import torch

FEATURE: Final = Feature(
    name="graph_breaks",
    purpose="Find the problems of a strict export that come after the first",
    without="Only the first problem of a strict export is found.",
    uses=(
        "torch._dynamo.explain(f)",
        "torch._dynamo.config.patch",
        "torch.export._trace.DEFAULT_EXPORT_DYNAMO_CONFIG",
    ),
)
# Strict export ignores these.
_IGNORED: Final = "attempted to reorder a debugging function"
_BRANCH: Final = "generic_jump"


def graph_breaks(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[tuple[str, list[FrameSummary]]]:
    """What TorchDynamo says of each break, and the stack of it. The module runs."""
    import torch._dynamo
    from torch.export._trace import DEFAULT_EXPORT_DYNAMO_CONFIG

    options = dataclasses.asdict(DEFAULT_EXPORT_DYNAMO_CONFIG)
    with torch._dynamo.config.patch(**options), torch.no_grad():
        found = torch._dynamo.explain(module)(*args, **kwargs)
    for one in found.break_reasons:
        if one.reason.startswith(_IGNORED) or not one.user_stack:
            continue
        is_branch = one.reason.startswith(_BRANCH)
        yield "Data-dependent branching" if is_branch else one.reason, list(one.user_stack)
