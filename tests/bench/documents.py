"""The figures in README and docs, taken from the results file: `python -m tests.bench docs` writes them.

A figure stands between two comments that a Markdown page does not show. The first says where it is from:

    <!-- bench: TITLE -->            a whole table, with the commit that measured each row
    <!-- bench: TITLE; KEY; COLUMN, COLUMN -->   the rows whose first cell is KEY, some columns
    <!-- figure: TITLE; KEY, KEY; COLUMN -->     one cell, within a sentence
    <!-- runs -->                    the conditions of all runs whose conditions were recorded
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.corpus.programs import ROOT

from .results import Results, Run, Table, read

# How much a size may differ from what the documents say before they must be measured again.
TOLERANCE = 0.05
FILES = tuple(
    ROOT / name for name in ("README.md", "docs/dev/benchmark.md", "docs/install.md", "docs/dev/matching.md")
)
REGION = re.compile(r"(<!-- (bench|figure|runs)(?:: ([^>]*?))? -->)(.*?)(<!-- end -->)", re.DOTALL)


def run() -> None:
    """Write the figures of the results file into README and docs."""
    results = read()
    for file in FILES:
        text = file.read_text("utf-8")
        filled = fill(text, results)
        print(f"{file.relative_to(ROOT)}: {'updated' if filled != text else 'up to date'}")
        file.write_text(filled, "utf-8")


def fill(text: str, results: Results) -> str:
    """The text with every region's figures replaced by those of the results."""

    def filled(found: re.Match[str]) -> str:
        begin, kind, source, _, end = found.groups()
        return f"{begin}{_figures(kind, source or '', results)}{end}"

    return REGION.sub(filled, text)


def number(cell: str) -> float:
    """The number that a cell begins with: "1,122" or "0.44 MB"."""
    found = re.match(r"[\d,.]+", cell)
    assert found is not None, cell
    return float(found[0].replace(",", ""))


def still_holds(cell: str, measured: float) -> bool:
    """Is the number in a cell about what was measured now, in the same unit?"""
    return abs(number(cell) - measured) <= TOLERANCE * measured


def _figures(kind: str, source: str, results: Results) -> str:
    if kind == "runs":
        known = [one for one in results.runs() if one.cores is not None]
        return _markdown(("commit", *_CONDITIONS), [_conditions(one) for one in known])
    title, *rest = source.split("; ")
    table = results.tables[title]
    if kind == "figure":
        key, column = rest
        return table.cell(key, column)
    return _selection(table, *rest) if rest else _whole(table)


def _whole(table: Table) -> str:
    filled = [at for at in range(len(table.head)) if any(row.cells[at] for row in table.rows)]
    head = [table.head[at] for at in filled]
    return _markdown(
        [*head, "commit"], [[*(row.cells[at] for at in filled), row.run.commit] for row in table.rows]
    )


def _selection(table: Table, key: str, columns: str) -> str:
    chosen = [table.head.index(name) for name in columns.split(", ")]
    rows = [row.cells for row in table.rows if row.cells[0] == key and not row.cells[1].startswith("*")]
    return _markdown([table.head[at] for at in chosen], [[cells[at] for at in chosen] for cells in rows])


_CONDITIONS = ("cores", "Python", "torch", "ExecuTorch", "load")


def _conditions(run: Run) -> list[str]:
    known = (run.cores, run.python, run.torch, run.executorch, run.load)
    return [run.commit, *("not recorded" if one is None else str(one) for one in known)]


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
