"""Table: rows with typed columns, as records, CSV, JSON or Markdown; as a frame where pandas is installed.

A cell is text, an integer, a float, a boolean, or None for what is not known.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from exir_viz.extras import needs_extra
from exir_viz.snapshot.printable import markdown

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = tuple[object, ...]
Cell: TypeAlias = str | int | float | bool | None

# pandas' type of a column → what its cells are. A column without a type is text.
_TEXT: Final = "string"
_CELLS: Final[Mapping[str, Callable[[Any], Cell]]] = MappingProxyType(
    {"Int64": int, "Float64": float, "float64": float, "boolean": bool, _TEXT: str}
)


@dataclass(frozen=True, slots=True)
class Table:
    """What a frame holds, without pandas. `name` is the call that makes the frame: "tables.nodes()"."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    types: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.rows)

    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """The rows, each cell of its column's type."""
        makers = [_CELLS[self.type_of(name)] for name in self.columns]
        for row in self.rows:
            yield tuple(_cell(value, make) for value, make in zip(row, makers, strict=True))

    def type_of(self, column: str) -> str:
        """The pandas type of a column."""
        return self.types.get(column, _TEXT)

    def records(self) -> list[dict[str, Cell]]:
        """One dict a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.cells()]

    def csv(self) -> str:
        """One line a row after the names of the columns; what is not known is empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.cells())
        return text.getvalue()

    def json(self) -> str:
        """A list of objects; what is not known, or infinite, is null."""
        found = [{name: _finite(cell) for name, cell in row.items()} for row in self.records()]
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"

    def markdown(self) -> str:
        """A table as GitHub reads it; cells are text, without markup or links."""
        cells = [["" if cell is None else markdown(str(cell)) for cell in row] for row in self.cells()]
        rows = [list(self.columns), ["---"] * len(self.columns), *cells]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def frame(self) -> pd.DataFrame:
        """The pandas frame. Integers and booleans can be missing, and text is text even where none is."""
        needs_extra(self.name, "pandas")
        import pandas as pd

        made = pd.DataFrame.from_records(list(self.rows), columns=list(self.columns))
        return made.astype({name: self.type_of(name) for name in self.columns})


def table(
    name: str,
    rows: Iterable[Row],
    columns: tuple[str, ...],
    *,
    integers: Iterable[str] = (),
    floats: Iterable[str] = (),
    booleans: Iterable[str] = (),
    known_floats: Iterable[str] = (),
) -> Table:
    """A Table of these rows. `known_floats` are floats that are never missing, which makes frames simpler."""
    types = {
        **dict.fromkeys(integers, "Int64"),
        **dict.fromkeys(floats, "Float64"),
        **dict.fromkeys(booleans, "boolean"),
        **dict.fromkeys(known_floats, "float64"),
    }
    return Table(name, columns, tuple(rows), types)


def _cell(value: object, make: Callable[[Any], Cell]) -> Cell:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return make(value)


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
