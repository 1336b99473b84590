"""What capture promises beyond the fields: nothing is changed, bytes are determined, errors help."""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.errors import CaptureError, ExportFailed
from exir_viz.readers.exporting import _is_library
from exir_viz.snapshot import wire
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import SourceText
from tests.corpus.concepts import Fn
from tests.corpus.programs import ROOT, core, exported


def _fingerprint(program: torch.export.ExportedProgram) -> tuple[object, ...]:
    """All that capture could change: the graph's text, the keys of meta, guards, the shape environment."""
    nodes = list(program.graph.nodes)
    modes = [getattr(node.meta.get("val"), "fake_mode", None) for node in nodes]
    envs = [mode.shape_env for mode in modes if mode is not None and mode.shape_env is not None]
    return (
        str(program),
        [sorted(node.meta) for node in nodes],
        [(len(env.guards), len(env.replacements), dict(env.var_to_range)) for env in envs],
        {name: held.sum().item() for name, held in program.state_dict.items() if held.is_floating_point()},
    )


@pytest.mark.parametrize("name", ["named_dims", "data_dependent_shape", "module_state", "nested_cond"])
def test_changes_nothing(name: str) -> None:
    program = core(name)
    before = _fingerprint(program)
    exir_viz.load(program)
    assert _fingerprint(program) == before


SCRIPT = """
import hashlib, torch, warnings
warnings.filterwarnings("ignore")
torch.set_grad_enabled(False)  # with gradients, branches take three times as long
import exir_viz
from exir_viz.snapshot import wire
from tests.corpus.programs import core, exported
for name in ("pytree_inputs", "data_dependent_shape", "nested_cond"):
    torch.manual_seed(0)  # a program is its weights too
    for program in (exported(name), core(name)):
        print(name, hashlib.sha256(wire.encode(exir_viz.load(program))).hexdigest())
"""


@pytest.mark.nightly
def test_same_program_same_bytes() -> None:
    """Whatever the process and the hash seed."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert len(runs[0].splitlines()) == 6


def test_a_module_is_exported_and_its_dims_keep_their_names() -> None:
    class Sum(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    batch = torch.export.Dim("batch", min=2, max=64)
    snapshot = exir_viz.load(
        Sum(), torch.randn(4, 3), torch.randn(4, 3), dynamic_shapes={"x": {0: batch}, "y": {0: batch}}
    )
    (symbol,) = snapshot.method.symbols
    assert symbol.dim == "batch"
    assert (symbol.lower, symbol.upper, symbol.hint) == ("2", "64", "4")
    assert [spec.path for spec in snapshot.method.signature.inputs] == ["x", "y"]


class DataDependent(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # the line that cannot be exported
            return x + 1
        return x - 1


def test_a_failed_export_names_the_users_line() -> None:
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(DataDependent(), torch.randn(3))
    error = failed.value
    assert Path(error.file).name == "test_capture.py"
    assert "the line that cannot be exported" in error.code
    assert f"line {error.line}" in str(error)
    assert error.__cause__ is not None


def test_a_failed_export_prints_no_graph(capfd: pytest.CaptureFixture[str]) -> None:
    """torch prints the graph that it had so far to stderr, before the error that says all."""

    class Prints(DataDependent):
        def forward(self, x):
            print("from the module", file=sys.stderr)
            return super().forward(x)

    with pytest.raises(ExportFailed):
        exir_viz.load(Prints(), torch.randn(3))
    written = capfd.readouterr().err
    assert "from the module" in written
    assert "def forward" not in written


@pytest.mark.parametrize("strict", [False, True])
def test_a_suggestion_repeats_no_stack(strict: bool) -> None:
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(DataDependent(), torch.randn(3), strict=strict)
    suggestion = failed.value.suggestion
    assert "torch.cond" in suggestion if strict else "guard_or_false" in suggestion
    assert "Caused by" not in suggestion
    assert "_dynamo" not in suggestion
    assert "occurred when calling torch.export.export" not in suggestion


@pytest.mark.parametrize("strict", [False, True])
def test_only_advice_is_a_suggestion(strict: bool) -> None:
    """TorchDynamo's explanation belongs to the reason, and its graph to neither."""
    aliasing = Fn(lambda x: torch.cond(x.sum() > 0, lambda a: a, lambda a: -a, (x,)))
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(aliasing, torch.randn(3), strict=strict)
    assert "Higher order ops do not support aliasing" in failed.value.reason
    assert failed.value.suggestion.startswith("Replace `return input` with `return input.clone()`")
    assert "Explanation" not in failed.value.suggestion
    assert "placeholder" not in str(failed.value)
    cloned = Fn(lambda x: torch.cond(x.sum() > 0, lambda a: a.clone(), lambda a: -a, (x,)))
    assert exir_viz.load(cloned, torch.randn(3), strict=strict)


def test_an_error_of_the_users_own_suggests_nothing() -> None:
    def refuse(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("No.\n\nPlease use another.")

    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(Fn(refuse), torch.randn(3))
    assert failed.value.suggestion == ""
    assert failed.value.reason.endswith("Please use another.")


def test_a_failed_constraint_carries_torchs_suggestion() -> None:
    dim = torch.export.Dim("n", min=2)
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(Fn(lambda x: x.reshape(4, 2)), torch.randn(4, 2), dynamic_shapes=(({0: dim},),))
    assert "Suggested fixes" in failed.value.suggestion
    assert "n = 4" in failed.value.suggestion


def test_a_module_without_its_inputs_is_asked_for_them() -> None:
    with pytest.raises(ExportFailed, match=r"Pass example inputs: load\(module, x\)") as failed:
        exir_viz.load(torch.nn.Linear(2, 2))
    assert failed.value.file == ""  # the line that raised is Python's own, not the user's


VERBS = [exir_viz.explore, exir_viz.load, exir_viz.Session]


class Sum(torch.nn.Module):
    def forward(self, a, b):
        return a + b


class PairSum(torch.nn.Module):
    def forward(self, pair):
        return pair[0] + pair[1]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_a_tuple_holds_the_inputs_and_errors_name_the_verb(verb: Callable[..., object]) -> None:
    """As torch.export takes it. Where `forward` takes a tuple, it is one input."""
    inputs = torch.ones(3), torch.ones(3)
    verb(Sum(), inputs)
    verb(PairSum(), inputs)
    verb(PairSum(), (inputs,))
    name = verb.__name__
    with pytest.raises(ExportFailed, match=rf"Pass what it holds as inputs: {name}\(module, \*inputs"):
        verb(Sum(), list(inputs))
    with pytest.raises(ExportFailed, match=rf"Pass example inputs: {name}\(module, x\)"):
        verb(Sum())
    with pytest.raises(CaptureError, match=rf"example inputs[:,] {name}\(module, x\)"):
        verb(3)


class Sizes(torch.nn.Module):
    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(module, torch.nn.ReLU())

    def forward(self, x):
        return self.net(x)


@pytest.mark.parametrize(
    ("module", "given", "text"),
    [
        (torch.nn.Linear(8, 4), torch.ones(2, 9), "expected 8 features, got 9"),
        (torch.nn.Conv1d(3, 4, 3), torch.ones(1, 4, 8), "expected 3 channels, got 4"),
        (torch.nn.BatchNorm2d(5), torch.ones(1, 4, 6, 6), "expected 5 features, got 4"),
        (torch.nn.LayerNorm(8), torch.ones(2, 7), "expected 8 features, got 7"),
        (torch.nn.LSTM(4, 4), torch.ones(2, 2, 5), "expected 4 features, got 5"),
    ],
)
def test_a_wrong_size_is_said_in_one_sentence(
    module: torch.nn.Module, given: torch.Tensor, text: str
) -> None:
    with pytest.raises(ExportFailed) as failed:
        exir_viz.load(Sizes(module), given)
    line = failed.value.line
    first, *_, last = str(failed.value).splitlines()
    assert first == f"Cannot export Sizes: {text} at net.0 (test_capture.py:{line})."
    assert last.startswith("torch's error: RuntimeError: ")
    assert linecache.getline(__file__, line).strip() == failed.value.code == "return self.net(x)"


def test_a_model_out_of_a_library_has_its_lines() -> None:
    assert not _is_library(f"{Path(torch.__file__).parent}vision/models/resnet.py")
    assert not _is_library(f"{sysconfig.get_path('purelib')}/transformers/models/llama/modeling_llama.py")
    assert _is_library(torch.nn.functional.__file__)
    assert _is_library(sysconfig.__file__)


def test_what_cannot_be_captured_says_what_can() -> None:
    with pytest.raises(CaptureError, match="ExportedProgram, an EdgeProgramManager"):
        exir_viz.load({"not": "a program"})
    with pytest.raises(CaptureError, match=r"the class torch\.nn\.modules\.linear\.Linear itself"):
        exir_viz.load(torch.nn.Linear)


def test_a_graph_module_is_captured_as_a_courtesy() -> None:
    module = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()))
    snapshot = exir_viz.load(module)
    assert snapshot.method.dialect is Dialect.FX
    assert [node.op for node in snapshot.method.graph] == [
        "placeholder",
        "call_module",
        "call_module",
        "output",
    ]
    assert snapshot.notices


def test_graph_ids_are_ordinals() -> None:
    """from_node names graphs by Python's id(), which is another one in the next process."""
    origins = exir_viz.load(core("named_dims")).detail.origins
    assert origins
    graphs = {origin.graph for origin in origins}
    assert graphs == set(range(len(graphs)))


def test_a_module_called_twice_is_two_scopes() -> None:
    scopes = exir_viz.load(exported("module_called_twice")).scopes
    dropout = [scope for scope in scopes if scope.path == "dropout"]
    assert len(dropout) == 2
    assert {scope.call for scope in dropout} == {0, 1}


def test_source_text_is_kept_only_where_it_agrees() -> None:
    snapshot = exir_viz.load(exported("module_state"))
    source = next(text for text in snapshot.detail.sources if text.file.endswith("concepts.py"))
    frame = next(frame for frame in snapshot.detail.frames if frame.file == source.file)
    assert source.text[source.lines.index(frame.line)].strip() == frame.code


def test_the_text_of_a_notebook_cell_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    file = "/tmp/ipykernel_1/2.py"
    text = "class Net(torch.nn.Module):\n    def forward(self, x):\n        y = x + 1\n        return y * 2\n"
    monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(keepends=True), file))
    cell = {"torch": torch}
    exec(compile(text, file, "exec"), cell)
    snapshot = exir_viz.load(torch.export.export(cell["Net"](), (torch.zeros(2),)))
    assert snapshot.detail.sources == (SourceText(file, (1, 2, 3, 4), tuple(text.splitlines())),)


def test_wire_of_a_changed_field_differs() -> None:
    """The determinism test could pass if nothing were written; this one holds that something is."""
    packed = {wire.encode(exir_viz.load(program)) for program in (exported("map_op"), core("map_op"))}
    assert len(packed) == 2


def test_strict_traces_are_frames_too() -> None:
    """torch writes them otherwise: indented, with marks under the code."""
    frames = [frame for node in exir_viz.load(exported("strict_mode")).method.graph for frame in node.frames]
    own = [frame for frame in frames if frame.file.endswith("concepts.py")]
    assert own
    assert all(frame.line and frame.function and frame.code for frame in frames)
    assert any(frame.code.startswith("x = self.dropout(layer(x))") for frame in own)


def test_a_live_program_tells_the_names_of_its_dims() -> None:
    """Also of related sizes, and at every stage: the shape environment keeps them."""

    class Joined(torch.nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return torch.cat([x, y])

    size = torch.export.Dim("size", min=3, max=50)
    shapes = {"x": {0: size}, "y": {0: 2 * size}}
    program = torch.export.export(Joined(), (torch.randn(4, 8), torch.randn(8, 8)), dynamic_shapes=shapes)
    session = exir_viz.Session(program)
    for stage in (
        session.root,
        session.root.decompose(),
        session.root.edge(),
        session.root.edge().executorch(),
    ):
        assert [symbol.dim for symbol in stage.snapshot.method.symbols] == ["size"], stage
    auto = torch.export.export(
        torch.nn.ReLU(), (torch.randn(4),), dynamic_shapes={"input": {0: torch.export.Dim.AUTO}}
    )
    assert [symbol.dim for symbol in exir_viz.load(auto).method.symbols] == [None]
