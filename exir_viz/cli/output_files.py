"""Check output paths before any work: the folder must exist, and an input must not be overwritten.

A program is overwritten only by a program of its kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

from exir_viz.errors import ExirVizError
from exir_viz.readers.files import kind_at
from exir_viz.snapshot.file_writing import find_place

from .terminal import WrongCall


def output_file_type(*endings: str) -> Callable[[str], Path]:
    """The type of an option for an output file, whose name must have one of these endings."""

    def named(text: str) -> Path:
        if Path(text).suffix not in endings:
            raise argparse.ArgumentTypeError(f"the name must end in {', '.join(endings)}: {text!r} does not")
        return Path(text)

    return named


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise ExirVizError before anything is read."""
    paths = [*_written(arguments)]
    for path in paths:
        find_place(path)
    _check_apart(paths)
    for path in paths:
        if not path.is_file():
            continue
        if any(read.exists() and read.samefile(path) for read in (arguments.file, *_others(arguments))):
            raise ExirVizError(f"Will not overwrite {path.name!r}: it is an input. Name another file.")
        kind = kind_at(path)
        if kind and not (path.suffix == kind and kind in arguments.writes):
            raise ExirVizError(
                f"Will not overwrite {path.name!r}: it holds a program of another kind. Name another file "
                "to write, or remove it first."
            )


def _check_apart(paths: list[Path]) -> None:
    for one, other in combinations(paths, 2):
        is_linked = one.exists() and other.exists() and one.samefile(other)
        if is_linked or one.resolve() == other.resolve():
            raise WrongCall(f"{str(one)!r} and {str(other)!r} are the same file. Name two different files.")


def _written(arguments: argparse.Namespace) -> Iterator[Path]:
    paths = (getattr(arguments, name, None) for name in ("output", "html"))
    return (path for path in paths if path is not None)


def _others(arguments: argparse.Namespace) -> list[Path]:
    return getattr(arguments, "others", [])
