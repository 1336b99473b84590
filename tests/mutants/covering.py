"""Which tests run a line, and for how long each runs.

As a plugin of pytest (`-p tests.mutants.covering`) it tells coverage which test runs, and writes down times.
A process that a test starts takes the test's name from its environment, see `CONFIG`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData

from tests.corpus.folder import ROOT, hash_of, keep_made_from

FOLDER = ROOT / ".cache" / "mutants"
DATA = FOLDER / "lines.data"
CONFIG = """\
[run]
source = exir_viz
parallel = true
relative_files = true
context = ${PYTEST_CURRENT_TEST-}
data_file = {folder}/lines.data
disable_warnings = no-data-collected,module-not-imported,couldnt-parse
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    began = time.perf_counter()
    if (running := Coverage.current()) is not None:
        running.switch_context(item.nodeid)
    result = yield
    with (FOLDER / f"times.{os.getpid()}.jsonl").open("a") as file:
        file.write(json.dumps([item.nodeid, time.perf_counter() - began]) + "\n")
    return result


def measure() -> None:
    """Run all tests, and keep what each runs, unless that is known of these sources."""
    sources = [file for name in ("exir_viz", "tests") for file in sorted((ROOT / name).rglob("*.py"))]
    keep_made_from(hash_of(sources), FOLDER, "*.data", "*.data.*", "*.jsonl")
    if DATA.exists():
        return
    config = FOLDER / "coveragerc"
    config.write_text(CONFIG.replace("{folder}", str(FOLDER)))
    coverage = [sys.executable, "-m", "coverage"]
    tests = ["-m", "pytest", "-q", "-p", "tests.mutants.covering"]
    # A test that fails under coverage still says what it runs.
    env = {**os.environ, "COVERAGE_PROCESS_START": str(config)}
    subprocess.run([sys.executable, *tests], cwd=ROOT, env=env, check=False)
    subprocess.run([*coverage, "combine", "-q", f"--rcfile={config}"], cwd=ROOT, check=True)


class Covering:
    """What `measure` kept."""

    def __init__(self) -> None:
        self.data = CoverageData(str(DATA))
        self.data.read()

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each test takes."""
        return {
            name: seconds
            for file in FOLDER.glob("times.*.jsonl")
            for name, seconds in map(json.loads, file.read_text().splitlines())
        }

    def tests(self, file: Path, line: int) -> set[str]:
        """The tests that run a line, or any line of its file if none is known to run it.

        All tests of its package, if it runs when its module is imported.
        """
        relative = file.relative_to(ROOT)
        by_line = self.data.contexts_by_lineno(str(relative))
        contexts = by_line.get(line) or {one for some in by_line.values() for one in some}
        found = {name for one in contexts if (name := one.rpartition(" (")[0] or one) in self.seconds}
        tests = f"tests/{relative.parts[1]}/"
        return found | {name for name in self.seconds if "" in contexts and name.startswith(tests)}
