"""The standalone page: it loads nothing, runs only its own script, and carries the program whole."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from exir_viz.errors import ExirVizError
from exir_viz.pages import html as module
from exir_viz.pages.html import NotBuilt, html, write
from exir_viz.snapshot import wire
from exir_viz.snapshot.wire import decode
from exir_viz.stages.session import Session
from tests.corpus.programs import exported
from tests.snapshot.sample import hostile, sample
from tests.stages.failing import failing


@pytest.fixture(autouse=True)
def assets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end that would end its own element early, were it not for the page's care."""
    made = {"page.js": 'start("</script><!-- x");', "explorer.css": "a::after { content: '</style>' }"}
    monkeypatch.setattr(module, "_asset", made.__getitem__)


def parts(page: str) -> set[str]:
    """The names of the parts that a page has of comparisons."""
    return {
        str(attrs["id"])
        for _, attrs in Elements(page).tags
        if str(attrs.get("id")).startswith("exirviz-diff") and not str(attrs["id"]).endswith("-text")
    }


class Elements(HTMLParser):
    """Start tags with attributes, and the text within the scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data


def test_the_program_comes_back_whole() -> None:
    carried, _ = Elements(html(sample())).scripts
    assert decode(base64.b64decode(carried)) == sample()


def test_the_policy_names_the_hash_of_the_script_that_is_there() -> None:
    page = Elements(html(sample()))
    policy = next(attrs["content"] or "" for tag, attrs in page.tags if attrs.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].strip().encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' blob:;" in policy
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy


def test_the_scripts_end_where_they_should() -> None:
    page = Elements(html(sample()))
    assert len(page.scripts) == 2
    assert page.scripts[1].strip() == 'start("<\\/script><\\!-- x");'
    assert [tag for tag, _ in page.tags].count("style") == 1


def test_nothing_is_loaded_from_outside() -> None:
    page = Elements(html(hostile()))
    assert not [tag for tag, attrs in page.tags if attrs.get("src") or attrs.get("href")]


@pytest.mark.parametrize(
    "title", ["</title><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\nb"]
)
def test_a_title_is_text(title: str) -> None:
    page = Elements(html(hostile(), title=title))
    assert len(page.scripts) == 2
    assert "img" not in [tag for tag, _ in page.tags]


def test_the_same_program_gives_the_same_page(tmp_path: Path) -> None:
    first, second = (write(sample(), tmp_path / name) for name in ("a.html", "b.html"))
    assert first.read_bytes() == second.read_bytes()


def test_no_page_is_written_over_a_program(tmp_path: Path) -> None:
    for name in ("a.pt2", "a.pte", "a.exirviz"):
        (tmp_path / name).write_bytes(b"a program")
        with pytest.raises(ExirVizError, match=f"{name}.*\\.html"):
            sample().to_html(tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"a program"


def test_without_the_front_end_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(module, "files", lambda package: tmp_path / package)
    with pytest.raises(NotBuilt, match=r"page\.js is missing.*make build"):
        html(sample())


def test_a_session_travels_whole_each_stage_in_an_element_of_its_own() -> None:
    session = Session(sample(), name="given")
    tags = Elements(html(session, title="a session"))
    carried = dict(
        zip([attrs.get("id") for tag, attrs in tags.tags if tag == "script"], tags.scripts, strict=True)
    )
    known = json.loads(base64.b64decode(carried["exirviz-stages"]))
    assert [stage["name"] for stage in known["tree"]["stages"]] == ["given"]
    assert known["at"] == session.current.id
    assert known["lineages"] == {}
    assert decode(base64.b64decode(carried["exirviz-stage-0"])) == sample()
    assert "exirviz-program" not in carried


def test_a_session_writes_its_page(tmp_path: Path) -> None:
    path = Session(sample()).to_html(tmp_path / "session.html", title="<b>")
    assert "&lt;b&gt;" in path.read_text(encoding="utf-8")


def test_each_stage_can_be_compared_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(exported("training_mode"), name="exported")
    session.root.decompose("core").decompose("functional")
    failing(session.root.edge)
    session.root.decompose("functional")
    assert parts(html(session)) == {"exirviz-diff-0-1", "exirviz-diff-1-2", "exirviz-diff-0-4"}
    most = max(sum(map(len, stage.snapshot.graphs)) for stage in session if not stage.failed)
    monkeypatch.setattr(wire, "MOST_NODES", most)
    assert len(parts(html(session))) == 3
    monkeypatch.setattr(wire, "MOST_NODES", most - 1)
    assert len(parts(html(session))) < 3


def test_an_executorch_program_can_be_compared_with_its_edge_program() -> None:
    session = Session(exported("module_called_twice"))
    session.root.edge().transform(lambda module: None).executorch()
    assert parts(html(session)) == {f"exirviz-diff-{pair}" for pair in ("0-1", "1-2", "2-3")}
    session.root.edge().backend("xnnpack").executorch()
    assert parts(html(session)) >= {f"exirviz-diff-{pair}" for pair in ("0-4", "4-5", "5-6", "4-6")}
    edges = {record.id: record.edge_stage for record in session.record().stages if record.edge_stage}
    assert edges == {"s3": "s2", "s6": "s4"}
