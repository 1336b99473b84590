"""Times, peak memory and the table: how the benchmark measures, and how it says it."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.corpus.programs import ROOT


@dataclass(frozen=True, slots=True)
class Times:
    """Wall seconds of several runs after a warm-up."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median:.3f} s ({min(self.seconds):.3f}–{max(self.seconds):.3f})"


def measure(run: Callable[[], object], runs: int = 5) -> Times:
    """Time a call: one warm-up, then `runs` counted runs, the collector off as timeit has it."""
    run()
    seconds = []
    for _ in range(runs):
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
        gc.enable()
    return Times(tuple(seconds))


def in_turn(first: Callable[[], object], second: Callable[[], object], runs: int = 5) -> tuple[Times, Times]:
    """Time two calls A B A B …, so that a drift of the machine's speed meets both."""
    pairs = [(measure(first, 1), measure(second, 1)) for _ in range(runs)]
    return tuple(Times(tuple(pair[side].median for pair in pairs)) for side in (0, 1))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Process:
    """What a fresh Python said of a statement: its seconds, and the peak resident memory of all it did."""

    seconds: float
    peak_bytes: int
    answer: object


_CHILD = """
import json, pathlib, re, sys, time
{setup}
start = time.perf_counter()
answer = {call}
seconds = time.perf_counter() - start
# VmHWM is this process's own; ru_maxrss would count the parent that forked it.
status = pathlib.Path("/proc/self/status").read_text()
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) * 1024
print(json.dumps([seconds, peak, {report}]))
"""


def in_process(setup: str, call: str, report: str = "None") -> Process:
    """Run one call in a process of its own; `report` is an expression over `answer`."""
    code = _CHILD.format(setup=setup, call=call, report=report)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if run.returncode:
        raise RuntimeError(run.stderr.strip().splitlines()[-1])
    return Process(*json.loads(run.stdout.splitlines()[-1]))


# Characters of the first column and of the others, at least: rows are printed before the widest is known.
WIDTHS = (32, 12)


# Called with the title, the number of key columns, the head and the cells of every row that is printed.
LISTENERS: list[Callable[[str, int, Sequence[str], Sequence[str]], None]] = []


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], keys: int = 1) -> None:
    """Print a Markdown table: its head, and each row as soon as `rows` yields it.

    The first `keys` cells of a row say what was measured. Standard error is told how long each row took.
    """
    widths = [max(len(cell), WIDTHS[at > 0]) for at, cell in enumerate(head)]

    def line(cells: Sequence[str]) -> None:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(f"| {' | '.join(padded)} |", flush=True)

    print(f"\n## {title}\n")
    line(head)
    line(["-" * width for width in widths])
    start = time.perf_counter()
    for number, row in enumerate(rows, 1):
        line(row)
        for listener in LISTENERS:
            listener(title, keys, head, row)
        now = time.perf_counter()
        print(f"{title}: row {number} took {now - start:.0f} s", file=sys.stderr, flush=True)
        start = now


def mb(size: int) -> str:
    return f"{size / 1e6:.2f} MB"
