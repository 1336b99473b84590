"""Rows → a frame, with columns of one type each whatever is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[object, ...]


def frame(
    rows: Iterable[Row], columns: tuple[str, ...], integers: tuple[str, ...], booleans: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The frame, with integers and booleans that can be missing, and text that is text even where none is."""
    import pandas as pd

    types = dict.fromkeys(integers, "Int64") | dict.fromkeys(booleans, "boolean")
    made = pd.DataFrame.from_records(list(rows), columns=list(columns))
    return made.astype({name: types.get(name, "string") for name in columns})
