"""A Profile as a trace for Perfetto and chrome://tracing, in Chrome's Trace Event Format.

One typical run: a track of ops, one of the modules around them, and a counter of live bytes. Times are kept
in whole nanoseconds and written as the format's microseconds, so that nested slices end within their parents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from exir_viz.snapshot.file_writing import write
from exir_viz.snapshot.module_attribution import module_of
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.printable import one_line

from .conditions import is_known_condition
from .rollup import module_name, rest_of

if TYPE_CHECKING:
    from .profile import Cost, Profile

_PROCESS, _OPS, _MODULES = 1, 1, 2
# Characters of a slice's name; the node's full name is among its arguments.
_WIDTH = 120


class _Open(NamedTuple):
    """A module that contains the current op, and the start of its first op."""

    name: str
    cls: str
    start: int


def to_trace(profile: Profile, path: str | Path) -> Path:
    """Write the trace: ops one after the other with their `time`, the modules around them, and memory.

    A node that runs several times in a run is one slice. Time outside nodes is the last slice.
    """
    return write(path, json.dumps(trace(profile), allow_nan=False))


def trace(profile: Profile) -> dict[str, Any]:
    """The trace as data."""
    conditions = profile.conditions
    names = (name for name in ("cpu", "threads", "torch", "warmup") if is_known_condition(conditions, name))
    other = {name: str(getattr(conditions, name)) for name in names}
    other |= {"repeats": str(conditions.repeats)}
    other |= {one_line(f"input {given.path}", _WIDTH): given.value for given in conditions.inputs}
    if conditions.load is not None:
        other["load"] = f"{conditions.load[0]} to {conditions.load[1]}"
    other |= {f"remark {number}: {remark.code}": remark.text for number, remark in enumerate(profile.remarks)}
    return {"traceEvents": list(_events(profile)), "displayTimeUnit": "ns", "otherData": other}


def _events(profile: Profile) -> Iterator[dict[str, Any]]:
    yield _named("process_name", profile.record.method, 0)
    yield _named("thread_name", f"ops ({profile.conditions.executor.value})", _OPS)
    yield _named("thread_name", "modules", _MODULES)
    now, inside = 0, list[_Open]()
    for cost in profile:
        if not cost.calls or cost.time is None:
            continue
        wanted = [(module_name(scope), scope.cls) for scope in module_of(cost.node)]
        yield from _closed(inside, wanted, now)
        inside += [_Open(name, cls, now) for name, cls in wanted[len(inside) :]]
        took = round(cost.time * 1e9)
        yield _slice(cost.node.name, "op", _OPS, now, took, _facts(cost))
        if cost.live_bytes is not None:
            yield _counter("memory", now, {"live": cost.live_bytes})
        now += took
    yield from _closed(inside, [], now)
    if profile.overhead is not None and profile.overhead.time > 0:
        yield _slice(rest_of(profile), "overhead", _OPS, now, profile.overhead.time, {})


def _closed(inside: list[_Open], wanted: list[tuple[str, str]], now: int) -> list[dict[str, Any]]:
    """End the modules that do not contain the next op, innermost first."""
    same = 0
    while same < min(len(inside), len(wanted)) and inside[same][:2] == wanted[same]:
        same += 1
    ended = [
        _slice(one.name, "module", _MODULES, one.start, now - one.start, {"class": one.cls})
        for one in reversed(inside[same:])
    ]
    del inside[same:]
    return ended


def _slice(
    name: str, category: str, track: int, start: int, took: int, facts: dict[str, Any]
) -> dict[str, Any]:
    where = {"ph": "X", "pid": _PROCESS, "tid": track, "ts": start / 1e3, "dur": took / 1e3}
    return {"name": one_line(name, _WIDTH), "cat": category, "args": facts, **where}


def _counter(name: str, at: int, values: dict[str, int]) -> dict[str, Any]:
    return {"name": name, "ph": "C", "pid": _PROCESS, "tid": 0, "ts": at / 1e3, "args": values}


def _named(what: str, name: str, track: int) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": _PROCESS, "tid": track, "args": {"name": one_line(name, _WIDTH)}}


def _facts(cost: Cost) -> dict[str, Any]:
    facts: dict[str, Any] = {"node": cost.node.id, "op": op_name(cost.node.target), "basis": cost.basis.value}
    names = ("calls", "n", "flops", "bytes_moved", "output_bytes")
    known = {name: getattr(cost, name) for name in names if getattr(cost, name) is not None}
    quartiles = {"min": cost.min, "p25": cost.p25, "median": cost.median, "p75": cost.p75}
    return facts | known | {f"{name}_us": time * 1e6 for name, time in quartiles.items() if time is not None}
