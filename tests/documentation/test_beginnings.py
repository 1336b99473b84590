"""Every page of the documentation begins with something to see: a picture, a figure, output or a table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.corpus.programs import ROOT

PAGES = sorted((ROOT / "docs").glob("*.md"))
# Pages that are a list of links, and one whose sections are figures.
LISTS = ("reference.md", "tasks.md", "gallery.md")
SEEN = re.compile(r"^(!\[|```|\| )", re.MULTILINE)


def beginning(text: str) -> str:
    """What is before the second heading."""
    return re.split(r"^##+ ", text, maxsplit=1, flags=re.MULTILINE)[0]


def begins_well(text: str) -> bool:
    """Whether something to see follows the title after at most two paragraphs of text."""
    found = SEEN.search(beginning(text))
    return found is not None and text[: found.start()].count("\n\n") <= 3


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in LISTS], ids=lambda page: page.name
)
def test_a_page_begins_with_something_to_see(page: Path) -> None:
    assert begins_well(page.read_text("utf-8"))


def test_a_page_that_begins_with_text_is_found() -> None:
    assert not begins_well("# Title\n\nText.\n\n## Section\n\n![A picture](a.webp)\n")
    assert not begins_well("# Title\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\n![A picture](a.webp)\n")
    assert begins_well("# Title\n\nText.\n\n![A picture](a.webp)\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_of_a_page_exist(page: Path) -> None:
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8")):
        assert picture.startswith("https://") or (page.parent / picture).is_file(), picture


def test_pages_that_code_and_text_name_exist() -> None:
    named = re.compile(r"\bdocs/[\w/-]+\.md\b")
    files = [
        *(path for folder in ("exir_viz", "scripts", "docs") for path in (ROOT / folder).rglob("*.py")),
        *(ROOT / "labextension" / "src").rglob("*.ts*"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "notebooks/README.md")),
    ]
    found = {(path.name, page) for path in files for page in named.findall(path.read_text("utf-8"))}
    assert len(found) > 20
    assert [one for one in found if not (ROOT / one[1]).is_file()] == []
