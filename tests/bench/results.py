"""The results file: every row that the benchmark measured last, with the commit and the machine it ran on.

The documents take their figures from it (see `documents`). A run replaces the rows that it measures and keeps
the others, each with the commit at which it was measured.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.corpus.programs import ROOT

from . import timing

FILE = ROOT / "docs" / "dev" / "results.json"


class Run(msgspec.Struct, frozen=True, omit_defaults=True):
    """The conditions of one run. What is None was not recorded: such rows are older than the results file."""

    commit: str
    cores: int | None = None
    python: str | None = None
    torch: str | None = None
    executorch: str | None = None
    load: float | None = None


class Row(msgspec.Struct, frozen=True):
    """The cells of one row as they were printed, and the run that measured them."""

    run: Run
    cells: tuple[str, ...]


class Table(msgspec.Struct, frozen=True):
    """The first `keys` cells of a row say what was measured: a later row with the same keys replaces it."""

    title: str
    keys: int
    head: tuple[str, ...]
    rows: tuple[Row, ...] = ()

    def cell(self, key: str, column: str) -> str:
        """The cell of the row whose keys are `key`, joined by ", "."""
        return self.row(key).cells[self.head.index(column)]

    def row(self, key: str) -> Row:
        return next(row for row in self.rows if ", ".join(row.cells[: self.keys]) == key)

    def with_row(self, head: Sequence[str], row: Row) -> Table:
        """The table with one row replaced or added; `head` may have other columns than before."""
        same = [one for one in self.rows if one.cells[: self.keys] == row.cells[: self.keys]]
        rows = [_in_columns(one, self.head, head) for one in self.rows]
        if same:
            rows[self.rows.index(same[0])] = row
        else:
            rows.append(row)
        return Table(self.title, self.keys, tuple(head), tuple(rows))


class Results(msgspec.Struct):
    """All tables, by title, in the order in which they were first measured."""

    tables: dict[str, Table] = {}

    def record(self, run: Run, title: str, keys: int, head: Sequence[str], cells: Sequence[str]) -> None:
        table = self.tables.get(title) or Table(title, keys, tuple(head))
        self.tables[title] = table.with_row(head, Row(run, tuple(cells)))

    def runs(self) -> list[Run]:
        """The runs that rows are of, in the order of the tables."""
        return list(dict.fromkeys(row.run for table in self.tables.values() for row in table.rows))


class _RowOnDisk(msgspec.Struct):
    run: int
    cells: tuple[str, ...]


class _TableOnDisk(msgspec.Struct):
    title: str
    keys: int
    head: tuple[str, ...]
    rows: list[_RowOnDisk]


class _File(msgspec.Struct):
    runs: list[Run]
    tables: list[_TableOnDisk]


def read(file: Path = FILE) -> Results:
    """The results that a file holds."""
    found = msgspec.json.decode(file.read_bytes(), type=_File)
    return Results({
        one.title: Table(
            one.title, one.keys, one.head, tuple(Row(found.runs[row.run], row.cells) for row in one.rows)
        )
        for one in found.tables
    })  # fmt: skip


def write(results: Results, file: Path = FILE) -> None:
    """Write the file: each run and each row is one line, each run is stated once."""
    runs = results.runs()
    tables = (
        f'{{"title": {_json(table.title)}, "keys": {table.keys}, "head": {_json(table.head)}, "rows": '
        + _lines(f'{{"run": {runs.index(row.run)}, "cells": {_json(row.cells)}}}' for row in table.rows)
        + "}"
        for table in results.tables.values()
    )
    text = f'{{"runs": {_lines(map(_json, runs))}, "tables": {_lines(tables)}}}\n'
    part = file.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(file)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _lines(items: Iterable[str]) -> str:
    return "[\n" + ",\n".join(items) + "\n]"


@contextmanager
def recording(file: Path = FILE) -> Iterator[None]:
    """Keep every row that `timing.table` prints, as soon as it is measured."""
    results = read(file) if file.exists() else Results()
    run = this_run()

    def keep(title: str, keys: int, head: Sequence[str], cells: Sequence[str]) -> None:
        results.record(run, title, keys, head, cells)
        write(results, file)

    with listening(keep):
        yield


@contextmanager
def listening(keep: Callable[[str, int, Sequence[str], Sequence[str]], None]) -> Iterator[None]:
    """Call `keep` with every row that is printed."""
    timing.LISTENERS.append(keep)
    try:
        yield
    finally:
        timing.LISTENERS.remove(keep)


def this_run() -> Run:
    """The conditions here and now. Names of machines and paths are no conditions."""
    return Run(
        _commit(),
        os.cpu_count(),
        platform.python_version(),
        _version("torch"),
        _version("executorch"),
        round(os.getloadavg()[0], 1),
    )


def _commit() -> str:
    """The commit that is checked out, with "+" where files differ from it; the results themselves may."""
    here = _git("rev-parse", "--short=8", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs", ":!*.md")
    return f"{here}+" if changed else here


def _git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _in_columns(row: Row, before: Sequence[str], head: Sequence[str]) -> Row:
    """The row's cells in the columns of another head."""
    cells = dict(zip(before, row.cells, strict=True))
    return Row(row.run, tuple(cells.get(name, "") for name in head))
