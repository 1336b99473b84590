"""Load a program into the ExecuTorch runtime from bytes.

Why: the public `executorch.runtime` runs one method by name, and always copies its outputs: the run itself
could not be timed separately. And it imports the compiler, which takes four seconds of a processor, for the
class of one warning.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="runtime_loading",
    purpose="Run and time programs in the ExecuTorch runtime",
    without="The ExecuTorch runtime cannot be used; profile with executor='cpu'.",
    uses=("executorch.extension.pybindings.portable_lib._load_for_executorch_from_buffer",),
)
_BINDINGS: Final = "executorch.extension.pybindings.portable_lib"
_COMPILER: Final = "executorch.exir"


def import_bindings() -> None:
    """Import the runtime's bindings without the compiler, in a process that only runs programs.

    Bindings that need more of the compiler than its warnings import the whole compiler.
    """
    import torch  # noqa: F401  its libraries are those of the bindings

    if _COMPILER not in sys.modules:
        with _compiler_as_folder(), contextlib.suppress(ImportError, AttributeError):
            importlib.import_module(_BINDINGS)
    importlib.import_module(_BINDINGS)


@contextlib.contextmanager
def _compiler_as_folder() -> Iterator[None]:
    """In the block `executorch.exir` is a package whose code has not run; afterwards it is not imported."""
    import executorch

    folder = ModuleType(_COMPILER)
    folder.__path__ = [str(Path(root, "exir")) for root in executorch.__path__]
    sys.modules[_COMPILER] = folder
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name == _COMPILER or name.startswith(f"{_COMPILER}.")]:
            del sys.modules[name]


def loaded(data: bytes) -> Any:
    """A program in the runtime; raises UnsupportedTorch if the runtime's bindings have changed."""
    FEATURE.required()
    from executorch.extension.pybindings import portable_lib

    return portable_lib._load_for_executorch_from_buffer(data)
