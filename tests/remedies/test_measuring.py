"""What errors of measuring suggest works: profile, values, sweep, costs, reports."""

from __future__ import annotations

import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sympy
import torch
from executorch.exir import schema, to_edge
from torch._subclasses import FakeTensorMode
from torch.export import Dim, export

import exir_viz
from exir_viz import Session, reports
from exir_viz.measure.compare import compare
from exir_viz.measure.cpu.symbols import _hint
from exir_viz.measure.runtime import method_inputs
from exir_viz.measure.runtime.file import profile_file
from exir_viz.measure.sweeps import sweep
from exir_viz.measure.sweeps.own_process import _cause
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.remedies.suggestions import suggests

X = torch.randn(3, 4)
LINEAR = torch.nn.Linear(4, 2)
ONCE: dict[str, Any] = {"repeats": 1, "warmup": 1}


class Elsewhere(torch.Tensor):
    """A tensor that says that it is on a GPU."""

    @property
    def device(self) -> torch.device:
        return torch.device("cuda")

    def cpu(self) -> torch.Tensor:
        return self.as_subclass(torch.Tensor)


def profile(program: object, *args: Any, **options: Any) -> exir_viz.types.Profile:
    return exir_viz.profile(program, *args, **{**ONCE, **options})


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return export(LINEAR, (X,), dynamic_shapes=({0: Dim("batch", min=2, max=9)},))


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(LINEAR, X)
    session.root.edge().executorch()
    return session


def test_inputs_are_of_the_cpu_and_of_the_right_number(program: torch.export.ExportedProgram) -> None:
    suggests("Pass inputs=(x, …).", profile, LINEAR)
    assert profile(LINEAR, inputs=(X,)).complete
    suggests("Pass inputs=(input,).", profile, program, (X, X))
    suggests(
        "Pass one list as inputs=([…],), and arguments with names as kwargs={…}.", profile, program, (X, X)
    )
    assert profile(program, (X,)).complete
    named = {"input": X}
    suggests("Pass arguments with names as kwargs={…}", profile, program, named)
    assert profile(export(LINEAR, (), named), (), kwargs=named).complete
    elsewhere = X.clone().as_subclass(Elsewhere)
    suggests("call .cpu() on it", profile, program, (elsewhere,))
    assert profile(program, (elsewhere.cpu(),)).complete
    suggests("Pass an ExportedProgram, an EdgeProgramManager, a stage, or an nn.Module", profile, 3)
    suggests("For a file, call load(path, trust=True) first.", profile, 3)
    suggests("For a session, pass a stage, such as session.root.", profile, 3)
    assert profile(LINEAR, (X,)).complete


def test_sizes_are_within_the_range(program: torch.export.ExportedProgram) -> None:
    large = torch.randn(20, 4)
    suggests("Give an input within that range, or export again with a wider one.", profile, program, (large,))
    assert profile(program, (torch.randn(9, 4),)).complete
    wider = export(LINEAR, (X,), dynamic_shapes=({0: Dim("batch", min=2, max=99)},))
    assert profile(wider, (large,)).complete


def test_inputs_and_symbols_agree(program: torch.export.ExportedProgram) -> None:
    (symbol,) = exir_viz.load(program).method.symbols
    symbols = {symbol.name: 5}
    suggests("Pass inputs of that size, or only symbols=:", profile, program, (X,), symbols=symbols)
    assert profile(program, (torch.randn(5, 4),), symbols=symbols).complete
    assert profile(program, symbols=symbols).complete


def test_a_symbol_without_a_value_is_given_one() -> None:
    program = export(LINEAR, (X,), dynamic_shapes=({0: Dim.AUTO},))
    (symbol,) = exir_viz.load(program).method.symbols
    key = next(one for expr in program.range_constraints for one in expr.free_symbols)
    suggests("pass symbols={", _hint, key, {}, without_ranges(program))
    assert profile(program, symbols={symbol.name: 5}).complete


def test_a_symbol_that_symbols_refuses_is_not_suggested() -> None:
    """It belongs to a later program only, and the data of a tensor give its value."""
    program = export(LINEAR, (X,), dynamic_shapes=({0: Dim.AUTO},))
    with pytest.raises(exir_viz.errors.ExirVizError, match="depends on the data of a tensor") as caught:
        _hint(sympy.Symbol("u33"), {}, program)
    assert "symbols=" not in str(caught.value)


def without_ranges(program: torch.export.ExportedProgram) -> Any:
    return types.SimpleNamespace(range_constraints={})


def test_guards_are_satisfied_or_exported_away() -> None:
    module = Fn(lambda x, y: x.sum() if x.shape[0] + y.shape[0] > 6 else y.sum())
    dims = (({0: Dim.AUTO}, {0: Dim.AUTO}),)
    guarded = export(module, (torch.randn(5), torch.randn(4)), dynamic_shapes=dims)
    small = torch.randn(2), torch.randn(3)
    suggests("Pass inputs that satisfy it, or export again without it.", profile, guarded, small)
    assert profile(guarded, (torch.randn(5), torch.randn(3))).complete
    assert profile(export(module, small), small).complete


def test_an_op_without_a_kernel_is_decomposed() -> None:
    library = torch.library.Library("exir_viz_no_kernel", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", torch.empty_like, "Meta")
    op = torch.ops.exir_viz_no_kernel.twice.default
    program = export(Fn(op), (X,))
    suggests("Decompose the op, or lower it to a backend that has it:", profile, program)
    assert profile(program.run_decompositions({op: lambda x: x * 2})).complete


def test_weights_are_real_and_no_mode_is_on(program: torch.export.ExportedProgram) -> None:
    with FakeTensorMode():
        suggests("Call it outside.", profile, program)
    assert profile(program).complete
    with torch.device("meta"):
        meta = torch.nn.Linear(4, 2)
    empty = export(meta, (torch.ones(3, 4, device="meta"),))
    suggests("Export a module with real weights, outside of FakeTensorMode and on the CPU,", profile, empty)
    real = export(torch.nn.Linear(4, 2), (X,))
    name = next(iter(real.state_dict))
    real.state_dict[name] = real.state_dict[name].to("meta")
    suggests("Export a module with real weights,", profile, real)
    real.state_dict[name] = torch.randn(2, 4)
    assert profile(real).complete


def test_a_method_is_chosen() -> None:
    manager = to_edge({"encode": exported("static_values"), "decode": exported("static_values")})
    suggests("Choose one, such as method='decode'.", profile, manager)
    assert profile(manager, method="decode").complete


def test_values_are_compared_of_one_method(session: Session) -> None:
    one = to_edge({"encode": session.root.program})
    suggests("pass method= with one both have.", exir_viz.diff(one, session.root.program).values)
    both = to_edge({"encode": session.root.program, "forward": session.root.program})
    values = exir_viz.diff(both, session.root.program).values(method="forward")
    assert values.agree
    note = " ".join(values.record.notes)
    assert "Not compared: encode; pass method=." in note

    def fails() -> None:
        raise RuntimeError(note)

    suggests("pass method=.", fails)
    assert exir_viz.diff(both, one).values(method="encode").agree


def test_values_are_shown_with_their_own_diff(session: Session, tmp_path: Path) -> None:
    first, last = session.stages[0], session.stages[1]
    values = exir_viz.diff(first, last).values()
    other = exir_viz.diff(last.snapshot, last.snapshot)
    page = tmp_path / "page.html"
    suggests(
        "Pass values of this diff, or show values.diff.",
        other.to_html,
        page,
        values=values,
    )
    assert values.diff.to_html(page, values=values).exists()
    mine = exir_viz.diff(first, last)
    again = mine.values()
    assert mine.to_html(page, values=again).exists()


def test_costs_are_carried_to_a_stage(session: Session) -> None:
    found = profile(session.stages[1])
    suggests("pass one, like session.root.", found.at, session)
    assert found.at(session.root).time


def test_each_profile_has_a_name(session: Session) -> None:
    both = [profile(session.stages[0]), profile(session.stages[1])]
    suggests("give one name for each", compare, both, ["export"])
    assert compare(both, ["export", "edge"])


# --- the runtime -----------------------------------------------------------------------------------------


def test_the_runtime_gets_what_executorch_returned(session: Session) -> None:
    runs = {"executor": "executorch"}
    suggests("Pass what to_edge, to_edge_transform_and_lower or to_executorch returned.",
             profile, session.root.program, **runs)  # fmt: skip
    manager = session.stages[1].live.manager
    emitted = to_edge(export(LINEAR, (X,))).to_executorch()
    assert profile(manager, **runs).complete
    assert profile(emitted, **runs).complete
    assert profile(session.stages[2], **runs).complete


def test_a_manager_is_lowered_once(session: Session) -> None:
    manager = to_edge(export(LINEAR, (X,)))
    emitted = manager.to_executorch()
    suggests("Pass what it returned, or lower the program again.", profile, manager, executor="executorch")
    assert profile(emitted, executor="executorch").complete
    assert profile(to_edge(export(LINEAR, (X,))), executor="executorch").complete


def test_inputs_of_unknown_types_are_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pte = tmp_path / "linear.pte"
    pte.write_bytes(to_edge(export(LINEAR, (X,))).to_executorch().buffer)
    with monkeypatch.context() as patch:
        patch.delitem(method_inputs._DTYPES, schema.ScalarType.FLOAT)  # ExecuTorch has types that torch lacks
        suggests("pass inputs=(…).", profile_file, pte, trust=True, repeats=1)
        assert profile_file(pte, (X,), trust=True, repeats=1).complete


def test_an_op_that_the_runtime_lacks_is_delegated_or_measured_on_the_cpu() -> None:
    sort = to_edge(export(Fn(lambda x: torch.sort(x)[0]), (X,)))
    suggests("Lower it to a backend that has one, or measure with executor='cpu'.",
             profile, sort, executor="executorch")  # fmt: skip
    assert profile(sort, executor="cpu").complete


def test_a_file_is_run_with_trust(session: Session, tmp_path: Path) -> None:
    path = session.stages[2].save_pte(tmp_path / "model.pte")
    suggests("If it is from you or from someone you trust, pass trust=True.", profile_file, path)
    suggests("To look at the file, use exir_viz.load(path), which executes nothing.", profile_file, path)
    assert profile_file(path, trust=True, repeats=1).complete
    assert exir_viz.load(path).method.graph


# --- sweeps ----------------------------------------------------------------------------------------------


def test_a_sweep_has_one_executor(program: torch.export.ExportedProgram) -> None:
    with ThreadPoolExecutor(1) as pool:
        suggests("Pass on= only, not executor= too.", sweep, program, executor=pool, on=pool)
        assert not sweep(program, on=pool, repeats=1).failed
        suggests("To choose where it runs, pass a concurrent.futures.Executor as on=.",
                 sweep, program, executor="gpu")  # fmt: skip


def test_a_script_on_standard_input_is_put_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        pid = None
        exitcode = 1

    import __main__

    def fails() -> None:
        raise RuntimeError(_cause(Ended()))  # type: ignore[arg-type]

    monkeypatch.setattr(__main__, "__file__", "<stdin>", raising=False)
    suggests("save the script as a file", fails)
    monkeypatch.setattr(__main__, "__file__", "script.py", raising=False)
    suggests("in a script, sweep must be called under `if __name__ == '__main__':`", fails)


# --- reports ---------------------------------------------------------------------------------------------


def test_backends_are_asked_about_a_live_program(session: Session) -> None:
    snapshot = session.root.snapshot
    suggests("Pass the program, a stage of a session, or exir_viz.load(path, trust=True).",
             reports.run, "delegation", snapshot, backends="xnnpack")  # fmt: skip
    assert "XNNPACK would run" in reports.run("delegation", session.root, backends="xnnpack").headline
    (note,) = reports.run("delegation", snapshot).unexamined

    def fails() -> None:
        raise RuntimeError(note)

    suggests("Pass the live program instead: the report lowers a copy of it.", fails)
    assert not reports.run("delegation", session.root.program, backends=()).unexamined


class Plain(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.relu() + 1


def test_a_profile_is_of_the_same_program(session: Session) -> None:
    other = profile(export(torch.nn.Sequential(torch.nn.ReLU()), (X,)))
    suggests("Measure ", reports.run, "delegation", session.root.snapshot, profile=other)
    assert list(reports.run("delegation", session.root.snapshot, profile=profile(session.root)).rows())
