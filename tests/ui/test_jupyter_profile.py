"""Profiles in a real JupyterLab: measured from the page, shown as heat, browsed by bars, compared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook

START = """import exir_viz, ipywidgets, transformers.modeling_outputs
one = exir_viz.explore(exir_viz.load({!r}, trust=True).program, height=800)
heard = ipywidgets.Label('nothing yet')
def hear(change): heard.value = ' '.join(change.new) or 'nothing'
one.observe(hear, 'selection')
ipywidgets.VBox([heard, one])"""
# Each of these does nothing until there is a profile: first all cells run, then one by one.
SAID = "p = one.profile\nif p: print(one.view['overlay'], p.conditions.repeats, p.hottest(1)[0].key)"
CHART = "if one.profile: display(one.chart('ops', top=8))"
FLAME = "if one.profile: display(one.chart('modules'))"
ROOFLINE = "if one.profile: display(one.chart('roofline'))"
COMPARE = """if one.profile:
    core = one.session.root.decompose('core')
    one.show(exir_viz.profile(core, repeats=2, warmup=1))
    display(one.chart('stages', top=5))
    print('compared', list(one.profiles))"""

# The ground behind the label of a highlighted point on the roofline, and the label's color.
NAMED = """() => [...document.querySelectorAll('.annotation')]
  .filter(each => each.textContent.startsWith('forward/'))
  .flatMap(each => ['.bg', 'text'].map(part => getComputedStyle(each.querySelector(part)).fill))"""
# The share of a chart's width that is left of its plot, at most.
ASIDE = """() => Math.max(...[...document.querySelectorAll('.exirviz-chart .js-plotly-plot')].map(chart => {
  const [all, plot] = [chart, chart.querySelector('.gridlayer')].map(each => each.getBoundingClientRect());
  return (plot.left - all.left) / all.width }))"""
# Of each chart how much wider it is drawn than its cell is, in pixels.
BEYOND = """() => [...document.querySelectorAll('.exirviz-chart')].map(chart =>
  chart.querySelector('.main-svg').getBoundingClientRect().width
    - chart.closest('.jp-OutputArea-output').clientWidth)"""
FITS = (
    f"count => {{ const all = ({BEYOND})(); "
    "return all.length === count && all.every(x => Math.abs(x) <= 1) }"
)
# The middle of the last bar that is not the selected node's: where that one stands depends on the run.
OTHER_BAR = """() => {
  const bars = [...document.querySelectorAll('.js-plotly-plot .bars .point path')];
  const faint = bars.filter(path => Number(path.style.opacity || 1) < 0.9);
  const { x, y, width, height } = (faint.length ? faint : bars).at(-1).getBoundingClientRect();
  return [x + width / 2, y + height / 2] }"""
SIDE = "() => void jupyterapp.commands.execute('application:toggle-left-area')"
THEME = "theme => jupyterapp.commands.execute('apputils:change-theme', { theme })"

HEARD = "text => document.querySelector('.widget-label')?.innerText.includes(text)"


@pytest.mark.nightly
@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_a_program_is_measured_seen_and_compared(notebook: Notebook) -> None:
    start = START.format(str(archive("resnet11")))
    notebook.open("profile.ipynb", [start, SAID, CHART, FLAME, ROOFLINE, COMPARE]).run_all()
    notebook.canvases(1)
    page = notebook.page
    measured_from_the_page(page)
    # If the machine was busy, time outside nodes may be the hottest row, which is no button.
    hottest = page.locator("button.exirviz-hot-row").first
    name = (hottest.locator(".exirviz-clip").get_attribute("title")) or ""
    hottest.click()
    expect(page.locator("button.exirviz-hot-row[aria-current=true]")).to_have_text(
        re.compile(re.escape(name[:6]))
    )
    page.wait_for_function(HEARD, arg=f"forward/{name}", timeout=PATIENCE)
    # the keys go on to the next, and back to it
    page.locator(".exirviz-canvas").focus()
    page.keyboard.press("h")
    expect(page.locator("button.exirviz-hot-row").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("Shift+H")
    expect(hottest).to_have_attribute("aria-current", "true")
    page.get_by_role("tab", name="Node", exact=True).click()
    expect(page.get_by_label("Cost", exact=True)).to_contain_text("of the run")
    assert f"cost:time 3 forward/{name}" in notebook.run(1).said(1)
    bars_lead_to_nodes(notebook)
    boxes_lead_to_modules(notebook)
    what_stands_out_does_so_in_either_theme(notebook)
    stages_are_compared(notebook)
    assert notebook.problems_but_jupyters() == []


def measured_from_the_page(page: Page) -> None:
    page.get_by_role("tab", name="Cost", exact=True).click()
    page.get_by_label("runs").fill("3")
    page.get_by_role("button", name="Profile", exact=True).click()
    page.wait_for_selector(".exirviz-hot-row", timeout=PATIENCE)
    expect(page.locator(".exirviz-legend-title")).to_have_text("time, linear")
    expect(page.locator(".exirviz-busy-step")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_label("One run")).to_contain_text("overhead")


def bars_lead_to_nodes(notebook: Notebook) -> None:
    """A click on a bar selects its node; a selection in Python makes its bar stand out."""
    page = notebook.run(2).page
    page.wait_for_selector(".js-plotly-plot .bars .point path", timeout=PATIENCE)
    page.wait_for_function(FITS, arg=1)
    at = page.evaluate(OTHER_BAR)
    before = page.locator(".widget-label").first.inner_text()
    page.mouse.click(*at)
    page.wait_for_function(
        "before => { const now = document.querySelector('.widget-label').innerText;"
        " return now.startsWith('forward/') && now !== before }",
        arg=before,
        timeout=PATIENCE,
    )
    one_bar_stands_out(page)
    # a second click keeps it: the picture keeps its selection too
    page.mouse.click(*at, delay=20)
    page.wait_for_timeout(400)
    one_bar_stands_out(page)


def one_bar_stands_out(page: Page) -> None:
    page.wait_for_function(
        "() => [...document.querySelectorAll('.js-plotly-plot .bars .point path')]"
        ".filter(path => Number(path.style.opacity || 1) < 0.9).length === 7",
        timeout=PATIENCE,
    )


def boxes_lead_to_modules(notebook: Notebook) -> None:
    """A click on a module that holds others selects all in it, and zooms nowhere."""
    page = notebook.run(3).page
    boxes = page.locator(".jp-CodeCell").nth(3).locator(".bars .point path")
    boxes.first.wait_for(timeout=PATIENCE)
    page.wait_for_function(FITS, arg=2)
    count = boxes.count()
    outer = boxes.nth(2).bounding_box()  # the model within the root within the whole run
    assert outer is not None
    page.mouse.click(outer["x"] + 0.8 * outer["width"], outer["y"] + outer["height"] / 2)
    page.wait_for_function(
        "() => document.querySelector('.widget-label').innerText.split(' ').length > 30", timeout=PATIENCE
    )
    assert boxes.count() == count


def charts_are_as_wide_as_their_cells(page: Page) -> None:
    """Whatever changes the width: here the window stays as it is."""
    cell = page.locator(".exirviz-chart").first
    before = cell.evaluate("chart => chart.clientWidth")
    page.evaluate(SIDE)
    page.wait_for_function(
        "before => document.querySelector('.exirviz-chart').clientWidth !== before", arg=before
    )
    page.wait_for_function(FITS, arg=3)
    page.evaluate(SIDE)
    page.wait_for_function(FITS, arg=3)


def what_stands_out_does_so_in_either_theme(notebook: Notebook) -> None:
    """A selected bar is highlighted after the theme has changed; the label of its point has the theme's
    ground.
    """
    page = notebook.run(4).page
    page.get_by_role("tab", name="Cost", exact=True).click()
    page.locator("button.exirviz-hot-row").first.click()
    page.wait_for_function(f"() => ({NAMED})().length === 2", timeout=PATIENCE)
    charts_are_as_wide_as_their_cells(page)
    assert page.evaluate(ASIDE) < 0.2, "a legend stands above a plot, and takes no room beside it"
    light = page.evaluate(NAMED)
    page.evaluate(THEME, "JupyterLab Dark")
    try:
        page.wait_for_function(f"light => ({NAMED})().every((fill, i) => fill !== light[i])", arg=light)
        one_bar_stands_out(page)
    finally:
        page.evaluate(THEME, "JupyterLab Light")  # the other tests' too
    page.wait_for_function(f"light => ({NAMED})().join() === light.join()", arg=light)


def stages_are_compared(notebook: Notebook) -> None:
    assert "compared ['export', 'core']" in notebook.run(5).said(5)
    table = notebook.page.get_by_label("Compare stages")
    expect(table.get_by_role("columnheader")).to_have_count(3, timeout=PATIENCE)
    expect(table).to_contain_text("×")
    expect(table).to_contain_text("resnet.encoder")
