"""What it costs to install and to import, and how much a page and a notebook load."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from exir_viz.widget import __file__ as widget
from tests.corpus.programs import ROOT

from .timing import in_process, mb, table

INSTALL = "install and import"
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
