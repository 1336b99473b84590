"""Checks a path that the user typed into the page. Never overwrites a file silently."""

from __future__ import annotations

from pathlib import Path

from exir_viz.errors import ExirVizError
from exir_viz.snapshot.file_writing import find_place


def output_path(text: str, ending: str, replace: bool) -> Path:
    """The path to write to, relative to the kernel's working directory; a missing ending is added.

    Raises if the path is no place for a file, or if a file is there that must not be replaced.
    """
    if not text.strip():
        raise ExirVizError(f"Name the file to write, such as model{ending}.")
    path = Path(text.strip()).expanduser()
    if not path.suffix:
        path = path.with_suffix(ending)
    if path.suffix != ending:
        raise ExirVizError(f"Cannot write {path.name!r}: the name must end in {ending}.")
    find_place(path)
    if path.exists() and not replace:
        raise ExirVizError(f"{str(path)!r} already exists. Choose another name, or replace it.")
    return path
