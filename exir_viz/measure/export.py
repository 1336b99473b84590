"""Write a Profile's rows for other tools: CSV, Parquet."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.snapshot.file_writing import write

from .frames import cost_table

if TYPE_CHECKING:
    import pandas as pd

    from .profile import Profile


def to_csv(profile: Profile, path: str | Path) -> Path:
    """Write the rows of `profile.frame` as CSV in UTF-8. pandas is not needed."""
    return write(path, cost_table(profile).csv())


def to_parquet(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as Parquet, which needs pyarrow: pip install "exir-viz[parquet]"."""
    needs_extra("profile.to_parquet()", "parquet")
    return write(path, parquet(profile.frame))


def parquet(frame: pd.DataFrame) -> bytes:
    """A frame as Parquet."""
    data = io.BytesIO()
    frame.to_parquet(data, index=False, engine="pyarrow")
    return data.getvalue()
