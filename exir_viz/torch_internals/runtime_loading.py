"""Load a program into the ExecuTorch runtime from bytes.

Why: the public `executorch.runtime` runs one method by name, and always copies its outputs: the run itself
could not be timed separately.
"""

from __future__ import annotations

from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="runtime_loading",
    purpose="Run and time programs in the ExecuTorch runtime",
    without="The ExecuTorch runtime cannot be used; profile with executor='cpu'.",
    uses=("executorch.extension.pybindings.portable_lib._load_for_executorch_from_buffer",),
)


def loaded(data: bytes) -> Any:
    """A program in the runtime; raises UnsupportedTorch if the runtime's bindings have changed."""
    FEATURE.required()
    from executorch.extension.pybindings import portable_lib

    return portable_lib._load_for_executorch_from_buffer(data)
