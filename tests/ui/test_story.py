"""A page that plays a story: its bar, its keys, and the views that it brings back."""

from __future__ import annotations

from pathlib import Path

import pytest

import exir_viz
from exir_viz.widget.explorer import Explorer
from tests.snapshot.sample import sample

pytestmark = pytest.mark.browser
SELECTED = "() => exirviz.selectedNodes().map(node => exirviz.snapshot.id(node))"


def test_a_story_is_played_with_buttons_and_keys(new_page, tmp_path: Path) -> None:
    explorer = Explorer(sample())
    names = [node.id for node in explorer.snapshot.method.graph if node.op == "call_function"][:2]
    story = exir_viz.types.Story(explorer, title="A walk")
    for name in names:
        explorer.select(name)
        story.add(f"This is {name}.")
    opened = new_page(viewport={"width": 900, "height": 640})
    opened.open_text(story.to_html(tmp_path / "story.html").read_text("utf-8"))
    page = opened.page
    bar = page.get_by_role("navigation", name="Story")
    bar.get_by_text(f"This is {names[0]}.").wait_for()
    page.wait_for_function(f"() => JSON.stringify(({SELECTED})()) === '[\"{names[0]}\"]'")
    assert bar.get_by_role("button", name="Back").is_disabled()
    bar.get_by_role("button", name="Next").click()
    page.wait_for_function(f"() => JSON.stringify(({SELECTED})()) === '[\"{names[1]}\"]'")
    assert bar.get_by_role("button", name="Next").is_disabled()
    page.keyboard.press("PageUp")
    page.wait_for_function(f"() => JSON.stringify(({SELECTED})()) === '[\"{names[0]}\"]'")
    box, frame = bar.bounding_box(), page.locator(".exirviz-frame").first.bounding_box()
    assert box is not None
    assert frame is not None
    assert box["y"] + box["height"] <= 640
    assert frame["y"] + frame["height"] <= box["y"] + 1
    assert opened.problems == []
