"""Write the files of cases; with `--check`, write nothing and exit with 1 where one is stale."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import (
    containers,
    expressions,
    formats,
    lineages,
    messages,
    names,
    profiles,
    snapshots,
    traces,
)

FOLDER = Path(__file__).parent
COMMAND = "python -m tests.cases"
FILES: dict[str, Callable[[], dict[str, list[Any]]]] = {
    "container.json": containers.cases,
    "expressions.json": expressions.cases,
    "format.json": formats.numbers,
    "describe.json": formats.values,
    "lineage.json": lineages.cases,
    "messages.json": messages.cases,
    "names.json": names.cases,
    "profile.json": profiles.cases,
    "snapshots.json": snapshots.cases,
    "traces.json": traces.cases,
}


def text(cases: dict[str, list[Any]]) -> str:
    """JSON with one case a line, so that a change of a rule is a diff that people can read."""
    groups = [
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"    {_line(case)}" for case in group) + "\n  ]"
        for name, group in cases.items()
    ]
    return "{\n" + ",\n".join(groups) + "\n}\n"


def _line(case: object) -> str:
    line = json.dumps(case, ensure_ascii=False)
    return line if line.isprintable() else json.dumps(case)


def stale(folder: Path = FOLDER) -> list[str]:
    """The names of the files that are not what Python would write."""
    return [
        name
        for name, make in FILES.items()
        if not (folder / name).is_file() or (folder / name).read_text("utf-8") != text(make())
    ]


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    names = stale()
    if "--check" in arguments:
        return 1 if names else 0
    for name in names:
        (FOLDER / name).write_text(text(FILES[name]()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
