"""A cell that ends with a program, a session, a profile or a diff shows it; a terminal gets the text."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import exir_viz
from exir_viz import Session
from tests.corpus.programs import exported
from tests.snapshot.sample import chain

WIDGET = "application/vnd.jupyter.widget-view+json"


def shown() -> list[object]:
    program = exported("dynamic_batch")
    return [chain(3), Session(program), exir_viz.profile(program, repeats=1)]


@pytest.fixture(scope="module", params=range(3), ids=["snapshot", "session", "profile"])
def thing(request: pytest.FixtureRequest) -> object:
    return shown()[request.param]


def bundle_of(thing: object) -> dict[str, object]:
    found = thing._repr_mimebundle_()  # type: ignore[attr-defined]
    return found[0] if isinstance(found, tuple) else found


def test_a_cell_shows_the_explorer(thing: object) -> None:
    found = bundle_of(thing)
    assert WIDGET in found
    assert found["text/plain"]


def test_a_terminal_gets_the_text(thing: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython

    monkeypatch.setattr(IPython, "get_ipython", SimpleNamespace)
    assert bundle_of(thing) == {"text/plain": str(thing)}


def test_a_kernel_is_no_terminal(thing: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    assert WIDGET in bundle_of(thing)
