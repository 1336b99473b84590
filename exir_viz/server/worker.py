"""The process that reads files for the server: `python -P -m exir_viz.server.worker`.

A task as JSON enters on stdin. The answer, or a Problem as JSON, leaves on stdout, and the exit code says
which. The process sets its own limits before it reads anything. The server reports any other end of the
process.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec

ANSWERED: Final = 0
REFUSED: Final = 3
# Modules that are imported when a file needs them.
_IMPORTED_LATER: Final = (
    "exir_viz.reports.rules.edge_dtypes",
    "exir_viz.compare.explanations.side_by_side",
    "exir_viz.compare.values.values",
    "exir_viz.measure.profilable",
    "exir_viz.readers.archive.read",
    "exir_viz.readers.etrecord",
    "exir_viz.readers.flatbuffer.container",
    "exir_viz.readers.library_files",
    "exir_viz.readers.payloads.reader",
    "exir_viz.readers.payloads.xnnpack",
    "exir_viz.reports.source",
    "exir_viz.server.answers",
    "exir_viz.stages.session",
    "exir_viz.stages.session_file",
    *(
        f"exir_viz.stages.steps.{step}"
        for step in ("backend", "decompose", "edge", "executorch", "quantize", "reexport", "transform")
    ),
)


class Task(msgspec.Struct, frozen=True):
    """Which files to read: one to show, or two to compare. `memory` and `answer` are limits in bytes.

    page: whether the answer is a page that opens anywhere, or the explorer's data.
    stages: the ids of two stages of one file, to compare them.
    root: the folder that the files are in. Below it no symbolic link is followed: what Jupyter's server
    checked may be another file by now.
    """

    paths: tuple[str, ...]
    memory: int
    answer: int
    page: bool = False
    stages: tuple[str, ...] = ()
    root: str = ""


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
    from exir_viz.reports.registry import about, names

    for name in _IMPORTED_LATER:
        import_module(name)
    for report in names():
        about(report)  # it imports the report, and says so where that fails


@contextmanager
def opened(paths: Sequence[Path], root: str) -> Iterator[Sequence[Path]]:
    """Paths of the same names and folders that lead to files opened once, below `root`.

    Windows has no such way to open files: there the paths stay as they are.
    """
    if not root or os.open not in os.supports_dir_fd:
        yield paths
        return
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        found = []
        for number, path in enumerate(paths):
            handle = open_below(root, path)
            kept.callback(os.close, handle)
            link = folder / str(number) / path.parent.name / path.name
            link.parent.mkdir(parents=True)
            if Path("/proc/self/fd").exists():
                link.symlink_to(f"/proc/self/fd/{handle}")
            else:  # where /dev/fd is another thing: every file there has one position
                with os.fdopen(os.dup(handle), "rb") as source, link.open("wb") as copy:
                    shutil.copyfileobj(source, copy)
            found.append(link)
        yield found


def open_below(root: str, path: Path) -> int:
    """A descriptor of a file in a folder; OSError where any part of its path below is a symbolic link."""
    *folders, name = path.relative_to(root).parts
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = inner
        # a pipe would wait for its other end
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)


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
            with opened(paths, task.root) as files:
                data = paused(answer)(*files, *task.stages)
        except (MemoryError, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.ENOMEM:
                raise
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
