"""`exir-viz report` and `doctor` print what the Python functions say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz import cli, reports
from tests.corpus.concepts import Fn
from tests.snapshot.sample import sample

_MODEL = """
import torch

class Net(torch.nn.Module):
    def forward(self, x, scale=2):
        {line}
        return x * scale

def example():
    return Net(), (torch.ones(2, 3),){more}

def wrong():
    return Net()

def fails():
    return 1 / 0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return sample().save(tmp_path / "sample.exirviz")


@pytest.mark.parametrize("name", ["shapes", "source"])
def test_text_is_that_of_the_report(name: str, file: Path, capsys) -> None:
    assert cli.main(["report", name, str(file)]) == 0
    assert capsys.readouterr().out == f"{reports.run(name, file)}\n"


def test_shapes_at_a_size_and_the_lines_of_one_file(file: Path, capsys) -> None:
    (slider,) = reports.run("shapes", file).sliders
    assert cli.main(["report", "shapes", str(file), "--at", f"{slider.name}=8"]) == 0
    assert f"{slider.name} = 8" in capsys.readouterr().out
    assert cli.main(["report", "shapes", str(file), "--at", "nothing=8"]) == 2
    assert "one of the symbols" in capsys.readouterr().err
    assert cli.main(["report", "shapes", str(file), *(f"--at={slider.name}={size}" for size in (8, 9))]) == 2
    assert f"--at {slider.name}=… is given twice" in capsys.readouterr().err
    (source,) = reports.run("source", file).sources
    assert cli.main(["report", "source", str(file), "--source", Path(source.file).name]) == 0
    assert f"{source.file}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("function", "code"),
    [(torch.relu, 0), (lambda x: torch.searchsorted(x[0], x), 1)],
    ids=["relu", "searchsorted"],
)
def test_the_exit_code_says_whether_an_operator_blocks(
    function: Callable[[torch.Tensor], torch.Tensor], code: int, tmp_path: Path, capsys
) -> None:
    program = torch.export.export(Fn(function), (torch.eye(3),))
    file = exir_viz.load(program).save(tmp_path / "model.exirviz")
    report = reports.run("delegation", file)
    assert cli.main(["report", "delegation", str(file), "--fail-on", "error"]) == code
    assert capsys.readouterr().out == f"{report}\n"
    assert cli.main(["report", "delegation"]) == 2
    assert "Name the file, too: exir-viz report delegation model.pt2" in capsys.readouterr().err
    assert bool(list(report.rows("error"))) is bool(code)


def test_a_backend_is_asked_about_a_trusted_program(tmp_path: Path, capsys) -> None:
    torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)), tmp_path / "relu.pt2")
    asked = [str(tmp_path / "relu.pt2"), "--trust", "--backend", "xnnpack"]
    assert cli.main(["report", "delegation", *asked]) == 0
    assert "XNNPACK would run 1 of 1 call (100%)." in capsys.readouterr().out
    assert cli.main(["report", "size", *asked]) == 2
    assert "no option 'backends'" in capsys.readouterr().err


def test_backends_need_trust(file: Path, capsys) -> None:
    assert cli.main(["report", "delegation", str(file), "--backend", "xnnpack"]) == 2
    assert "--backend needs --trust" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "more", "code"),
    [
        ("print('own output')", "", 0),
        ("pass", ', {"scale": 3}', 0),
        ("assert len(x) < 3", ', {"scale": 3}, {"x": {0: torch.export.Dim.DYNAMIC}, "scale": None}', 1),
        ("if x.sum() > 0: x = -x", "", 1),
    ],
)
def test_doctor_exports_what_a_function_returns(
    line: str, more: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    module = f"net_{code}_{len(more)}"
    (tmp_path / f"{module}.py").write_text(_MODEL.format(line=line, more=more))
    monkeypatch.syspath_prepend(tmp_path)
    assert cli.main(["doctor", f"{module}:example"]) == code
    assert "Export of Net" in capsys.readouterr().out
    assert cli.main(["doctor", f"{module}:example", "--json"]) == code
    assert bool(json.loads(capsys.readouterr().out)) == bool(code)
    assert cli.main(["doctor", f"{module}:wrong"]) == 2
    assert "must return the model and a tuple" in capsys.readouterr().err
    assert cli.main(["doctor", f"{module}:absent"]) == 2
    assert cli.main(["doctor", "no function"]) == 2
    capsys.readouterr()
    assert cli.main(["doctor", f"{module}:fails"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"exir-viz: {module}:fails raised ZeroDivisionError: division by zero.\n")
    assert f"{module}.py" in said
    assert "1 / 0" in said
    assert "Traceback" not in said


def test_a_module_that_fails_to_import_is_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    (tmp_path / "net_broken.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert cli.main(["doctor", "net_broken:example"]) == 2
    assert "Cannot import 'net_broken:example': ZeroDivisionError: division by" in capsys.readouterr().err
    assert cli.main(["report", "delegation", str(file), "--trust", "--import", "net_broken"]) == 2
    assert "Cannot import 'net_broken', which --import asks for: Zero" in capsys.readouterr().err
