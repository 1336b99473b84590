"""Where things lie: this checkout, what is made of it, and where an interpreter keeps its packages."""

from __future__ import annotations

import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Distributions:
    wheel: Path
    sdist: Path

    @property
    def version(self) -> str:
        return self.wheel.name.split("-")[1]


def site_packages(prefix: Path | None = None) -> Path:
    """Of the virtual environment at `prefix`, or of this interpreter."""
    variables = None if prefix is None else {"base": str(prefix), "platbase": str(prefix)}
    return Path(sysconfig.get_path("purelib", vars=variables))


def run(*command: str | Path, env: dict[str, str], cwd: Path) -> str:
    """What a command printed; where it fails, that is the failure's text."""
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
