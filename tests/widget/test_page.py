"""What `explore` shows where the packages of the widget are not installed: the page of to_html in a frame."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

import exir_viz
from exir_viz.errors import MissingExtra
from exir_viz.pages import html as pages
from exir_viz.widget.page import Page
from tests.compare.mutate import mutate
from tests.corpus.programs import exported
from tests.snapshot.sample import chain, hostile, sample


@pytest.fixture(autouse=True)
def no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "exir_viz.extras.missing", lambda extra: ("anywidget",) if extra == "notebook" else ()
    )


def framed(page: Page) -> str:
    """The page's text, out of the frame's attribute."""
    frame = page._repr_html_()
    head, _, rest = frame.partition(' srcdoc="')
    assert head == (
        '<iframe class="exirviz-page" sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {page.height}px; border: 0"'
    )
    text, end, tail = rest.partition('"')
    assert (end, tail) == ('"', "></iframe>")
    return unescape(text)


def test_a_snapshot_and_a_file_are_shown_as_their_page(tmp_path: Path) -> None:
    snapshot = sample()
    page = exir_viz.explore(snapshot, height=300, title="mine")
    assert isinstance(page, Page)
    assert framed(page) == pages.html(snapshot, title="mine")
    assert (page.height, page.snapshot) == (300, snapshot)
    assert page.to_html(tmp_path / "page.html").read_text("utf-8") == framed(page)
    path = snapshot.save(tmp_path / "sample.exirviz")
    assert exir_viz.explore(path).snapshot == snapshot
    assert page._repr_mimebundle_()["text/plain"] == str(snapshot)


def test_a_hostile_program_does_not_leave_the_frame() -> None:
    snapshot = hostile()
    page = exir_viz.explore(snapshot)
    assert framed(page) == pages.html(snapshot)
    assert page._repr_html_().count("<") == 2


def test_a_stage_is_shown_in_the_page_of_its_session(tmp_path: Path) -> None:
    session = exir_viz.Session(exported("dynamic_batch"))
    core = session.decompose()
    core.edge()
    page = exir_viz.explore(core)
    assert isinstance(page, Page)
    assert framed(page) == pages.html(session, stage=core) != pages.html(session)
    assert core.to_html(tmp_path / "core.html").read_text("utf-8") == framed(page)


def test_a_saved_session_keeps_its_stages(tmp_path: Path) -> None:
    path = exir_viz.Session(sample()).save(tmp_path / "session.exirviz")
    page = exir_viz.explore(path)
    assert isinstance(page, Page)
    assert [stage.id for stage in page.session] == ["s0"]
    assert page.snapshot == sample()
    assert 'id="exirviz-stages"' in framed(page)


def test_a_diff_is_shown_side_by_side() -> None:
    diff = exir_viz.diff(*mutate(chain(40), "mixed", share=0.1)[:2])
    bundle = diff._repr_mimebundle_()
    assert bundle["text/plain"] == str(diff)
    assert unescape(bundle["text/html"].partition(' srcdoc="')[2]).startswith("<!doctype html>")
    assert diff.explore().snapshot is diff.b


def test_what_only_the_widget_can_do_names_the_extra() -> None:
    page = exir_viz.explore(sample())
    with pytest.raises(MissingExtra, match=r'explorer\.select needs anywidget.*"exir-viz\[notebook\]"'):
        page.select("linear")
    with pytest.raises(AttributeError, match="no attribute 'selekt'"):
        page.selekt("linear")
    with pytest.raises(AttributeError, match="session"):
        _ = page.session
