"""The ExecuTorch runtime: load programs, list its kernels, set its threads."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from .features import Feature

# Load a program into the ExecuTorch runtime from bytes.
#
# Why: the public `executorch.runtime` runs one method by name, and always copies its outputs: the run itself
# could not be timed separately. And it imports the compiler, which takes four seconds of a processor, for the
# class of one warning.

RUNTIME_LOADING: Final = Feature(
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
    RUNTIME_LOADING.required()
    from executorch.extension.pybindings import portable_lib

    return portable_lib._load_for_executorch_from_buffer(data)


# Which kernels the installed ExecuTorch runtime has.
#
# Why: the runtime reports a missing kernel by a number. Its list of kernels shows which operator it is.

RUNTIME_KERNELS: Final = Feature(
    name="runtime_kernels",
    purpose="Name the operators that the installed runtime has no kernel for",
    without="Where a program does not run, the operators without a kernel are not named.",
    uses=("executorch.extension.pybindings.portable_lib._get_operator_names",),
)


def kernel_names() -> frozenset[str] | None:
    """The operators for which the runtime has a kernel; None if unknown."""
    if not RUNTIME_KERNELS.is_usable():
        return None
    from executorch.extension.pybindings import portable_lib

    return frozenset(portable_lib._get_operator_names())


# The number of threads of the ExecuTorch runtime.
#
# Why: a profile uses one thread unless the user asks for more. The bindings have no public way to set it.

RUNTIME_THREADS: Final = Feature(
    name="runtime_threads",
    purpose="Profile in the ExecuTorch runtime with a number of threads",
    without=("threads= has no effect on the ExecuTorch runtime, which chooses the number of threads itself."),
    uses=(f"{_BINDINGS}._threadpool_get_thread_count", f"{_BINDINGS}._unsafe_reset_threadpool"),
)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Set the size of the runtime's thread pool in the block, and restore it afterwards."""
    if not RUNTIME_THREADS.is_usable():
        yield
        return
    from executorch.extension.pybindings import portable_lib

    before = portable_lib._threadpool_get_thread_count()
    portable_lib._unsafe_reset_threadpool(count)
    try:
        yield
    finally:
        portable_lib._unsafe_reset_threadpool(before)
