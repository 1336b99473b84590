"""Capture the output of programs that ExecuTorch starts: they do not write to Python's streams.

Why: ExecuTorch makes its files with flatc. If flatc fails, the error only quotes the call; the reason is in
flatc's output. ExecuTorch starts it with `subprocess.run`, which is replaced meanwhile.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

from .features import Feature, Note

FEATURE: Final = Feature(
    name="subprocess_output",
    purpose="Show what flatc writes as notices and as the reason why a step failed",
    without="What flatc writes goes to the terminal and is not among the notices of a stage.",
    uses=("subprocess.run(command, *, stdout, stderr, check)",),
    attributes=("executorch.exir._serialize._flatbuffer.subprocess.run",),
)
_GIVEN: Final = ("stdout", "stderr", "capture_output")

FinishedProcess = subprocess.CalledProcessError | subprocess.CompletedProcess[Any]


@contextmanager
def captured_programs(note: Note, thread: int) -> Iterator[None]:
    """Pass the output of `subprocess.run` to `note`, for calls of `thread` that do not capture it."""
    if not FEATURE.is_usable():
        yield
        return
    run: Any = subprocess.run

    def run_captured(*args: Any, **options: Any) -> Any:
        if threading.get_ident() != thread or any(options.get(name) for name in _GIVEN):
            return run(*args, **options)
        try:
            done = run(*args, **options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.CalledProcessError as error:
            _note_lines(note, error)
            raise
        _note_lines(note, done)
        return done

    subprocess.run = run_captured
    try:
        yield
    finally:
        subprocess.run = run


def program_of(ran: FinishedProcess) -> str:
    """The name of the program that ran."""
    call = ran.cmd if isinstance(ran, subprocess.CalledProcessError) else ran.args
    return Path(str(call[0] if isinstance(call, list | tuple) else call)).name


def written_by(ran: FinishedProcess) -> list[str]:
    """The lines of its output. A file in a temporary folder, gone by now, is named without the folder."""
    out = ran.stdout or b""
    text = out if isinstance(out, str) else out.decode(errors="replace")
    text = re.sub(rf"{re.escape(gettempdir())}[\\/](?:[^\s\\/]+[\\/])*", "", text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def _note_lines(note: Note, ran: FinishedProcess) -> None:
    for line in written_by(ran):
        note(program_of(ran), line)
