"""Write the generated TypeScript; with `--check`, report files that are out of date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .pages import PAGES
from .tables import tables_text
from .types import page_text

FOLDER = Path(__file__).parents[2] / "labextension" / "src"
COMMAND = "python -m exir_viz.typescript"
TABLES = "snapshot/tables.ts"


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Return the exit code: 1 if `--check` finds a file that is out of date."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file has drifted")
    options = parser.parse_args(arguments)
    drifted = 0
    for name, text in [*((page.path, page_text(page, PAGES)) for page in PAGES), (TABLES, tables_text())]:
        path = folder / name
        found = path.read_text(encoding="utf-8") if path.is_file() else None
        if found == text:
            continue
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            continue
        drifted = 1
        what = "is missing" if found is None else f"differs from line {_first_difference(found, text)} on"
        sys.stderr.write(f"labextension/src/{name} {what}: run {COMMAND} and commit what it writes.\n")
    return drifted


def _first_difference(found: str, wanted: str) -> int:
    pairs = zip(found.splitlines(), wanted.splitlines(), strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), 1 + found.count("\n"))


if __name__ == "__main__":
    sys.exit(main())
