"""What it costs to install and to import."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.corpus.programs import ROOT

from .timing import in_process, mb, table


def run() -> None:
    imports = sorted(in_process("", "__import__('exir_viz')").seconds for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--quiet",
                "--no-deps",
                "--no-build-isolation",
                "-w",
                folder,
                ROOT,
            ],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        size = wheel.stat().st_size
    rows = [["import exir_viz", f"{imports[2]:.3f} s"], ["the wheel", mb(size)]]
    table("install and import", ["", ""], rows)
