"""Where the benchmark's programs are, without importing torch to find them."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.folder import FOLDER


def archive_path(name: str) -> Path:
    return FOLDER / f"{name}.pt2"
