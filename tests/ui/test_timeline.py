"""The timeline below the graph: opening, brushing and highlighting both ways, with a profile and without."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import pytest
from playwright.sync_api import Locator, expect

import exir_viz
from exir_viz.measure.profile import Profile
from exir_viz.pages import html as pages
from exir_viz.snapshot.memory import memory_of
from tests.corpus.programs import exported

from .programs import snapshot
from .standalone import FRAMES, Standalone, choose

pytestmark = pytest.mark.browser

BRUSHED = "(e.state.brush?.nodes ?? []).map(node => e.snapshot.id(node))"
# The nodes that have a box when all is open.
OPS = "Array.from(e.picture.hierarchy.leaf, leaf => e.picture.nodeOf(leaf))"
# Columns of the canvas, of 200, in which its top row has the colour of what is selected.
MARKED = """() => {
  const canvas = document.querySelector('.exirviz-timeline canvas')
  const { width } = canvas
  const copy = Object.assign(document.createElement('canvas'), { width, height: 1 })
  const context = copy.getContext('2d', { willReadFrequently: true })
  context.drawImage(canvas, 0, -2)
  const { data } = context.getImageData(0, 0, width, 1)
  const accent = [25, 118, 210]
  return Array.from({ length: 200 }, (_, i) => Math.floor(width * (i + 0.5) / 200)).filter(x => {
    const [r, g, b, a] = data.slice(4 * x, 4 * x + 4)
    return a > 200 && Math.hypot(r - accent[0], g - accent[1], b - accent[2]) < 40
  }) }"""


@cache
def profile_of(name: str) -> Profile:
    return exir_viz.profile(exported(name), repeats=2, warmup=1)


def with_fixed_times(profile: Profile) -> Profile:
    """The same profile with times of 1 to 7 µs: measured ones vary with what else the machine does."""
    record = profile.record
    times = tuple(1000 * (1 + at % 7) for at in range(len(record.columns.nodes)))
    columns = msgspec.structs.replace(record.columns, time=times)
    whole = msgspec.structs.replace(record.whole, time=sum(times)) if record.whole else None
    return Profile(
        msgspec.structs.replace(record, columns=columns, whole=whole, overhead=None), profile.snapshot
    )


def tracks(standalone: Standalone) -> Locator:
    """The canvas of the open timeline, drawn."""
    canvas = standalone.page.locator(".exirviz-timeline canvas[data-drawn]")
    canvas.wait_for()
    standalone.settle()
    return canvas


def drag(standalone: Standalone, canvas: Locator, start: float, end: float) -> None:
    """Over the first row of modules, from a part of the width to another."""
    box = canvas.bounding_box()
    assert box is not None
    mouse = standalone.page.mouse
    mouse.move(box["x"] + start * box["width"], box["y"] + 28)
    mouse.down()
    mouse.move(box["x"] + (start + end) / 2 * box["width"], box["y"] + 30)
    mouse.move(box["x"] + end * box["width"], box["y"] + 28)
    mouse.up()
    standalone.settle()


def test_its_key_and_its_button_open_and_close_it(standalone: Standalone) -> None:
    standalone.open(snapshot("module_called_twice"))
    page = standalone.page
    timeline = page.get_by_role("region", name="Timeline")
    assert timeline.count() == 0
    standalone.press("t")
    expect(timeline).to_be_visible()
    page.get_by_role("button", name="Hide timeline").click()
    expect(timeline).to_have_count(0)
    choose(page, "Timeline: time, memory and delegates in execution order")
    expect(timeline).to_be_visible()
    assert standalone.problems == []


def test_the_next_page_remembers_that_it_was_open_and_how_high(standalone: Standalone) -> None:
    standalone.open(snapshot("module_called_twice"))
    standalone.press("t")
    tracks(standalone)
    grip = standalone.page.get_by_role("separator", name="Timeline height")
    grip.press("ArrowUp")
    grip.press("ArrowUp")
    height = "270"
    expect(grip).to_have_attribute("aria-valuenow", height)
    for _ in range(10):  # on a busy machine another process reads the storage before the first has written
        standalone.open(snapshot("bert"))
        if grip.count():
            break
    tracks(standalone)
    expect(grip).to_have_attribute("aria-valuenow", height)
    assert standalone.problems == []


def test_a_low_page_shows_less_of_it_and_its_grip_says_how_much(standalone: Standalone) -> None:
    profile = with_fixed_times(profile_of("bert"))
    standalone.page.set_viewport_size({"width": 900, "height": 420})
    standalone.open_text(pages.html(profile.snapshot, profiles={"": profile}))
    standalone.press("t")
    tracks(standalone)
    timeline = standalone.page.get_by_role("region", name="Timeline")
    grip = timeline.get_by_role("separator", name="Timeline height")

    def height() -> float:
        box = timeline.bounding_box()
        assert box is not None
        return box["height"]

    shown = height()
    assert shown < standalone.ask("e.state.timelineHeight")
    expect(grip).to_have_attribute("aria-valuenow", str(round(shown)))
    timeline.get_by_role("button", name="Roofline").click()
    room = timeline.locator(".exirviz-timeline-tracks")
    assert room.evaluate("each => each.scrollHeight - each.clientHeight") <= 1
    grip.press("ArrowDown")
    expect(grip).to_have_attribute("aria-valuenow", str(round(shown) - 20))
    assert height() == pytest.approx(shown - 20, abs=1)
    assert standalone.problems == []


@pytest.mark.parametrize("is_profiled", [False, True])
def test_a_brush_dims_all_other_ops(standalone: Standalone, is_profiled: bool) -> None:
    profile = with_fixed_times(profile_of("bert")) if is_profiled else None
    if profile:
        standalone.open_text(pages.html(profile.snapshot, profiles={"": profile}))
    else:
        standalone.open(snapshot("bert"))
    standalone.press("t")
    canvas = tracks(standalone)
    by_time = standalone.page.get_by_role("button", name="By time")
    assert by_time.count() == is_profiled
    drag(standalone, canvas, 0.3, 0.6)
    brushed = standalone.ask(BRUSHED)
    ops = standalone.ask(f"{OPS}.filter(n => n >= 0).length")
    assert 0.2 * ops < len(brushed) < 0.6 * ops
    count = standalone.page.locator(".exirviz-timeline-says")
    expect(count).to_contain_text(f"{len(brushed)} ops highlighted")
    expect(count).to_contain_text("%" if is_profiled else "ops")
    if profile:
        by_time.click()
        expect(by_time).to_have_attribute("aria-pressed", "true")
        drag(standalone, canvas, 0.3, 0.6)
        times = {cost.node.id: cost.time or 0 for cost in profile}
        whole = sum(times.values())
        share = sum(times[one] for one in standalone.ask(BRUSHED)) / whole
        # A third of the tracks' width, and the rest of the ops at both ends.
        assert 0.3 < share < 0.4 + 2 * max(times.values()) / whole
    standalone.press("Escape")
    assert standalone.ask(BRUSHED) == []
    assert standalone.problems == []


def test_what_is_selected_in_the_graph_is_marked_where_it_runs(standalone: Standalone) -> None:
    standalone.open(snapshot("llama32"))
    standalone.press("t")
    tracks(standalone)
    assert standalone.page.evaluate(MARKED) == []
    marked = []
    for layer in (3, 28):
        name = f"model.layers.{layer}"
        scope = f"e.snapshot.scopes.findIndex(scope => scope.path === '{name}')"
        standalone.run(f"e.revealItem(e.picture.firstModule({scope}))")
        standalone.page.evaluate(FRAMES)
        marked.append(standalone.page.evaluate(MARKED))
        expect(standalone.page.locator(".exirviz-timeline-says")).to_contain_text("ops selected")
    early, late = marked
    assert early
    assert late
    assert max(early) < min(late)
    assert len(early) < 30  # a layer of 32
    assert standalone.problems == []


def test_arrows_step_through_the_ops_and_enter_goes_there(standalone: Standalone) -> None:
    program = snapshot("module_called_twice")
    standalone.open(program)
    standalone.press("t")
    canvas = tracks(standalone)
    ops = [node.name for node in program.method.graph if node.op == "call_function"]
    canvas.press("Home")
    for at, name in enumerate(ops):
        if at:
            canvas.press("ArrowRight")
        expect(canvas).to_have_attribute("aria-valuetext", re.compile(rf"^{name},"))
    canvas.press("Shift+ArrowLeft")
    standalone.settle()
    assert standalone.ask(BRUSHED) == [f"forward/{name}" for name in ops[-2:]]
    for key in ("Escape", "End", "Enter"):
        canvas.press(key)
    standalone.settle()
    assert standalone.ask(BRUSHED) == []
    assert standalone.ask("e.selectedNodes().map(node => e.snapshot.name(node))") == ops[-1:]
    assert standalone.problems == []


def test_pointing_says_what_is_there_and_marks_its_box(standalone: Standalone) -> None:
    profile = profile_of("bert")
    standalone.open_text(pages.html(profile.snapshot, profiles={"": profile}))
    standalone.press("t")
    canvas = tracks(standalone)
    box = canvas.bounding_box()
    assert box is not None
    canvas.hover(position={"x": 0.5 * box["width"], "y": box["height"] - 20})
    tip = standalone.page.locator(".exirviz-timeline [role=tooltip]")
    expect(tip).to_contain_text(re.compile(r"\d [nµm]s · "))
    expect(tip).to_contain_text("alive")
    name = tip.locator("div").first.inner_text()
    assert standalone.ask("e.snapshot.name(e.picture.nodeOf(e.state.pointed))") == name
    cost = next(cost for cost in profile if cost.node.name == name)
    assert cost.live_bytes is not None
    standalone.page.mouse.move(5, 5)
    expect(tip).to_have_count(0)
    assert standalone.ask("e.state.pointed") == -1


def test_the_roofline_has_the_ops_that_python_draws(standalone: Standalone) -> None:
    profile = profile_of("bert")
    standalone.open_text(pages.html(profile.snapshot, profiles={"": profile}))
    standalone.press("t")
    tracks(standalone)
    standalone.page.get_by_role("button", name="Roofline").click()
    canvas = standalone.page.get_by_role("slider", name=re.compile("Roofline"))
    known = [cost for cost in profile if cost.flops and cost.bytes_moved and cost.time]
    expect(canvas).to_have_attribute("data-drawn", str(len(known)))
    canvas.press("Home")
    for at, cost in enumerate(known[:3]):
        if at:
            canvas.press("ArrowRight")
        words = re.compile(rf"^{cost.node.name}, [0-9,. ]+[kMGT]?FLOP/s, [0-9,.e]+ FLOP per byte")
        expect(canvas).to_have_attribute("aria-valuetext", words)
    canvas.press("Enter")
    standalone.settle()
    assert standalone.ask("e.selectedNodes().map(node => e.snapshot.id(node))") == [known[2].node.id]
    # Around all points: these ops are highlighted, and no others.
    box = canvas.bounding_box()
    assert box is not None
    mouse = standalone.page.mouse
    mouse.move(box["x"] + 3, box["y"] + 3)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, steps=4)
    mouse.up()
    standalone.settle()
    assert standalone.ask(BRUSHED) == [cost.node.id for cost in known]
    assert standalone.problems == []


def test_a_delegated_program_shows_delegates_and_its_arena(standalone: Standalone) -> None:
    program = snapshot("llama2:executorch")
    arenas = memory_of(program.method).arenas
    assert arenas
    standalone.open(program)
    standalone.press("t")
    canvas = tracks(standalone)
    expect(standalone.page.locator(".exirviz-timeline-says")).to_contain_text("memory from the memory plan")
    box = canvas.bounding_box()
    assert box is not None
    # A value of the arena is under one of these points, and its text has the offset.
    tip = standalone.page.locator(".exirviz-timeline [role=tooltip]")
    offsets = set()
    for step in range(20):
        canvas.hover(position={"x": (0.2 + 0.035 * step) * box["width"], "y": box["height"] - 12})
        standalone.page.evaluate(FRAMES)
        offsets |= {line for line in tip.inner_text().splitlines() if "at offset" in line}
    assert offsets
    # A click on a delegate highlights its ops.
    calls = standalone.ask("e.snapshot.graphs.filter(g => e.snapshot.delegateCall(g.number)).length")
    assert calls > 0
    for y in range(20, int(box["height"]), 4):
        canvas.hover(position={"x": 0.5 * box["width"], "y": y})
        standalone.page.evaluate(FRAMES)
        if tip.count() and tip.inner_text().startswith("XNNPACK"):
            canvas.click(position={"x": 0.5 * box["width"], "y": y})
            break
    standalone.settle()
    graphs = standalone.ask("[...new Set(e.state.brush.nodes.map(n => e.snapshot.locate(n).graph.path))]")
    assert len(graphs) == 2  # the call, and the delegate
    assert standalone.problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [600, 1400])
def test_it_fits_its_place_in_both_themes(standalone: Standalone, width: int, scheme: str) -> None:
    standalone.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    standalone.page.set_viewport_size({"width": width, "height": 700})
    standalone.open(snapshot("bert"))
    standalone.press("t")
    tracks(standalone)
    overflow = standalone.page.evaluate(
        """() => ['.exirviz-timeline', '.exirviz-timeline-head', '.exirviz-timeline-tracks'].filter(each => {
          const part = document.querySelector(each)
          return part.scrollWidth > part.clientWidth || part.getBoundingClientRect().right > innerWidth })"""
    )
    assert overflow == []
    sheet = standalone.page.locator(".exirviz-sheet").bounding_box()
    assert sheet is not None
    assert sheet["height"] >= 200
    assert standalone.problems == []
