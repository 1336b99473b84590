"""Cases of what follows from a Profile: rollups, what is timed as one, stages side by side, conditions.

The program has modules in modules, one called twice, ops in no module, and a delegate that spans modules. Its
profiles have ops without a time, ops that did not run, and each executor.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from exir_viz.compare.noise import are_apart, span, total
from exir_viz.figures.roofline import rate, roofs, shown_costs
from exir_viz.measure.compare import compare
from exir_viz.measure.conditions import differences
from exir_viz.measure.fused_timing import mixed
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import (
    BASES,
    SCHEMA,
    UNKNOWN,
    Basis,
    Columns,
    Conditions,
    Executor,
    GivenInput,
    ProfileRecord,
    Times,
)
from exir_viz.measure.rollup import rollup
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import PageSkeleton
from exir_viz.snapshot.format import ratio_text, share_text
from exir_viz.snapshot.program import Delegate
from exir_viz.snapshot.records import NodeArg, Target, TargetType
from exir_viz.snapshot.wire import page_data
from tests.snapshot.sample import GETITEM, Maker, aten, higher_order

_CPU = Conditions(Executor.CPU, 1, 9, 2, (GivenInput("x", "f32[8]"),), torch="2.13.0", cpu="a CPU", cores=2)
_RUNTIME = msgspec.structs.replace(_CPU, executor=Executor.RUNTIME, executorch="1.4.0")
_CONDITIONS = [
    _CPU,
    _RUNTIME,
    msgspec.structs.replace(_CPU, threads=4, inputs=(GivenInput("x", "f32[4]"), GivenInput("y", "7"))),
    msgspec.structs.replace(_CPU, load=(0.5, 5.26), torch="2.14.0"),
    Conditions(Executor.ETDUMP, 0, 3, UNKNOWN, inputs_from="unknown"),
]
# Microseconds by node; None is not known, and what is not here did not run.
_EAGER: Mapping[str, float | None] = {
    "relu": 30, "relu_1": 50, "executorch_call_delegate": 40, "lowered_0/linear": 150,
    "lowered_0/linear_1": 50, "getitem": 0.25, "cumsum": 20, "arange": 5, "sin": None,
    "cos": None, "add": 12.5,
}  # fmt: skip
_WHOLE: Mapping[str, float | None] = {"executorch_call_delegate": 220}
_OPS: Mapping[str, float | None] = {
    "relu": 28, "relu_1": 49, "executorch_call_delegate": 120, "cumsum": None, "arange": 4, "sin": 7,
    "cos": 8, "add": 90,
}  # fmt: skip


@functools.cache
def program() -> Snapshot:
    """The Snapshot that all profiles here are of."""
    make = Maker("lowered")
    value = make.tensor(8)
    root = make.scope("", "models.Net")
    block = make.scope("layers.0", "models.Block", root)
    first, again = (make.scope("layers.0.act", "torch.nn.ReLU", block, call) for call in (0, 1))
    second = make.scope("head", "models.Head", root)
    graph = make.builder.graph("forward")

    def call(name: str, *inputs: int, target: Target | None = None, scope: int = -1, at: Any = graph) -> int:
        args = tuple(map(NodeArg, inputs))
        op = target or aten(name.partition("_")[0])
        return make.add(at, name, "call_function", op, args, value=value, scope=scope)

    at = call("relu", make.input(graph, "x", value), scope=first)
    at = call("relu_1", at, scope=again)
    lowered = make.add(graph, "lowered_0", "get_attr", Target(TargetType.ATTRIBUTE, "lowered_0"))
    target = higher_order("executorch_call_delegate")
    at = call("executorch_call_delegate", lowered, at, target=target)
    at = call("getitem", at, target=GETITEM)
    at = call("cumsum", at, scope=second)
    at = call("add", call("cos", call("sin", at, scope=block), scope=block), scope=root)
    make.output(graph, at, call("arange"), call("exp"))
    inner = make.builder.graph("lowered_0", "delegate", 0)
    inner.delegate = Delegate("XnnpackBackend", 2048)
    part = call("linear", make.input(inner, "a", value), scope=block, at=inner)
    make.output(inner, call("linear_1", part, scope=second, at=inner))
    graph.holds(lowered, inner.number)
    return make.finish(graph)


def _profile(
    times: Mapping[str, float | None],
    conditions: Conditions = _CPU,
    basis: Basis = Basis.MEASURED,
    spread: float = 0.05,
) -> Profile:
    names = tuple(f"forward/{name}" for name in times)
    time = [UNKNOWN if each is None else round(1000 * each) for each in times.values()]
    # The last op did not run: a branch that was not taken.
    names, calls = (*names, "forward/exp"), [1] * len(names) + [0]
    time.append(UNKNOWN)
    low, high = ([max(UNKNOWN, round(each * (1 + by))) for each in time] for by in (-spread, spread))
    blank = (UNKNOWN,) * len(names)
    columns = Columns(
        nodes=names,
        basis=tuple(BASES.index(basis if number % 3 else Basis.MEASURED) for number in range(len(names))),
        calls=tuple(calls),
        n=tuple(0 if each == UNKNOWN else 9 for each in time),
        time=tuple(time),
        min=tuple(low),
        p25=tuple(low),
        median=tuple(time),
        p75=tuple(high),
        output_bytes=blank,
        allocated_bytes=blank,
        live_bytes=blank,
        flops=blank,
        bytes_moved=blank,
    )
    known = sum(each for each in time if each != UNKNOWN)
    rest = known // 20
    whole, overhead = (Times(9, each, each, each, each, each) for each in (known + rest, rest))
    record = ProfileRecord(SCHEMA, "forward", "edge", conditions, columns, whole, overhead)
    return Profile(record, program())


@functools.cache
def profiles() -> dict[str, Profile]:
    """By name."""
    eager = _profile(_EAGER, basis=Basis.EMULATED)
    cut = msgspec.structs.replace(eager.record, whole=None, overhead=None, complete=False)
    busy = msgspec.structs.replace(_CPU, load=(0.5, 5.26))
    return {
        "eager": eager,
        "cut": Profile(cut, program()),
        "busy": _profile({**_EAGER, "relu": 300}, busy),
        "whole": _profile(_WHOLE, _RUNTIME, Basis.ESTIMATED),
        "ops": _profile(_OPS, msgspec.structs.replace(_RUNTIME, executor=Executor.ETDUMP), Basis.ESTIMATED),
        "nothing": _profile(dict.fromkeys(_EAGER)),
    }


# FLOPs and bytes moved by node; None is not known. `cumsum` moves bytes fastest and has no FLOPs.
_COUNTED: Mapping[str, tuple[int | None, int | None]] = {
    "relu": (32, 64), "relu_1": (32, 64), "cumsum": (None, 4096), "arange": (0, 32),
    "lowered_0/linear": (4096, 512), "lowered_0/linear_1": (1024, 256), "add": (64, None), "sin": (256, 64),
}  # fmt: skip


def _counted(profile: Profile) -> Profile:
    """The same profile with FLOPs and bytes."""
    columns = profile.record.columns
    found = [_COUNTED.get(name.removeprefix("forward/"), (None, None)) for name in columns.nodes]
    flops, moved = (
        tuple(UNKNOWN if each is None else each for each in one) for one in zip(*found, strict=True)
    )
    columns = msgspec.structs.replace(columns, flops=flops, bytes_moved=moved)
    return Profile(msgspec.structs.replace(profile.record, columns=columns), profile.snapshot)


# Live bytes after a node; two nodes share the peak, and the first counts.
_LIVE: Mapping[str, int] = {"relu": 64, "relu_1": 4096, "cumsum": 32, "add": 4096}


def _live(profile: Profile, known: Mapping[str, int]) -> Profile:
    """The same profile with live bytes of some nodes."""
    columns = profile.record.columns
    live = tuple(known.get(name.removeprefix("forward/"), UNKNOWN) for name in columns.nodes)
    columns = msgspec.structs.replace(columns, live_bytes=live)
    return Profile(msgspec.structs.replace(profile.record, columns=columns), profile.snapshot)


# Time, p25, p75, number of runs.
_SPREADS: Sequence[tuple[float, float | None, float | None, int]] = (
    (50, 45, 55, 9),
    (52, 51, 53, 9),
    (54, 54, 54, 9),
    (56, 55.5, 57, 9),
    (500, 450, 550, 9),
    (500, 450, 550, 3),
    (500, 52, 550, 9),
    (500, None, None, 9),
    (0, 0, 0, 9),
)


_ACROSS = (["eager", "ops"], ["eager", "whole", "ops"], ["nothing", "eager", "whole"], ["eager", "busy"])


def cases() -> dict[str, list[Any]]:
    """The program and the profiles, then by rule: which profile, what else is given, and what follows."""
    program_of_page = PageSkeleton(**msgspec.structs.asdict(program().skeleton), page=page_data(program()))
    found = profiles()
    return {
        "program": [[msgspec.to_builtins(program_of_page)]],
        "profiles": [[name, msgspec.to_builtins(profile.record)] for name, profile in found.items()],
        "rollup": [
            [name, by, _groups(profile, by)]
            for name, profile in found.items()
            for by in ("node", "op", "module")
        ],
        "mixed": [
            [name, {key: str(one) for key, one in mixed(each).items()}] for name, each in found.items()
        ],
        "untimed ops": [
            [name, sorted(node.id for node in profile.untimed_ops)] for name, profile in found.items()
        ],
        "across": [[names, _across([found[name] for name in names])] for names in _ACROSS],
        "roofline": [
            [msgspec.to_builtins(_counted(found[name]).record), *_roofline(_counted(found[name]))]
            for name in ("eager", "nothing")
        ],
        "peak": [
            [msgspec.to_builtins(live.record), *(_peak(live))]
            for live in (_live(found["eager"], _LIVE), _live(found["eager"], {"relu": 8}), found["eager"])
        ],
        "noise": [
            [one, other, are_apart(span(*one), span(*other))] for one in _SPREADS for other in _SPREADS
        ],
        "sums": [[_SPREADS[:4], list(total(span(*one) for one in _SPREADS[:4]))]],
        "differences": [
            [msgspec.to_builtins(one), msgspec.to_builtins(other), differences(one, other)]
            for one in _CONDITIONS
            for other in _CONDITIONS
        ],
    }


def _groups(profile: Profile, by: Any) -> list[Any]:
    return [
        {
            "key": group.key,
            "time": _nanoseconds(group.time),
            "total": _nanoseconds(group.total),
            "share": share_text(group.share),
            "cumulative": share_text(group.cumulative),
            "nodes": group.nodes,
            "untimed": group.untimed,
            "bases": [basis.value for basis in Basis if basis in group.bases],
        }
        for group in rollup(profile, by)
    ]


def _peak(profile: Profile) -> list[Any]:
    """The node after which the most bytes are alive, and how many."""
    return [None, None] if profile.peak is None else [profile.peak.node.id, profile.peak.live_bytes]


def _roofline(profile: Profile) -> list[Any]:
    """Points as node, FLOPs per byte and FLOPs per second; the roofs as FLOPs and bytes per second."""
    points = [[cost.node.id, cost.intensity, rate(cost)] for cost in shown_costs(profile)]
    return [sorted(points), list(roofs(profile))]


def _across(given: list[Profile]) -> list[Any]:
    names = [str(number) for number in range(len(given))]
    rows: dict[str, list[Any]] = {}
    for row in compare(given, names):
        cells = rows.setdefault(row.module, [None] * len(given))
        cells[int(row.stage)] = {
            "time": _nanoseconds(row.time),
            "ratio": None if row.ratio is None else ratio_text(row.ratio),
            "isApart": row.apart,
            "bases": [basis.value for basis in row.bases],
            "mixed": row.mixed,
        }
    return [[key, cells] for key, cells in rows.items()]


def _nanoseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1e9 * seconds)
