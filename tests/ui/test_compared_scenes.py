"""Scenes of comparisons and of a profile, in both themes, against what they looked like when looked at."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import msgspec
import pytest

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Times
from exir_viz.pages import html as pages
from tests.corpus.compared import PAIRS

from .golden import held_to
from .test_compare import SideBySide, bert
from .test_profiles import profile_of
from .test_scenes import SAID


@functools.cache
def dropout() -> Diff:
    return exir_viz.diff(*PAIRS["dropout"]())


# Without the panel: it is words.
SCENES: dict[str, tuple[Callable[[], Diff], str]] = {
    "compare": (bert, "\\n"),
    "compare-same-hidden": (bert, "\\h"),
    "compare-overlay": (dropout, "\\on"),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", SCENES)
def test_scene(new_page, name, theme):
    diff, keys = SCENES[name]
    standalone = new_page(color_scheme=theme, reduced_motion="reduce")
    page = SideBySide(standalone).open(diff())
    for key in keys:
        page.press(key)
    page.page.mouse.move(1, 1)
    page.settle()
    shown = page.ask(f"(p.overlay ? [p.overlay.explorer] : p.explorers).map(e => {SAID})")
    text = "\n\n".join("\n".join(json.loads(each)["boxes"]) for each in shown) + "\n"
    assert standalone.problems == []
    held_to(name, theme, text, page.page, new_page().page)


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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heat(new_page, theme):
    page = new_page(color_scheme=theme, reduced_motion="reduce")
    profile = profile_of("module_called_twice")
    page.open_text(pages.html(profile.snapshot, profiles={"": fixed(profile)}))
    page.press("\\")
    page.page.mouse.move(1, 1)
    page.settle()
    said = json.loads(page.ask(SAID))
    assert page.problems == []
    held_to("profile-heat", theme, "\n".join([*said["boxes"], ""]), page.page, new_page().page)
