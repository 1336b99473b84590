"""`make compat`: the counts it reads from a report of pytest's, and the table it keeps."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]

TABLE = """\
# Title

| torch | ExecuTorch | Python | passed | failed | skipped | date |
| --- | --- | --- | --- | --- | --- | --- |
| 2.15.0 | 1.5.1 | 3.12 | 1 | 2 | 3 | 2026-01-01 |
| 2.9.1 | 1.0.0 | 3.11 | 4 | 5 | 6 | 2026-01-01 |

After it.
"""

TESTS = """
import pytest

@pytest.fixture
def broken():
    raise RuntimeError

def test_passed(): pass
def test_passed_too(): pass
def test_failed(): assert False
def test_error(broken): pass
@pytest.mark.skip
def test_skipped(): pass
"""


@pytest.fixture
def compat(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("compat_script", ROOT / "scripts" / "compat.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "compat_script", module)  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_counts_of_a_report(compat: ModuleType, tmp_path: Path) -> None:
    file, report = tmp_path / "test_one.py", tmp_path / "report.xml"
    file.write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", str(file)],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        check=False,
        capture_output=True,
    )
    assert ran.returncode == 1
    assert compat.read_reports(report) == compat.Result(passed=2, failed=2, skipped=1)
    assert compat.read_reports(report, report) == compat.Result(passed=4, failed=4, skipped=2)


def test_a_row_is_written_over_the_old_one(compat: ModuleType, tmp_path: Path) -> None:
    document = tmp_path / "compatibility.md"
    document.write_text(TABLE)
    compat.write_row(document, ("2.15.0", "1.5.1", "3.12"), compat.Result(4595, 0, 9), "2026-02-02")
    old, new = "| 1 | 2 | 3 | 2026-01-01 |", "| 4,595 | 0 | 9 | 2026-02-02 |"
    assert document.read_text() == TABLE.replace(old, new)


def test_rows_are_ordered_by_version(compat: ModuleType, tmp_path: Path) -> None:
    document = tmp_path / "compatibility.md"
    document.write_text(TABLE)
    compat.write_row(document, ("2.15.0", "1.5.1", "3.9"), compat.Result(1, 0, 0), "2026-02-02")
    compat.write_row(document, ("2.16.0.dev20260101", "1.5.1", "3.12"), compat.Result(1, 0, 0), "2026-02-02")
    compat.write_row(document, ("2.10.0", "1.1.0", "3.12"), compat.Result(1, 0, 0), "2026-02-02")
    rows = [line.split(" | ")[:3] for line in document.read_text().splitlines() if line.startswith("| 2")]
    assert rows == [
        ["| 2.16.0.dev20260101", "1.5.1", "3.12"],
        ["| 2.15.0", "1.5.1", "3.12"],
        ["| 2.15.0", "1.5.1", "3.9"],
        ["| 2.10.0", "1.1.0", "3.12"],
        ["| 2.9.1", "1.0.0", "3.11"],
    ]
    assert document.read_text().endswith("\n\nAfter it.\n")


def test_a_document_without_the_table_stays(compat: ModuleType, tmp_path: Path) -> None:
    document = tmp_path / "compatibility.md"
    document.write_text("# Title\n")
    with pytest.raises(SystemExit, match="has no table"):
        compat.write_row(document, ("2.15.0", "1.5.1", "3.12"), compat.Result(1, 0, 0), "2026-02-02")
    assert document.read_text() == "# Title\n"


def test_the_document_has_the_table(compat: ModuleType, tmp_path: Path) -> None:
    document = tmp_path / "compatibility.md"
    document.write_text(compat.DOCUMENT.read_text("utf-8"))
    compat.write_row(document, ("99.0.0", "99.0.0", "3.12"), compat.Result(1, 0, 0), "2026-02-02")
    assert "| --- |\n| 99.0.0 | 99.0.0 | 3.12 | 1 | 0 | 0 | 2026-02-02 |" in document.read_text()
