"""A page written by an explorer begins with the explorer's view."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from exir_viz.widget.explorer import Explorer

from .programs import snapshot

SHOWN = ("open", "selected", "query", "overlay", "tab", "graph", "folded", "camera")


@pytest.fixture
def explorer(new_page) -> Explorer:
    """As a viewer left it: a module open, an op selected, a search asked, two ops painted."""
    page = new_page().open(snapshot("bert.core"))
    page.run("e.reveal(e.snapshot.find('forward/addmm_3'))")
    page.run("e.search.ask('op:*addmm*')")
    found = Explorer(snapshot("bert.core"))
    found.paint({"addmm_3": 1.0, "addmm_4": 5.0}, label="seconds")
    found.view = {**page.ask("e.view()"), "overlay": "seconds"}
    return found


def written(explorer: Explorer, folder, new_page, fragment: str = ""):
    path = explorer.to_html(folder / "shown.html")
    return new_page().open_text(path.read_text(), fragment)


def test_the_page_shows_what_was_open_selected_searched_and_painted(explorer, new_page, tmp_path) -> None:
    page = written(explorer, tmp_path, new_page)
    page.page.wait_for_function("() => exirviz.state.selected.length > 0 && exirviz.state.query !== ''")
    view = page.ask("e.view()")
    assert {name: view.get(name) for name in SHOWN} == {name: explorer.view.get(name) for name in SHOWN}
    assert page.page.locator(".exirviz-legend").inner_text().startswith("seconds")
    assert page.problems == []


def test_a_link_to_another_view_comes_first(explorer, new_page, tmp_path) -> None:
    page = written(explorer, tmp_path, new_page)
    page.run("e.closeAll().then(() => undefined)")
    page.run("e.select([])")
    link = page.ask("'#view=' + encodeURIComponent(JSON.stringify(e.view()))")
    other = written(explorer, tmp_path, new_page, link)
    assert other.ask("e.view().open") == []
    assert other.ask("e.state.selected.length") == 0


def test_an_explorer_that_was_never_shown_still_paints(new_page, tmp_path) -> None:
    explorer = Explorer(snapshot("control_flow"))
    explorer.paint(dict.fromkeys(explorer.snapshot.method.graph, 1.0), label="ones")
    page = written(explorer, tmp_path, new_page)
    page.page.wait_for_function("() => exirviz.state.overlay.name === 'ones'")


def test_an_explorer_that_was_never_shown_opens_selects_searches_and_colours(new_page, tmp_path) -> None:
    explorer = Explorer(snapshot("bert.core"))
    explorer.paint({"addmm_3": 1.0, "addmm_4": 5.0}, label="seconds")
    explorer.color("op:*addmm*", "red")
    explorer.color("op:*view*", "#00aa55")
    explorer.open("encoder.layer.1")
    explorer.search("op:*addmm*")
    explorer.select("addmm_9")
    page = written(explorer, tmp_path, new_page)
    page.page.wait_for_function("() => exirviz.state.selected.length > 0")
    view = page.ask("e.view()")
    assert [rule["query"] for rule in view["rules"]] == ["op:*addmm*", "op:*view*"]
    assert (view["overlay"], view["query"]) == ("rules", "op:*addmm*")
    assert view["selected"] == ["forward/addmm_9"]
    opened = "e.state.open.values().toArray().map(item => e.picture.words.title(item))"
    assert "layer.1" in page.ask(f"[...{opened}]")
    assert page.problems == []


def test_what_was_asked_for_after_the_last_report_is_written_too(explorer, new_page, tmp_path) -> None:
    explorer.color("op:*view*", "red")
    explorer.paint({"addmm_3": 2.0}, label="minutes")
    explorer.select("addmm_4")
    page = written(explorer, tmp_path, new_page)
    page.page.wait_for_function("() => exirviz.state.overlay.name === 'minutes'")
    assert page.ask("e.view().selected") == ["forward/addmm_4"]
    assert [rule["query"] for rule in page.ask("e.view().rules")] == ["op:*view*"]
    explorer.view = {**explorer.view, "query": ""}
    assert not explorer._look.orders, "what a page reports includes what it was asked for"


@pytest.mark.parametrize(("theme", "system"), [("light", "dark"), ("dark", "light")])
def test_the_theme_of_a_marimo_page_counts_more_than_that_of_the_system(new_page, theme, system):
    page = new_page(color_scheme=system).open(snapshot("control_flow"))
    dark = page.page.locator(".exirviz-explorer.is-dark")
    expect(dark).to_have_count(1 if system == "dark" else 0)
    page.page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
    expect(dark).to_have_count(1 if theme == "dark" else 0)
