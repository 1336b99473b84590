"""The sdist and the wheel: what they carry, and that they work where there is no Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.bench import package, results
from tests.bench.documents import still_holds
from tests.bench.timing import mb

from .checkout import ROOT, Distributions, run, site_packages

pytestmark = pytest.mark.nightly

ASSETS = {"widget.js", "page.js", "explorer.css"}
WHERE_AND_WHAT = """
import exir_viz, json, pathlib
package = pathlib.Path(exir_viz.__file__).parent
print(json.dumps([str(package), [asset.name for asset in (package / "widget" / "static").iterdir()]]))
"""
EXTENSION = "data/share/jupyter/labextensions/exir-viz/"


def test_wheel_carries_the_built_front_end(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        names = wheel.namelist()
        assert {Path(name).name for name in names if "/widget/static/" in name} == ASSETS
        extension = {name.partition(EXTENSION)[2] for name in names if EXTENSION in name}
        (described,) = (name for name in names if name.endswith(EXTENSION + "package.json"))
        package = json.loads(wheel.read(described))
        assert package["version"] == distributions.version
        assert {"package.json", "install.json", package["jupyterlab"]["_build"]["load"]} <= extension
        assert all(wheel.getinfo(name).file_size for name in names if "/widget/static/" in name)


def test_wheel_carries_the_package_and_nothing_else(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        names = wheel.namelist()
    assert "exir_viz/py.typed" in names
    packaged = {name for name in names if name.startswith("exir_viz/")}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "exir_viz").rglob("*.py")}
    assert {name for name in packaged if name.endswith(".py")} == modules
    described = f"exir_viz-{distributions.version}"
    assert {name.split("/")[0] for name in names} == {
        "exir_viz",
        f"{described}.data",
        f"{described}.dist-info",
    }
    assert not [name for name in packaged if name.endswith((".ts", ".map", ".sha256"))]


def test_the_wheel_lists_the_licenses_of_what_it_bundles(distributions: Distributions) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("third-party-licenses.json"))
        listed = {one["name"]: one for one in json.loads(wheel.read(name))["packages"]}
    sources = (ROOT / "labextension" / "src").rglob("*.ts*")
    imported = {
        package
        for source in sources
        for package in re.findall(
            r'^(?:import|} from) (?!type ).*"((?:@[\w-]+/)?[\w-]+)[\w/-]*";$',
            source.read_text(),
            re.MULTILINE,
        )
        if not package.startswith(("@jupyterlab", "@lumino"))  # JupyterLab has them
    }
    assert {"preact", "flatbush"} <= imported
    assert imported <= {*listed}
    assert all("permi" in one["extractedText"].lower() for one in listed.values())


def test_the_front_end_is_the_same_in_a_folder_of_another_name(tmp_path: Path) -> None:
    project = tmp_path / "of another name"
    (project / "exir_viz" / "widget").mkdir(parents=True)
    shutil.copy(ROOT / "hatch_build.py", project)
    sources = ROOT / "labextension"
    shutil.copytree(
        sources,
        project / "labextension",
        ignore=lambda folder, _names: ["lib", "tests"] if Path(folder) == sources else [],
        copy_function=os.link,
        symlinks=True,
    )
    run(sys.executable, "hatch_build.py", "build", env=dict(os.environ), cwd=project)
    for folder in ("exir_viz/labextension", "exir_viz/widget/static"):
        here, there = (
            {
                path.relative_to(root): path.read_bytes()
                for path in (root / folder).rglob("*")
                if path.is_file()
            }
            for root in (ROOT, project)
        )
        assert here == there


def test_twine_accepts_the_sdist_and_the_wheel(distributions: Distributions) -> None:
    files = (distributions.sdist, distributions.wheel)
    said = run(sys.executable, "-m", "twine", "check", "--strict", *files, env=dict(os.environ), cwd=ROOT)
    assert said.count("PASSED") == 2, said


def test_the_documented_size_of_the_wheel_is_true(distributions: Distributions) -> None:
    stated = results.read().tables[package.INSTALL].cell("the wheel", "measured")
    size = distributions.wheel.stat().st_size
    assert still_holds(stated, size / 1e6), f"{stated} is now {mb(size)}"


def test_sdist_makes_the_same_wheel_without_node(
    distributions: Distributions, no_node: dict[str, str], tmp_path: Path
) -> None:
    # Python 3.11.0 to 3.11.3, such as Debian 12's, know no filter.
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(distributions.sdist) as sdist:
        sdist.extractall(tmp_path, **safely)
    (unpacked,) = tmp_path.glob("exir_viz-*")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, env=no_node, cwd=unpacked)
    again = tmp_path / distributions.wheel.name
    assert again.read_bytes() == distributions.wheel.read_bytes()


@pytest.fixture
def installed(distributions: Distributions, tmp_path: Path) -> Path:
    """A fresh virtual environment with the wheel in it, its dependencies borrowed from this interpreter."""
    prefix = tmp_path / "venv"
    here = dict(os.environ)
    run(sys.executable, "-m", "venv", "--without-pip", prefix, env=here, cwd=tmp_path)
    python = prefix / "bin" / "python"
    # A path in a .pth is only that: the .pth files over there (this checkout, editable) are not followed.
    (site_packages(prefix) / "borrowed.pth").write_text(f"{site_packages()}\n")
    install = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
    )
    run(*install, distributions.wheel, env=here, cwd=tmp_path)
    return prefix


def test_installed_wheel_works_without_node(
    installed: Path, distributions: Distributions, no_node: dict[str, str], tmp_path: Path
) -> None:
    python = installed / "bin" / "python"
    assert shutil.which("node", path=no_node["PATH"]) is None

    found = run(python, "-c", WHERE_AND_WHAT, env=no_node, cwd=tmp_path)
    package, assets = json.loads(found)
    assert Path(package).is_relative_to(installed)
    assert set(assets) == ASSETS

    version = run(installed / "bin" / "exir-viz", "--version", env=no_node, cwd=tmp_path)
    assert version.split() == ["exir-viz", distributions.version]


def test_jupyterlab_finds_the_extension(installed: Path, no_node: dict[str, str], tmp_path: Path) -> None:
    python = installed / "bin" / "python"
    listed = run(python, "-m", "jupyterlab.labextensions", "list", env=no_node, cwd=tmp_path)
    (line,) = (line for line in listed.splitlines() if "exir-viz" in line)
    assert "enabled" in line
    assert "OK" in line


def test_jupyter_server_finds_the_extension(installed: Path, no_node: dict[str, str], tmp_path: Path) -> None:
    python = installed / "bin" / "python"
    command = (python, "-m", "jupyter_server.extension.serverextension", "list")
    listed = run(*command, env=no_node, cwd=tmp_path)
    lines = [line.strip() for line in listed.splitlines() if "exir_viz.server" in line]
    assert any("enabled" in line for line in lines), listed
    assert any("OK" in line for line in lines), listed
