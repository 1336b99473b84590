"""The explorer in the frame that a notebook shows without the widget's packages."""

from __future__ import annotations

import pytest

import exir_viz
from exir_viz.widget.page import Page
from tests.snapshot.sample import sample

from .standalone import SETTLED, Standalone

pytestmark = pytest.mark.browser


def test_the_frame_shows_the_picture_and_offers_no_steps(standalone: Standalone) -> None:
    output = Page(exir_viz.Session(sample()))._repr_html_()
    file = standalone.folder / "notebook.html"
    head = '<!doctype html><meta charset="utf-8"><title>notebook</title>'
    file.write_text(head + output, encoding="utf-8")
    standalone.page.goto(file.as_uri())
    frame = standalone.page.frame_locator("iframe.exirviz-page")
    frame.locator(SETTLED).wait_for(state="attached")
    assert frame.locator(".exirviz-strip").count() == 1
    assert frame.locator(".exirviz-offer:not(.is-all)").count() == 0
    assert "no kernel" in (frame.locator(".exirviz-offer.is-all").get_attribute("title") or "")
    # The frame has its own origin: neither can access the other.
    assert standalone.page.evaluate("document.querySelector('iframe').contentDocument") is None
    assert standalone.problems == []
