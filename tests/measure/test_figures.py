"""Charts: what is drawn is what was measured, every point names its nodes, hostile names stay text."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable

import msgspec
import plotly.graph_objects as go
import pytest
import torch

import exir_viz
from exir_viz import figures
from exir_viz.errors import MeasureError
from exir_viz.figures.stages import _ending
from exir_viz.figures.units import byte_unit, time_unit
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import UNKNOWN, Executor
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.memory import arena_peaks, planned, planned_in, writer
from tests.corpus.programs import core, exported


@pytest.fixture(scope="module")
def profile() -> Profile:
    return exir_viz.profile(core("dynamic_batch"), repeats=3)


def _named(figure: go.Figure) -> set[str]:
    drawn = [trace.customdata for trace in figure.data if trace.customdata is not None]
    return {name for points in drawn for names in points for name in names}


def _unit(axis: go.layout.XAxis | go.layout.YAxis) -> float:
    """How many seconds or bytes the unit is that the title of an axis names."""
    name = axis.title.text.rpartition(", ")[2]
    return {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "B": 1, "KB": 2**10, "MB": 2**20}[name]


def test_bars_are_medians_and_end_within_their_quartiles(profile: Profile) -> None:
    figure = figures.bars(profile, top=5)
    bars = {
        names[0]: x
        for trace in figure.data
        if trace.type == "bar"
        for names, x in zip(trace.customdata, trace.x, strict=True)
    }
    unit = _unit(figure.layout.xaxis)
    medians = sorted(cost.median for cost in profile if cost.median is not None)
    assert sorted(x * unit for x in bars.values()) == pytest.approx(medians[-5:])
    marks = next(trace for trace in figure.data if trace.type == "scatter")
    for names, x, high, low in zip(
        marks.customdata, marks.x, marks.error_x.array, marks.error_x.arrayminus, strict=True
    ):
        cost = profile[names[0]]
        assert x == bars[names[0]]
        assert x * unit == pytest.approx(cost.median)
        assert (x + high) * unit == pytest.approx(cost.p75)
        assert (x - low) * unit == pytest.approx(cost.p25)


def test_a_bar_of_a_difference_is_its_time_and_has_no_quartiles(profile: Profile) -> None:
    columns = profile.record.columns
    unknown = dict.fromkeys(("min", "p25", "median", "p75"), (UNKNOWN,) * len(columns.nodes))
    bare = msgspec.structs.replace(columns, n=(0,) * len(columns.nodes), **unknown)
    record = msgspec.structs.replace(profile.record, columns=bare)
    figure = figures.bars(Profile(record, profile.snapshot), top=1)
    bar = next(trace for trace in figure.data if trace.type == "bar")
    hottest = max(cost.time for cost in profile if cost.time is not None)
    assert bar.x[0] * _unit(figure.layout.xaxis) == pytest.approx(hottest)
    assert "the difference of two measured times" in bar.hovertext[0]
    assert all(len(trace.x) == 0 for trace in figure.data if trace.type == "scatter")


@pytest.mark.parametrize(
    ("seconds", "name"),
    [([], "ns"), ([2e-6, None], "µs"), ([7e-3, 2e-6], "ms"), ([3.0], "s"), ([1e-12], "ns")],
)
def test_an_axis_of_times_has_the_unit_of_the_largest(seconds, name) -> None:
    assert time_unit(seconds).name == name


@pytest.mark.parametrize(
    ("counts", "name"), [([], "B"), ([1023], "B"), ([1024, 3], "KB"), ([450_000], "KB"), ([2**50], "TB")]
)
def test_an_axis_of_bytes_has_the_unit_of_the_largest(counts, name) -> None:
    assert byte_unit(counts).name == name


def test_two_nodes_of_one_name_are_two_bars() -> None:
    """The branches of a condition name their nodes alike."""
    taken = exir_viz.profile(exported("nested_cond"), repeats=2)
    columns = taken.record.columns
    times = tuple(1_000 * (1 + row) for row in range(len(taken)))  # of branches that were not taken, too
    ran = msgspec.structs.replace(columns, **dict.fromkeys(("time", "min", "p25", "median", "p75"), times))
    branched = Profile(msgspec.structs.replace(taken.record, columns=ran), taken.snapshot)
    names = [cost.node.name for cost in branched]
    assert len(set(names)) < len(names)
    figure = figures.bars(branched, top=99)
    rows = [row for trace in figure.data if trace.type == "bar" for row in trace.y]
    assert sorted(rows) == list(range(len(names)))
    assert sorted(figure.layout.yaxis.ticktext) == sorted(names)


def test_modules_add_up(profile: Profile) -> None:
    figure = figures.modules(profile)
    (flame,), unit = figure.data, _unit(figure.layout.xaxis)
    boxes = [
        (depth, start, start + time) for depth, start, time in zip(flame.y, flame.base, flame.x, strict=True)
    ]
    (whole, *others) = boxes
    assert whole == (0, 0, pytest.approx(profile.whole.time / 1e9 / unit, rel=0.001))
    for depth, start, end in others:
        around = [
            box for box in boxes if box[0] == depth - 1 and box[1] <= start + 1e-6 and end <= box[2] + 1e-6
        ]
        assert len(around) == 1
        beside = [box for box in boxes if box[0] == depth and box[1] < end - 1e-6 and box[2] > start + 1e-6]
        assert beside == [(depth, start, end)]
    ids = dict(zip(flame.ids, flame.x, strict=True))
    for share in profile.hottest(99, by="module"):
        (width,) = (time for name, time in ids.items() if name.partition("/")[2] == share.key)
        assert width * unit == pytest.approx(share.total)


def test_every_node_is_found_from_the_picture(profile: Profile) -> None:
    ids = {cost.node.id for cost in profile}
    for figure in (figures.bars(profile, top=99), figures.modules(profile), figures.memory(profile)):
        assert _named(figure) == ids
    assert _named(figures.roofline(profile)) == {cost.node.id for cost in profile if cost.intensity}
    some = next(iter(ids))
    figure = figures.memory(profile)
    ((trace, point),) = figures.point_of(figure, some)
    assert figure.data[trace].customdata[point] == [some]


def test_memory_names_its_peak(profile: Profile) -> None:
    figure = figures.memory(profile)
    (note,) = figure.layout.annotations
    assert profile.peak.node.name in note.text
    assert max(figure.data[0].y) == pytest.approx(profile.peak.live_bytes / _unit(figure.layout.yaxis))


def test_ops_of_no_module_are_said_to_be_that() -> None:
    program = copy.deepcopy(core("dynamic_batch"))
    for node in program.graph.nodes:
        node.meta.pop("nn_module_stack", None)
    bare = exir_viz.profile(program, repeats=1)
    assert "in no module" in figures.stages([bare]).layout.yaxis.ticktext
    assert "in no module" in figures.modules(bare).data[0].text


def test_memory_is_pointed_to_anywhere(profile: Profile) -> None:
    """Nothing has a corner that one must hit: the node nearest in time is meant, whose step is there."""
    figure = figures.memory(profile)
    assert (figure.layout.hovermode, figure.layout.hoverdistance) == ("x", -1)
    assert figure.data[0].line.shape == "hvh"


def test_arenas_are_those_of_the_plan() -> None:
    from executorch.exir import to_edge

    last = copy.deepcopy(to_edge(exported("dynamic_batch"))).to_executorch()
    method = exir_viz.load(last).method
    figure = figures.arenas(method)
    unit = _unit(figure.layout.yaxis)
    boxes = [
        (base, width, (y - height / 2) * unit)
        for trace in figure.data
        for base, width, y, height in zip(trace.base, trace.x, trace.y, trace.width, strict=True)
    ]
    specs = {
        (spec.lifetime[0], spec.lifetime[1] - spec.lifetime[0] + 1, float(spec.offset))
        for node in method.graph
        for spec in node.specs
        if spec.lifetime and spec.offset is not None and spec.mem_id is not None
    }
    assert set(boxes) == specs
    (title, *_) = (note.text for note in figure.layout.annotations)
    bytes_at, at = arena_peaks(method)[1]
    assert title == f"arena 1: {byte_text(bytes_at)} alive at {writer(method.graph[at]).name}"
    assert method.graph[at].target.name == "alloc"  # of which the op that writes to it is named
    assert all(one.node.target.name != "alloc" for one in planned(method))
    first = next(node.position for node in method.graph if node.op == "call_function")
    assert figure.layout.xaxis.range == (first, len(method.graph))
    assert "inputs reach in" in figure.layout.xaxis.title.text
    assert {base for base, *_ in boxes if base < first} == {0}  # alive from the start
    unplanned = figures.arenas(exir_viz.load(exported("dynamic_batch")).method)
    assert "No memory plan" in unplanned.layout.title.text


def test_two_values_of_an_arena_that_live_at_once_lie_apart() -> None:
    """What ExecuTorch's planner promises holds of what is drawn."""
    from executorch.exir import to_edge

    last = copy.deepcopy(to_edge(exported("nested_cond"))).to_executorch()
    method = exir_viz.load(last).method
    for graph in method.graphs():
        for one, other in itertools.combinations(planned_in(graph), 2):
            is_together = one.first <= other.last and other.first <= one.last
            is_above = one.offset >= other.offset + other.bytes or other.offset >= one.offset + one.bytes
            assert one.arena != other.arena or not is_together or is_above
            assert one.last < len(graph)
    drawn = [node for trace in figures.arenas(method).data for (node,) in trace.customdata]
    in_branches = {one.node.id for graph in method.graphs() if graph.parent for one in planned_in(graph)}
    assert in_branches
    assert in_branches <= set(drawn)
    assert len(drawn) == len(planned(method)) == sum(len(planned_in(graph)) for graph in method.graphs())


def test_stages_side_by_side(profile: Profile) -> None:
    first = exir_viz.profile(exported("dynamic_batch"), repeats=3)
    figure = figures.stages([first, profile], ["ATen", "Core"])
    assert [trace.name for trace in figure.data] == ["ATen", "Core"]
    assert _named(figure) <= {cost.node.id for one in (first, profile) for cost in one}


def test_stages_begin_with_the_whole_run_of_each(profile: Profile) -> None:
    """It is the one time that a stage too has of which no op is told apart."""
    record = profile.record
    alone = msgspec.structs.replace(record.conditions, executor=Executor.RUNTIME)
    other = Profile(msgspec.structs.replace(record, conditions=alone), profile.snapshot)
    figure = figures.stages([profile, other, profile], ["ATen", "other", "Core"])
    assert figure.layout.yaxis.ticktext[0] == "the whole run"
    scale = _unit(figure.layout.xaxis)
    wholes = [profile.whole.time, other.whole.time, profile.whole.time]
    assert [trace.x[0] * scale * 1e9 for trace in figure.data] == pytest.approx(wholes)
    assert "×1 of the first" in figure.data[2].hovertext[0]
    assert "<sub>other: the executor differs" in figure.layout.title.text
    assert figures.stages([profile]).layout.title.text == "Modules at 1 stage"


def test_stages_have_room_for_every_name_bar_and_note(profile: Profile) -> None:
    record = profile.record
    busy = msgspec.structs.replace(record.conditions, load=(90.0, 90.0), cores=2)
    other = Profile(msgspec.structs.replace(record, conditions=busy), profile.snapshot)
    names = ["a", "b", "c", "d", "e"]
    layout = figures.stages([profile, other, other, other, other], names).layout
    modules = len(layout.yaxis.ticktext)
    assert modules == len(layout.yaxis.tickvals) == 1 + len(profile.rollup("module"))
    assert "the machine was busy" in layout.title.text
    bars = layout.height - layout.margin.t - layout.margin.b
    assert bars / modules >= 5 * 7
    notes = layout.title.text.count("<br>")
    begins = (1 - layout.legend.y) * layout.height
    assert begins >= layout.title.pad.t + layout.title.font.size + notes * layout.title.font.size * 1.3
    assert begins + len(names) * 19 <= layout.margin.t


@pytest.mark.parametrize("draw", [figures.bars, figures.roofline])
def test_a_legend_stands_between_title_and_plot(
    draw: Callable[[Profile], go.Figure], profile: Profile
) -> None:
    figure = draw(profile)
    layout = figure.layout
    assert len(figure.data) > 1
    begins = (1 - layout.legend.y) * layout.height
    assert begins >= layout.title.pad.t + layout.title.font.size
    assert begins + len(figure.data) * 19 <= layout.margin.t
    assert layout.height - layout.margin.t - layout.margin.b > 60


def test_bars_of_different_kinds_do_not_cover_each_other(profile: Profile) -> None:
    figure = figures.bars(profile)
    rows = [(row, trace.width) for trace in figure.data if trace.type == "bar" for row in trace.y]
    assert len({row for row, _ in rows}) == len(rows) > 3
    assert all(width < 1 for _, width in rows)


def test_stages_of_two_modules_with_one_short_name_stay_apart() -> None:
    class Deep(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for middle in ("one", "two"):
                inner = torch.nn.ModuleDict({"z" * 40: torch.nn.ReLU()})
                self.add_module("a" * 40 + middle, inner)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for held in self.children():
                for inner in held.values():
                    x = inner(x)
            return x

    deep = exir_viz.profile(torch.export.export(Deep(), (torch.ones(2),)), repeats=2)
    figure = figures.stages([deep])
    labels = figure.layout.yaxis.ticktext
    assert len(set(labels)) < len(labels)
    assert len(set(figure.data[0].y)) == len(labels)


def test_a_rest_below_nothing_has_no_bar(profile: Profile) -> None:
    whole = profile.record.whole
    assert whole is not None
    less = msgspec.structs.replace(whole, time=-whole.time // 4)
    too_much = Profile(msgspec.structs.replace(profile.record, overhead=less), profile.snapshot)
    assert all(time is None or time >= 0 for time in figures.stages([too_much]).data[0].x)


def test_hostile_names_stay_text() -> None:
    hostile = exir_viz.profile(exported("hostile_names"), repeats=2)
    for figure in (figures.bars(hostile), figures.modules(hostile), figures.stages([hostile])):
        for trace in figure.data:
            texts = [*(trace.hovertext or ()), *(getattr(trace, "text", None) or ()), trace.name or ""]
            assert not any("<img" in text or "</script" in text for text in texts)
    assert any("&lt;img" in label for label in figures.modules(hostile).data[0].text)


def test_figures_import_no_torch(profile: Profile, tmp_path) -> None:
    import subprocess
    import sys

    path = profile.save(tmp_path / "p.exirprofile")
    code = (
        f"import sys, exir_viz; from exir_viz import figures; p = exir_viz.load({str(path)!r})\n"
        "[f(p) for f in (figures.bars, figures.modules, figures.memory, figures.roofline, figures.arenas)]\n"
        "figures.stages([p, p]); exir_viz.measure.frames.compare_frame([p, p])\n"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_a_chart_of_nothing_says_why() -> None:
    """Of a profile that the runtime made there are no bytes and no FLOPs, and some nodes have no time."""
    profile = exir_viz.profile(exported("dynamic_batch"), repeats=1)
    columns = profile.record.columns
    blank = tuple(UNKNOWN for _ in columns.nodes)
    names = ("time", "min", "p25", "median", "p75", "live_bytes", "allocated_bytes", "flops", "bytes_moved")
    empty = msgspec.structs.replace(columns, **dict.fromkeys(names, blank))
    conditions = msgspec.structs.replace(profile.conditions, executor=Executor.RUNTIME)
    record = msgspec.structs.replace(profile.record, columns=empty, conditions=conditions)
    bare = Profile(record, profile.snapshot)
    memory, roofline, bars = figures.memory(bare), figures.roofline(bare), figures.bars(bare)
    assert "only executor='cpu' tracks memory" in memory.layout.annotations[0].text
    assert "executor='cpu' counts FLOPs" in roofline.layout.annotations[0].text
    assert bars.layout.title.text == "No node was timed separately"
    for figure in (memory, roofline, bars):
        assert figure.layout.xaxis.visible is figure.layout.yaxis.visible is False
    one = figures.bars(profile, top=1)
    assert one.layout.title.text.startswith("The slowest node of ")


class Passes(torch.nn.Module):
    """Nothing computes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Picks(torch.nn.Module):
    """A row by a number that may be too large, once there is something to pick from."""

    def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding(rows, x * 2)


def test_a_chart_of_what_the_cpu_executor_looked_at_does_not_ask_for_it() -> None:
    """It was it that ran: the reason is the program's, or that the run ended early."""
    nothing = exir_viz.profile(torch.export.export(Passes(), (torch.ones(2),)), repeats=1)
    assert _note(figures.memory(nothing)) == "This program has no ops that compute."
    assert _note(figures.roofline(nothing)) == "This program has no ops that compute."
    cheap = exir_viz.profile(torch.export.export(torch.nn.Tanh(), (torch.ones(2),)), repeats=1)
    assert _note(figures.roofline(cheap)).startswith("No op has a FLOP count")
    program = torch.export.export(Picks(), (torch.ones(4, 3), torch.tensor([0, 1])))
    with pytest.raises(MeasureError) as raised:
        exir_viz.profile(program, (torch.ones(4, 3), torch.tensor([0, 9])), repeats=1)
    cut = raised.value.profile
    assert _note(figures.memory(cut)).startswith("Not measured: the profile stopped")
    assert _note(figures.roofline(cut)).startswith("Not measured: the profile stopped")
    assert "Incomplete" in figures.bars(cut).layout.title.text
    assert "a first call, which is slower" in figures.bars(cut).layout.title.text
    assert "Incomplete" not in figures.bars(cheap).layout.title.text


def _note(figure: go.Figure) -> str:
    return figure.layout.annotations[0].text


def test_a_long_path_keeps_its_end() -> None:
    assert _ending("layers.0") == "layers.0"
    assert _ending("mobilenet_v2.layer.13.expand_1x1.convolution") == "…layer.13.expand_1x1.convolution"
    assert len(_ending("x" * 90)) == 34
