"""`exir-viz lower`: real lowering, refused without trust, findings and exit code 1 where it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.cli import main
from exir_viz.stages.session import Session
from tests.corpus.concepts import Fn
from tests.corpus.programs import archive


@pytest.fixture(scope="module")
def file() -> Path:
    return archive("dynamic_batch")


def test_without_trust_nothing_is_loaded(file: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(torch.export, "load", lambda *_: pytest.fail("torch.export.load was called"))
    out = tmp_path / "out.pte"
    assert main(["lower", str(file), "--to", "executorch", "-o", str(out)]) == 1
    said = capsys.readouterr().err
    assert "Will not lower 'dynamic_batch.pt2'" in said
    assert "pass --trust" in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("to", "name"), [("edge", "out.exirviz"), ("edge", "out.pt2"), ("backend", "out.pt2")]
)
def test_to_edge_and_to_a_backend(file: Path, tmp_path: Path, capsys, to: str, name: str) -> None:
    out = tmp_path / name
    assert main(["lower", str(file), "--to", to, "-o", str(out), "--trust"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{out}: ")
    assert "calls" in printed.err
    if name == "out.pt2":
        assert main(["lower", str(out), "--to", "edge", "-o", str(tmp_path / "again.pt2"), "--trust"]) == 1
        assert "executorch.exir.load(path) loads what ExecuTorch wrote" in capsys.readouterr().err
        from executorch.exir import load

        targets = [str(node.target) for node in load(out).graph.nodes if node.op == "call_function"]
        assert ("executorch_call_delegate" in targets) is (to == "backend")
    else:
        loaded = Session.load(out)
        assert [stage.dialect.value for stage in loaded] == ["aten.training", "edge"]


@pytest.mark.parametrize("backend", ["", "xnnpack"])
def test_to_executorch(file: Path, tmp_path: Path, backend: str) -> None:
    out = tmp_path / "out.pte"
    asked = ["--backend", backend] if backend else []
    assert main(["lower", str(file), "--to", "executorch", "-o", str(out), "--trust", *asked]) == 0
    delegates = [graph for graph in exir_viz.load(out).graphs if graph.delegate]
    assert bool(delegates) is bool(backend)


def test_a_backend_is_no_option_of_edge(file: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out.pt2"
    command = ["lower", str(file), "--to", "edge", "--backend", "xnnpack", "-o", str(out), "--trust"]
    assert main(command) == 2
    assert "--to edge delegates nothing" in capsys.readouterr().err
    assert not out.exists()


def test_a_failure_has_findings_and_exit_code_1(tmp_path: Path, capsys) -> None:
    source, out = tmp_path / "train.pt2", tmp_path / "out.pte"
    module = torch.nn.BatchNorm2d(3).train()
    torch.export.save(torch.export.export(module, (torch.randn(2, 3, 4, 4),)), source)
    assert main(["lower", str(source), "--to", "executorch", "-o", str(out), "--trust"]) == 1
    said = capsys.readouterr().err
    assert "train.pt2 was not lowered" in said
    assert "batch_norm" in said
    assert "Traceback" not in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("to", "name", "said"),
    [
        ("edge", "out.pte", "only --to executorch writes a .pte"),
        ("executorch", "out.pt2", "writes a .pte or an .exirviz"),
        ("edge", "out.onnx", "its name must end in .exirviz, .pte, .pt2"),
    ],
)
def test_names_that_cannot_be(file: Path, tmp_path: Path, capsys, to: str, name: str, said: str) -> None:
    assert main(["lower", str(file), "--to", to, "-o", str(tmp_path / name), "--trust"]) == 1
    assert said in capsys.readouterr().err


def test_other_files(file: Path, tmp_path: Path, capsys) -> None:
    snapshot = exir_viz.load(file).save(tmp_path / "look.exirviz")
    for source in (snapshot, tmp_path / "absent.pt2"):
        assert main(["lower", str(source), "--to", "edge", "-o", str(tmp_path / "o.exirviz"), "--trust"]) == 1
    said = capsys.readouterr().err
    assert "only a .pt2" in said
    assert "No such file or directory" in said
    with pytest.raises(SystemExit) as wrong:
        main(["lower", str(file), "--to", "moon", "-o", "x.pte"])
    assert wrong.value.code == 2


def test_an_unknown_backend_is_reported(file: Path, tmp_path: Path, capsys) -> None:
    out = str(tmp_path / "o.exirviz")
    assert main(["lower", str(file), "--to", "backend", "--backend", "warp", "-o", out, "--trust"]) == 1
    assert "xnnpack" in capsys.readouterr().err


def test_hostile_text_of_a_failure_is_shown(tmp_path: Path, capsys) -> None:
    def bad(x):
        return torch.ops.aten.bincount(x)

    bad.__code__ = bad.__code__.replace(co_filename="evil\x1b[2J.py")
    source = tmp_path / "evil.pt2"
    torch.export.save(torch.export.export(Fn(bad), (torch.tensor([1, 2]),)), source)
    code = main(["lower", str(source), "--to", "executorch", "-o", str(tmp_path / "o.pte"), "--trust"])
    printed = capsys.readouterr()
    assert code == 1
    assert "\x1b" not in printed.err + printed.out
