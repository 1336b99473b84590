"""What errors about arguments suggest works: of capture, load, explore, diff, pages, explorers, tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.errors import MissingExtra, UnsupportedTorch
from exir_viz.extras import EXTRAS
from exir_viz.pages import html as pages
from exir_viz.pages.dot import dot
from exir_viz.readers.exporting import ExportFailed
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.expr.tree import SPECIALS, Special
from exir_viz.stages.explain import explain
from exir_viz.torch_internals.export import DYNAMIC_SHAPES as SHAPES
from exir_viz.torch_internals.features import Feature
from exir_viz.torch_internals.runtime import RUNTIME_LOADING as RUNTIME
from exir_viz.types import Explorer
from exir_viz.widget.diff_explorer import DiffExplorer
from exir_viz.widget.linked_explorers import ExplorerLink
from exir_viz.widget.output_path import output_folder, output_path
from exir_viz.widget.static_preview import static_preview
from exir_viz.widget.story import Story
from tests.corpus.programs import ROOT, exported
from tests.remedies.suggestions import suggests

X = torch.randn(3, 4)
LINEAR = torch.nn.Linear(4, 2)


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return torch.export.export(LINEAR, (X,))


@pytest.fixture(scope="module")
def snapshot(program: torch.export.ExportedProgram) -> Snapshot:
    return exir_viz.load(program)


def ops(snapshot: Snapshot) -> list[str]:
    return [node.target.text for node in snapshot.method.graph if node.op == "call_function"]


def test_a_module_is_passed_with_its_inputs(snapshot: Snapshot) -> None:
    for verb in (exir_viz.load, exir_viz.explore):
        suggests("Pass an ExportedProgram, an EdgeProgramManager, an ExecutorchProgramManager,", verb, 3)
        suggests("Pass the module first:", verb, X)
        suggests("Make an instance of it:", verb, torch.nn.ReLU)
        suggests("Put the function into the forward of an nn.Module.", verb, torch.relu)
        suggests("Pass one program, not several in a container.", verb, [LINEAR])
    suggests("Pass an nn.Module with its example inputs, Session(module, x);", Session, 3)
    assert ops(exir_viz.load(LINEAR, X)) == ops(Session(LINEAR, X).root.snapshot) == ops(snapshot)
    assert ops(exir_viz.explore(LINEAR, X).snapshot) == ops(snapshot)
    assert ops(exir_viz.load(torch.nn.ReLU(), X)) == ["torch.ops.aten.relu.default"]


def test_what_is_live_is_captured(program: torch.export.ExportedProgram) -> None:
    edge = Session(program).edge()
    for one in (program, edge.live.manager, edge.executorch().live.manager, program.graph_module):
        assert exir_viz.load(one).method.graph


def test_a_result_that_is_none_is_no_program(snapshot: Snapshot) -> None:
    suggests("Did you pass the result of a function that returns nothing?", exir_viz.load, None)
    suggests("It is already captured: explore(snapshot), snapshot.to_html(path) or diff(a, b).",
             exir_viz.load, snapshot)  # fmt: skip
    assert exir_viz.explore(snapshot).snapshot is snapshot
    assert exir_viz.diff(snapshot, snapshot).is_empty


def test_a_file_is_loaded(snapshot: Snapshot, tmp_path: Path) -> None:
    path = snapshot.save(tmp_path / "model.exirviz")
    data = path.read_bytes()
    suggests("Write the bytes to a file", exir_viz.load, data)
    suggests("For a file, use exir_viz.load(path).", exir_viz.load, 3)
    suggests("Or pass a Snapshot, a Profile, a Session, a Stage, or the path of a file", exir_viz.explore, 3)
    written = tmp_path / "written.exirviz"
    written.write_bytes(data)
    assert exir_viz.load(written) == exir_viz.load(path) == exir_viz.explore(path).snapshot


def test_a_session_is_loaded_or_compared_by_its_stages(tmp_path: Path) -> None:
    session = Session(LINEAR, X)
    session.root.decompose()
    suggests("For a live program, use Session(program).", Session.load, 3)
    suggests("For a saved session, use Session.load(path).", Session, 3)
    saved = session.save(tmp_path / "saved.exirviz-session")
    assert [stage.name for stage in Session.load(saved)] == [stage.name for stage in session]
    suggests("Pass two of its stages:", exir_viz.diff, session, session)
    assert not exir_viz.diff(session.root, session.current).is_empty
    suggests("Pass one of its stages:", exir_viz.check, session)
    assert exir_viz.check(session.current).outcome == "fine"
    one = session.root.snapshot.save(tmp_path / "one.exirviz")
    suggests("Open it with exir_viz.load(path).", Session.load, one)
    assert ops(exir_viz.load(one)) == ops(session.root.snapshot)


def test_only_a_module_is_exported_with_inputs() -> None:
    larger = torch.randn(7, 4)
    program = torch.export.export(LINEAR, (X,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    suggests("To change its sizes, use Session(x).reexport(…).", exir_viz.load, program, larger)
    again = Session(program).reexport(dims={"input": {0: "batch in 2..8"}})
    assert str(again.program.module()(larger).shape[0]) == "7"


def test_an_export_without_inputs() -> None:
    error = suggests("Pass example inputs:", exir_viz.load, LINEAR)
    assert isinstance(error, ExportFailed)
    assert exir_viz.load(LINEAR, X).method.graph


def test_inputs_by_name() -> None:
    """As tokenizers return them."""
    inputs = {"a": X, "b": X}
    error = suggests("Pass what it holds by name: load(module, kwargs=inputs)", exir_viz.load, Sum(), inputs)
    assert isinstance(error, ExportFailed)
    for verb in (exir_viz.load, exir_viz.Session, exir_viz.explore, exir_viz.doctor):
        suggests("Pass inputs of the module as kwargs={'a': …, 'b': …}.", verb, Sum(), **inputs)
    assert len(exir_viz.load(Sum(), kwargs=inputs).method.signature.inputs) == 2
    note = "The only input is a dict. Pass what it holds by name: doctor(module, kwargs=inputs)."
    assert note in exir_viz.doctor(Sum(), inputs).notes


class Sum(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mul(2)


@pytest.mark.parametrize("verb", [exir_viz.load, Session, exir_viz.explore])
@pytest.mark.parametrize(("model", "inputs"), [(Sum(), [X, X]), (Doubled(), [X])])
def test_inputs_in_a_list(verb: Callable[..., object], model: torch.nn.Module, inputs: list[object]) -> None:
    text = f"Pass what it holds as inputs: {verb.__name__}(module, *inputs)"
    error = suggests(text, verb, model, inputs)
    assert "torch suggests" not in str(error)
    assert verb(model, *inputs)
    assert verb(model, tuple(inputs))


class Pairs(torch.nn.Module):
    def forward(self, pair: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return pair[0].view(5, 5) + pair[1]


def test_a_module_that_takes_a_tuple_is_not_told_to_unpack_it() -> None:
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(Pairs(), (X, X))
    assert "*inputs" not in str(failed.value)


def test_options_are_passed_by_name(program: torch.export.ExportedProgram) -> None:
    suggests("Pass options by name:", exir_viz.profile, program, None, "forward")
    suggests("Did you mean 'repeats'?", exir_viz.profile, program, repeat=1)
    assert exir_viz.profile(program, method="forward", repeats=1, warmup=1).complete
    suggests("Did you mean 'error'?", lambda: list(exir_viz.check(program).rows("eror")))
    assert list(exir_viz.check(program).rows("error")) == []


def test_an_extra_that_is_missing_is_named_with_its_command() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    for extra in EXTRAS:
        error = MissingExtra("load()", ("torch",), extra)
        assert f'Run: pip install "exir-viz[{extra}]"' in str(error)
        assert f"\n{extra} = [" in text


def test_a_private_name_that_is_missing_names_the_versions() -> None:
    feature = Feature("gone", "Show it", "It is not shown.", ("torch.no_such_name",))
    error = suggests("Install ", feature.required)
    assert isinstance(error, UnsupportedTorch)
    assert feature.versions in str(error)
    for feature, text in ((SHAPES, "pass dynamic_shapes= to torch.export."),
                          (RUNTIME, "profile with executor='cpu'.")):  # fmt: skip
        assert text in feature.without
    dims = ({0: torch.export.Dim("batch")},)

    def fails() -> None:
        raise SHAPES.unsupported(RUNTIME.without)

    suggests("pass dynamic_shapes= to torch.export.", fails)
    assert exir_viz.load(torch.nn.ReLU(), X, dynamic_shapes=dims).method.symbols
    suggests("profile with executor='cpu'.", fails)
    assert exir_viz.profile(torch.export.export(LINEAR, (X,)), executor="cpu", repeats=1).complete
    Feature("there", "Show it", "It is not shown.", ("torch.export.export",)).required()


def test_an_infinity_has_one_of_a_few_names() -> None:
    suggests("choose one of ", Special, "infinity")
    assert [Special(name).name for name in SPECIALS] == [*SPECIALS]


# --- pages and explorers ---------------------------------------------------------------------------------


def test_a_page_has_a_name_of_its_own(snapshot: Snapshot, tmp_path: Path) -> None:
    suggests("Use a name with .html.", snapshot.to_html, tmp_path / "model.pte")
    assert snapshot.to_html(tmp_path / "model.html").exists()


def test_a_page_needs_the_built_front_end(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pages, "files", lambda _package: ROOT / "tests")
        suggests("Install a wheel, or run `make build` in a checkout.", pages.html, snapshot)
    assert "\nbuild:" in (ROOT / "Makefile").read_text("utf-8")
    assert pages.html(snapshot)


def test_a_picture_is_of_a_module_or_around_a_node(snapshot: Snapshot) -> None:
    suggests("Pass scope= (a module) or node= (a node and its neighbors), not both.",
             dot, snapshot, scope="", node="linear")  # fmt: skip
    assert "linear" in dot(snapshot, node="linear").source
    assert "linear" in dot(snapshot, scope="").source


def test_names_are_suggested(snapshot: Snapshot) -> None:
    explorer = Explorer(snapshot)
    suggests("Did you mean 'linear'?", explorer.select, "liner")
    explorer.select("linear")
    assert list(explorer.selection) == ["forward/linear"]
    suggests("Did you mean aten.relu.default", explain, "aten.rellu.default")
    assert explain("aten.relu.default").op == "aten.relu.default"
    suggests("pass an op, a node, or an op's name.", explain, 3)
    assert explain(snapshot.method.graph["linear"]).op == explain(torch.ops.aten.linear.default).op


def test_an_explorer_paints_values_by_node(snapshot: Snapshot) -> None:
    explorer = Explorer(snapshot)
    suggests("pass a pandas Series or a mapping, keyed by node.", explorer.paint, 3)
    suggests("make all of them texts, or none.", explorer.paint, {"linear": "slow", "output": 1.0})
    nodes = [node.name for node in snapshot.method.graph]
    explorer.paint(dict.fromkeys(nodes, 1.0))
    explorer.paint(dict.fromkeys(nodes, "slow"))


def test_a_node_of_a_nested_graph_has_the_name_of_the_graph() -> None:
    program = exported("db:cond_operands")
    nested = next(graph for graph in exir_viz.load(program).graphs if "/" in graph.path)
    name = next(node.name for node in nested if node.op == "call_function")
    path = nested.path.partition("/")[2]
    snapshot = exir_viz.load(program)
    suggests("In a nested graph, add its name:", dot, snapshot, node="no_such_node")
    assert name in dot(snapshot, node=f"{path}/{name}").source


def test_an_explorer_of_a_program_is_made_by_explore(program: torch.export.ExportedProgram) -> None:
    suggests("Or use exir_viz.explore(x), which takes programs.", Explorer, program)
    assert exir_viz.explore(program).snapshot.method.graph


def test_a_picture_is_replaced_by_the_explorer_when_its_cell_runs(snapshot: Snapshot) -> None:
    explorer = Explorer(snapshot)
    shown = explorer._repr_mimebundle_()
    bundle = shown[0] if isinstance(shown, tuple) else shown

    def fails() -> None:
        raise RuntimeError(static_preview(snapshot)["text/html"])

    suggests("Run the cell again for the explorer.", fails)
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_values_are_compared_of_live_programs(program: torch.export.ExportedProgram, tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    torch.export.save(program, path)
    explorer = DiffExplorer(exir_viz.diff(path, path))
    suggests("For values and costs, compare live programs:", explorer._live)
    assert exir_viz.diff(program, program).values().agree


def test_an_explorer_is_linked_with_another(snapshot: Snapshot) -> None:
    explorer = Explorer(snapshot)
    suggests("pass another one.", ExplorerLink, explorer, explorer)
    other = Explorer(snapshot)
    ExplorerLink(explorer, other)
    explorer.select("linear")
    assert other.selection == explorer.selection != ()


def test_an_explorer_shows_a_profile_of_its_program(program: torch.export.ExportedProgram) -> None:
    other = exir_viz.load(torch.nn.ReLU(), X)
    profile = exir_viz.profile(program, repeats=1, warmup=1)
    explorer = Explorer(profile.snapshot)
    suggests("First run explorer.show(exir_viz.profile(program)).", explorer.chart, "ops")
    explorer.show(profile)
    assert type(explorer.chart("ops")).__name__ == "FigureWidget"
    suggests("Profile this program, or run exir_viz.explore(profile).", Explorer(other).show, profile)
    assert exir_viz.explore(profile).profile is profile


def test_a_scene_is_added_before_it_is_played(snapshot: Snapshot) -> None:
    story = Story(Explorer(snapshot))
    suggests("Add one with story.add(caption).", story.play, 0)
    story.add("First.")
    story.play(0)


def test_a_page_names_a_file_to_write(tmp_path: Path) -> None:
    suggests("Name the file to write, such as model", output_path, " ", ".pte", False)
    path = output_path(str(tmp_path / "model.pte"), ".pte", False)
    path.write_bytes(b"")
    suggests("Choose another name, or replace it.", output_path, str(path), ".pte", False)
    assert output_path(str(path), ".pte", True) == path
    assert output_path(str(tmp_path / "other.pte"), ".pte", False) != path

    files = ("model.pte",)
    suggests("Name the folder to write to, such as reproducer.", output_folder, " ", files, False)
    suggests("Name a folder.", output_folder, str(path), files, False)
    suggests("Choose another folder.", output_folder, str(tmp_path), files, False)
    assert output_folder(str(tmp_path / "reproducer"), files, False) == tmp_path / "reproducer"
