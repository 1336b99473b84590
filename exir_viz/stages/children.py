"""What programs say that a step starts: they write past Python's streams, to where the process does.

ExecuTorch makes its files with flatc. When that fails, the error quotes the call, and the reason is
what flatc wrote.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from exir_viz.stages.heard import Heard

_GIVEN: Final = ("stdout", "stderr", "capture_output")


@contextmanager
def overhearing_programs(heard: Heard, thread: int) -> Iterator[None]:
    """Take down what `subprocess.run` leaves to the terminal, where this thread calls it."""
    run: Any = subprocess.run

    def run_heard(*args: Any, **options: Any) -> Any:
        if threading.get_ident() != thread or any(options.get(name) for name in _GIVEN):
            return run(*args, **options)
        try:
            done = run(*args, **options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.CalledProcessError as error:
            _note(heard, error)
            raise
        _note(heard, done)
        return done

    subprocess.run = run_heard
    try:
        yield
    finally:
        subprocess.run = run


def program_of(ran: subprocess.CalledProcessError | subprocess.CompletedProcess[Any]) -> str:
    """The name of the program that ran."""
    call = ran.cmd if isinstance(ran, subprocess.CalledProcessError) else ran.args
    return Path(str(call[0] if isinstance(call, list | tuple) else call)).name


def written_by(ran: subprocess.CalledProcessError | subprocess.CompletedProcess[Any]) -> list[str]:
    """The lines that it wrote."""
    out = ran.stdout or b""
    text = out if isinstance(out, str) else out.decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _note(heard: Heard, ran: subprocess.CalledProcessError | subprocess.CompletedProcess[Any]) -> None:
    for line in written_by(ran):
        heard.note(program_of(ran), line)
