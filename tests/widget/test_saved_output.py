"""An explorer in a saved notebook: off by default; else the output holds the program and says its size."""

from __future__ import annotations

import base64

import exir_viz
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.wire import decode
from exir_viz.widget.saved_output import MIME_TYPE, size_of
from tests.corpus.programs import exported


def test_by_default_a_notebook_holds_no_program() -> None:
    explorer = exir_viz.explore(exir_viz.load(exported("dynamic_batch")))
    data, _ = explorer._repr_mimebundle_()  # type: ignore[misc]
    assert MIME_TYPE not in data
    assert explorer._saved == ""


def test_the_output_holds_the_program_and_its_size() -> None:
    snapshot = exir_viz.load(exported("dynamic_batch"))
    explorer = exir_viz.explore(snapshot, save_in_notebook=True)
    output = explorer._repr_mimebundle_()[0][MIME_TYPE]  # type: ignore[index]
    held = decode(base64.b64decode(output["parts"]["exirviz-program"]))
    assert exir_viz.diff(snapshot, held).is_empty
    assert explorer._saved == byte_text(size_of(output))


def test_of_a_session_all_stages_are_held() -> None:
    session = exir_viz.Session(exported("dynamic_batch"))
    session.edge()
    explorer = exir_viz.explore(session, save_in_notebook=True)
    output = explorer._repr_mimebundle_()[0][MIME_TYPE]  # type: ignore[index]
    assert {"exirviz-stages", "exirviz-stage-0", "exirviz-stage-1"} <= set(output["parts"])
