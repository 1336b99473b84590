"""A Profile's frame for other tools: CSV, Parquet."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.errors import MissingTool
from exir_viz.snapshot.writing import write

if TYPE_CHECKING:
    import pandas as pd

    from .profile import Profile


def to_csv(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as CSV in UTF-8."""
    return write(path, profile.frame.to_csv(index=False, lineterminator="\n"))


def to_parquet(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as Parquet, which needs pyarrow: pip install 'exir-viz[parquet]'."""
    return write(path, parquet(profile.frame))


def parquet(frame: pd.DataFrame) -> bytes:
    """A frame as Parquet."""
    data = io.BytesIO()
    try:
        frame.to_parquet(data, index=False, engine="pyarrow")
    except ImportError as error:
        raise MissingTool(
            "Parquet is written by pyarrow, which is not installed: pip install 'exir-viz[parquet]'."
        ) from error
    return data.getvalue()
