"""A page that a test gives back is for the next test as a new one."""

from __future__ import annotations

from .programs import snapshot

KEPT = "() => [localStorage.length, sessionStorage.length]"
LOOK = "() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('print').matches]"


def test_a_page_forgets_the_test_that_used_it(page_pool):
    viewport = {"width": 700, "height": 500}
    first = page_pool.take(viewport=viewport, color_scheme="dark", reduced_motion="no-preference")
    first.open(snapshot("control_flow"))
    first.page.emulate_media(media="print")
    first.page.evaluate("() => { localStorage.a = sessionStorage.b = '1'; console.error('wrong') }")
    assert first.page.evaluate(KEPT) == [1, 1]
    assert first.page.evaluate(LOOK) == [700, True, True]
    page_pool.give_back(first)
    again = page_pool.take()
    assert again is first
    assert (again.problems, again.requests) == ([], [])
    again.open(snapshot("control_flow"))
    assert again.page.evaluate(KEPT) == [0, 0]
    assert again.page.evaluate(LOOK) == [1280, False, False]
    assert again.problems == []
    assert again.requests == [again.page.url]
    page_pool.give_back(again)


def test_pages_for_touch_are_others(page_pool):
    touched, usual = page_pool.take(has_touch=True), page_pool.take()
    page_pool.give_back(touched)
    page_pool.give_back(usual)
    assert page_pool.take() is usual
    assert page_pool.take(has_touch=True) is touched
    for page in (touched, usual):
        page_pool.give_back(page)
