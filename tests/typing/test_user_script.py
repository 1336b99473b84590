"""The types of the front door: mypy finds every error in a user's script that is one, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import exir_viz

SCRIPT = Path(__file__).with_name("user_script.py")
ROOT = Path(exir_viz.__file__).parents[1]
_MARKED = re.compile(r"#\s*error:\s*(?P<code>[\w-]+)\s*$")
_FOUND = re.compile(r"^[^\n]*user_script\.py:(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.MULTILINE)


@pytest.mark.nightly
def test_a_users_script_has_the_errors_that_are_marked_and_no_others() -> None:
    """What mypy knows of torch and of us it takes from the cache that `make check` leaves."""
    pytest.importorskip("mypy")
    lines = SCRIPT.read_text().splitlines()
    marked = {at: found["code"] for at, line in enumerate(lines, 1) if (found := _MARKED.search(line))}
    options = ("--no-error-summary", "--no-pretty", "--hide-error-context", "--no-color-output")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--config-file", ROOT / "pyproject.toml", SCRIPT],
        cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    found = {int(one["line"]): one["code"] for one in _FOUND.finditer(run.stdout)}
    assert marked, "the script marks its errors"
    assert found == marked, run.stdout + run.stderr


def test_everything_public_is_listed_and_there() -> None:
    assert set(exir_viz.__all__) <= set(dir(exir_viz))
    assert [name for name in exir_viz.__all__ if not hasattr(exir_viz, name)] == []
    for name in exir_viz.types.__all__:
        assert isinstance(getattr(exir_viz.types, name), type)
    assert callable(exir_viz.measure.sweep)
