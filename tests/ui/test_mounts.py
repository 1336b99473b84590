"""Many explorers in one page: none disturbs another, and one that is gone leaves nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from .mounts import mounts_page
from .programs import snapshot
from .standalone import SETTLED

# Larger than what is laid out on the page's own thread: each mount has a worker.
PROGRAM = "resnet50"
MOUNTS = 50
COUNTERS = ("documents", "nodes", "jsEventListeners")


@pytest.fixture
def page(new_page) -> Page:
    standalone = new_page()
    file = standalone.folder / "mounts.html"
    file.write_text(mounts_page(snapshot(PROGRAM)), encoding="utf-8")
    standalone.page.goto(file.as_uri())
    standalone.page.wait_for_function("() => globalThis.isReady")
    yield standalone.page
    assert standalone.problems == []


def mount(page: Page, **options: object) -> int:
    number = page.evaluate("options => mount(options)", options)
    page.locator(f".place:last-of-type {SETTLED}").wait_for(state="attached")
    return number


def pixels(page: Page, number: int) -> str:
    """What the canvas of a mount holds, without what floats above it."""
    return page.evaluate("n => document.querySelectorAll('.exirviz-canvas')[n].toDataURL()", number)


def test_fifty_mounts_leave_nothing_behind(page):
    session = page.context.new_cdp_session(page)
    workers = set()
    page.on("worker", lambda worker: (workers.add(worker), worker.on("close", workers.discard)))

    def count() -> dict[str, int]:
        session.send("HeapProfiler.collectGarbage")
        return {name: session.send("Memory.getDOMCounters")[name] for name in COUNTERS}

    def once() -> None:
        number = mount(page)
        # Everything a user touches: a worker, the panels, the search, the help.
        page.locator(".exirviz-open-all").click()
        page.locator(SETTLED).wait_for(state="attached")
        page.locator(".exirviz-canvas").press("ArrowDown")
        page.locator(".exirviz-canvas").press("?")
        page.locator(".ev-help").wait_for()
        page.keyboard.press("Escape")
        page.locator(".exirviz-canvas").press("/")
        page.locator(".exirviz-search input:focus").wait_for()
        page.keyboard.type("op:*relu*")
        page.locator(".ev-result").first.wait_for()
        page.evaluate("number => mounts[number].dispose()", number)
        assert page.evaluate("number => mounts[number].model.listening()", number) == 0
        page.evaluate("() => { mounts.length = 0 }")

    once()  # what is made once and kept, such as fonts and the module itself
    before = count()
    for _ in range(MOUNTS):
        once()
    assert workers == set()
    assert page.locator(".exirviz-explorer").count() == 0
    # One thing left behind by each mount would be as many as there were mounts. The browser may hold the last
    # for some time (it offers to undo what was typed there), so that it is asked again.
    grown = {}
    for _ in range(40):
        after = count()
        grown = {name: after[name] - before[name] for name in COUNTERS}
        if all(more < MOUNTS // 2 for more in grown.values()):
            return
        page.evaluate("() => new Promise(done => setTimeout(done, 250))")
    raise AssertionError(f"{MOUNTS} mounts left {grown} behind")


def test_three_explorers_do_not_disturb_each_other(page):
    for height in (300, 400, 500):
        mount(page, height=height)
    canvases = page.locator(".exirviz-canvas")
    assert canvases.count() == 3
    boxes = [canvases.nth(i).get_attribute("data-boxes") for i in range(3)]
    before = [pixels(page, i) for i in range(3)]

    middle = page.locator(".place").nth(1)
    middle.locator(".exirviz-open-all").click()
    page.wait_for_function(
        "([i, boxes]) => { const c = document.querySelectorAll('.exirviz-canvas')[i];"
        " return c.dataset.state === 'settled' && c.dataset.boxes !== boxes }", arg=[1, boxes[1]]
    )  # fmt: skip
    canvases.nth(1).press("ArrowDown")
    canvases.nth(1).press("/")
    page.locator(".place:nth-of-type(2) .exirviz-search input:focus").wait_for()

    assert page.evaluate("() => mounts.map(m => m.model.state.selection.length)")[::2] == [0, 0]
    after = [pixels(page, i) for i in range(3)]
    assert after[0] == before[0]
    assert after[2] == before[2]
    assert after[1] != before[1]
    ids = page.evaluate("() => Array.from(document.querySelectorAll('[id]'), each => each.id)")
    assert len(ids) == len(set(ids))
    page.evaluate("() => mounts[1].dispose()")
    assert page.locator(".exirviz-explorer").count() == 2
    canvases.nth(0).press("ArrowDown")
    page.wait_for_function("() => mounts[0].model.state.selection.length > 0")
