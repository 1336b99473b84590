"""Lower programs by a session and by its code, each in a process, and say where the results differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.corpus.folder import ROOT


@dataclass(frozen=True)
class Comparison:
    """One way of a program: the seconds of each side, what differs, why the session's last step failed."""

    name: str
    way: str
    by_session: str
    by_code: str
    differences: tuple[str, ...]
    failure: str | None


def lower(side: str, folder: Path, names: Sequence[str]) -> None:
    """Run one side of `tests.plain_torch.process` in a new process."""
    command = [sys.executable, "-m", "tests.plain_torch.process", side, str(folder), *names]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def compared(folder: Path, names: Sequence[str]) -> Iterator[Comparison]:
    """Compare what both sides wrote."""
    for name in names:
        ours, plain = (_read(folder, name, side) for side in ("session", "plain"))
        for one, other in zip(ours, plain, strict=True):
            found = tuple(_differences(one, other))
            yield Comparison(name, one["way"], one["seconds"], other["seconds"], found, one["failure"])


def _read(folder: Path, name: str, side: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / f"{name.replace(':', '-')}.{side}.json").read_text())
    return found


def _differences(ours: dict[str, Any], plain: dict[str, Any]) -> Iterator[str]:
    if (ours["failure"] is None) != (plain["failure"] is None):
        yield f"the session ends with {ours['failure']}, its code with {plain['failure']}"
    elif ours["failure"] is not None and ours["failure"] not in plain["failure"]:
        yield f"the session raises {ours['failure']}, its code {plain['failure']}"
    if len(ours["stages"]) != len(plain["stages"]):
        yield f"the session has {len(ours['stages'])} stages, its code {len(plain['stages'])}"
    for number, (one, other) in enumerate(zip(ours["stages"], plain["stages"], strict=False)):
        for part in one.keys() | other.keys():
            lines = zip_longest(one.get(part, "").splitlines(), other.get(part, "").splitlines())
            first = next((pair for pair in lines if pair[0] != pair[1]), None)
            if first is not None:
                yield f"stage {number}, {part}: {first[0]!r} by the session, {first[1]!r} by its code"
