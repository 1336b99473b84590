"""Every program renders: all its boxes when all is open, and no console message."""

from __future__ import annotations

from pathlib import Path

import pytest

import exir_viz
from tests.corpus import programs
from tests.corpus.concepts import CONCEPTS
from tests.nightly import some

from .programs import FILES, leaves, snapshot
from .standalone import Standalone, new_context

CORPUS = [name if level == "aten" else f"{name}.{level}" for name, level in FILES]


@pytest.fixture(scope="module")
def one_page(browser, tmp_path_factory):
    context = new_context(browser, viewport={"width": 1280, "height": 800}, color_scheme="light")
    yield Standalone(context.new_page(), tmp_path_factory.mktemp("pages"))
    context.close()


@pytest.mark.parametrize("name", some(CONCEPTS, [*CONCEPTS][::3]))
def test_concepts(one_page, name):
    check(one_page, name)


@pytest.mark.parametrize("name", some(programs.exportdb(), [*programs.exportdb()][::8]))
def test_exportdb(one_page, name):
    check(one_page, f"db:{name}")


@pytest.mark.parametrize("name", some(CORPUS, ("llama32.core", "deep1k")))
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


def test_a_delegate_of_a_file_has_the_color_of_its_backend(one_page):
    """Its call represents ops that the file does not list; what reads its result runs on the CPU."""
    file = Path(__file__).parents[1] / "readers" / "wild" / "executorch-1.5.1" / "quantized.pte"
    program = exir_viz.load(file)
    call = next(graph.holder for graph in program.graphs if graph.delegate is not None)
    page = one_page.open(program)
    at = call.position
    assert page.ask("e.snapshot.graphs.slice(1).map(graph => e.snapshot.holderOf(graph))") == [at]
    assert page.ask("e.snapshot.title(a)", at) == "XNNPACK 1"
    plain, tinted = (ground(page, title) for title in ("input_0", "XNNPACK 1"))
    assert plain == (255, 255, 255)
    assert tinted[0] < tinted[2]  # the blue of the first backend


def ground(page: Standalone, title: str) -> tuple[int, int, int]:
    """The color of a box beside its text."""
    left, top, width, height = page.rect(page.item(title))
    code = """([x, y]) => {
      const canvas = document.querySelector('.exirviz-canvas'), box = canvas.getBoundingClientRect();
      return [...canvas.getContext('2d').getImageData(x - box.left, y - box.top, 1, 1).data] }"""
    red, green, blue, _ = page.page.evaluate(code, [left + width - 8, top + height / 2])
    return red, green, blue
