"""A table as text: CSV, JSON, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("nodes", "edges", "values", "scopes", "signature", "symbols", "ops")


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


def _json(frame: pd.DataFrame) -> str:
    return frame.to_json(orient="records", indent=1, force_ascii=False) + "\n"


def _markdown(frame: pd.DataFrame) -> str:
    """A table as GitHub reads it; a cell's own bars and line ends are escaped."""
    cells = [[_cell(one) for one in row] for row in frame.astype("string").fillna("").to_numpy().tolist()]
    rows = [list(frame.columns), ["---"] * len(frame.columns), *cells]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


TEXTS = {"csv": _csv, "json": _json, "markdown": _markdown}
