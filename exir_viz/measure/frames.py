"""A Profile as tidy pandas frames. Times are microseconds (`_us`), sizes bytes; unknown values are missing.

pandas is imported when a frame is made; torch never.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.memory import planned
from exir_viz.snapshot.module_attribution import module_of
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.symbol_names import value_text
from exir_viz.table import Row, Table, table

from .compare import compare
from .rollup import By, dialect_of, dtype_of, module_name, ordered, rest_of, rollup

if TYPE_CHECKING:
    import pandas as pd

    from .carried_costs import Carried
    from .profile import Cost, Profile

_TIMES = ("time_us", "min_us", "p25_us", "median_us", "p75_us")
_INTEGERS = ("calls", "n", "output_bytes", "allocated_bytes", "live_bytes", "flops", "bytes_moved")
# The columns next to a group's key.
_SECOND_COLUMN = {"node": "op", "line": "code"}


def cost_frame(profile: Profile) -> pd.DataFrame:
    """One row per node that computes, in execution order. Time outside nodes is in `attrs`.

    method, graph, node; op ("aten.mm.default"), kind, dialect (or the backend that runs the node), dtype,
    value ("f32[4, 8]"), module, class, file and line (the user's, not torch's); basis ("measured",
    "emulated", "estimated"), calls (in one run), n (runs in which it ran); time_us (mean of the fastest
    half of the runs, or of all if a remark says so: these add up, with the overhead, to the total), min_us,
    p25_us, median_us, p75_us (over the n runs); share (of the whole); output_bytes, allocated_bytes,
    live_bytes (alive when the node has run), flops, bytes_moved; intensity (FLOPs a byte), flops_per_s.
    `frame.attrs` has whole_us and overhead_us: time_us and overhead_us add up to whole_us, which the other
    statistics do not. If the runtime did not time ops separately, rest_us
    replaces overhead_us: it includes these ops.
    """
    frame = cost_table(profile).frame()
    if profile.whole is not None and profile.overhead is not None:
        frame.attrs = {
            "whole_us": profile.whole.time / 1e3,
            rest_column(profile): profile.overhead.time / 1e3,
        }
    return frame


def cost_table(profile: Profile) -> Table:
    """The rows of `cost_frame`, without pandas."""
    columns = (
        *("method", "graph", "node", "op", "kind", "dialect", "dtype", "value", "module", "class"),
        *("file", "line", "basis", "calls", "n", *_TIMES, "share"),
        *(
            "output_bytes",
            "allocated_bytes",
            "live_bytes",
            "flops",
            "bytes_moved",
            "intensity",
            "flops_per_s",
        ),
    )
    floats = (*_TIMES, "share", "intensity", "flops_per_s")
    rows = (_row(profile, cost) for cost in profile)
    return table("profile.frame", rows, columns, integers=(*_INTEGERS, "line"), floats=floats)


def rest_column(profile: Profile | None) -> str:
    """The column for time outside nodes: "overhead_us", or "rest_us" if it contains ops too."""
    return "overhead_us" if profile is None else f"{rest_of(profile).strip('()')}_us"


def rollup_frame(profile: Profile, by: By) -> pd.DataFrame:
    """One row per group, the one with the most own time first; "(overhead)" is time outside nodes.

    If the ExecuTorch runtime timed only delegates, that is "(rest)", which includes the other ops.

    `by` names the first column: "node", "module", "op", "kind", "dialect", "line" or "dtype". class (of a
    module; by node it is op instead, and by line code); time_us, total_us (with the modules within); share
    and cumulative (of time_us), total_share (of total_us), all of the whole run, 0 to 1; nodes, untimed
    (nodes with the modules within that ran and have no time: the times are of the others, and missing where
    there are none), calls, flops, bytes_moved, allocated_bytes (of the nodes of which they are known); basis
    (how total_us was found: "measured", "measured, emulated", …).
    """
    shares = rollup(profile, by)
    columns = (
        *(by, _SECOND_COLUMN.get(by, "class"), "time_us", "total_us", "share", "total_share", "cumulative"),
        *("nodes", "untimed", "calls", "flops", "bytes_moved", "allocated_bytes", "basis"),
    )
    rows = (
        (
            *(one.key, one.cls, _micro(one.time), _micro(one.total)),
            *(one.share, one.total_share, one.cumulative),
            *(one.nodes, one.untimed, one.calls, one.flops, one.bytes_moved, one.allocated_bytes),
            ", ".join(ordered(one.bases)) or None,
        )
        for one in shares
    )
    made = table("profile.rollup()", rows, columns, integers=columns[7:-1], floats=columns[2:7])
    return made.frame()


def memory_frame(profile: Profile) -> pd.DataFrame:
    """One row per node, in execution order: what is alive after it has run.

    step, graph, node; live_bytes (made by the program and still in use), allocated_bytes (new at this node),
    total_bytes (with state and inputs).
    """
    fixed = profile.record.state_bytes + profile.record.input_bytes
    rows = (
        (
            *(step, cost.node.graph.path, cost.node.name, cost.live_bytes, cost.allocated_bytes),
            None if cost.live_bytes is None else cost.live_bytes + fixed,
        )
        for step, cost in enumerate(profile)
        if cost.calls
    )
    columns = ("step", "graph", "node", "live_bytes", "allocated_bytes", "total_bytes")
    return table("profile.memory", rows, columns, integers=("step", *columns[3:])).frame()


def arena_frame(profile: Profile) -> pd.DataFrame:
    """One row a planned value of an executorch-stage program: where it lies, and from when to when.

    node, value; arena, offset, bytes; first, last (execution steps: positions of nodes, where
    those of a branch or loop body come right after the node that runs it); object (values with one number
    share memory by plan).
    """
    columns = ("node", "value", "arena", "offset", "bytes", "first", "last", "object")
    rows = (
        (one.node.id, one.value, one.arena, one.offset, one.bytes, one.first, one.last, one.object)
        for one in planned(profile.method)
    )
    return table("profile.arenas", rows, columns, integers=columns[2:]).frame()


def compare_frame(profiles: Sequence[Profile], names: Sequence[str] | None = None) -> pd.DataFrame:
    """One row per module and profile: the same module at several stages, or in several runs.

    module, class, stage (its name, in the given order), time_us (with all modules within), own_us, ratio (of
    time to that of the first stage that has a time of this module), ops; apart (whether the two differ by
    more than noise), basis ("measured", "measured, emulated", …), mixed (why the time is not the module's
    alone, or not all of it: "in XNNPACK 1, which spans more"; then there is no ratio, and times are of
    its other ops).
    """
    floats = ("time_us", "own_us", "ratio")
    columns = ("module", "class", "stage", *floats, "ops", "apart", "basis", "mixed")
    rows = (
        (
            *(one.module, one.cls, one.stage, _micro(one.time), _micro(one.own), one.ratio, one.ops),
            *(one.apart, ", ".join(one.bases), one.mixed),
        )
        for one in compare(profiles, names)
    )
    name = "compare_frame()"
    return table(name, rows, columns, integers=("ops",), floats=floats, booleans=("apart",)).frame()


def carried_frame(carried: Carried) -> pd.DataFrame:
    """One row per node of the earlier stage and node that it became, or per node without an ancestor.

    node and op (of the earlier stage; missing for what has no ancestor, and for the overhead), part and
    part_op (of the stage that was profiled; missing for the overhead), time_us (these add up to the whole;
    missing where it is not known), share (of the part's time: below 1 it came from several, and is spread
    evenly), basis ("estimated" where it is spread, else as the part was found), evidence, reason (why it has
    no ancestor).
    """
    columns = ("node", "op", "part", "part_op", "time_us", "share", "basis", "evidence", "reason")
    rows: list[Row] = [
        (
            *(one.node.id, op_name(one.node.target), part.node.id, op_name(part.node.target)),
            *(_micro(part.time), part.share, part.basis.value, part.evidence.value, None),
        )
        for one in carried
        for part in one.parts
    ]
    rows += [
        (
            *(None, None, one.node.id, op_name(one.node.target), _micro(one.time), 1.0),
            *(carried.profile[one.node].basis.value, None, one.reason or None),
        )
        for one in carried.orphans
    ]
    rows.append((*[None] * 4, carried.overhead * 1e6, 1.0, None, None, rest_of(carried.profile)))
    return table("profile.at(stage).frame", rows, columns, floats=("time_us", "share")).frame()


def _row(profile: Profile, cost: Cost) -> Row:
    node = cost.node
    scopes, frame = module_of(node), users_frame(node.frames)
    module = (module_name(scopes[-1]), scopes[-1].cls) if scopes else (None, None)
    line = (None, None) if frame is None else (frame.file, frame.line)
    times = (cost.time, cost.min, cost.p25, cost.median, cost.p75)
    share = None if cost.time is None else profile.share(cost.time)
    rate = cost.flops / cost.time if cost.flops and cost.time else None
    return (
        *(profile.record.method, node.graph.path, node.name, op_name(node.target)),
        *(index_of(node.graph).kinds[node.position].value, dialect_of(profile, node), dtype_of(node)),
        *(
            None if node.value is None else value_text(node),
            *module,
            *line,
            cost.basis.value,
            cost.calls,
            cost.n,
        ),
        *map(_micro, times),
        *(share, cost.output_bytes, cost.allocated_bytes, cost.live_bytes, cost.flops, cost.bytes_moved),
        *(cost.intensity, rate),
    )


def _micro(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e6
