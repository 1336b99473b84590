"""A Profile's frame for other tools: CSV, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.errors import MissingTool

if TYPE_CHECKING:
    from .profile import Profile


def to_csv(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as CSV in UTF-8."""
    path = Path(path)
    profile.frame.to_csv(path, index=False)
    return path


def to_parquet(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as Parquet, which needs pyarrow: pip install 'exir-viz[parquet]'."""
    path = Path(path)
    try:
        profile.frame.to_parquet(path, index=False, engine="pyarrow")
    except ImportError as error:
        raise MissingTool(
            "Parquet is written by pyarrow, which is not installed: pip install 'exir-viz[parquet]'."
        ) from error
    return path
