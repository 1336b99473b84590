"""Many explorers on one page: none disturbs another, and a removed one leaves nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from .mounts import mounts_page
from .programs import snapshot
from .standalone import SETTLED

# Larger than what is laid out on the page's own thread: each mount has a worker.
PROGRAM = "gpt2"
MOUNTS = 15
COUNTERS = ("documents", "nodes", "jsEventListeners")
CALM = 20  # collections in a row that find nothing more to take


@pytest.fixture
def page(new_page) -> Page:
    standalone = new_page(reduced_motion="no-preference")
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
    """The pixels of a mount's canvas, without floating elements."""
    return page.evaluate("n => document.querySelectorAll('.exirviz-canvas')[n].toDataURL()", number)


def once(page: Page, leak: str = "") -> None:
    """Mount an explorer, touch what a user touches, dispose of it. `leak`: JavaScript that leaves some."""
    number = mount(page)
    # A worker, the panels, the menu, the search, the help.
    page.locator(".exirviz-canvas").press("e")
    page.locator(SETTLED).wait_for(state="attached")
    assert len(page.workers) >= 1
    page.locator("[aria-label=More]").click()
    page.locator(".exirviz-menu").wait_for()
    page.keyboard.press("Escape")
    page.locator(".exirviz-canvas").press("ArrowDown")
    page.locator(".exirviz-canvas").press("?")
    page.locator(".exirviz-help").wait_for()
    page.keyboard.press("Escape")
    page.locator(".exirviz-help").wait_for(state="detached")  # until then the keys are its own
    page.locator(".exirviz-canvas").press("/")
    page.locator(".exirviz-search input:focus").wait_for()
    page.keyboard.insert_text("op:*layer_norm*")
    page.locator(".exirviz-result").first.wait_for()
    if leak:
        page.evaluate(leak)
    page.evaluate("number => mounts[number].dispose()", number)
    assert page.evaluate("number => mounts[number].model.listening()", number) == 0
    page.evaluate("() => { mounts.length = 0 }")


def held(page: Page) -> dict[str, int]:
    """How many documents, nodes, listeners and workers the page has once these numbers stop falling.

    One collection may miss objects that were just released: the smallest of several numbers counts.
    """
    session = page.context.new_cdp_session(page)
    fewest: dict[str, int] = {}
    unchanged = 0
    while unchanged < CALM:
        session.send("HeapProfiler.collectGarbage")
        counted = session.send("Memory.getDOMCounters")
        now = {**{name: counted[name] for name in COUNTERS}, "workers": len(page.workers)}
        fewer = {name: min(count, fewest.get(name, count)) for name, count in now.items()}
        unchanged = unchanged + 1 if fewer == fewest else 0
        fewest = fewer
        page.evaluate("() => new Promise(done => setTimeout(done, 100))")
    session.detach()
    return fewest


def growth(page: Page, mounts: int, leak: str = "") -> dict[str, int]:
    """The growth after so many mounts; one leaked object per mount would be as many as these."""
    once(page)  # what is made once and kept, such as fonts and the module itself
    before = held(page)
    for _ in range(mounts):
        once(page, leak)
    after = held(page)
    return {name: after[name] - before[name] for name in after}


@pytest.mark.nightly
def test_many_mounts_leave_nothing_behind(page):
    grown = growth(page, MOUNTS)
    assert all(count < MOUNTS // 2 for count in grown.values()), f"{MOUNTS} mounts left {grown} behind"
    assert page.locator(".exirviz-explorer").count() == 0


LEAKS = {
    "nodes": "(globalThis.kept ??= []).push(document.querySelector('.exirviz-explorer'))",
    "jsEventListeners": "addEventListener('resize', () => undefined)",
    "workers": "(globalThis.busy ??= []).push(new Worker(URL.createObjectURL(new Blob(['']))))",
}


@pytest.mark.nightly
def test_a_leak_would_be_seen(page):
    mounts = 6
    grown = growth(page, mounts, "; ".join(LEAKS.values()))
    assert all(grown[kind] >= mounts for kind in LEAKS), grown


def test_all_explorers_of_a_page_share_one_module(page):
    for _ in range(3):
        mount(page)
    assert page.evaluate("() => [widgets.length, new Set(widgets).size]") == [3, 1]


def test_three_explorers_do_not_disturb_each_other(page):
    for height in (300, 400, 500):
        mount(page, height=height)
    canvases = page.locator(".exirviz-canvas")
    assert canvases.count() == 3
    boxes = [canvases.nth(i).get_attribute("data-boxes") for i in range(3)]
    before = [pixels(page, i) for i in range(3)]

    middle = page.locator(".place").nth(1)
    middle.locator(".exirviz-canvas").press("e")
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
