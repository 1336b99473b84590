"""A Profile for other tools: a trace for Perfetto and chrome://tracing, CSV, Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exir_viz.errors import MissingTool
from exir_viz.snapshot.opkind import op_name

from .rollup import OVERHEAD, module_name, module_of

if TYPE_CHECKING:
    from .profile import Cost, Profile

_PROCESS, _OPS, _MODULES = 1, 1, 2


def to_trace(profile: Profile, path: str | Path) -> Path:
    """Write Chrome's trace format: one typical run, with a track of ops, one of modules, and the memory.

    The ops stand one after the other with their `time`, as they run; a node that runs several times in a run
    is one slice. What was in no node is the last slice. Perfetto and chrome://tracing open it.
    """
    path = Path(path)
    path.write_text(json.dumps(trace(profile)), encoding="utf-8")
    return path


def trace(profile: Profile) -> dict[str, Any]:
    """The trace as data. Times in it are microseconds, as the format has them."""
    events = [
        _named("process_name", profile.record.method, 0),
        _named("thread_name", f"ops ({profile.conditions.executor.value})", _OPS),
        _named("thread_name", "modules", _MODULES),
    ]
    now = 0.0
    open_modules: list[tuple[str, str, float]] = []
    for cost in profile:
        if not cost.calls or cost.time is None:
            continue
        wanted = [(module_name(scope), scope.cls) for scope in module_of(cost.node)]
        events += _closed(open_modules, wanted, now)
        open_modules += [(name, cls, now) for name, cls in wanted[len(open_modules) :]]
        events.append(_slice(cost.node.name, "op", _OPS, now, cost.time * 1e6, _facts(cost)))
        now += cost.time * 1e6
        if cost.live_bytes is not None:
            live = {"live": cost.live_bytes}
            events.append({"name": "memory", "ph": "C", "pid": _PROCESS, "ts": now, "args": live})
    events += _closed(open_modules, [], now)
    if profile.overhead is not None:
        events.append(_slice(OVERHEAD, "overhead", _OPS, now, profile.overhead.time / 1e3, {}))
    conditions = profile.conditions
    other = {"cpu": conditions.cpu, "threads": str(conditions.threads), "torch": conditions.torch}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}


def to_csv(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as CSV in UTF-8."""
    path = Path(path)
    profile.frame.to_csv(path, index=False)
    return path


def to_parquet(profile: Profile, path: str | Path) -> Path:
    """Write `profile.frame` as Parquet, which needs pyarrow: pip install 'exir-viz[parquet]'."""
    path = Path(path)
    try:
        profile.frame.to_parquet(path, index=False, engine="pyarrow")
    except ImportError as error:
        raise MissingTool(
            "Parquet is written by pyarrow, which is not installed: pip install 'exir-viz[parquet]'."
        ) from error
    return path


def _closed(
    open_modules: list[tuple[str, str, float]], wanted: list[tuple[str, str]], now: float
) -> list[dict[str, Any]]:
    """End the modules that the next op is not in, innermost first."""
    same = 0
    while same < min(len(open_modules), len(wanted)) and open_modules[same][:2] == wanted[same]:
        same += 1
    ended = [
        _slice(name, "module", _MODULES, start, now - start, {"class": cls})
        for name, cls, start in reversed(open_modules[same:])
    ]
    del open_modules[same:]
    return ended


def _slice(
    name: str, category: str, track: int, start: float, duration: float, facts: dict[str, Any]
) -> dict[str, Any]:
    where = {"ph": "X", "pid": _PROCESS, "tid": track, "ts": start, "dur": duration}
    return {"name": name, "cat": category, "args": facts, **where}


def _named(what: str, name: str, track: int) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": _PROCESS, "tid": track, "args": {"name": name}}


def _facts(cost: Cost) -> dict[str, Any]:
    facts: dict[str, Any] = {"node": cost.node.id, "op": op_name(cost.node.target), "basis": cost.basis.value}
    names = ("calls", "n", "flops", "bytes_moved", "output_bytes")
    known = {name: getattr(cost, name) for name in names if getattr(cost, name) is not None}
    quartiles = {"min": cost.min, "median": cost.median, "p75": cost.p75}
    return facts | known | {f"{name}_us": time * 1e6 for name, time in quartiles.items() if time is not None}
