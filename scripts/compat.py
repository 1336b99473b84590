"""Run the Python tests on other versions of torch and ExecuTorch, and record the result.

python scripts/compat.py --torch 2.15.0 --executorch 1.5.1 [--python python3.12] [-- pytest arguments]

Each pair of versions has its own environment in .cache/compat (several GB), which is kept. Tests that drive a
browser or build packages are left out: they do not depend on torch. The result becomes a row of the table in
docs/dev/compatibility.md, unless pytest arguments are given: then only some tests may have run.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "dev" / "compatibility.md"
COLUMNS = ("torch", "ExecuTorch", "Python", "passed", "failed", "skipped", "date")
LEFT_OUT = ("-m", "not browser", "--ignore=tests/packaging")
_PYTHON = "import sys; print('{}.{}'.format(*sys.version_info))"
_PACKAGES = "from importlib.metadata import version; print(version('torch'), version('executorch'))"


@dataclass(frozen=True, slots=True)
class Result:
    """How many tests passed, failed (errors included) and were skipped."""

    passed: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder made by `venv`, and what tests on it keep beside it."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))

    def versions(self) -> tuple[str, str, str]:
        """The versions of torch, ExecuTorch and Python that are installed there."""
        torch, executorch = (name.partition("+")[0] for name in _print(self.python, _PACKAGES).split())
        return torch, executorch, _print(self.python, _PYTHON)

    def install(self, python: str, torch: str, executorch: str) -> None:
        """Make the environment where it is missing, and install what is missing in it."""
        if not Path(self.python).exists():
            subprocess.run([python, "-m", "venv", self.folder], check=True)
        pip = [self.python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)  # the first with --group
        print(f"Installing torch {torch} and ExecuTorch {executorch}", flush=True)
        wanted = [
            f"torch=={torch}",
            f"executorch=={executorch}",
            "--editable",
            ".[all]",
            "--group",
            "test",
            "--group",
            "docs",
        ]
        # builds the front end where it is not up to date
        if subprocess.run([*pip, *wanted], check=False, cwd=ROOT).returncode:
            raise SystemExit(f"pip cannot install torch {torch} with ExecuTorch {executorch}: see above")

    def test(self, report: Path, arguments: list[str]) -> int:
        """Run the tests; pytest writes their results into `report`, and its exit code is returned."""
        # programs that another version of torch exported would prove nothing about this one
        environment = {**os.environ, "EXIR_VIZ_CORPUS": str(self.folder / "corpus")}
        report.unlink(missing_ok=True)
        command = [self.python, "-m", "pytest", *LEFT_OUT, f"--junitxml={report}", *arguments]
        return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


def _print(python: str, program: str) -> str:
    """What a program prints when this Python runs it."""
    return subprocess.run([python, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def read_reports(*reports: Path) -> Result:
    """Count the results in JUnit reports, as `pytest --junitxml` writes them."""
    roots = [ET.parse(report).getroot() for report in reports]  # noqa: S314  pytest wrote them here
    suites = [suite for root in roots for suite in root.iter("testsuite")]

    def total(name: str) -> int:
        return sum(int(suite.get(name, "0")) for suite in suites)

    failed, skipped = total("failures") + total("errors"), total("skipped")
    return Result(total("tests") - failed - skipped, failed, skipped)


def write_row(document: Path, versions: tuple[str, str, str], result: Result, date: str) -> None:
    """Write these versions' row into the table of results: a new one, or over their old one. Newest first."""
    lines = document.read_text("utf-8").splitlines()
    head = _row(COLUMNS)
    if lines.count(head) != 1:
        raise SystemExit(f"{document.name} has no table that begins with {head}")
    start = end = lines.index(head) + 2  # past the line of dashes
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    rows = {_cells(line)[:3]: line for line in lines[start:end]}
    counts = (result.passed, result.failed, result.skipped)
    rows[versions] = _row((*versions, *(f"{count:,}" for count in counts), date))
    lines[start:end] = [rows[key] for key in sorted(rows, key=_age, reverse=True)]
    document.write_text("\n".join(lines) + "\n", "utf-8")


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))


def _age(versions: tuple[str, ...]) -> list[list[int]]:
    return [[int(part) for part in re.findall(r"\d+", version)] for version in versions]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--torch", help="version of torch, as 2.15.0")
    parser.add_argument("--executorch", help="version of ExecuTorch, as 1.5.1")
    parser.add_argument("--python", default=sys.executable, help="Python to make the environment with")
    parser.add_argument("--environment", type=Path, help="environment to use as it is, instead of making one")
    parser.add_argument(
        "--report", type=Path, nargs="+", help="run nothing: record what these JUnit reports of a run say"
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args(arguments)
    if "*" in f"{options.torch}{options.executorch}":
        parser.error("--torch and --executorch name one release each, as 2.15.0 and 1.5.1")
    if options.environment:
        environment = Environment(options.environment.absolute())
    elif options.torch and options.executorch:
        python = _print(options.python, _PYTHON)
        name = f"torch-{options.torch}-executorch-{options.executorch}-python-{python}"
        environment = Environment(ROOT / ".cache" / "compat" / name)
        environment.install(options.python, options.torch, options.executorch)
    else:
        parser.error("--torch and --executorch, or --environment, are needed")
    versions = environment.versions()
    reports, code = options.report, 0
    if reports is None:
        print("Testing torch {}, ExecuTorch {}, Python {}".format(*versions), flush=True)
        reports = [environment.folder / "report.xml"]
        code = environment.test(reports[0], options.pytest)
        if code not in {0, 1}:  # 1: tests failed. Anything else: they did not run to their end.
            return code
    result = read_reports(*reports)
    print(result)
    if not options.pytest:
        write_row(DOCUMENT, versions, result, dt.datetime.now(dt.UTC).date().isoformat())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
