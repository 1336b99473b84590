"""The code of a stage as text. `tests/test_plain_torch.py` runs such code."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.export import AdditionalInputs, Dim, ShapesCollection

from exir_viz import Session
from exir_viz.stages.live import NotPossible
from tests.stages.failing import failing

from .modules import DoubleScale, broken, small, without_gelu

ANY = torch.randn(4, 6)


class Sum(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
        return x.sin() if y is None else x.sin() + y


def export_line(**options: object) -> str:
    """The export in the code of a session, with what it needs before it."""
    code = Session(Sum(), ANY, **options).code()
    return code[code.index("\n\n") + 2 :].strip()


def test_dynamic_shapes_are_written_as_they_were_given() -> None:
    rows = Dim("rows", min=2, max=64)
    assert export_line(dynamic_shapes={"x": {0: rows, 1: None}}).splitlines() == [
        'rows = Dim("rows", min=2, max=64)',
        'program = torch.export.export(model, args, dynamic_shapes={"x": {0: rows, 1: None}})',
    ]
    half = Dim("half")
    assert "({0: 2 * half, 1: Dim.AUTO(max=9)},)" in export_line(
        dynamic_shapes=({0: 2 * half, 1: Dim.AUTO(max=9)},)
    )
    assert "(4, 6)" in export_line(dynamic_shapes=((4, 6),))


def test_the_shapes_of_a_collection_are_written_out() -> None:
    collection = ShapesCollection()
    collection[ANY] = (Dim.DYNAMIC, None)
    assert "Dim.DYNAMIC" in export_line(dynamic_shapes=collection)
    more = AdditionalInputs()
    more.add((torch.randn(5, 6),))
    assert "Dim.DYNAMIC" in export_line(dynamic_shapes=more)


def test_keyword_inputs_and_strict() -> None:
    code = Session(Sum(), ANY, kwargs={"y": ANY}, strict=True).code()
    assert "#   kwargs: the dict of its keyword inputs: y\n" in code
    assert "torch.export.export(model, args, kwargs, strict=True)" in code


def test_a_program_without_its_module_is_loaded() -> None:
    program = torch.export.export(Sum(), (ANY,))
    session = Session(program)
    assert 'program = torch.export.load("model.pt2")' in session.code()
    again = session.reexport("auto").code()
    assert "args, kwargs = program.example_inputs" in again
    assert again.split("torch.export.export(")[-1].split()[:3] == ["program.module(),", "args,", "kwargs,"]
    assert "dynamic_shapes=" in again


def test_a_second_export_takes_the_place_of_the_first() -> None:
    session = Session(Sum(), ANY)
    assert session.reexport("dynamic").code().count("torch.export.export(") == 1


def test_a_pass_is_imported_or_is_for_the_user_to_define() -> None:
    session = Session(*small())
    session.transform(without_gelu, DoubleScale(), lambda module: None)
    code = session.transform(DoubleScale()).code()
    assert "from tests.stages.modules import without_gelu\n" in code
    names = ["double_scale", "my_pass", "double_scale_2"]
    assert [line.split(":")[0] for line in code.splitlines() if line.startswith("#   ")] == [
        f"#   {name}" for name in ("model", "args", *names)
    ]
    for name in ("without_gelu", *names):
        assert f"pass_result_wrapper({name})" in code


def test_a_failed_stage_has_its_code_too() -> None:
    session = Session(*small())
    failed = failing(session.transform, broken)
    assert "pass_result_wrapper(broken)" in failed.code()
    assert session.code() == session.root.code()


def test_a_saved_session_has_the_code_and_a_snapshot_has_none(tmp_path: Path) -> None:
    session = Session(*small())
    session.decompose()
    failing(session.root.transform, broken)
    loaded = Session.load(session.save(tmp_path / "session.exirviz"))
    assert [stage.code() for stage in loaded] == [stage.code() for stage in session]
    assert [one.code for one in loaded.record().stages] == [stage.code() for stage in session]
    snapshot = Session(session.root.snapshot)
    with pytest.raises(NotPossible, match="has no code"):
        snapshot.code()
    assert snapshot.record().stages[0].code == ""
