"""The base install in a clean environment, of each Python version on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .checkout import ROOT, Distributions, run

SCRIPT = ROOT / "scripts" / "base.py"
CHECKS = ("Nothing else", "Files", "Pages", "Notebook", "Tables", "Commands", "Errors", "Imports")
VERSIONS = ("3.11", "3.12", "3.13")


def python_of(version: str) -> str | None:
    """An interpreter of a version: this one, one on PATH, or one of pyenv's; None where there is none."""
    candidates = [sys.executable, shutil.which(f"python{version}")]
    pyenv = shutil.which("pyenv")
    if pyenv is not None:
        there = subprocess.run(
            [pyenv, "versions", "--bare"], capture_output=True, text=True, check=False
        ).stdout
        for name in there.split():
            if name.startswith(f"{version}."):
                found = subprocess.run(
                    [pyenv, "prefix", name], capture_output=True, text=True, check=False
                ).stdout
                candidates.append(str(Path(found.strip(), "bin", "python")))
    return next((one for one in candidates if one is not None and is_version(one, version)), None)


def is_version(python: str, version: str) -> bool:
    """Whether it runs and is of the version; a shim of pyenv's may do neither. It must have venv too."""
    said = "import sys, venv; print('.'.join(map(str, sys.version_info[:2])))"
    try:
        done = subprocess.run([python, "-c", said], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


@pytest.fixture(scope="module")
def requirements() -> list[str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def downloaded(requirements: list[str], version: str, folder: Path) -> Path:
    """The base's requirements as wheels for a Python version; skips where no index can be reached."""
    command = (
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        *("--disable-pip-version-check", "--python-version", version, "--dest", str(folder), *requirements),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot download {', '.join(requirements)}: {done.stderr.strip().splitlines()[-1]}")
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize("version", VERSIONS)
def test_base_install(
    version: str, distributions: Distributions, requirements: list[str], tmp_path: Path
) -> None:
    python = python_of(version)
    if python is None:
        pytest.skip(f"There is no Python {version} on this machine.")
    wheels = downloaded(requirements, version, tmp_path / "wheels")
    # Nothing else can be had: a requirement that is not listed here fails the installation.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    alone["PIP_CONFIG_FILE"] = os.devnull
    command = (SCRIPT, distributions.wheel, "--python", python, "--find-links", wheels)
    said = run(sys.executable, *map(str, command), env=alone, cwd=tmp_path)
    size = re.search(r"Installed: ([\d.]+) MB", said)
    assert size is not None, said
    assert 1 < float(size[1]) < 60
    assert [line.partition(":")[0] for line in said.splitlines() if "as expected" in line] == list(CHECKS)


def test_the_check_fails_where_extras_are_installed() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Failed: Installed, and of an extra: torch, executorch")
