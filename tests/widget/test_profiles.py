"""Profiles in an explorer: shown, measured for a page, stopped, refused; and charts linked with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.errors import MeasureError
from exir_viz.measure.profile import Profile
from exir_viz.widget.explorer import Explorer
from exir_viz.widget.profiles import NoSuchProfile
from tests.stages.modules import small

from .test_stages import Recorded


@pytest.fixture(scope="module")
def profile() -> Profile:
    module, x = small()
    return exir_viz.profile(torch.export.export(module, (x,)), repeats=3)


@pytest.fixture
def explorer() -> Iterator[Recorded]:
    explorer = Recorded(Session(*small()))
    yield explorer
    explorer.close()


def told(explorer: Recorded) -> tuple[Any, Any]:
    """The last that a page was told of profiles."""
    return [each for each in explorer.sent if each[0]["kind"] == "profiles"][-1]


def test_a_profile_is_shown_with_its_snapshot_or_on_its_program(profile: Profile, tmp_path: Path) -> None:
    alone = exir_viz.explore(profile)
    assert alone.profile is profile
    on_program = exir_viz.explore(profile.snapshot)
    on_program.show(profile)
    assert on_program.profile is profile
    read = exir_viz.load(profile.save(tmp_path / "one.exirprofile", absolute_paths=True))
    on_program.show(read)
    assert on_program.profile is read


def test_a_profile_of_another_program_is_refused_by_name(profile: Profile) -> None:
    other = exir_viz.load(torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Tanh()), torch.zeros(2))
    with pytest.raises(NoSuchProfile, match=r"another program: it has costs for 'forward/\w+'"):
        exir_viz.explore(other).show(profile)


def test_a_page_asks_for_a_measurement_and_gets_its_result(explorer: Recorded) -> None:
    stage = explorer.session.root
    answer, _ = explorer.ask("profile", stage=stage.id, options={"threads": 1, "repeats": 4})
    assert answer["kind"] == "profile"
    content, (record,) = told(explorer)
    assert (content["stages"], content["show"]) == ([stage.id], None)  # the page decides what it shows
    assert json.loads(record)["conditions"]["repeats"] == 4
    assert explorer.profile is not None
    assert len(explorer.profile) == len(json.loads(record)["columns"]["nodes"])
    progress = [content for content, _ in explorer.sent if content["kind"] == "progress"]
    assert progress[0]["title"] == "profile"
    assert "stage" not in progress[-1]  # it is over


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"executor": "<gpu>"}, "Unknown executor"),
        ({"threads": 0}, "threads is 0. Expected: a whole number"),
        ({"repeats": "many"}, "repeats is 'many'. Expected: a whole number"),
        ({"executor": "executorch"}, "lower"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_reason(
    explorer: Recorded, options: dict[str, Any], why: str
) -> None:
    answer, _ = explorer.ask("profile", stage=explorer.session.root.id, options=options)
    assert answer["kind"] == "refused"
    assert why in answer["reason"]
    assert explorer.profile is None


class Picks(torch.nn.Module):
    """A row of a table, by a number that may be too large for it."""

    def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding(rows, x * 2)


def test_an_op_that_raises_is_reported_without_what_only_python_can_do() -> None:
    program = torch.export.export(Picks(), (torch.ones(4, 3), torch.tensor([0, 1])))
    program._example_inputs = ((torch.ones(4, 3), torch.tensor([0, 9])), {})
    explorer = Recorded(Session(program))
    answer, _ = explorer.ask("profile", stage=explorer.session.root.id, options={"repeats": 1})
    explorer.close()
    assert "The node forward/embedding (aten.embedding.default) could not run" in answer["reason"]
    assert answer["node"] == "forward/embedding"
    assert "`profile`" not in answer["reason"]
    assert explorer.profile is not None
    with pytest.raises(MeasureError, match="in the error's `profile`"):
        exir_viz.profile(program, repeats=1)


def test_stop_keeps_what_was_measured(explorer: Recorded) -> None:
    """Stopped as soon as it tells of its first runs."""
    stage = explorer.session.root
    send = explorer.send

    def stopping(content: Any, buffers: Any = None) -> None:
        send(content, buffers)
        if content.get("text", "").startswith("Measuring: ") and content["fraction"] > 0:
            explorer._receive(explorer, {"kind": "ask", "what": "stop", "from": "view"}, [])

    explorer.send = stopping  # type: ignore[method-assign]
    answer, _ = explorer.ask("profile", stage=stage.id, options={"repeats": 10_000})
    assert answer["kind"] == "profile"
    assert explorer.profile is not None
    assert not explorer.profile.complete
    assert 0 < explorer.profile.conditions.repeats < 10_000


def test_each_stage_has_its_own_and_a_dropped_one_none(explorer: Recorded) -> None:
    session = explorer.session
    core = session.root.decompose("core")
    for stage in (session.root, core):
        explorer.show(exir_viz.profile(stage, repeats=2))
    assert list(explorer.profiles) == [session.root.name, core.name]
    explorer.go(core)
    assert explorer.profile is explorer.profiles[core.name]
    explorer.go(session.root)
    session.drop(core)
    assert list(explorer.profiles) == [session.root.name]


def test_a_later_view_gets_the_current_state(explorer: Recorded) -> None:
    explorer.show(exir_viz.profile(explorer.session.root, repeats=2))
    for view in ("first", "second"):
        explorer._receive(explorer, {"kind": "ask", "what": "life", "from": view}, [])
    shows = [(each["to"], each["show"]) for each, _ in explorer.sent if each["kind"] == "profiles"]
    assert shows == [("first", explorer.session.root.id), ("second", None)]


@pytest.mark.parametrize("what", ["ops", "modules", "roofline"])
def test_charts_and_picture_follow_each_other(profile: Profile, what: str) -> None:
    explorer = exir_viz.explore(profile)
    chart = explorer.chart(what)
    number, trace = next((i, t) for i, t in enumerate(chart.data) if t.customdata is not None)
    click(chart, number, len(trace.customdata) - 1)
    assert explorer.selection == list(dict.fromkeys(trace.customdata[-1]))
    explorer.select(trace.customdata[0][0])
    if what == "modules":
        marked = [i for i, width in enumerate(trace.marker.line.width) if width > 1]
    else:
        marked = {t.customdata[i][0] for t in chart.data for i in (t.selectedpoints or ())}
    assert len(marked) == 1
    notes = [note.text for note in chart.layout.annotations]
    assert notes == ([] if what != "roofline" else [trace.customdata[0][0]])
    x = next(iter(explorer.snapshot.method.graph))
    explorer.select(x)
    assert all(t.selectedpoints is None for t in chart.data)  # it is not dimmed for what it does not have
    assert [note.text for note in chart.layout.annotations] == [f"{x.id} is not in this chart"]
    explorer.select()
    assert chart.layout.annotations == ()


def test_of_modules_that_one_stands_out_that_holds_all_that_is_selected(profile: Profile) -> None:
    explorer = exir_viz.explore(profile)
    chart = explorer.chart("modules")
    (trace,) = chart.data
    outer = max(range(1, len(trace.ids)), key=lambda at: len(trace.customdata[at]))
    assert len(trace.customdata[outer]) > 1
    click(chart, 0, outer)
    assert [at for at, width in enumerate(trace.marker.line.width) if width > 1] == [outer]


def test_a_chart_of_another_stage_leads_back_to_it(explorer: Recorded) -> None:
    explorer.show(exir_viz.profile(explorer.session.root, repeats=2))
    chart = explorer.chart("ops")
    core = explorer.session.root.decompose("core")
    explorer.go(core)
    same = next(node for node in core.snapshot.method.graph if node.id in names_of(chart))
    explorer.select(same)
    assert all(not trace.selectedpoints for trace in chart.data)  # of the same name, and another node
    (note,) = chart.layout.annotations
    assert note.text == f"{same.id} is not in this chart, which is of another stage"
    click(chart, 0, 0)
    assert explorer.stage is explorer.session.root
    assert explorer.selection == list(chart.data[0].customdata[0])
    assert chart.data[0].selectedpoints == (0,)


def names_of(chart: Any) -> set[str]:
    return {name for trace in chart.data for names in trace.customdata for name in names}


def test_a_chart_needs_a_profile_and_a_known_name(profile: Profile) -> None:
    with pytest.raises(NoSuchProfile, match=r"explorer\.show"):
        Explorer(profile.snapshot).chart()
    with pytest.raises(NoSuchProfile, match="Unknown chart 'pie'"):
        exir_viz.explore(profile).chart("pie")


def test_the_chart_of_stages_goes_to_the_stage_of_a_bar(explorer: Recorded) -> None:
    core = explorer.session.root.decompose("core")
    for stage in (explorer.session.root, core):
        explorer.show(exir_viz.profile(stage, repeats=2))
    explorer.go(explorer.session.root)
    chart = explorer.chart("stages")
    bar = next(i for i, names in enumerate(chart.data[1].customdata) if names)
    click(chart, 1, bar)
    assert explorer.stage is core
    assert set(explorer.selection) == set(chart.data[1].customdata[bar])
    assert bar in chart.data[1].selectedpoints
    held = chart.data[1].customdata
    inner = min((len(names), at) for at, names in enumerate(held) if names)[1]
    click(chart, 1, inner)
    # and none of those around it
    assert {tuple(held[at]) for at in chart.data[1].selectedpoints} == {tuple(held[inner])}
    assert len(held[inner]) < max(map(len, held))
    assert chart.data[0].selectedpoints == ()  # of the same names, and another stage


def test_a_chart_says_what_became_of_its_stages(explorer: Recorded) -> None:
    core = explorer.session.root.decompose("core")
    for stage in (explorer.session.root, core):
        explorer.show(exir_viz.profile(stage, repeats=2))
    explorer.go(explorer.session.root)
    both, one = explorer.chart("stages"), explorer.chart("ops")
    assert notes_of(both) == notes_of(one) == []
    explorer.show(exir_viz.profile(explorer.session.root, repeats=2))
    assert notes_of(both) == notes_of(one) == ["export was measured again; this chart is outdated"]
    assert notes_of(explorer.chart("ops")) == []
    explorer.session.drop(core)
    assert notes_of(one) == ["export was measured again; this chart is outdated"]
    assert notes_of(both)[0].startswith(
        "core was dropped, so its bars are no longer linked<br>export was measured again"
    )
    assert [trace.opacity for trace in both.data] == [None, 0.35]
    before = explorer.selection
    click(both, 1, next(i for i, names in enumerate(both.data[1].customdata) if names))  # and nothing fails
    assert (explorer.stage, explorer.selection) == (explorer.session.root, before)


def notes_of(chart: Any) -> list[str]:
    return [note.text for note in chart.layout.annotations if note.name == "age"]


def test_a_chart_that_is_nowhere_to_be_seen_is_not_drawn_again(profile: Profile) -> None:
    """A cell that is run again takes the former chart away; shown once more it has what is selected now."""
    explorer = exir_viz.explore(profile)
    chart = explorer.chart("ops")
    first, last = chart.data[0].customdata[0][0], chart.data[-2].customdata[-1][0]
    explorer.select(first)  # in Python, before there is a view
    assert outstanding(chart) == {first}
    chart._view_count = 1
    chart._view_count = 0
    explorer.select(last)
    assert outstanding(chart) == {first}
    chart._view_count = 1
    assert outstanding(chart) == {last}


def outstanding(chart: Any) -> set[str]:
    return {t.customdata[i][0] for t in chart.data for i in (t.selectedpoints or ())}


def click(chart: Any, trace: int, point: int) -> None:
    """As plotly tells of a click."""
    points = SimpleNamespace(point_inds=[point], trace_name="", trace_index=trace, xs=[], ys=[])
    for callback in chart.data[trace]._click_callbacks:
        callback(chart.data[trace], points, None)


def test_what_is_shown_before_there_is_a_view_comes_after_the_tree_it_is_of(explorer: Recorded) -> None:
    """The page that the widget was made with knows of no later stage."""
    core = explorer.session.root.decompose("core")
    for stage in (explorer.session.root, core):
        explorer.show(exir_viz.profile(stage, repeats=2))
    explorer.sent.clear()
    explorer._receive(explorer, {"kind": "ask", "what": "life", "from": "view"}, [])
    early = [content for content, _ in explorer.sent if content["kind"] in ("stages", "profiles")]
    assert [content["kind"] for content in early][:2] == ["stages", "profiles"]
    known = {record["id"] for record in early[0]["tree"]["stages"]}
    assert set(early[1]["stages"]) <= known
    assert early[1]["show"] == core.id
