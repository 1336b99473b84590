"""Costs across stages: carried back along the lineage, and by match of a diff. Sums are kept."""

from __future__ import annotations

import collections

import msgspec
import pytest
import torch

import exir_viz
from exir_viz.errors import WrongArgument
from exir_viz.measure.compare import compare
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Executor, Times
from exir_viz.measure.rollup import ROOT
from exir_viz.snapshot.module_attribution import module_of
from exir_viz.stages.session import Session
from exir_viz.tables import costs
from tests.corpus.programs import exported


@pytest.fixture(scope="module")
def session() -> Session:
    """dynamic_batch at aten, core, edge, and delegated."""
    session = Session(exported("dynamic_batch"), name="aten")
    session.root.decompose().edge().backend("xnnpack")
    return session


@pytest.fixture(scope="module")
def profiles(session: Session) -> dict[str, Profile]:
    return {stage.name: exir_viz.profile(stage, repeats=3) for stage in session}


def parts_of(profile: Profile) -> float:
    """The seconds of all its parts, which are the whole but for rounding to nanoseconds."""
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=1e-3)
    return parts


def test_elements_of_what_a_delegate_gives_are_of_its_module(profiles) -> None:
    elements = [cost.node for cost in profiles["xnnpack"] if cost.node.target.name == "getitem"]
    assert elements
    assert not any(node.scopes for node in elements)
    assert "(none)" not in {share.key for share in profiles["xnnpack"].hottest(99, by="module")}


@pytest.mark.parametrize("name", ["core", "edge", "xnnpack"])
def test_carrying_keeps_the_sum(session: Session, profiles, name: str) -> None:
    profile = profiles[name]
    carried = profile.at(session.root)
    assert carried.time == pytest.approx(parts_of(profile))
    assert {one.node.graph.snapshot is session.root.snapshot for one in carried} == {True}
    parts = {part.node.id for one in carried for part in one.parts}
    alone = {one.node.id for one in carried.orphans}
    assert parts | alone == {cost.node.id for cost in profile}
    assert not parts & alone
    assert carried.frame["time_us"].sum() == pytest.approx(parts_of(profile) * 1e6)
    assert all(one.reason or one.node.op == "call_function" for one in carried.orphans)


def test_each_node_has_what_it_became(session: Session, profiles) -> None:
    carried = profiles["core"].at(session.root)
    linear = carried.of(session.root.node("linear"))
    assert [part.node.name for part in linear.parts] == ["permute", "addmm"]
    assert {(part.share, part.evidence.value, part.exact) for part in linear.parts} == {
        (1.0, "from_node", True)
    }
    became = [profiles["core"][name].time for name in ("permute", "addmm")]
    assert linear.time == pytest.approx(sum(became))
    assert carried.series()["forward/linear"] == linear.time


def test_what_came_of_several_is_shared(session: Session, profiles) -> None:
    carried = profiles["xnnpack"].at(session.root)
    call = [part for one in carried for part in one.parts if part.node.name == "executorch_call_delegate"]
    assert len(call) == 5
    assert {part.share for part in call} == {0.2}
    assert sum(part.time for part in call) == pytest.approx(
        profiles["xnnpack"]["executorch_call_delegate"].time
    )


def test_a_stage_itself_and_strangers(session: Session, profiles) -> None:
    itself = profiles["edge"].at(session["edge"])
    assert itself.series() == pytest.approx(profiles["edge"].series())
    with pytest.raises(WrongArgument, match="was not made from"):
        profiles["aten"].at(session["core"])
    with pytest.raises(WrongArgument, match="to no stage of the session"):
        exir_viz.profile(exported("attention"), repeats=1).at(session.root)


@pytest.mark.parametrize(
    ("a", "b"), [("aten", "core"), ("core", "edge"), ("aten", "xnnpack"), ("core", "aten")]
)
def test_matches_have_all_of_both_profiles(session: Session, profiles, a: str, b: str) -> None:
    diff = exir_viz.diff(session[a], session[b])
    change = diff.costs(profiles[a], profiles[b])
    assert change.before == pytest.approx(parts_of(profiles[a]))
    assert change.after == pytest.approx(parts_of(profiles[b]))
    for rows in (change.matches, change.rules):
        assert sum(row.before for row in rows) + change.overhead[0] == pytest.approx(change.before)
        assert sum(row.after for row in rows) + change.overhead[1] == pytest.approx(change.after)
    frame = costs(diff, change)
    assert frame["change_us"].sum() == pytest.approx((change.after - change.before) * 1e6)
    assert frame["kind"].iloc[-1] == "(overhead)"


def test_modules_have_all_that_is_within_them(session: Session, profiles) -> None:
    diff = exir_viz.diff(session["aten"], session["core"])
    change = diff.costs(profiles["aten"], profiles["core"])
    assert change.modules
    for row in change.modules:
        module = diff.comparison.modules[row.module]
        for profile, snapshot, scope, seconds in (
            (profiles["aten"], diff.a, module.a, row.before),
            (profiles["core"], diff.b, module.b, row.after),
        ):
            within = [
                node.id
                for graph in snapshot.graphs
                for node in graph
                if snapshot.scopes[scope] in node.scopes and scope >= 0
            ]
            times = profile.series("time")
            assert seconds == pytest.approx(sum(times.get(name, 0.0) for name in within))


def test_a_module_has_one_number_beside_stages_and_beside_changes() -> None:
    """The call of a delegate names no module, and its time is that of the module that it took whole."""
    linear = torch.nn.Sequential(collections.OrderedDict(head=torch.nn.Linear(8, 8))).eval()
    session = Session(torch.export.export(linear, (torch.ones(1, 8),)), name="aten")
    taken = session.root.decompose().edge().backend("xnnpack")
    before, after = exir_viz.profile(session.root, repeats=3), exir_viz.profile(taken, repeats=3)
    call = next(cost for cost in after if "call_delegate" in cost.node.name)
    assert not call.node.scopes
    assert module_of(call.node)
    times = {
        (row.module, row.stage): row.time
        for row in compare([before, after], ["before", "after"])
        if not row.mixed
    }
    diff = exir_viz.diff(session.root, taken)
    change = diff.costs(before, after)
    paths = {diff.comparison.modules[row.module].path: row for row in change.modules}
    assert set(paths) == {"", "head"}
    for path, row in paths.items():
        assert row.before == pytest.approx(times[path or ROOT, "before"])
        assert row.after == pytest.approx(times[path or ROOT, "after"])


def test_a_rewriting_has_its_cost_change(session: Session, profiles) -> None:
    diff = exir_viz.diff(session["aten"], session["core"])
    change = diff.costs(profiles["aten"], profiles["core"])
    match = diff.of(session["aten"].node("linear"))
    row = next(one for one in change.matches if one.match == match.number)
    assert row.before == pytest.approx(profiles["aten"]["linear"].time)
    assert row.after == pytest.approx(sum(profiles["core"][node].time for node in match.b))
    assert row.ratio == pytest.approx(row.after / row.before)
    rule = next(one for one in change.rules if one.rule == match.rule.text)
    assert rule.matches == match.rule.count == 2
    with pytest.raises(ValueError, match="the profile after is of another program"):
        diff.costs(profiles["aten"], profiles["aten"])


@pytest.fixture
def steady(session: Session, profiles) -> dict[str, Profile]:
    """The same profiles as of an idle machine, each run of which took what the others did."""

    def still(profile: Profile, times: float) -> Profile:
        columns = profile.record.columns
        time = tuple(round(times * 1000 * (1 + row)) for row in range(len(columns.time)))
        same = dict.fromkeys(("time", "min", "p25", "median", "p75"), time)
        columns = msgspec.structs.replace(columns, **same, n=tuple(9 for _ in time))
        whole = Times(9, sum(time) + 500, *[sum(time) + 500] * 4)
        conditions = msgspec.structs.replace(profile.conditions, load=(0.1, 0.1))
        record = msgspec.structs.replace(
            profile.record, columns=columns, whole=whole, overhead=Times(9, *[500] * 5), conditions=conditions
        )
        return Profile(record, profile.snapshot)

    return {
        "aten": still(profiles["aten"], 1),
        "again": still(profiles["aten"], 1.05),
        "slower": still(profiles["aten"], 2),
        "xnnpack": still(profiles["xnnpack"], 3),
    }


def test_only_what_is_beyond_noise_is_said_to_differ(session: Session, steady) -> None:
    diff = exir_viz.diff(session["aten"], session["aten"])
    again, slower = (diff.costs(steady["aten"], steady[name]) for name in ("again", "slower"))
    assert {row.noise for row in (*again.matches, *again.rules, *again.modules)} == {True}
    assert {row.noise for row in (*slower.matches, *slower.rules, *slower.modules)} == {False}
    assert (again.noise, slower.noise) == (True, False)
    assert slower.doubts == ()
    assert slower.runs[0].startswith("cpu, 1 thread, 3 runs, load 0.1")
    # three runs have no quartiles, and a busy machine makes more of a difference than a change
    slow = steady["slower"]
    few = msgspec.structs.replace(slow.record.columns, n=tuple(3 for _ in slow.record.columns.n))
    few_runs = Profile(msgspec.structs.replace(slow.record, columns=few), slow.snapshot)
    assert all(row.noise for row in diff.costs(steady["aten"], few_runs).matches)
    load = msgspec.structs.replace(slow.conditions, load=(1.0, 3.0 * slow.conditions.cores))
    busy = diff.costs(
        steady["aten"], Profile(msgspec.structs.replace(slow.record, conditions=load), slow.snapshot)
    )
    assert {row.noise for row in (*busy.matches, *busy.rules, *busy.modules)} == {True}
    assert busy.doubts == ("the machine was busy: load up to 3 per core",)


def test_the_whole_may_vary_more_than_its_ops(session: Session, steady) -> None:
    diff = exir_viz.diff(session["aten"], session["aten"])
    times = {name: profile.record.whole.time for name, profile in steady.items()}

    def varying(name: str, **spread: int) -> Profile:
        profile = steady[name]
        whole = msgspec.structs.replace(profile.record.whole, **spread)
        return Profile(msgspec.structs.replace(profile.record, whole=whole), profile.snapshot)

    assert not diff.costs(steady["aten"], steady["slower"]).noise
    assert diff.costs(steady["aten"], varying("slower", p25=times["aten"] // 2)).noise
    assert diff.costs(varying("aten", p75=2 * times["slower"]), steady["slower"]).noise


def test_what_is_emulated_says_so_in_costs(session: Session, steady) -> None:
    diff = exir_viz.diff(session["aten"], session["xnnpack"])
    change = diff.costs(steady["aten"], steady["xnnpack"])
    taken = {diff.of(cost.node).number for cost in steady["xnnpack"] if cost.basis == "emulated"}
    assert taken
    assert {row.match for row in change.matches if row.basis == ("", "emulated")} == taken
    assert {row.basis for row in change.matches if row.match not in taken} <= {None}
    assert any(
        text.startswith("after: Subgraphs delegated to XnnpackBackend ran in eager") for text in change.doubts
    )
    assert set(costs(diff, change)["basis_after"]) == {"", "emulated"}


def test_a_delegate_timed_as_one_is_no_change_of_what_it_took(session: Session, steady) -> None:
    diff = exir_viz.diff(session["aten"], session["xnnpack"])
    whole = steady["xnnpack"]
    columns = whole.record.columns
    call = next(at for at, name in enumerate(columns.nodes) if name.endswith("executorch_call_delegate"))
    fields = {name: getattr(columns, name)[call : call + 1] for name in columns.__struct_fields__}
    columns = msgspec.structs.replace(columns, **fields)
    conditions = msgspec.structs.replace(whole.conditions, executor=Executor.RUNTIME)
    record = msgspec.structs.replace(whole.record, columns=columns, conditions=conditions)
    run = Profile(record, whole.snapshot)
    assert [one.name for one in run.fused_timings] == ["XNNPACK 1"]
    change = diff.costs(steady["aten"], run)
    taken = {diff.of(node).number for node in run.fused_timings[0].ops}
    assert taken
    assert not taken & {row.match for row in change.matches}
    assert change.untimed[1] == pytest.approx(run["executorch_call_delegate"].time)
    matched = sum(row.before for row in change.matches)
    assert matched + change.untimed[0] + change.overhead[0] == pytest.approx(change.before)
    inside = {scope.path for node in run.fused_timings[0].ops for scope in node.scopes} - {""}
    told = {diff.comparison.modules[row.module].path for row in change.modules}
    assert inside
    assert not inside & told
