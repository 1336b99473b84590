"""What code writes to the console: by Python, by C++ code, and by programs that it starts."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def console_lines() -> Iterator[list[str]]:
    """Collect the lines that are written to stdout and stderr (file descriptors 1 and 2) in the block."""
    lines: list[str] = []
    _flush()
    with tempfile.TemporaryFile() as file:
        before = os.dup(1), os.dup(2)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            _flush()
            for number, copy in enumerate(before, 1):
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            lines += [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
