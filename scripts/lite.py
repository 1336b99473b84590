"""Build a JupyterLite site: JupyterLab in a browser's tab, with exir_viz for its files and in its kernel.

    python -m scripts.lite                      into dist/lite
    python -m scripts.lite FOLDER FILE...       into another folder, which is replaced, with these files in it

What enters: the front end (`make build`), Pyodide of node_modules, this checkout's package, and the wheels
that its kernel needs, which pip downloads. What leaves: a folder that any web server can serve as it is.
Nothing in it asks another server for anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from scripts import site

ROOT: Final = site.ROOT
# Where the reader of files lies in the site, and Python for the kernel with it.
READER: Final = "exir_viz"
NOTEBOOK: Final = ROOT / "notebooks" / "browser.ipynb"
# What builds the site.
BUILDER: Final = ("jupyterlite-core>=0.8.6,<0.9", "jupyterlite-pyodide-kernel>=0.8.6,<0.9")
# What the kernel is made of, and what the explorer needs in a notebook.
KERNEL: Final = ("micropip", "ipython", "comm", "jedi", "ipywidgets", "anywidget")
KERNEL_SETTINGS: Final = "@jupyterlite/pyodide-kernel-extension:kernel"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist" / "lite")
    parser.add_argument("files", nargs="*", type=Path, help="files that visitors find in it")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as work:
            build(given.folder, Path(work), site.SAMPLES, given.files)
    except site.CannotBuild as problem:
        sys.exit(str(problem))
    size = sum(file.stat().st_size for file in given.folder.rglob("*") if file.is_file())
    print(f"{given.folder}: {size / 1e6:.1f} MB. To look at it: python -m http.server -d {given.folder}")


def build(
    folder: Path, work: Path, samples: Iterable[tuple[str, bool, str]], files: Iterable[Path] = ()
) -> None:
    """Write the site to `folder`, in place of what is there. `work` is an empty folder to work in."""
    base = site.wheels(work / "base")
    wheels = [*base, *site.wheels(work / "kernel", KERNEL), _own_wheel(work)]
    shutil.rmtree(folder, ignore_errors=True)
    contents, empty = work / "contents", work / "empty"
    contents.mkdir()
    empty.mkdir()
    for file in (NOTEBOOK, *files):
        shutil.copy(file, contents)
    list(site.save_samples(contents, samples))
    builder = work / "builder"
    # Not into .venv: JupyterLab would load JupyterLite's extensions, which need JupyterLite.
    _run(sys.executable, "-m", "pip", "install", "--quiet", "--target", str(builder), *BUILDER, cwd=work)
    extensions = builder / "share" / "jupyter" / "labextensions"
    _run(
        *(sys.executable, "-m", "jupyterlite_core.app", "build", "--no-sourcemaps", "--apps", "lab"),
        *("--lite-dir", str(empty), "--output-dir", str(folder.resolve()), "--contents", str(contents)),
        f"--FederatedExtensionAddon.extra_labextensions_path={extensions}",
        *(f"--piplite-wheels={wheel}" for wheel in wheels),
        cwd=work,
        PYTHONPATH=str(builder),
    )
    site.build(folder / READER, base)
    _offer_micropip(folder / READER / "python", wheels)
    _configure(folder / "jupyter-lite.json")


def _configure(file: Path) -> None:
    """Say where the reader is, and that the kernel takes Python from there and packages from nowhere else."""
    whole = json.loads(file.read_text("utf-8"))
    page = whole["jupyter-config-data"]
    page["exirVizReader"] = READER
    kernel = page.setdefault("litePluginSettings", {}).setdefault(KERNEL_SETTINGS, {})
    kernel |= {"pyodideUrl": f"./{READER}/python/pyodide.mjs", "disablePyPIFallback": True}
    file.write_text(json.dumps(whole), "utf-8")


def _own_wheel(folder: Path) -> Path:
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    return next(folder.glob("exir_viz-*.whl"))


def _offer_micropip(python: Path, wheels: Iterable[Path]) -> None:
    """Add micropip to what Pyodide can load by name: the kernel installs everything else with it."""
    wheel = next(each for each in wheels if each.name.startswith("micropip-"))
    shutil.copy(wheel, python)
    lock = json.loads((python / site.LOCK).read_text("utf-8"))
    lock["packages"]["micropip"] = {
        "name": "micropip",
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": ["micropip"],
        "depends": [],
        "unvendored_tests": False,
    }
    (python / site.LOCK).write_text(json.dumps(lock), "utf-8")


def _run(*command: str, cwd: Path, **variables: str) -> None:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        said = f"{done.stdout[-1500:]}{done.stderr[-1500:]}"
        raise site.CannotBuild(f"This failed: {' '.join(command)}\n{said}")


if __name__ == "__main__":
    main()
