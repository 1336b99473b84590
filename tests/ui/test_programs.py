"""Every program renders: all its boxes when all is open, and no console message."""

from __future__ import annotations

import pytest

from tests.corpus import programs
from tests.corpus.concepts import CONCEPTS

from .programs import FILES, leaves, snapshot
from .standalone import PATIENCE, Standalone

CORPUS = [name if level == "aten" else f"{name}.{level}" for name, level in FILES]


@pytest.fixture(scope="module")
def one_page(browser, tmp_path_factory):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    context.set_default_timeout(PATIENCE)
    yield Standalone(context.new_page(), tmp_path_factory.mktemp("pages"))
    context.close()


@pytest.mark.parametrize("name", CONCEPTS)
def test_concepts(one_page, name):
    check(one_page, name)


@pytest.mark.parametrize("name", programs.exportdb())
def test_exportdb(one_page, name):
    check(one_page, f"db:{name}")


@pytest.mark.parametrize("name", CORPUS)
def test_corpus(one_page, name):
    check(one_page, name)


def check(page: Standalone, name: str) -> None:
    program = snapshot(name)
    page.open(program)
    assert sum(page.kinds().values()) > 0
    page.open_all()
    shown = page.kinds()
    assert (shown["leaf"], shown["closed"]) == leaves(program.method.graph)
    assert page.problems == []
    assert page.requests == [page.page.url]
