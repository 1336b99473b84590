"""Writing a file: whole or not at all, and in words where it cannot be. Every file of ours is written here.

What was there before stays until the new file is complete, and stays as it was where something goes wrong.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from exir_viz.errors import NotWritten


def write(path: str | os.PathLike[str], data: bytes | str) -> Path:
    """Write bytes, or text as UTF-8, and give the path back; raises NotWritten."""
    with replacing(path) as part:
        part.write_bytes(data.encode() if isinstance(data, str) else data)
    return Path(path)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write what takes the place of `path` when it is complete; raises NotWritten.

    A device or a pipe is written to as it is.
    """
    path = Path(path)
    find_place(path)
    if path.exists() and not path.is_file():
        with _in_words(path):
            yield path
        return
    with _in_words(path):
        target = path.resolve()  # what a link leads to is replaced, and not the link
        part = target.with_name(f".{secrets.token_hex(8)}.part{target.suffix[:16]}")
        try:
            part.touch(exist_ok=False)
            yield part
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def find_place(path: Path) -> None:
    """Raises NotWritten where a path is nowhere that a file can be, before anything is done for it."""
    with _in_words(path):
        wrong = _wrong_with(path)
    if wrong:
        raise NotWritten(str(path), *wrong)


def _wrong_with(path: Path) -> tuple[str, str] | None:
    """Why no file can be there, and what to do about it."""
    if "\0" in str(path):
        return "there is a NUL character in its name", "Name another file."
    if path.is_dir():
        return "it is a folder", "Name a file in it."
    if not path.parent.exists():
        return f"there is no folder {str(path.parent)!r}", "Create it, or name another."
    if not path.parent.is_dir():
        return f"{str(path.parent)!r} is a file, not a folder", "Name another folder."
    if path.exists() and not os.access(path, os.W_OK):
        return "it is write-protected", "Name another file, or change its permissions."
    return None


@contextlib.contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        hint = "Name another file, or free space or change permissions. The old file is unchanged."
        raise NotWritten(str(path), f"the system says {why!r}", hint) from error
