"""What sessions suggest works, beside the findings of steps (see `tests.stages.test_remedies`)."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge
from torch.export import export
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

import exir_viz
from exir_viz import Session
from exir_viz.reports import run
from exir_viz.stages import lowering
from exir_viz.stages.dynamic_shapes.dimension_spec import parse
from exir_viz.stages.explain import explain
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps import calibration, reexport
from exir_viz.stages.steps.partitioners import offered
from tests.corpus.programs import exported
from tests.remedies.suggestions import suggests
from tests.stages.modules import DoubleScale

X = torch.randn(3, 4)
LINEAR = torch.nn.Linear(4, 2)


def root() -> Stage:
    return Session(LINEAR, X).root


@pytest.fixture(scope="module")
def lowered() -> Session:
    session = Session(LINEAR, X)
    session.root.edge().executorch()
    return session


def test_a_loaded_session_starts_again_with_its_program(lowered: Session, tmp_path: Path) -> None:
    loaded = Session.load(lowered.save(tmp_path / "saved.exirviz"))
    suggests("Start a session with the program itself.", loaded.root.decompose)
    suggests("To run steps, start a session with the program.", lambda: loaded.root.program)
    assert not root().decompose().failed


def test_gradients_are_left_out() -> None:
    both = Session(exported("joint_graph")).root
    suggests("Start a session with the program of the forward pass.", both.reexport)
    assert not root().reexport().failed


def test_constants_of_a_program_change_with_its_module() -> None:
    program = export(LINEAR, (X,))
    alone, started = Session(program), Session(LINEAR, X)
    limits = reexport.limits(alone.root.live)

    def fails() -> None:
        raise RuntimeError(limits)

    suggests("To change them, start the session with the module and its inputs.", fails)
    assert not reexport.limits(started.root.live)
    assert not started.reexport(dims={"input": {0: "batch"}}).failed


def test_two_stages_are_compared(lowered: Session, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    suggests("Pass at least two stages to compare.", lowered.to_html, page, compare=[lowered.root])
    assert lowered.to_html(page, compare=[lowered.root, lowered.current]).exists()


def test_dimensions_are_written_as_text() -> None:
    stage = root()
    suggests("Write static, dynamic or auto;", parse, "2 to 64")
    suggests("pass {position: text}.", stage.reexport, dims={"input": "batch"})
    suggests("Pass dims as {input: ", stage.reexport, dims="batch")
    for text in ("static", "dynamic", "auto", "batch", "batch in 2..64"):
        assert not stage.reexport(dims={"input": {0: text}}).failed, text
    five = Session(LINEAR, torch.randn(5, 4)).root
    assert not five.reexport(dims={"input": {0: "2*batch + 1"}}).failed


def test_dimensions_are_given_in_one_way() -> None:
    stage = root()
    dims: dict[str, Any] = {"input": {0: "batch"}}
    shapes = ({0: torch.export.Dim("batch")},)
    suggests("Pass dims or dynamic_shapes, not both.", stage.reexport, dims=dims, dynamic_shapes=shapes)
    assert not stage.reexport(dims=dims).failed
    assert not stage.reexport(dynamic_shapes=shapes).failed
    error = suggests("Choose one of: ", stage.reexport, dynamic_shapes="all")
    pointwise = Session(torch.nn.ReLU(), X).root
    for choice in str(error).rpartition("Choose one of: ")[2].rstrip(".").split(", "):
        assert not pointwise.reexport(dynamic_shapes=choice).failed, choice


def test_a_reexport_starts_from_the_module(lowered: Session) -> None:
    suggests("Run it on stage 'export'.", lowered.root.decompose().reexport)
    assert not lowered["export"].reexport().failed
    manager = to_edge(export(LINEAR, (X,)))
    suggests("Start the session with the module:", Session(manager).root.reexport)
    two = {"encode": export(LINEAR, (X,)), "decode": export(LINEAR, (X,))}
    suggests("Start a session with one.", Session(two).root.reexport)
    assert not Session(two["encode"]).root.reexport().failed


def without_examples() -> torch.export.ExportedProgram:
    program = export(LINEAR, (X,))
    program.example_inputs = None
    return program


def test_a_program_without_examples_is_replaced_by_the_module() -> None:
    stage = Session(without_examples()).root
    suggests("Start the session with the module:", stage.reexport)
    suggests("Start the session with the module:", stage.quantize)
    suggests("Start the session with the module and its inputs:", calibration.example, without_examples())
    suggests("Start the session with Session(module, x).", reexport._source, stage.live)
    assert not root().reexport().failed
    assert not root().quantize().failed


def test_an_op_is_explained_with_the_rules_of_executorch() -> None:
    card = explain("aten.relu.default", executorch=False)

    def fails() -> None:
        raise RuntimeError(" ".join(one.reason for one in card.dialects))

    suggests("pass executorch=True to check ExecuTorch's rules", fails)
    rules = explain("aten.relu.default", executorch=True).dialects
    assert all(one.allowed is not None for one in rules)


def test_the_last_stage_is_no_start(lowered: Session) -> None:
    last = lowered.stages[2]
    first = lowered.root
    for step, options in (("backend", {"partitioner": "xnnpack"}), ("transform", {"passes": DoubleScale()}),
                          ("decompose", {})):  # fmt: skip
        suggests("Start from an earlier stage.", last.do, step, options)
        assert not first.do(step, options).failed, step


def test_a_program_is_lowered_to_edge_first() -> None:
    stage = root()
    suggests("Lower it to edge first.", stage.executorch)
    assert not stage.edge().executorch().failed
    suggests("quantize before lowering.", stage.edge().quantize)
    assert not stage.quantize().edge().failed


def test_ops_are_named(lowered: Session) -> None:
    stage = lowered.root
    suggests("Name some, or pass ops='functional'.", stage.decompose, [])
    suggests("Pass one of these, or 'core' for all.", stage.decompose, ["relu"])
    for ops in (["linear"], "functional", "core"):
        assert not stage.decompose(ops).failed


def test_passes_are_passed(lowered: Session) -> None:
    stage = lowered.root
    suggests("Pass callables that take a GraphModule, or instances of PassBase:", stage.transform)
    suggests("Make an instance of it: DoubleScale().", stage.transform, DoubleScale)
    assert not stage.transform(DoubleScale()).failed
    assert not stage.transform(lambda module: None).failed


def test_a_partitioner_is_passed(lowered: Session) -> None:
    stage = lowered.root
    error = suggests("Pass a partitioner, or one of: ", stage.backend, [])
    suggests("Pass one of ExecuTorch's Partitioner, or a name: ", stage.backend, 3)
    suggests("Pass a partitioner, not its class:", stage.backend, XnnpackPartitioner)
    suggests("For another backend, pass its partitioner:", stage.backend, "mine")
    assert not stage.backend(XnnpackPartitioner()).failed
    names = str(error).rpartition("one of: ")[2].rstrip(".").split(", ")
    assert tuple(names) == offered()
    assert not stage.backend(names[0]).failed


def test_calibration_inputs_have_names_and_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = root()
    main = sys.modules["__main__"]  # IPython's shell replaces it, in other tests
    suggests("Assign a list of calls in a cell, and run it:", stage.quantize, "calls")
    monkeypatch.setattr(main, "calls", [(X,), (2 * X,)], raising=False)
    assert not stage.quantize("calls").failed
    suggests("One call is a list with one entry: inputs=[x], or [(x, y)]", stage.quantize, 3)
    assert not stage.quantize([X]).failed
    two = Session({"encode": export(LINEAR, (X,)), "decode": export(LINEAR, (X,))}).root
    suggests("Pass calibration inputs by method:", two.quantize, [(X,)])
    assert not two.quantize({"encode": [(X,)], "decode": [(X,)]}).failed


def test_example_inputs_are_no_calibration() -> None:
    stage = root().quantize()
    (note,) = [one.text for one in stage.step.notices if one.code == "quantize.example"]

    def fails() -> None:
        raise RuntimeError(note)

    suggests("Pass inputs=[(x,), …].", fails)
    again = root().quantize(inputs=[(X,), (2 * X,)])
    assert not [one for one in again.step.notices if one.code == "quantize.example"]


def test_several_methods_are_written_as_a_session(tmp_path: Path) -> None:
    two = Session({"encode": export(LINEAR, (X,)), "decode": export(LINEAR, (X,))}).root
    suggests("Write an .exirviz file.", lowering.write, two, tmp_path / "two.pt2")
    assert len(exir_viz.load(lowering.write(two, tmp_path / "two.exirviz")).methods) == 2


def test_a_step_waits_for_another() -> None:
    stage = root()
    entered, leave = threading.Event(), threading.Event()

    def waits(_module: torch.fx.GraphModule) -> None:
        entered.set()
        assert leave.wait(60)

    first = threading.Thread(target=stage.transform, args=(waits,))
    first.start()
    assert entered.wait(60)
    try:
        suggests("Wait for it, or stop it.", stage.decompose)
    finally:
        leave.set()
        first.join()
    assert not stage.decompose().failed


def test_a_prepared_module_is_calibrated_before_it_is_converted() -> None:
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(export(LINEAR, (X,)).module(), quantizer)

    def fails() -> None:
        raise RuntimeError(" ".join(row.remedy for row in run("quantization", prepared).rows("warning")))

    suggests("Run the prepared module on calibration inputs before converting it", fails)
    prepared(X)
    assert not [*run("quantization", prepared).rows("warning")]


def test_deleted_stages_that_are_not_kept_are_made_again() -> None:
    session = Session(torch.nn.ReLU(), torch.ones(2))
    session.drop(session.decompose())
    suggests("Run their steps again.", session.restore)
    session.decompose()
    assert len(session) == 2
