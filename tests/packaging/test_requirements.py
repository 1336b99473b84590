"""What pip is asked to install: little for the base, lower bounds only, and one extra with everything."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .checkout import ROOT, Distributions, run

REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w,]+\])?(?P<bounds>.*)")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def parts(requirement: str) -> re.Match[str]:
    found = REQUIREMENT.fullmatch(requirement)
    assert found is not None, requirement
    return found


def test_the_base_is_two_small_packages(project: dict[str, Any]) -> None:
    assert {parts(one)["name"] for one in project["dependencies"]} == {"graphviz", "msgspec"}


def test_bounds_are_lower_bounds(project: dict[str, Any]) -> None:
    listed = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    wrong = [
        one
        for one in listed
        if parts(one)["name"] != "exir-viz" and re.fullmatch(r">=[\d.]+", parts(one)["bounds"]) is None
    ]
    assert wrong == []


def test_all_has_every_extra(project: dict[str, Any]) -> None:
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    named = set((parts(everything)["extras"] or "").strip("[]").split(","))
    assert named == set(extras) - {"all"}


def test_the_environment_is_remade_for_other_versions() -> None:
    def digest(*versions: str) -> str:
        script = ROOT / "scripts" / "dependencies.py"
        return run(sys.executable, script, *versions, env=dict(os.environ), cwd=ROOT)

    usual = digest("2.13.*", "1.4.*")
    assert usual == digest("2.13.*", "1.4.*")
    assert len({usual, digest("2.15.0", "1.4.*"), digest("2.13.*", "1.5.1")}) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("extra", ["torch", "executorch", "all"])
def test_pip_replaces_nothing_that_is_installed(
    extra: str, distributions: Distributions, tmp_path: Path
) -> None:
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    alone["PIP_CONFIG_FILE"] = os.devnull
    report = tmp_path / "report.json"
    # Without an index pip can only keep what is here: a bound that this is not within would be an error.
    pip = (sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--report", str(report))
    run(*pip, f"{distributions.wheel}[{extra}]", env=alone, cwd=tmp_path)
    planned = {one["metadata"]["name"] for one in json.loads(report.read_text("utf-8"))["install"]}
    assert planned <= {"exir-viz"}
