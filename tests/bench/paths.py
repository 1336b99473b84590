"""Where the benchmark's files are, without importing torch to find them."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(os.environ.get("EXIR_VIZ_CORPUS", Path(__file__).resolve().parents[2] / ".cache" / "corpus"))


def archive_path(name: str) -> Path:
    return FOLDER / f"{name}.pt2"
