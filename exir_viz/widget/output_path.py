"""Checks a path that the user typed into the page. Never overwrites a file silently."""

from __future__ import annotations

from collections.abc import Sequence
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


def output_folder(text: str, files: Sequence[str], replace: bool) -> Path:
    """The folder to write files to, relative to the kernel's working directory.

    Raises if the path is no place for a folder, or if it has one of the files that must not be replaced.
    """
    if not text.strip():
        raise ExirVizError("Name the folder to write to, such as reproducer.")
    folder = Path(text.strip()).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ExirVizError(f"{str(folder)!r} is a file. Name a folder.")
    if not folder.exists():
        find_place(folder)
    there = next((name for name in files if (folder / name).exists()), None)
    if there is not None and not replace:
        raise ExirVizError(f"{str(folder / there)!r} already exists. Choose another folder.")
    return folder
