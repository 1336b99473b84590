"""Where a command can write, known before it works: in a folder that there is, and not over what it reads.

A program is written over only by a program of its kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from exir_viz.errors import ExirVizError
from exir_viz.readers.files import kind_at
from exir_viz.snapshot.writing import find_place


def check(arguments: argparse.Namespace) -> None:
    """Raises ExirVizError before anything is read."""
    for path in _written(arguments):
        find_place(path)
        if not path.is_file():
            continue
        if any(read.exists() and read.samefile(path) for read in (arguments.file, *_others(arguments))):
            raise ExirVizError(f"Will not write over {path.name!r}: it is read. Name another file to write.")
        kind = kind_at(path)
        if kind and not (path.suffix == kind and kind in arguments.writes):
            raise ExirVizError(
                f"Will not write over {path.name!r}: it holds a program, and this writes none of its kind. "
                "Name another file to write, or remove that one first."
            )


def _written(arguments: argparse.Namespace) -> Iterator[Path]:
    paths = (getattr(arguments, name, None) for name in ("output", "html"))
    return (path for path in paths if path is not None)


def _others(arguments: argparse.Namespace) -> list[Path]:
    return getattr(arguments, "others", [])
