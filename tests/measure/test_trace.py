"""The trace, event by event, by the rules of Chrome's Trace Event Format and of Perfetto's reader of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.measure.profile import Profile
from exir_viz.measure.trace import trace
from tests.corpus.programs import core, exported

# What each type of event has.
ALL = {"name": str, "ph": str, "pid": int, "tid": int, "args": dict}
FIELDS = {"X": {**ALL, "cat": str, "ts": float, "dur": float}, "C": {**ALL, "ts": float}, "M": ALL}
PROGRAMS = ["dynamic_batch", "nested_cond", "hostile_names", "module_called_twice"]


class Longest(torch.nn.Module):
    """A module's name of 600 characters, and one that would end a script."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("x" * 600, "</script><b>\u202e\n"):
            self.add_module(name, torch.nn.Linear(4, 4))

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


@pytest.fixture(scope="module", params=[*PROGRAMS, "longest"])
def profile(request: pytest.FixtureRequest) -> Profile:
    if request.param == "longest":
        return exir_viz.profile(torch.export.export(Longest(), (torch.randn(2, 4),)), repeats=2)
    return exir_viz.profile(exported(request.param), repeats=2)


def problems(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What a reader of the format would stumble over."""
    for event in events:
        wanted = FIELDS.get(event.get("ph", ""))
        if wanted is None or set(event) != set(wanted):
            yield f"fields of {event}"
            continue
        if not all(isinstance(event[key], kind) for key, kind in wanted.items()):
            yield f"types of {event}"
        elif event.get("ts", 0) < 0 or event.get("dur", 0) < 0:
            yield f"time runs backwards in {event}"
        if event["ph"] == "C" and not all(isinstance(value, int) for value in event["args"].values()):
            yield f"a counter counts in {event}"
        if event["ph"] == "M" and event["name"] not in ("process_name", "thread_name"):
            yield f"no metadata: {event}"
    slices = [event for event in events if event.get("ph") == "X" and isinstance(event["ts"], float)]
    named = {event["tid"] for event in events if event.get("name") == "thread_name"}
    if {event["tid"] for event in slices} - named:
        yield "a track has no name"
    for track in named:
        yield from _badly_nested([event for event in slices if event["tid"] == track])


def _badly_nested(slices: list[dict[str, Any]]) -> Iterator[str]:
    """Slices of a track are within one another or apart, in the nanoseconds that Perfetto keeps."""
    spans = [(round(one["ts"] * 1e3), round(one["dur"] * 1e3)) for one in slices]
    inside: list[int] = []
    for start, took in sorted(spans, key=lambda span: (span[0], -span[1])):
        while inside and inside[-1] <= start:
            inside.pop()
        if inside and start + took > inside[-1]:
            yield f"a slice from {start} for {took} ns ends after the one around it"
        inside.append(start + took)


def test_every_event_is_of_the_format(profile: Profile, tmp_path: Path) -> None:
    written = json.loads(profile.to_trace(tmp_path / "trace.json").read_text("utf-8"))
    assert set(written) == {"traceEvents", "displayTimeUnit", "otherData"}
    assert written["displayTimeUnit"] in ("ms", "ns")
    assert all(isinstance(value, str) for value in written["otherData"].values())
    told = written["otherData"]
    assert (told["repeats"], told["warmup"]) == ("2", "2")
    inputs = [value for key, value in told.items() if key.startswith("input ")]
    assert inputs == [given.value for given in profile.conditions.inputs]
    remarks = [value for key, value in told.items() if key.startswith("remark ")]
    assert remarks == [remark.text for remark in profile.remarks]
    assert list(problems(written["traceEvents"])) == []
    names = [event["name"] for event in written["traceEvents"]]
    assert all(len(name) <= 120 and name.isprintable() for name in names)


def test_the_rules_can_be_broken() -> None:
    good = {"name": "a", "cat": "op", "ph": "X", "ts": 0.0, "dur": 2.0, "pid": 1, "tid": 1, "args": {}}
    track = {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "ops"}}
    assert list(problems([good, track])) == []
    for bad in ({"ph": "Q"}, {"dur": -1.0}, {"ts": "0"}, {"tid": 2}, {"extra": 1}):
        assert list(problems([good | bad, track]))
    assert list(problems([good, good | {"ts": 1.0}, track]))


def test_ops_modules_and_memory_are_of_one_run() -> None:
    profile = exir_viz.profile(core("dynamic_batch"), repeats=2)
    events = trace(profile)["traceEvents"]
    ops = [event for event in events if event.get("cat") == "op"]
    assert [event["args"]["node"] for event in ops] == [cost.node.id for cost in profile]
    for event, cost in zip(ops, profile, strict=True):
        facts = event["args"]
        assert (facts["calls"], facts["n"], facts["basis"]) == (cost.calls, cost.n, cost.basis.value)
        assert facts.get("median_us") == (None if cost.median is None else pytest.approx(cost.median * 1e6))
        assert facts.get("flops") == cost.flops
    for one, other in itertools.pairwise(ops):
        assert other["ts"] == pytest.approx(one["ts"] + one["dur"])
    assert sum(event["dur"] for event in events if event.get("cat") in ("op", "overhead")) == pytest.approx(
        profile.whole.time / 1e3, abs=0.01 * len(ops)
    )
    live = [(event["ts"], event["args"]["live"]) for event in events if event["ph"] == "C"]
    assert live == [(event["ts"], profile[event["args"]["node"]].live_bytes) for event in ops]
    assert max(count for _, count in live) == max(cost.live_bytes for cost in profile)
    modules = {event["name"]: event for event in events if event.get("cat") == "module"}
    for op in ops:
        scope = profile[op["args"]["node"]].node.scope
        around = modules[scope.path.removeprefix("L['self'].") or "(root)"] if scope else None
        assert around is None or around["ts"] <= op["ts"] <= around["ts"] + around["dur"]
