"""What the command reads from and writes to: files in, text out, progress on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import exir_viz
from exir_viz.snapshot.printable import printable

if TYPE_CHECKING:
    from exir_viz.snapshot import Snapshot


def load(path: Path) -> Snapshot:
    with progress(f"Reading {path.name}"):
        return exir_viz.load(path)


@contextmanager
def progress(what: str) -> Iterator[None]:
    """A line on the terminal while something runs; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{printable(what)} …")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")


def fail(message: str) -> int:
    print(f"exir-viz: {printable(message)}", file=sys.stderr)
    return 1
