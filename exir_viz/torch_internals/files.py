"""Files of torch and ExecuTorch: `.pte`, ETDump, and why a `.pt2` cannot be loaded."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from .features import Feature

# Read and write `.pte` files as ExecuTorch's own objects.
#
# Why: to time each delegate separately, a program is split into many methods and written again. Reading
# only (`exir_viz.load`) does not need this.

_MODULE: Final = "executorch.exir._serialize._program"

PTE_FILES: Final = Feature(
    name="pte_files",
    purpose="Profile a .pte file",
    without="A .pte file cannot be profiled; exir_viz.load(path) reads it.",
    uses=(
        f"{_MODULE}.deserialize_pte_binary(program_data)",
        f"{_MODULE}.serialize_pte_binary(pte_file)",
        f"{_MODULE}.PTEFile(program, mutable_data, named_data)",
    ),
)


def read_pte(data: bytes) -> Any:
    """The file as ExecuTorch's PTEFile; raises UnsupportedTorch if ExecuTorch cannot read it."""
    PTE_FILES.required()
    from executorch.exir._serialize._program import deserialize_pte_binary

    return deserialize_pte_binary(data)


def operators_of(data: bytes) -> frozenset[str] | None:
    """The operators that a file calls; None where ExecuTorch cannot read it."""
    if not PTE_FILES.is_usable():
        return None
    return frozenset(
        f"{operator.name}.{operator.overload}" if operator.overload else operator.name
        for plan in read_pte(data).program.execution_plan
        for operator in plan.operators
    )


def write_pte(program: Any, mutable_data: Any, named_data: Any) -> bytes:
    """The bytes of a file."""
    PTE_FILES.required()
    from executorch.exir._serialize._program import PTEFile, serialize_pte_binary

    return bytes(serialize_pte_binary(PTEFile(program, mutable_data, named_data)))


# Read an ETDump: the times recorded by a runtime with the event tracer.
#
# Why: ExecuTorch's public Inspector keeps only the last call of an instruction in a loop; its reader has all.

ETDUMP_FILES: Final = Feature(
    name="etdump_files",
    purpose="Read the times in an ETDump",
    without="An ETDump cannot be read.",
    uses=("executorch.devtools.inspector._inspector_utils.gen_etdump_object(*, etdump_data)",),
)


def read_etdump(data: bytes) -> Any:
    """The file's content; raises UnsupportedTorch if ExecuTorch's reader has changed."""
    ETDUMP_FILES.required()
    from executorch.devtools.inspector._inspector_utils import gen_etdump_object

    return gen_etdump_object(etdump_data=data)


# Why torch.export.load failed: it logs the reason with a traceback, and then raises a general error.
#
# Why: only the logged error says which class or operator is not registered. It is taken from the logger
# "torch.export"; if nothing is logged there, the raised error is shown. What else torch logs is shown only if
# the file is loaded: otherwise our error says more.

LOAD_LOGS: Final = Feature(
    name="load_logs",
    purpose="Say why torch.export.load failed",
    without="torch's own error of a failed load is shown, without its cause.",
    uses=("logging.Logger.addFilter(self, filter)",),
    attributes=("torch.export.log",),
)


class LoggedErrors(logging.Filter):
    """Removes from the log, and keeps, the last error and all other records."""

    def __init__(self) -> None:
        super().__init__()
        self.found: BaseException | None = None
        self.others: list[logging.LogRecord] = []

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            self.found = record.exc_info[1]
        else:
            self.others.append(record)
        return False


@contextmanager
def logged_errors() -> Iterator[LoggedErrors]:
    """The errors that torch.export logs within the block; its other records are logged if it succeeds."""
    errors = LoggedErrors()
    if not LOAD_LOGS.is_usable():
        yield errors
        return
    log = logging.getLogger("torch.export")
    log.addFilter(errors)
    try:
        yield errors
    finally:
        log.removeFilter(errors)
    for record in errors.others:
        log.handle(record)
