"""The conditions of a measurement: read from the machine before and after, and compared. Imports no torch."""

from __future__ import annotations

import datetime as dt
import functools
import importlib.metadata
import os
import platform
import re
import sys
from pathlib import Path

import msgspec

from exir_viz.snapshot.format import amount_text

from .records import UNKNOWN, Conditions, Executor, GivenInput

_UNKNOWN_INPUTS = "unknown"


def initial_conditions(
    executor: Executor,
    *,
    threads: int,
    inputs: tuple[GivenInput, ...] = (),
    inputs_from: str = "given",
    symbols: dict[str, int] | None = None,
) -> Conditions:
    """The conditions before the first run; `finished` adds those after the last."""
    before = load()
    return Conditions(
        executor,
        threads,
        repeats=0,
        warmup=0,
        inputs=inputs,
        inputs_from=inputs_from,
        symbols=symbols or {},
        torch=version("torch"),
        executorch=version("executorch"),
        python=platform.python_version(),
        cpu=cpu_model(),
        cores=os.cpu_count() or 0,
        load=None if before is None else (before, before),
        started=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )


def elsewhere(executor: Executor, repeats: int) -> Conditions:
    """The conditions of a measurement made elsewhere: unknown."""
    return Conditions(executor, 0, repeats, UNKNOWN, inputs_from=_UNKNOWN_INPUTS)


def finished(conditions: Conditions, repeats: int, warmup: int) -> Conditions:
    """The conditions with the number of runs, and the load at the end."""
    after, before = load(), conditions.load
    both = None if before is None or after is None else (before[0], after)
    return msgspec.structs.replace(conditions, repeats=repeats, warmup=warmup, load=both)


def differences(one: Conditions, other: Conditions) -> list[str]:
    """Sentences that say what makes two measurements hard to compare, except their time and number of
    runs.
    """
    words = {
        "executor": "the executor",
        "threads": "the number of threads",
        "inputs": "the inputs",
        "torch": "torch",
        "executorch": "ExecuTorch",
        "cpu": "the CPU",
    }
    found, unknown = [], []
    for field, what in words.items():
        mine, theirs = getattr(one, field), getattr(other, field)
        if not (is_known_condition(one, field) and is_known_condition(other, field)):
            unknown.append(what)
            continue
        if field == "inputs":
            mine, theirs = (", ".join(given.value for given in side) for side in (mine, theirs))
        if mine != theirs:
            verb = "differ" if field == "inputs" else "differs"
            text = f"{what} {verb}: {_value_text(mine)} vs. {_value_text(theirs)}"
            found.append(f"{text}, so there is no ratio" if field == "executor" else text)
    if unknown:
        found.append(f"it is unknown whether these are the same: {', '.join(unknown)}")
    if is_busy(one) or is_busy(other):
        most = max(_load_of(one), _load_of(other))
        found.append(f"the machine was busy: load up to {amount_text(most)} per core")
    return found


def is_known_condition(conditions: Conditions, field: str) -> bool:
    """Whether a condition is known. A missing ExecuTorch is known: torch's version says it was recorded."""
    if field == "executor":
        return True
    if field == "inputs":
        return conditions.inputs_from != _UNKNOWN_INPUTS
    if field == "warmup":
        return conditions.warmup != UNKNOWN
    return bool(conditions.torch if field == "executorch" else getattr(conditions, field))


def is_busy(conditions: Conditions) -> bool:
    """Whether other programs wanted more than twice the machine's cores."""
    return _load_of(conditions) > 2


def waits(conditions: Conditions) -> bool:
    """Whether other programs used every core before the first run. Later, the run itself is part of the
    load.
    """
    return conditions.load is not None and conditions.load[0] > max(conditions.cores, 1)


def _load_of(conditions: Conditions) -> float:
    """The load per core, before or after; 0 if unknown."""
    return max(conditions.load or (0.0,)) / max(conditions.cores, 1)


def load() -> float | None:
    """The one-minute load average; None if the system has none."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def version(package: str) -> str:
    """The version of a package, from the imported package itself if possible; "" if it is missing.

    Package metadata may be less exact: "2.15.0" for torch's build "2.15.0+cu132".
    """
    named = getattr(sys.modules.get(package), "__version__", None)
    if named is not None:
        return str(named)
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def cpu_model() -> str:
    """The name of the CPU, or the architecture if the system does not report it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(errors="replace"), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()


def _value_text(value: object) -> str:
    return str(getattr(value, "value", value)) or "none"
