"""The page of a diff: it carries both programs, what is between them, and their text."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import msgspec
import pytest

import exir_viz
from exir_viz import cli
from exir_viz.compare.diff import Diff
from exir_viz.compare.records import Comparison
from exir_viz.pages import html as module
from exir_viz.pages.html import html
from exir_viz.snapshot.wire import decode
from tests.compare.mutate import mutate
from tests.snapshot.sample import chain, hostile

from .test_html import Elements


@pytest.fixture(autouse=True)
def assets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_asset", {"page.js": "start()", "explorer.css": ""}.__getitem__)


@pytest.fixture
def diff() -> Diff:
    a, b = mutate(chain(60), "mixed", share=0.1)[:2]
    return exir_viz.diff(a, b)


def carried(page: str) -> dict[str, bytes]:
    """What the page carries, by the ids of its elements."""
    elements = Elements(page)
    scripts = [attrs for tag, attrs in elements.tags if tag == "script"]
    pairs = zip(scripts, elements.scripts, strict=True)
    return {str(attrs["id"]): base64.b64decode(text) for attrs, text in pairs if attrs.get("id")}


def test_both_programs_and_the_comparison_come_back_whole(diff: Diff) -> None:
    found = carried(html([diff]))
    assert decode(found["exirviz-column-0"]) == diff.a
    assert decode(found["exirviz-column-1"]) == diff.b
    told = msgspec.json.decode(zlib.decompress(found["exirviz-diff-0-1"]), type=Comparison)
    assert told == diff.comparison
    assert len(json.loads(zlib.decompress(found["exirviz-diff-0-1-text"]))) == len(diff.text())


def test_it_is_called_by_both_names(diff: Diff) -> None:
    assert f"<title>{diff.comparison.a} → {diff.comparison.b}</title>" in html([diff])


def test_what_programs_say_is_text() -> None:
    diff = exir_viz.diff(hostile(), hostile())
    page = Elements(html([diff]))
    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "noscript", "script"),
    }
    assert len(page.scripts) == 5


def test_the_command_writes_the_page(diff: Diff, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(one.save(tmp_path / f"{name}.exirviz")) for name, one in (("a", diff.a), ("b", diff.b))]
    path = tmp_path / "page.html"
    assert cli.main(["diff", *files, "--html", str(path), "--check"]) == 1
    assert str(path) in capsys.readouterr().out
    assert decode(carried(path.read_text("utf-8"))["exirviz-column-1"]) == diff.b
