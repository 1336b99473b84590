"""Read an ETDump: the times recorded by a runtime with the event tracer.

Why: ExecuTorch's public Inspector keeps only the last call of an instruction in a loop; its reader has all.
"""

from __future__ import annotations

from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="etdump_files",
    purpose="Read the times in an ETDump",
    without="An ETDump cannot be read.",
    uses=("executorch.devtools.inspector._inspector_utils.gen_etdump_object(*, etdump_data)",),
)


def read_etdump(data: bytes) -> Any:
    """The file's content; raises UnsupportedTorch if ExecuTorch's reader has changed."""
    FEATURE.required()
    from executorch.devtools.inspector._inspector_utils import gen_etdump_object

    return gen_etdump_object(etdump_data=data)
