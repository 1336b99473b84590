"""What it costs to install and to import, and how much a page and a notebook load."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from exir_viz.widget import __file__ as widget
from tests.corpus.programs import ROOT

from .timing import in_process, mb, table

INSTALL = "install and import"
EXTRAS = "what each extra installs"
PAGE = "what is loaded, without the program"
# What is loaded by whom, besides the program itself; and what we set out for, in kB.
LOADED = {"a standalone page": ("page.js", "explorer.css"), "a notebook": ("widget.js", "explorer.css")}
MOST = 350
# Node does it, where it is: Python's library has no Brotli.
BROTLI = "process.stdout.write(require('zlib').brotliCompressSync(require('fs').readFileSync(0)))"


def run() -> None:
    imports = sorted(in_process("", "__import__('exir_viz')").seconds for _ in range(5))
    rows = [["`import exir_viz`", f"{imports[2]:.3f} s"], ["the wheel", mb(_wheel_size())]]
    table(INSTALL, ["what", "measured"], rows)
    loaded = ([who, *map(kb, sizes(names)), f"≤ {MOST} kB compressed"] for who, names in LOADED.items())
    table(PAGE, ["by", "as it is", "gzip", "brotli", "to be"], loaded)
    table(EXTRAS, ["extra", "packages", "size"], ([one, *_row(one)] for one in extras()))


def _row(extra: str) -> tuple[str, str]:
    count, size = installed(extra)
    return f"{count}", megabytes(size)


def megabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def extras() -> list[str]:
    """The names of the extras; "base" installs none."""
    return ["base", *_project()["optional-dependencies"]]


def installed(extra: str) -> tuple[int, int]:
    """How many packages an extra brings here, exir_viz included, and their bytes without compiled Python."""
    found = {canonicalize_name(one.name): one for one in _required(_requirements(extra))}
    own = sum(file.stat().st_size for file in (ROOT / "exir_viz").rglob("*") if _counts(file))
    files = (Path(str(file.locate())) for one in found.values() for file in one.files or ())
    return 1 + len(found), own + sum(file.stat().st_size for file in files if _counts(file))


def _counts(file: Path) -> bool:
    return file.suffix != ".pyc" and file.is_file()


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def _requirements(extra: str) -> list[Requirement]:
    """What the project requires for an extra; of its own extras, what these require."""
    project = _project()
    own = [] if extra == "base" else map(Requirement, project["optional-dependencies"][extra])
    found = [*map(Requirement, project["dependencies"])]
    for one in own:
        found += [more for name in one.extras for more in _requirements(name)] if _is_own(one) else [one]
    return found


def _is_own(requirement: Requirement) -> bool:
    return canonicalize_name(requirement.name) == "exir-viz"


def _required(requirements: Iterable[Requirement]) -> Iterator[Distribution]:
    """The packages that satisfy requirements here, and what these require."""
    todo = [(one.name, frozenset(one.extras)) for one in requirements]
    seen = set(todo)
    while todo:
        name, chosen = todo.pop()
        package = distribution(name)
        yield package
        for more in map(Requirement, package.requires or ()):
            wanted = more.marker is None or any(
                more.marker.evaluate({"extra": one}) for one in chosen or {""}
            )
            key = (more.name, frozenset(more.extras))
            if wanted and key not in seen:
                seen.add(key)
                todo.append(key)


def _wheel_size() -> int:
    """Bytes of a wheel of this checkout."""
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, *build, "-w", folder, ROOT], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        return wheel.stat().st_size


def kb(size: int) -> str:
    return f"{size / 1e3:.0f} kB" if size else "–"


def sizes(names: tuple[str, ...]) -> tuple[int, int, int]:
    """Bytes of these files, together: as they are, by gzip, by Brotli; 0 where that cannot be told."""
    contents = [(Path(widget).parent / "static" / name).read_bytes() for name in names]
    return (
        sum(map(len, contents)),
        sum(len(gzip.compress(content)) for content in contents),
        sum(map(brotli, contents)) if shutil.which("node") else 0,
    )


def brotli(content: bytes) -> int:
    return len(subprocess.run(["node", "-e", BROTLI], input=content, capture_output=True, check=True).stdout)
