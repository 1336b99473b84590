"""Links of the README, the docs and the lessons lead somewhere, and public names that they mention exist."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from tests.corpus.programs import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
# A page that text and comments of sources name.
NAMED = re.compile(r"\bdocs/[\w/-]+\.md\b")


def texts() -> Iterator[tuple[Path, str]]:
    """The pages, and the text cells of the lessons."""
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        yield path, path.read_text("utf-8")
    yield ROOT / "notebooks" / "README.md", (ROOT / "notebooks" / "README.md").read_text("utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        yield path, "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")


def anchors(path: Path) -> set[str]:
    """What links to headings of a page say: "In the explorer" is `in-the-explorer`; and anchors in HTML."""
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings)
    return {*plain, *re.findall(r'<a id="([^"]+)">', text)}


def broken(path: Path, text: str) -> Iterator[str]:
    for found in LINK.finditer(CODE.sub("", text)):
        target, _, anchor = (found[1] or found[2]).partition("#")
        if re.match(r"[a-z]+:|\.\./(?:try|notebooks)/.*\.html", target) or target == "explorer.html":
            continue  # other sites, and links of the built site
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            yield f"{path.relative_to(ROOT)}: {target}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{path.relative_to(ROOT)}: {target}#{anchor}"


def test_links_lead_somewhere() -> None:
    assert [one for path, text in texts() for one in broken(path, text)] == []


def test_a_link_to_nowhere_is_found() -> None:
    text = "[a](install.md) [b](nowhere.md) [c](cli.md#check) [d](cli.md#nowhere) `[e](nowhere.md)`"
    found = list(broken(ROOT / "docs" / "index.md", text))
    assert found == ["docs/index.md: nowhere.md", "docs/index.md: cli.md#nowhere"]


def test_pages_that_sources_name_exist() -> None:
    sources = [
        *(path for folder in ("exir_viz", "scripts", "tests") for path in (ROOT / folder).rglob("*.py")),
        *(ROOT / "labextension" / "src").rglob("*.ts*"),
        ROOT / "Makefile",
    ]
    named = {page for path in sources for page in NAMED.findall(path.read_text("utf-8"))}
    assert len(named) > 5
    assert [page for page in named if not (ROOT / page).is_file()] == []


def test_public_names_that_pages_mention_exist() -> None:
    """`exir_viz.reports.run` of text and code, without arguments. The front end writes cells, too."""
    shown = [text for path, text in texts() if path.suffix == ".md"]
    shown += [path.read_text("utf-8") for path in (ROOT / "labextension" / "src").rglob("*.ts*")]
    named = {
        one for text in shown for one in re.findall(r"\bexir_viz(?:\.[A-Za-z_]\w*)+\b(?!\.(?:py|ts)|/)", text)
    }
    assert len(named) > 20
    for name in named - {"exir_viz.timeline", "exir_viz.zip"}:  # a key of the browser's storage, and a file
        pkgutil.resolve_name(name)
