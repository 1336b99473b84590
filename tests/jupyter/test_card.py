"""`%load_ext exir_viz`: a program at the end of a cell is a card, in a terminal a summary."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import exir_viz
from exir_viz.jupyter.card import Card, card_html
from exir_viz.widget.session_explorer import SessionExplorer
from tests.corpus.programs import exported
from tests.snapshot.sample import chain

# What IPython shows of a program without us.
TORCHS = "<torch.export.exported_program.ExportedProgram at"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(params=[True, False], ids=["kernel", "terminal"])
def shell(request: pytest.FixtureRequest) -> Iterator[InteractiveShell]:
    one = InteractiveShell()
    if request.param:
        one.kernel = SimpleNamespace()  # type: ignore[attr-defined]
    one.run_line_magic("load_ext", "exir_viz")
    yield one
    one.run_line_magic("unload_ext", "exir_viz")


def bundle_of(shell: InteractiveShell, value: object) -> dict[str, Any]:
    return shell.display_formatter.format(value)[0]  # type: ignore[no-any-return]


def test_a_program_is_summarised(shell: InteractiveShell) -> None:
    program = exported("dynamic_batch")
    bundle = bundle_of(shell, program)
    assert bundle["text/plain"] == str(exir_viz.load(program))
    assert (WIDGET in bundle) == hasattr(shell, "kernel")
    assert ("text/html" in bundle) == hasattr(shell, "kernel")


def test_without_the_extension_a_program_is_printed(shell: InteractiveShell) -> None:
    program = exported("dynamic_batch")
    assert not bundle_of(shell, program)["text/plain"].startswith(TORCHS)
    shell.run_line_magic("unload_ext", "exir_viz")
    assert bundle_of(shell, program)["text/plain"].startswith(TORCHS)
    shell.run_line_magic("load_ext", "exir_viz")


def test_what_cannot_be_captured_is_printed(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(program: object) -> None:
        raise exir_viz.errors.CaptureError("no")

    monkeypatch.setattr("exir_viz.readers.live.capture", refuse)
    assert bundle_of(shell, exported("dynamic_batch"))["text/plain"].startswith(TORCHS)


def test_other_values_are_shown_as_ever(shell: InteractiveShell) -> None:
    assert bundle_of(shell, torch.zeros(2)) == {"text/plain": "tensor([0., 0.])"}


def test_the_button_opens_the_explorer_of_a_session() -> None:
    program = exported("dynamic_batch")
    card = Card(program, exir_viz.load(program))
    card.children[1].click()
    html, explorer = card.children
    assert isinstance(explorer, SessionExplorer)
    assert "batch" in html.value


def test_the_card_states_ops_inputs_and_sizes() -> None:
    html = card_html(exir_viz.load(exported("dynamic_batch")))
    for fact in ("5 ops of 3 kinds", "x1 <b>", "output[0] <b>", "batch <b>", "data:image/svg+xml"):
        assert fact in html


def test_text_of_a_program_is_no_markup() -> None:
    snapshot = chain(3)
    origin = msgspec.structs.replace(snapshot.skeleton.origin, name="<script>alert(1)</script>")
    skeleton = msgspec.structs.replace(snapshot.skeleton, origin=origin)
    html = card_html(snapshot.reworded(skeleton, snapshot.detail))
    assert "&lt;script&gt;" in html
    assert "<script" not in html
