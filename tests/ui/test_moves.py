"""What moves, and what must not: the graph keeps still under the pointer, and goes where the user asks."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
import torch
from playwright.sync_api import expect

import exir_viz

from .programs import snapshot
from .standalone import Standalone

PROGRAM = "bert.core"
# The scene's coordinates are snapped to half pixels; on the screen they may be off by one.
STILL = 1.5


@pytest.fixture
def page(new_page) -> Standalone:
    return new_page(reduced_motion="no-preference").open(snapshot(PROGRAM))


def middle_of_head(page: Standalone, item: int) -> tuple[float, float]:
    left, top, width, _ = page.rect(item)
    return left + width / 3, top + 10


@pytest.mark.parametrize("zoom", [1, 0.5])
def test_what_is_opened_stays_under_the_pointer(page, zoom):
    items = page.ask(
        "Array.from(e.state.scene.item).filter((_, slot) => e.state.scene.kind[slot] === 1).slice(0, 3)"
    )
    for item in items:
        page.run("e.revealItem(a)", item)
        page.run("e.goTo({ ...e.viewportStore.state.camera, zoom: a })", zoom)
        page.run("e.lookAt(a)", item)
        for _ in ("open", "close"):
            was_open = page.ask("e.state.open.has(a)", item)
            before = page.rect(item)
            boxes = sum(page.kinds().values())
            page.page.mouse.dblclick(*middle_of_head(page, item))
            page.settle()
            assert page.ask("e.state.open.has(a)", item) != was_open
            after = page.rect(item)
            assert sum(page.kinds().values()) != boxes
            assert abs(after[0] - before[0]) < STILL
            assert abs(after[1] - before[1]) < STILL


def test_wheel_zooms_about_the_pointer(page):
    item = page.ask("e.state.scene.item[e.state.scene.item.length - 1]")
    left, top, width, height = page.rect(item)
    x, y = left + width / 2, top + height / 2
    page.page.mouse.move(x, y)
    page.page.keyboard.down("Control")
    page.page.mouse.wheel(0, 40)
    page.page.keyboard.up("Control")
    page.settle()
    after = page.rect(item)
    assert after[2] < width
    assert abs(after[0] + after[2] / 2 - x) < STILL
    assert abs(after[1] + after[3] / 2 - y) < STILL


def test_a_row_that_comes_above_the_picture_and_goes_moves_nothing_in_it(page):
    """A status row above the graph, as during a measurement, moves nothing in it."""
    before, camera = page.rect(page.item("layer.0")), page.ask("e.viewportStore.state.camera")
    row = "Object.assign(document.createElement('p'), { id: 'row', style: 'flex: none; height: 44px' })"
    page.page.evaluate(f"() => document.querySelector('.exirviz-main').before({row})")
    page.page.wait_for_function("y => exirviz.viewportStore.state.camera.y !== y", arg=camera["y"])
    page.settle()
    assert page.rect(page.item("layer.0")) == pytest.approx(before, abs=1)
    page.page.evaluate("() => document.querySelector('#row').remove()")
    page.page.wait_for_function("y => exirviz.viewportStore.state.camera.y === y", arg=camera["y"])
    assert page.ask("e.viewportStore.state.camera") == camera


def test_what_is_said_under_the_pointer_goes_when_the_picture_moves(page):
    """Hover text belongs to a box: it does not stay where that box was, and appears again for the next
    one.
    """
    left, top, _, height = page.rect(page.item("layer.0"))
    tip = page.page.locator(".exirviz-tooltip")
    page.page.mouse.move(left + 60, top + height / 2)
    tip.wait_for()
    assert "BertLayer" in tip.inner_text()
    page.page.mouse.wheel(0, 5)
    tip.wait_for(state="detached")
    tip.wait_for()
    assert "BertLayer" in tip.inner_text()
    page.page.mouse.wheel(0, 2000)
    tip.wait_for(state="detached")


def test_no_hover_text_covers_what_a_double_click_opened(page):
    """It appears again, for the box that is there now, once the pointer moves."""
    tip = page.page.locator(".exirviz-tooltip")
    item = page.item("layer.0")
    left, top, _, height = page.rect(item)
    page.page.mouse.move(left + 60, top + height / 2)
    tip.wait_for()
    page.page.mouse.dblclick(left + 60, top + height / 2)
    page.page.wait_for_function("item => exirviz.state.open.has(item)", arg=item)
    page.settle()
    page.page.wait_for_timeout(400)  # longer than a pointer has to stand still
    assert tip.count() == 0
    left, top, _, _ = page.rect(page.item("attention"))
    page.page.mouse.move(left + 30, top + 8)
    page.page.mouse.move(left + 60, top + 10)
    tip.wait_for()
    assert "attention" in tip.inner_text()


def test_a_hover_text_of_another_scene_is_not_shown(page):
    """A box has another number in each scene: the text would name another box."""
    left, top, _, height = page.rect(page.item("layer.0"))
    page.page.mouse.move(left + 60, top + height / 2)
    tip = page.page.locator(".exirviz-tooltip")
    tip.wait_for()
    names = page.ask(
        """new Promise(async done => { const names = new Set();
        const look = () => { const text = document.querySelector('.exirviz-tooltip')?.textContent;
          if (text) names.add(text); if (!isOver) requestAnimationFrame(look) };
        let isOver = false; look(); await e.openAll();
        setTimeout(() => { isOver = true; done([...names]) }, 100) })"""
    )
    assert len(names) == 1, names
    assert "BertLayer" in names[0]


def test_drag_moves_the_picture_with_the_pointer(page):
    item = page.ask("e.state.scene.item[0]")
    before = page.rect(item)
    stage = page.page.locator(".exirviz-sheet").bounding_box()
    x, y = stage["x"] + 40, stage["y"] + stage["height"] / 2
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 30, y + 20, steps=3)
    page.page.mouse.move(x + 90, y + 50, steps=5)
    page.page.mouse.up()
    page.settle()
    after = page.rect(item)
    assert (round(after[0] - before[0]), round(after[1] - before[1])) == (90, 50)


def test_a_selection_with_ancestors_dims_the_rest(page):
    page.run("e.reveal(e.snapshot.find('forward/addmm_3'))")
    item = page.ask("e.state.selected[0]")
    bright = luminance(page, item)
    users = page.ask(
        """(() => { const { graph, position } = e.snapshot.locate(e.selectedNodes()[0]);
        return Array.from(graph.usersOf(position), p => e.boxShowing(graph.base + p)) })()"""
    )
    shown = [user for user in users if page.ask("e.rectOf(a) !== undefined", user)]
    assert shown
    before = luminance(page, shown[0])
    page.press("a")
    assert page.ask("e.state.focus.direction") == "ancestors"
    page.page.mouse.move(2, 2)
    page.settle()
    # What it does not need is paler; it itself is not.
    assert spread(luminance(page, shown[0])) < 0.6 * spread(before)
    assert spread(luminance(page, item)) > 0.9 * spread(bright)
    page.press("Shift+A")
    assert spread(luminance(page, shown[0])) > 0.9 * spread(before)


def luminance(page: Standalone, item: int) -> list[int]:
    """Of the pixels within a box: the words in it make them differ."""
    return page.ask(
        """(() => { const c = document.querySelector('.exirviz-canvas');
        const { x, y, zoom } = e.viewportStore.state.camera;
        const r = e.rectOf(a), k = devicePixelRatio;
        const d = c.getContext('2d').getImageData((r.x - x) * zoom * k + 12, (r.y - y) * zoom * k + 5,
          Math.max(1, r.width * zoom * k - 20), Math.max(1, r.height * zoom * k - 10)).data;
        const light = (_, i) => (d[4 * i] * 2 + d[4 * i + 1] * 5 + d[4 * i + 2]) >> 3;
        return Array.from({ length: d.length / 4 }, light)
        })()""",
        item,
    )


def spread(values: list[int]) -> int:
    return max(values) - min(values)


def test_a_link_restores_the_view(page, new_page):
    page.open_all().run("e.reveal(e.snapshot.find('forward/addmm_9'))")
    page.press("a", "a")
    page.run("e.search.ask('op:*softmax*')")
    page.run("e.store.set({ tab: 'code', overlay: { name: 'dtype', scale: 'linear' } })")
    view = page.ask("e.view()")
    pixels = page.page.locator(".exirviz-canvas").evaluate("canvas => canvas.toDataURL()")
    other = new_page().open(snapshot(PROGRAM), fragment=f"#view={quote(json.dumps(view))}")
    other.page.wait_for_function("() => exirviz.state.results.nodes.length > 0")
    other.settle()
    assert other.ask("e.view()") == view
    assert other.page.locator(".exirviz-canvas").evaluate("canvas => canvas.toDataURL()") == pixels


@pytest.mark.parametrize(
    "fragment", ["#view=%", "#view={}", '#view={"graph":1}', "#other", "#view=" + "9" * 5000]
)
def test_a_broken_link_shows_the_program(standalone, fragment):
    page = standalone.open(snapshot("control_flow"), fragment=fragment)
    assert sum(page.kinds().values()) > 0
    assert page.problems == []


def test_back_and_forward(page):
    steps = ["forward/addmm_1", "forward/addmm_20", "forward/addmm_40"]
    for step in steps:
        page.run("e.reveal(e.snapshot.find(a))", step)
    ids = "e.selectedNodes().map(node => e.snapshot.id(node))"
    for step in (steps[1], steps[0]):
        page.press("[")
        assert page.ask(ids) == [step]
    page.press("]")
    assert page.ask(ids) == [steps[1]]


def test_the_window_may_change_its_size(page):
    for width, height in ((700, 500), (1600, 1000), (1280, 800)):
        page.page.set_viewport_size({"width": width, "height": height})
        page.page.wait_for_function(
            """() => { const s = document.querySelector('.exirviz-sheet');
            const { screen } = exirviz.viewportStore.state;
            return s.clientWidth === screen.width && s.clientHeight === screen.height }"""
        )
        page.settle()
        canvas = page.page.locator(".exirviz-canvas").evaluate(
            "c => [c.width, c.height, c.clientWidth, c.clientHeight]"
        )
        assert canvas[:2] == canvas[2:]
        assert page.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_what_was_fitted_stays_so_and_what_was_looked_at_stays(page):
    whole = """(() => { const { camera, screen } = e.viewportStore.state, { width, height } = e.state.scene;
      return [-camera.x * camera.zoom, (camera.x + screen.width / camera.zoom - width) * camera.zoom,
        -camera.y * camera.zoom, (camera.y + screen.height / camera.zoom - height) * camera.zoom] })()"""
    page.run("e.openAll().then(() => e.fit())")
    for size in ((700, 500), (1600, 1000)):
        page.page.set_viewport_size({"width": size[0], "height": size[1]})
        page.page.wait_for_function("width => innerWidth === width", arg=size[0])
        page.settle()
        left, right, above, below = page.ask(whole)
        assert left == pytest.approx(right, abs=1)
        assert above == pytest.approx(below, abs=1)
        assert min(left, above) == pytest.approx(18, abs=1), "as large as it can be"
    page.run("e.reveal(e.snapshot.find('forward/addmm_3'))")
    before = page.ask("e.viewportStore.state.camera")
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.settle()
    assert page.ask("e.viewportStore.state.camera") == before


# The page's clock is slowed down: an animation has several frames on a busy machine too.
SLOWER = """() => {
  const now = performance.now.bind(performance), frame = requestAnimationFrame.bind(globalThis);
  performance.now = () => now() / 8;
  globalThis.requestAnimationFrame = call => frame(() => call(performance.now())) }"""


def test_without_motion_the_picture_jumps(new_page):
    for motion, fewest, most in (("reduce", 0, 2), ("no-preference", 3, 1000)):
        page = new_page(reduced_motion=motion).open(snapshot(PROGRAM))
        page.page.evaluate(SLOWER)
        cameras = page.ask(
            """new Promise(done => { const seen = new Set();
            const canvas = document.querySelector('.exirviz-canvas');
            const off = e.viewportStore.subscribe(({ camera }) => seen.add(JSON.stringify(camera)));
            e.openAll().then(() => { const look = () => canvas.dataset.state === 'settled'
              ? (off(), done(seen.size)) : requestAnimationFrame(look); requestAnimationFrame(look) }) })"""
        )
        assert fewest <= cameras <= most


def test_the_hover_text_stays_whole_at_the_edges(page):
    """At the right and at the bottom it turns to the other side of the pointer."""
    item = page.item("layer.0")
    screen = page.ask("e.viewportStore.state.screen")
    whole = page.page.locator(".exirviz-sheet").bounding_box()
    for x, y in ((0, 0), (screen["width"] - 8, 0), (0, screen["height"] - 20)):
        code = """(() => { const { camera } = e.viewportStore.state, r = e.rectOf(a.item);
          e.goTo({ ...camera, x: r.x + r.width / 2 - (a.x + 3) / camera.zoom,
                   y: r.y + r.height / 2 - (a.y + 3) / camera.zoom }) })()"""
        page.run(code, {"item": item, "x": x, "y": y})
        page.page.mouse.move(0, 0)
        page.page.mouse.move(whole["x"] + x + 3, whole["y"] + y + 3)
        tip = page.page.locator(".exirviz-tooltip")
        tip.wait_for()
        box = tip.bounding_box()
        assert box["width"] > 150
        assert box["x"] >= whole["x"]
        assert box["x"] + box["width"] <= whole["x"] + whole["width"]
        assert box["y"] >= whole["y"]
        assert box["y"] + box["height"] <= whole["y"] + whole["height"]


def test_a_copied_link_says_so_and_without_a_clipboard_stands_in_the_address(page):
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    told = page.page.locator(".exirviz-status")
    page.press("l")
    assert told.inner_text() == "Link copied"
    link = page.page.evaluate("navigator.clipboard.readText()")
    assert "#view=" in link
    page.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.press("l")
    assert told.inner_text() == "Link added to the address bar"
    assert page.page.url == link
    assert page.problems == []


@pytest.mark.nightly
def test_a_link_to_a_delegate_shows_its_box_and_payload(standalone: Standalone) -> None:
    """By module a delegate has no box: the view by delegate is chosen."""
    session = exir_viz.Session(torch.nn.Linear(4, 4).eval(), torch.randn(2, 4))
    page = standalone.open(session.root.backend("xnnpack").snapshot)
    linear = "Array.from(Array(99).keys()).find(n => e.snapshot.name(n) === 'aten_linear_default')"
    page.run(f"e.reveal({linear})")
    page.page.get_by_role("button", name="XNNPACK 1").click()
    expect(page.page.get_by_role("heading", name="Payload")).to_be_visible()
    assert page.ask("e.picture.isByDelegate")
