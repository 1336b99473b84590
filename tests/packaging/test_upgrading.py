"""The command of the hint for newer files: it is run, and a newer exir_viz is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

from exir_viz.upgrade_hint import CHECKOUT, EDITABLE, INDEX, hint_for

from .checkout import ROOT, Distributions, run, site_packages

pytestmark = pytest.mark.nightly

NEWER = "99.0"


class Environment:
    """A virtual environment, and pip for it without an index."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "venv"
        run(sys.executable, "-m", "venv", "--without-pip", self.prefix, env=dict(os.environ), cwd=folder)
        self.variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_COMPILE": "1",
            "EXIR_VIZ_JS": "skip",
        }

    def borrow_builder(self) -> None:
        """Let what builds a wheel be found there, as it is installed here."""
        (site_packages(self.prefix) / "borrowed.pth").write_text(f"{site_packages()}\n")
        self.variables["PIP_NO_BUILD_ISOLATION"] = "0"  # pip's way to say that it is off

    def run(self, command: str, cwd: Path) -> None:
        """Run a command line as a shell does, its pip that of this environment."""
        python = self.prefix / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        pip = f'"{sys.executable}" -m pip --python "{python}"'
        line = " && ".join(
            f"{pip}{one.removeprefix('pip')}" if one.startswith("pip ") else one
            for one in command.split(" && ")
        )
        done = subprocess.run(
            line, shell=True, cwd=cwd, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def installed(self) -> Distribution:
        """exir_viz as it is installed there."""
        (found,) = distributions(name="exir-viz", path=[str(site_packages(self.prefix))])
        return found


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


def newer(wheel: Path, folder: Path) -> None:
    """Write the same wheel with a later version."""
    version = wheel.name.split("-")[1]
    info = f"exir_viz-{version}.dist-info/"
    folder.mkdir()
    with (
        zipfile.ZipFile(wheel) as old,
        zipfile.ZipFile(folder / wheel.name.replace(version, NEWER, 1), "w") as new,
    ):
        for name in old.namelist():
            data = old.read(name)
            if name.startswith(info):
                data = data.replace(info.encode(), f"exir_viz-{NEWER}.dist-info/".encode())
                data = data.replace(f"\nVersion: {version}\n".encode(), f"\nVersion: {NEWER}\n".encode())
            new.writestr(name.replace(info, f"exir_viz-{NEWER}.dist-info/"), data)


def test_what_came_from_an_index_is_upgraded_from_it(
    environment: Environment, distributions: Distributions, tmp_path: Path
) -> None:
    environment.variables["PIP_FIND_LINKS"] = str(distributions.wheel.parent)
    environment.run("pip install exir-viz", tmp_path)
    assert environment.installed.version == distributions.version
    hint = hint_for(environment.installed)
    assert hint == f"Upgrade exir_viz: {INDEX}"
    newer(distributions.wheel, tmp_path / "index")
    environment.variables["PIP_FIND_LINKS"] = str(tmp_path / "index")
    environment.run(INDEX, tmp_path)
    assert environment.installed.version == NEWER


def git(*arguments: str, cwd: Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    run("git", *who, *arguments, env=dict(os.environ), cwd=cwd)


def test_what_came_from_a_checkout_is_upgraded_from_it(environment: Environment, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    origin, checkout = tmp_path / "origin", tmp_path / "checkout"
    origin.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, origin)
    products = shutil.ignore_patterns("__pycache__", "static", "labextension")
    shutil.copytree(ROOT / "exir_viz", origin / "exir_viz", ignore=products)
    git("init", "--quiet", cwd=origin)
    git("add", "--all", cwd=origin)
    git("commit", "--quiet", "--message", "An old version", cwd=origin)
    git("clone", "--quiet", str(origin), str(checkout), cwd=tmp_path)
    (origin / "exir_viz" / "__init__.py").write_text(f'__version__ = "{NEWER}"\n')
    git("commit", "--quiet", "--all", "--message", "A new version", cwd=origin)

    environment.borrow_builder()
    environment.run(CHECKOUT, checkout)
    assert environment.installed.version == NEWER
    assert hint_for(environment.installed) == f"Upgrade exir_viz, in its checkout: {CHECKOUT}"


class Noted(Distribution):
    """A package with pip's note of where it came from."""

    def __init__(self, note: object) -> None:
        self.note = note

    def read_text(self, filename: str) -> str | None:
        return json.dumps(self.note) if filename == "direct_url.json" else None

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


def test_other_ways_to_install() -> None:
    editable = {"url": "file:///home/someone/exir_viz", "dir_info": {"editable": True}}
    assert hint_for(Noted(editable)) == f"Upgrade exir_viz, in its checkout: {EDITABLE}"
    for note in (
        {"url": "file:///home/someone/exir_viz-0.1.0-py3-none-any.whl", "archive_info": {}},
        {"url": "https://example.org/exir_viz.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}},
    ):
        assert hint_for(Noted(note)) == "Install a newer exir_viz."
