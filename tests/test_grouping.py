"""How tests are spread over processes: each file whole, what is expensive shared, the longest first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.corpus.grouping import (
    LONGEST,
    QUICK_BROWSER,
    TOGETHER,
    group_of,
    group_of_test,
    is_quick,
    rank_of,
    unknown,
)

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py"))


def test_every_file_and_group_that_is_named_is_there() -> None:
    assert unknown(FILES) == set()
    named = {file for files in TOGETHER.values() for file in files} | (set(LONGEST) - set(TOGETHER))
    assert unknown([]) == named | set(QUICK_BROWSER)


def test_a_file_is_a_group_unless_it_shares_more() -> None:
    assert group_of("tests/test_cli.py") == "tests/test_cli.py"
    for group, files in TOGETHER.items():
        assert {group_of(file) for file in files} == {group}
    assert rank_of(LONGEST[0]) < rank_of(LONGEST[1]) < rank_of("tests/test_grouping.py")


def test_a_quick_run_looks_into_every_room() -> None:
    quick = {file for file in FILES if is_quick(file)}
    # of these rooms every file takes longer
    rooms = {Path(file).parent.name for file in FILES} - {"remedies"}
    assert {Path(file).parent.name for file in quick} == rooms
    assert not quick & {*LONGEST, *(file for files in TOGETHER.values() for file in files)}


def test_the_longest_begin_first(request: pytest.FixtureRequest) -> None:
    ranks = [rank_of(group_of_test(item.nodeid)) for item in request.session.items]
    assert ranks == sorted(ranks)


@pytest.mark.nightly
def test_one_process_runs_a_group() -> None:
    files = ("tests/test_progress_display.py", "tests/test_compat.py", "tests/test_cases.py")
    command = (sys.executable, "-m", "pytest", "-v", "-n2", "-p", "no:cacheprovider", *files)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    ran = re.findall(r"^\[(gw\d)\].* PASSED (tests/\w+\.py)::", run.stdout, re.MULTILINE)
    assert len(ran) > 2 * len(files), run.stdout[-2000:]
    assert Counter(file for _, file in set(ran)) == dict.fromkeys(files, 1)
    assert len({process for process, _ in ran}) == 2
