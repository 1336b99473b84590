"""The process that reads files for the server: `python -P -m exir_viz.server.worker`.

A task as JSON enters on stdin. The answer, or a Problem as JSON, leaves on stdout, and the exit code says
which. The process sets its own limits before it reads anything. The server reports any other end of the
process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec

ANSWERED: Final = 0
REFUSED: Final = 3
# Modules that are imported when a file needs them.
_IMPORTED_LATER: Final = (
    "exir_viz.checks.edge_dtypes",
    "exir_viz.checks.page",
    "exir_viz.compare.explain.side_by_side",
    "exir_viz.compare.values.values",
    "exir_viz.lowering_readiness.assess",
    "exir_viz.lowering_readiness.op_facts",
    "exir_viz.measure.profilable",
    "exir_viz.quantization_report.page",
    "exir_viz.readers.archive.read",
    "exir_viz.readers.etrecord",
    "exir_viz.readers.flatbuffer.container",
    "exir_viz.readers.library_files",
    "exir_viz.readers.payloads.reader",
    "exir_viz.readers.payloads.xnnpack",
    "exir_viz.server.answers",
    "exir_viz.source_coverage.collect",
    "exir_viz.stages.session",
    "exir_viz.stages.session_file",
    *(
        f"exir_viz.stages.steps.{step}"
        for step in ("backend", "decompose", "edge", "executorch", "quantize", "reexport", "transform")
    ),
    "exir_viz.symbolic_shapes.page",
    "exir_viz.value_outcomes.read",
    "exir_viz.watched_export.export",
)


class Task(msgspec.Struct, frozen=True):
    """Which files to read: one to show, or two to compare. `memory` and `answer` are limits in bytes.

    page: whether the answer is a page that opens anywhere, or the explorer's data.
    stages: the ids of two stages of one file, to compare them.
    """

    paths: tuple[str, ...]
    memory: int
    answer: int
    page: bool = False
    stages: tuple[str, ...] = ()


def main() -> int:
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    # stdout is for the answer only
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit(task)
    code, data = perform(task)
    with out:
        out.write(data)
    return code


def limit(task: Task) -> None:
    """Limit the memory that this process may allocate, except mapped files. Windows has no such limit."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = task.memory if hard == resource.RLIM_INFINITY else min(task.memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def prepare() -> None:
    """Import what answers need, so that the first file opens as fast as the next."""
    for name in _IMPORTED_LATER:
        import_module(name)


def perform(task: Task) -> tuple[int, bytes]:
    """The exit code and the output."""
    from exir_viz.errors import FileError, FileTooLarge
    from exir_viz.snapshot.gc_pause import paused

    from .answers import Problem, diff_answer, page_answer, problem_of, program_answer, stages_answer

    answer: Callable[..., bytes] = stages_answer
    if not task.stages:
        answer = page_answer if task.page else program_answer if len(task.paths) == 1 else diff_answer
    paths = [Path(path) for path in task.paths]
    try:
        try:
            with paused():
                data = answer(*paths, *task.stages)
        except MemoryError:
            raise FileTooLarge(paths[0].name, f"reading it takes more than {task.memory:,} bytes") from None
        except RecursionError:
            raise FileTooLarge(paths[0].name, "its parts are nested too deeply") from None
        if len(data) > task.answer:
            raise FileTooLarge(
                paths[0].name, f"its graph has {len(data):,} bytes, the limit is {task.answer:,}"
            )
    except FileError as error:
        return REFUSED, msgspec.json.encode(problem_of(error))
    except OSError as error:
        name = Path(error.filename).name if error.filename else " and ".join(path.name for path in paths)
        remedy = "Check that it is still there and that you may read it."
        return REFUSED, msgspec.json.encode(Problem(name, error.strerror or str(error), remedy))
    return ANSWERED, data


if __name__ == "__main__":
    sys.exit(main())
