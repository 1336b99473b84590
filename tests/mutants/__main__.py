"""Mutation testing: flip operators at random, and say which of these mutants no test notices.

    python -m tests.mutants                      200 mutants, after a run of all tests with coverage
    python -m tests.mutants --part 1/2           every other one of them, say in another checkout

What each test runs is kept until a source changes. The sources of this checkout are changed, one at a time,
and each is put back. A mutant counts as killed when a test fails, or when the tests do not end in three times
the time that they need.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.corpus.folder import ROOT

from .covering import FOLDER, Covering, measure
from .flips import Flip, flips

PACKAGES = ("snapshot", "readers", "compare", "measure", "stages")
# The seconds of tests in each round: most mutants die in the first.
ROUNDS = (6, 60)
# What a process needs before its first test, when the machine is busy.
START = 60


class Mutant(NamedTuple):
    """An operator of a file that is flipped."""

    file: Path
    flip: Flip

    def __str__(self) -> str:
        place = f"{self.file.relative_to(ROOT)}:{self.flip.line}"
        return f"{place} `{self.flip.before}` → `{self.flip.after}`"


def chosen(count: int, seed: int) -> list[Mutant]:
    files = [file for name in PACKAGES for file in sorted((ROOT / "exir_viz" / name).rglob("*.py"))]
    every = [Mutant(file, flip) for file in files for flip in flips(file.read_text())]
    return random.Random(seed).sample(every, count)


def rounds(mutant: Mutant, covering: Covering) -> list[list[str]]:
    """The tests to run: each function once before any again with other parameters; of the same package first,
    the quickest first.
    """
    package = mutant.file.relative_to(ROOT / "exir_viz").parts[0]
    tests = covering.tests(mutant.file, mutant.flip.line)
    again: dict[str, int] = {}
    for name in sorted(tests, key=covering.seconds.__getitem__):
        function = name.partition("[")[0]
        again[name] = again[function] = again.get(function, -1) + 1
    order = sorted(
        tests,
        key=lambda name: (again[name], not name.startswith(f"tests/{package}/"), covering.seconds[name]),
    )
    found = []
    for limit in ROUNDS:
        several, total = [], 0.0
        while order and (not several or total + covering.seconds[order[0]] <= limit):
            total += covering.seconds[order[0]]
            several.append(order.pop(0))
        found.append(several)
    return [one for one in found if one]


def is_killed(mutant: Mutant, covering: Covering, number: int) -> bool:
    source = mutant.file.read_text()
    listed = FOLDER / f"tests.{os.getpid()}.txt"
    env = {**os.environ, "EXIR_VIZ_KEEP_CORPUS": "1"}
    mutant.file.write_text(mutant.flip.applied(source))
    # Python recognizes a compiled file by the time of its source, in seconds.
    os.utime(mutant.file, (number, number))
    try:
        for tests in rounds(mutant, covering):
            listed.write_text("\n".join(tests))
            limit = START + 3 * sum(covering.seconds[name] for name in tests)
            options = ("-n0", "-x", "-q", "-p", "no:cacheprovider")
            command = [sys.executable, "-m", "pytest", *options, f"@{listed}"]
            try:
                ended = subprocess.run(
                    command, cwd=ROOT, env=env, capture_output=True, timeout=limit, check=False
                )
            except subprocess.TimeoutExpired:
                return True
            if ended.returncode not in (0, 1, 2):
                raise RuntimeError(f"{mutant}: pytest itself failed\n{ended.stdout.decode()[-2000:]}")
            if ended.returncode:
                return True
        return False
    finally:
        mutant.file.write_text(source)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="0/1", help="K/N: every N-th mutant, from the K-th on")
    given = parser.parse_args()
    first, step = map(int, given.part.split("/"))
    measure()
    covering = Covering()
    mutants = list(enumerate(chosen(given.count, given.seed)))[first::step]
    alive, done = [], 0
    for number, mutant in mutants:
        done += 1
        print(f"\r{done} of {len(mutants)}, {len(alive)} not noticed", end="", file=sys.stderr, flush=True)
        if is_killed(mutant, covering, number):
            continue
        alive.append(mutant)
        print(
            f"\nnot noticed: {mutant} ({len(covering.tests(mutant.file, mutant.flip.line))} tests run it)",
            flush=True,
        )
    print(f"{done - len(alive)} of {done} mutants killed")


if __name__ == "__main__":
    main()
