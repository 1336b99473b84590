"""Text of a program wherever it is shown: no markup, no link, no escape sequence, no long error."""

from __future__ import annotations

import ast
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

import exir_viz
from exir_viz import reports
from exir_viz.errors import MOST_CHARACTERS, ExirVizError, FileError, MalformedFile
from exir_viz.jupyter.card import card_html
from exir_viz.reports.registry import _BUILT_IN
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import Html, html, html_joined, markdown
from exir_viz.table import table

LOWERED = Path(__file__).parent / "ui" / "lowered" / "llama8.xnnpack.exirviz"
EVIL = "<img src=x onerror=alert(1)>![a](http://e.vil/x)[b](http://e.vil) http://e.vil @you #12 \x1b[31m"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert all(name not in ("onerror", "href") for name, _ in attrs)


def _evil(snapshot: Snapshot) -> Snapshot:
    """The program with every name, backend, class and path replaced; numbers stay."""
    data = msgspec.to_builtins(snapshot.skeleton)
    for number, graph in enumerate(data["graphs"]):
        if graph.get("delegate"):
            graph["delegate"]["backend"] = EVIL
        if graph["parent"] >= 0:
            graph["name"] = f"{EVIL}{number}"
        graph["names"] = [f"{name}{EVIL}" for name in graph["names"]]
    for scope in data["scopes"]:
        scope |= {"path": scope["path"] + EVIL, "cls": EVIL}
    for target in data["targets"]:
        target["text"] += EVIL
    data["origin"]["name"] = EVIL
    return snapshot.reworded(msgspec.convert(data, type(snapshot.skeleton)), snapshot.detail)


def test_a_card_and_reports_have_no_markup_of_the_program() -> None:
    snapshot = _evil(exir_viz.load(LOWERED))
    made = [reports.run(name, snapshot) for name in _BUILT_IN]
    for page in (card_html(snapshot), *(one._repr_html_() for one in made)):
        parser = _Tags()
        parser.feed(page)
        assert parser.tags <= {
            "b", "br", "code", "details", "div", "h4", "i", "img", "p", "small", "span", "style", "summary",
            "table", "tbody", "td", "th", "thead", "tr",
        }  # fmt: skip
        assert "<img src=x" not in page
        assert "\x1b" not in page


def test_whatever_is_not_html_is_escaped() -> None:
    assert html("<b>{}</b>", "<i>") == "<b>&lt;i&gt;</b>"
    assert html("{}{}", html("<b>{}</b>", "&"), 3) == "<b>&amp;</b>3"
    assert html_joined([html("<br>"), "<br>"]) == "<br>&lt;br&gt;"
    assert html("{}", html("<i>{}</i>", "x") + "<b>") == "&lt;i&gt;x&lt;/i&gt;&lt;b&gt;"
    assert isinstance(html("{}", "x"), Html)


def _templates() -> list[str]:
    """The texts with tags that are formatted or joined with other text than by `html`."""
    found = []
    for path in Path(exir_viz.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
                texts = [one.value for one in (node.left, node.right) if isinstance(one, ast.Constant)]
            else:
                continue
            if any(
                re.search(r"(?<!P)</?(?!br>|sub>|/sub>|b>|/b>)[a-z][a-z0-9]*[ >]", str(one)) for one in texts
            ):
                found.append(f"{path.name}:{node.lineno}")
    return found


def test_no_template_bypasses_the_escaping() -> None:
    """`<b>`, `<br>` and `<sub>` are markup of plotly's texts too, where `figures.style.safe` escapes."""
    assert not _templates()


@pytest.mark.parametrize("text", ["![a](http://e.vil)", "[a](http://e.vil)", "http://e.vil", "@you", "#12"])
def test_markdown_tables_have_no_images_links_or_mentions(text: str) -> None:
    line = table("t", [(text,)], ("name",)).markdown().splitlines()[-1]
    assert not re.search(r"(?<!\\)[\[\](<]|://|@\w|#\d", line)
    assert re.sub(r"[\\\u200b]", "", line) == f"| {text} |"
    assert markdown("a_b\n|c") == r"a\_b \|c"


def test_sarif_messages_have_no_links() -> None:
    snapshot = exir_viz.load(LOWERED)
    report = exir_viz.check(_evil(snapshot))
    results = json.loads(report.to_sarif())["runs"][0]["results"]
    texts = [one["message"]["text"] for one in results]
    assert any("e.vil" in text for text in texts)
    assert not any(re.search(r"(?<!\\)(\\\\)*[\[\]]", text) for text in texts)


def test_errors_have_no_escape_sequences_and_are_short() -> None:
    for error in (ExirVizError(EVIL * 9_000), MalformedFile(EVIL * 99, EVIL * 99_999, member=EVIL * 99)):
        assert len(str(error)) <= MOST_CHARACTERS
        assert "\x1b" not in str(error)
    file_error = FileError("a.pt2", "\x1b[31m" * 100_000, hint="Do this.")
    assert len(file_error.reason) <= MOST_CHARACTERS
    assert str(file_error).endswith("Do this.")
