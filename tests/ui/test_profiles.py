"""A page with profiles: heat, the panel's lists as in Python, keys, stages compared."""

from __future__ import annotations

from functools import cache

import pytest
from playwright.sync_api import expect

import exir_viz
from exir_viz.measure.profile import Profile
from exir_viz.measure.rollup import rollup
from exir_viz.pages import html as pages
from tests.corpus.programs import exported
from tests.ui.standalone import Standalone

pytestmark = pytest.mark.browser

SELECTED = "e.selectedNodes().map(node => e.snapshot.id(node))"
STANDS = "name => exirviz.stepping.stages.record(exirviz.state.stage).name === name && !exirviz.state.isBusy"


# Names of modules that gave way, though they have a line of their own.
CLIPPED = """() => [...document.querySelectorAll('.exirviz-stage-costs th[scope="row"] .exirviz-clip-head')]
  .filter(each => each.scrollWidth > each.clientWidth).map(each => each.parentElement.title)"""


# How many pixels of the legend are beyond its edge.
CUT_OFF = """() => { const { scrollHeight, clientHeight } = document.querySelector('.exirviz-legend')
  return scrollHeight - clientHeight }"""


@cache
def profile_of(name: str) -> Profile:
    return exir_viz.profile(exported(name), repeats=2, warmup=1)


def opened(standalone: Standalone, name: str) -> Profile:
    profile = profile_of(name)
    standalone.open_text(pages.html(profile.snapshot, profiles={"": profile}))
    return profile


def test_it_opens_with_heat_and_the_hottest_leads_to_its_node(standalone: Standalone) -> None:
    profile = opened(standalone, "module_called_twice")
    page = standalone.page
    expect(page.get_by_role("tab", name="Cost")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".exirviz-legend-title")).to_have_text("time, linear")
    hottest = [share.key for share in profile.hottest(len(profile) + 1) if share.key != "(overhead)"]
    page.locator("button.exirviz-hot-row").first.click()
    standalone.settle()
    assert standalone.ask(SELECTED) == hottest[:1]
    rows = page.locator("button.exirviz-hot-row .exirviz-clip")
    names = [key.rpartition("/")[2] for key in hottest]
    assert [rows.nth(i).get_attribute("title") for i in range(min(5, len(names)))] == names[:5]
    standalone.press("Escape", "h")
    assert standalone.ask(SELECTED) == hottest[:1]
    standalone.press("h")
    assert standalone.ask(SELECTED) == hottest[1:2]
    standalone.press("Shift+H")
    assert standalone.ask(SELECTED) == hottest[:1]
    page.get_by_role("tab", name="Node").click()
    expect(page.get_by_label("Cost", exact=True)).to_contain_text("measured in its program")
    assert standalone.problems == []


@pytest.mark.parametrize("name", ["module_called_twice", "control_flow"])
def test_the_panel_sums_up_as_python_does(standalone: Standalone, name: str) -> None:
    profile = opened(standalone, name)
    page = standalone.page
    for by in ("node", "op", "module"):
        page.get_by_label("Hottest by").get_by_role("button", name=by.capitalize(), exact=True).click()
        more = page.locator(".exirviz-hot .exirviz-show-more", has_text="more")
        while more.count():
            more.first.click()
        labels = page.locator("button.exirviz-hot-row .exirviz-clip").evaluate_all(
            "all => all.map(each => each.title)"
        )
        shares = [share.key for share in rollup(profile, by) if share.key != "(overhead)" and share.nodes]
        said = [key.rpartition("/")[2] for key in shares] if by == "node" else shares
        assert [label for label in labels if label in said] == said
        expect(page.locator(".exirviz-hot-row.is-overhead")).to_have_count(1)


def test_heat_of_modules_says_its_share_and_is_removed_without_a_profile(
    standalone: Standalone,
) -> None:
    opened(standalone, "module_called_twice")
    standalone.run("e.closeAll().then(() => undefined)")
    item = standalone.ask("Array.from(e.state.scene.item).find(i => e.picture.isGroup(i))")
    left, top, width, height = standalone.rect(item)
    standalone.page.mouse.move(left + width / 2, top + height / 2)
    tip = standalone.page.locator(".exirviz-tooltip")
    expect(tip).to_contain_text("time: ")
    expect(tip).to_contain_text("of the run")
    standalone.press("h")
    standalone.page.wait_for_timeout(400)  # longer than a pointer rests before what is under it is said again
    expect(tip).to_have_count(0)
    chosen = standalone.page.get_by_label("Color", exact=True).locator("option:checked")
    expect(chosen).to_have_text("time")
    standalone.run("e.costs.take(new Map())")
    expect(chosen).to_have_text("time (profile first)")


def test_a_narrow_legend_of_costs_shows_all_its_numbers(standalone: Standalone) -> None:
    """With two scales, the note of what was not measured, and details beside the picture."""
    session = exir_viz.Session(exported("module_called_twice"))
    taken = session.root.decompose("core").edge().backend("xnnpack")
    page = standalone.page
    page.set_viewport_size({"width": 470, "height": 700})
    profiles = {taken.id: exir_viz.profile(taken, repeats=2, warmup=1)}
    standalone.open_text(pages.html(session, profiles=profiles))
    standalone.run("e.stepping.go(a)", taken.id)
    standalone.run("e.openAll()")
    expect(page.locator(".exirviz-legend-note")).to_contain_text("emulated")
    page.get_by_role("button", name="Inspector").click()
    page.get_by_role("tab", name="Cost").click()
    standalone.settle()
    assert page.evaluate(CUT_OFF) == 0
    assert standalone.problems == []


def test_stages_are_compared_and_their_names_lead_there(standalone: Standalone) -> None:
    session = exir_viz.Session(exported("module_called_twice"), name="exported")
    core = session.root.decompose("core").rename("core")
    session.current = session.root
    profiles = {stage.id: exir_viz.profile(stage, repeats=2, warmup=1) for stage in (session.root, core)}
    last = core
    for number in range(5):  # more than there is room for
        last = last.decompose("core").rename(f"again {number}")
        profiles[last.id] = profiles[core.id]
    standalone.open_text(pages.html(session, profiles=profiles))
    table = standalone.page.get_by_label("Compare stages")
    expect(table.get_by_role("columnheader")).to_have_count(8)
    expect(table.get_by_role("row", name="the whole run")).to_contain_text("×")
    table.get_by_role("button", name="core").click()
    standalone.page.wait_for_function(STANDS, arg="core")
    expect(table.locator("th[aria-current=true]")).to_have_text("core")
    assert standalone.page.evaluate(CLIPPED) == []
    standalone.run("e.stepping.go(a)", last.id)
    shown = table.locator("th[aria-current=true]")
    expect(shown).to_have_text("again 4")
    expect(shown).to_be_in_viewport(ratio=1)
    expect(standalone.page.locator(".exirviz-legend-title")).to_have_text("time, linear")
    assert standalone.problems == []
