"""What errors of compared values and of their reports suggest works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.export import export

import exir_viz
from exir_viz import Session
from tests.remedies.suggestions import suggests

X = torch.randn(3, 4)
LINEAR = torch.nn.Linear(4, 2)


class Sum(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y


def compare(a: object, b: object, **options: Any) -> exir_viz.types.Values:
    return exir_viz.diff(a, b).values(**options)


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(LINEAR, X)
    session.root.backend("xnnpack")
    return session


def test_programs_take_the_same_inputs() -> None:
    program = export(LINEAR, (X,))
    suggests("Compare programs with the same inputs.", compare, program, export(Sum(), (X, X)))
    assert compare(program, export(torch.nn.Linear(4, 2), (X,))).outputs


def test_only_live_programs_are_run() -> None:
    program = export(LINEAR, (X,))
    suggests(
        "Pass two live programs or stages to exir_viz.diff(a, b);", compare, exir_viz.load(program), program
    )
    assert compare(program, program).agree


def test_a_program_that_was_changed_is_compared_anew() -> None:
    program, other = export(LINEAR, (X,)), export(LINEAR, (X,)).run_decompositions()
    before = exir_viz.diff(program, other)
    (x,) = (node for node in other.graph.nodes if node.name == "input")
    with other.graph.inserting_after(x):
        other.graph.call_function(torch.ops.aten.relu.default, (x,)).meta["val"] = x.meta["val"]
    suggests("make the diff again.", before.values)
    assert compare(program, other).agree


def test_bisecting_needs_a_run_on_executorch(session: Session) -> None:
    pair = session.root, session["xnnpack"]
    suggests("Compare with executor='executorch' first:", compare(*pair).bisect)
    found = compare(*pair, executor="executorch").bisect("executorch_call_delegate")
    assert found.outcome.value


def test_a_file_runs_in_the_runtime_alone(session: Session, tmp_path: Path) -> None:
    lowered = session["xnnpack"].executorch()
    path = lowered.save_pte(tmp_path / "net.pte")
    suggests("Pass executor='executorch'.", compare, session.root, path)
    values = compare(session.root, path, executor="executorch")
    assert values.diff.live is None  # a page cannot run the file op by op
    suggests("Compare with the stage or the manager that it was made from.", values.bisect)
    suggests("Pass the stage or the manager that it was made from;", exir_viz.profile, path)
    suggests("diff(a, path).values(executor='executorch')", exir_viz.profile, path)
    exir_viz.profile(lowered, repeats=1, warmup=1)
    found = compare(session.root, lowered, executor="executorch").bisect("executorch_call_delegate")
    assert found.outcome.value


def test_samples_are_of_a_bundled_program(session: Session, tmp_path: Path) -> None:
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import (
        serialize_from_bundled_program_to_flatbuffer,
    )

    lowered = session["xnnpack"].executorch()
    pte = lowered.save_pte(tmp_path / "net.pte")
    suggests("Pass a .bpte file.", compare, session.root, session["xnnpack"], samples=pte)
    cases = [MethodTestCase(inputs=(X,), expected_outputs=(LINEAR(X).detach(),))]
    bundle = BundledProgram(lowered.live.manager, [MethodTestSuite("forward", cases)])
    file = tmp_path / "net.bpte"
    file.write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))
    assert compare(session.root, session["xnnpack"], samples=file).record.samples == 1


def test_inputs_are_of_one_run_or_of_several(session: Session) -> None:
    pair = session.root, session["xnnpack"]
    suggests(
        "Pass inputs= for one run, or samples= for several, not both.",
        *(compare, *pair), inputs=X, samples=[X],
    )  # fmt: skip
    assert compare(*pair, inputs=X).record.samples == 1
    assert compare(*pair, samples=[X, 2 * X]).record.samples == 2


def test_real_inputs_take_the_place_of_synthesized_ones() -> None:
    program = export(LINEAR, (X,))
    program._example_inputs = None

    def fails() -> None:
        raise RuntimeError(" ".join(compare(program, program).record.notes))

    suggests("Pass inputs=, or several as samples=.", fails)
    for options in ({"inputs": X}, {"samples": [X, 2 * X]}):
        assert "samples=" not in " ".join(compare(program, program, **options).record.notes)


def test_a_profile_is_of_a_stage(session: Session, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    other = exir_viz.profile(export(torch.nn.ReLU(), (X,)), repeats=1, warmup=1)
    suggests("Make one with exir_viz.profile(stage).", session.to_html, page, profiles=[other])
    of_stage = exir_viz.profile(session.root, repeats=1, warmup=1)
    assert session.to_html(page, profiles=[of_stage]).exists()


def test_costs_are_of_the_diff(session: Session, tmp_path: Path) -> None:
    edge = session.root.edge()
    diff = exir_viz.diff(session.root, edge)
    costs = diff.costs(*(exir_viz.profile(stage, repeats=1, warmup=1) for stage in (session.root, edge)))
    smaller = exir_viz.diff(*[exir_viz.load(export(torch.nn.ReLU(), (X,)))] * 2)
    page = tmp_path / "diff.html"
    suggests("Use diff.costs() of this one.", smaller.to_html, page, costs=costs)
    assert diff.to_html(page, costs=costs).exists()
