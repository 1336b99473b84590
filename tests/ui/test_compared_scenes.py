"""Scenes of comparisons and of a profile, in both themes, against their goldens."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import msgspec
import pytest

from exir_viz.compare.costs import SCHEMA as COSTS
from exir_viz.compare.costs import CostChange, MatchCost, ModuleCost, RuleCost
from exir_viz.compare.diff import Diff, Match
from exir_viz.compare.measurements import Measured
from exir_viz.compare.values.records import SCHEMA as VALUES
from exir_viz.compare.values.records import (
    Health,
    NumberRow,
    Numbers,
    OutputRow,
    Producer,
    Trouble,
    ValuesRecord,
)
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Times
from exir_viz.pages import html as pages

from .golden import held_to, in_both_themes
from .test_compare import SideBySide, bert
from .test_profiles import profile_of
from .test_scenes import SAID


@functools.cache
def told(diff: Diff) -> Measured:
    """Values and costs that are the same everywhere, with each kind of mark."""
    both = [match for match in diff if match.a and match.b]
    rows = tuple(_row(diff, match, at) for at, match in enumerate(both))
    first = next(at for at, row in enumerate(rows) if row.numbers.diverged)
    nan = next(row.b for row in rows if row.numbers.unlike)
    values = ValuesRecord(
        VALUES,
        a=diff.comparison.a,
        b=diff.comparison.b,
        rtol=1e-3,
        atol=1e-5,
        rows=rows,
        first=first,
        outputs=(OutputRow("output 0", rows[-1].numbers),),
        producers=(Producer("b", Trouble.NAN, nan, 4),),
    )
    matches = tuple(MatchCost(at, *_cost(at)) for at in range(len(diff)))
    rules = tuple(RuleCost(rule.text, rule.count, *_cost(at)) for at, rule in enumerate(diff.rules))
    modules = tuple(ModuleCost(at, *_cost(at)) for at in range(len(diff.modules)))
    wholes = sum(one.before for one in matches), sum(one.after for one in matches)
    return Measured(values, CostChange(COSTS, *wholes, (0.0, 0.0), matches, rules, modules))


def _row(diff: Diff, match: Match, at: int) -> NumberRow:
    relative = 0.0 if at % 4 == 0 else 10.0 ** -(8 - at % 7)
    unlike = 4 if at % 23 == 5 else 0
    numbers = Numbers(
        64,
        max_abs=relative,
        relative=relative,
        cosine=1.0,
        unlike=unlike,
        diverged=at % 11 == 2 or unlike > 0,
    )
    a, b = diff.numbering_a.number(match.a[-1]), diff.numbering_b.number(match.b[-1])
    return NumberRow(match.number, a, b, numbers, health_b=Health(nan=unlike))


def _cost(at: int) -> tuple[float, float, float]:
    before = (2 + at % 5) * 1e-6
    after = before if at % 3 == 0 else before * (0.25, 0.8, 1.1, 3.0)[at % 4]
    return before, after, after / before


# The comparison, keys, and the tab of the panel; without a tab the panel is closed.
SCENES: dict[str, tuple[Callable[[], Diff], str, str]] = {
    "compare": (bert, "\\n", ""),
    "compare-same-hidden": (bert, "\\q", ""),
    "compare-values": (bert, "nk", "Values"),
    "compare-costs": (bert, "kk", "Costs"),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene(new_page, name):
    diff, keys, tab = SCENES[name]
    standalone = new_page()
    page = SideBySide(standalone).open(diff(), told(diff()) if tab else None)
    for key in keys:
        page.press(key)
    if tab:
        page.page.get_by_role("tab", name=tab).click()
    page.page.mouse.move(1, 1)
    bench = new_page().page
    for theme in in_both_themes(page):
        shown = page.ask(f"p.explorers.map(e => {SAID})")
        text = "\n\n".join("\n".join(json.loads(each)["boxes"]) for each in shown) + "\n"
        assert standalone.problems == []
        held_to(name, theme, text, page.page, bench)


def fixed(profile: Profile) -> Profile:
    """With numbers that are the same wherever it is made."""
    record = profile.record
    columns = record.columns
    time = tuple(1000 * (3 + 7 * (i % 3)) for i in range(len(columns.nodes)))
    columns = msgspec.structs.replace(columns, **dict.fromkeys(("time", "min", "p25", "median", "p75"), time))
    whole, overhead = (
        Times(n=2, time=each, min=each, p25=each, median=each, p75=each) for each in (sum(time) + 2000, 2000)
    )
    made = msgspec.structs.replace(record, columns=columns, whole=whole, overhead=overhead)
    return Profile(made, profile.snapshot)


def test_heat(new_page):
    page = new_page()
    profile = profile_of("module_called_twice")
    page.open_text(pages.html(profile.snapshot, profiles={"": fixed(profile)}))
    page.press("\\")
    page.page.mouse.move(1, 1)
    bench = new_page().page
    for theme in in_both_themes(page):
        said = json.loads(page.ask(SAID))
        assert page.problems == []
        held_to("profile-heat", theme, "\n".join([*said["boxes"], ""]), page.page, bench)
