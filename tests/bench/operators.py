"""How right the matcher is on one program for each operator of torch's test database, edge → ExecuTorch."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.compare.operators import Result, operators, result, total

from .timing import table

# Operators between two lines of progress.
STEP = 25


def run() -> None:
    head = ["programs", "operators tried", "lowered", "true pairs", "precision", "recall"]
    table("diff: one program for each operator, edge to ExecuTorch, lineage hidden", head, _rows())


def _rows() -> Iterator[list[str]]:
    """One row; what is wrong or missing goes to standard error, by operator."""
    tried = operators()
    found: list[Result] = []
    for number, (name, op) in enumerate(tried.items(), 1):
        one = result(name, op)
        if one is not None:
            found.append(one)
            for mismatch in one.mismatches:
                print(f"{name}: {mismatch}", file=sys.stderr, flush=True)
        if number % STEP == 0:
            print(f"operator {number} of {len(tried)}", file=sys.stderr, flush=True)
    precision, recall, true = total(found)
    yield [
        "torch's operators",
        f"{len(tried):,}",
        f"{len(found):,}",
        f"{true:,}",
        f"{100 * precision:.2f} %",
        f"{100 * recall:.2f} %",
    ]
