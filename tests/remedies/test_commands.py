"""What the command suggests works: it is run as suggested."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz import cli
from tests.readers import archives
from tests.readers.mutations import pack, program_of, unpack
from tests.remedies.suggestions import suggests
from tests.snapshot.sample import chain, sample

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return sample().save(tmp_path / "sample.exirviz")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return chain(3).save(tmp_path / "chain.exirviz")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.pt2"
    dims = ({0: torch.export.Dim("batch", min=2, max=9)},)
    torch.export.save(
        torch.export.export(torch.nn.Linear(4, 2), (torch.randn(3, 4),), dynamic_shapes=dims), path
    )
    return path


@pytest.fixture
def run(capsys: Capture):
    """Run the command; its message is raised if it fails."""

    def run(*arguments: object) -> None:
        code = 0
        try:
            code = cli.main([*map(str, arguments)])
        except SystemExit as ended:  # argparse's own errors
            code = ended.code
        said = capsys.readouterr()
        if code:
            raise RuntimeError(said.err)

    return run


def test_a_table_is_written_as_parquet(run, file: Path, tmp_path: Path) -> None:
    suggests("Name a file to write:", run, "tables", file, "nodes", "--format", "parquet")
    run("tables", file, "nodes", "--format", "parquet", "-o", tmp_path / "nodes.parquet")


def test_a_table_is_written_in_the_format_of_its_name(run, file: Path, tmp_path: Path) -> None:
    call = ("tables", file, "nodes", "-o", tmp_path / "nodes.json")
    suggests("add --format json, or name another file.", run, *call)
    assert not (tmp_path / "nodes.json").exists()
    run(*call, "--format", "json")
    run("tables", file, "nodes", "-o", tmp_path / "nodes.csv")
    run("tables", file, "nodes", "-o", tmp_path / "nodes.txt")


@pytest.mark.parametrize(
    ("command", "ending"),
    [(("convert", "FILE", "-o"), ".exirviz"), (("diff", "FILE", "FILE", "--html"), ".html")],
)
def test_an_output_has_the_name_of_its_format(
    run, file: Path, tmp_path: Path, command: tuple[str, ...], ending: str
) -> None:
    call = [file if one == "FILE" else one for one in command]
    with pytest.raises(RuntimeError, match=rf"the name must end in {ending}.*m\.csv' does not"):
        run(*call, tmp_path / "m.csv")
    assert not (tmp_path / "m.csv").exists()
    run(*call, tmp_path / f"m{ending}")


def test_a_method_goes_with_text(run, file: Path, other: Path) -> None:
    suggests("add --text, or remove --method.", run, "diff", file, other, "--method", "forward")
    run("diff", file, other, "--text", "--method", "forward")
    run("diff", file, other)


def test_several_files_are_compared_on_a_page(run, file: Path, other: Path, tmp_path: Path) -> None:
    suggests("add --html PAGE, or name two files.", run, "diff", file, other, file)
    run("diff", file, other, file, "--html", tmp_path / "page.html")
    run("diff", file, other)


def test_no_input_is_overwritten(run, file: Path, other: Path, tmp_path: Path) -> None:
    suggests("Name another file.", run, "convert", file, "-o", file)
    run("convert", file, "-o", tmp_path / "copy.exirviz")


def test_no_program_of_another_kind_is_overwritten(
    run, model: Path, file: Path, other: Path, tmp_path: Path
) -> None:
    taken = archives.write(tmp_path, model.read_bytes(), "page.html")
    call = ("diff", file, other, "--html")
    suggests("Name another file to write, or remove it first.", run, *call, taken)
    run(*call, tmp_path / "other.html")
    taken.unlink()
    run(*call, taken)


def test_two_files_are_written_apart(run, model: Path, tmp_path: Path) -> None:
    profile = tmp_path / "run.exirprofile"
    run("profile", model, "--trust", "--repeats", 1, "-o", profile)
    page, link = tmp_path / "page.html", tmp_path / "link.json"
    page.touch()
    link.symlink_to(page)
    suggests("Name two different files.", run, "profile", profile, "-o", link, "--html", page)
    run("profile", profile, "-o", tmp_path / "trace.json", "--html", page)


def test_a_symbol_is_given_once(run, model: Path) -> None:
    call = ("profile", model, "--trust", "--repeats", 1)
    (symbol,) = exir_viz.load(model).method.symbols
    suggests("Give each symbol once.", run, *call, f"--symbol={symbol.name}=4", f"--symbol={symbol.name}=5")
    run(*call, f"--symbol={symbol.name}=4")


def test_a_program_is_profiled_with_trust(run, model: Path, tmp_path: Path) -> None:
    suggests("If it is from you or from someone you trust, pass --trust.", run, "profile", model)
    profile = tmp_path / "run.exirprofile"
    run("profile", model, "--trust", "--repeats", 1, "-o", profile)
    suggests("Remove it.", run, "profile", profile, "--repeats", 1)
    run("profile", profile)
    suggests("To look at it, use exir-viz show, which executes nothing.",
             run, "lower", model, "--to", "edge", "-o", tmp_path / "model.exirviz")  # fmt: skip
    run("show", model)


def test_a_module_that_registers_ops_is_imported(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exir_viz_shop.py").write_text(
        "import torch\n"
        "library = torch.library.Library('exir_viz_shop', 'DEF')\n"
        "library.define('twice(Tensor self) -> Tensor')\n"
        "library.impl('twice', lambda x: x * 2, 'CompositeExplicitAutograd')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    old, new = b"torch.ops.aten.relu.default", b"torch.ops.exir_viz_shop.twice.default"
    torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.randn(3),)), tmp_path / "relu.pt2")
    members = unpack((tmp_path / "relu.pt2").read_bytes())
    name = program_of(members)
    assert old in members[name]
    path = archives.write(tmp_path, pack({**members, name: members[name].replace(old, new)}), "shop.pt2")
    suggests("Pass --import ", run, "profile", path, "--trust", "--repeats", 1)
    run("profile", path, "--trust", "--repeats", 1, "--import", "exir_viz_shop")
    assert "exir_viz_shop" in sys.modules
    assert exir_viz.load(path).method.graph


def test_a_summary_is_of_all_methods(run, file: Path) -> None:
    suggests("remove it, or remove --method.", run, "show", file, "--summary", "--method", "forward")
    run("show", file, "--method", "forward")
    run("show", file, "--summary")


def test_steps_are_from_a_node(run, file: Path) -> None:
    suggests("add --node NAME, or remove --steps.", run, "dot", file, "--steps", 1)
    run("dot", file, "--steps", 1, "--node", "linear")
    run("dot", file)


def test_edge_has_no_backend(run, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("executorch")
    command = ("lower", model, "--trust", "-o", tmp_path / "lowered.pt2")
    backend = ("--backend", "xnnpack")
    suggests("remove --backend, or lower --to backend.", run, *command, "--to", "edge", *backend)
    run(*command, "--to", "edge")
    run(*command, "--to", "backend", *backend)
