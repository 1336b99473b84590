"""Coverage says of every line what torch.export made of it."""

from __future__ import annotations

import importlib
import linecache
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim

import exir_viz
from exir_viz.snapshot.placement import working
from exir_viz.source_coverage.records import Line, LineStatus

from . import control_flow, marked_model, odd_calls

X = torch.randn(4, 6)
BATCH = Dim("batch", min=4, max=64)
MARKS = {
    "T": LineStatus.TRACED,
    "S": LineStatus.SPECIALISED,
    "F": LineStatus.FOLDED,
    "P": LineStatus.PASSED,
    "X": LineStatus.SKIPPED,
}


@pytest.fixture(scope="module")
def coverage() -> exir_viz.Coverage:
    return exir_viz.coverage(marked_model.Model().eval(), X, dynamic_shapes=({0: BATCH},))


def marks() -> list[LineStatus]:
    text = Path(marked_model.__file__).read_text().splitlines()
    return [MARKS.get(line.rpartition("  # ")[2] if "  # " in line else "", LineStatus.NONE) for line in text]


def test_every_line_of_a_hand_marked_file(coverage: exir_viz.Coverage) -> None:
    expected = marks()
    assert len(expected) >= 200
    assert min(Counter(expected)[status] for status in MARKS.values()) >= 10
    found = coverage.file("marked_model.py").lines
    wrong = [
        f"{line.number}: {line.text} — {line.status.value}, not {mark.value}"
        for line, mark in zip(found, expected, strict=True)
        if line.status is not mark
    ]
    assert wrong == []


def line(coverage: exir_viz.Coverage, text: str) -> Line:
    return next(one for one in coverage.file("marked_model.py").lines if one.text.strip().startswith(text))


def test_a_branch_says_which_way_it_went_and_why(coverage: exir_viz.Coverage) -> None:
    assert line(coverage, "if self.training:").note == (
        "Not taken. Decided while exporting: the program has no branch"
    )
    assert line(coverage, "elif root < 1:").note.startswith("Not taken. ")
    assert line(coverage, "if mask is None:").note == (
        "Taken. Decided while exporting (mask is None): the program has no branch"
    )
    in_loop = "Taken in some iterations or calls, not in others. "
    assert line(coverage, "if weight == 0:").note.startswith(in_loop)
    assert line(coverage, "if count == 2:").note.startswith(in_loop)
    assert line(coverage, "for layer in").note.startswith("Unrolled: 2 iterations. ")
    assert line(coverage, "while count").note.startswith("Unrolled: 2 iterations. ")
    assert line(coverage, "y = x + 1  # X").note == "unused was not called"


def test_a_branch_on_a_size_names_what_the_program_requires() -> None:
    found = exir_viz.coverage(marked_model.Model().eval(), X, dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    (batch,) = (symbol.name for symbol in found.snapshot.method.symbols)
    assert line(found, "if batch >").note == f"Taken. The program requires {batch} > 3"
    assert re.fullmatch(r"Not taken. The program requires s\d+ == 6", line(found, "if size != 6:").note)


def test_the_ops_of_a_line_are_those_that_it_made(coverage: exir_viz.Coverage) -> None:
    program = coverage.snapshot
    every = [node.id for method in program.methods.values() for graph in method.graphs()
             for node in map(graph.__getitem__, working(graph))]  # fmt: skip
    made = [node for one in coverage.files for each in one.lines for node in each.nodes]
    assert len(made) == len(set(made))
    assert set(made) <= set(every)
    assert len(made) >= len(every) - 1  # an assertion on a size has no line
    gate = line(coverage, "gate = torch.sigmoid(x)")
    assert (gate.ops, gate.total_ops) == (2, 2)  # each of two layers calls it
    assert {name.partition("/")[2].rpartition("_")[0] or name for name in gate.nodes} <= {
        "sigmoid",
        "forward/sigmoid",
    }
    call = line(coverage, "out = swish(out)")
    assert (call.ops, call.total_ops) == (0, 4)
    assert call.bytes == 2 * (2 + 3) * 4 * 6 * 4  # of each layer: a sigmoid, a product of two


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("module", [marked_model.Model, odd_calls.Calls], ids=["marked", "odd"])
def test_what_is_inferred_from_a_program_is_true(module: type[nn.Module], strict: bool) -> None:
    """It agrees with what is watched, or says why it is not known."""
    model = module().eval()
    shapes = ({0: BATCH},) if module is marked_model.Model else None
    file = Path(sys.modules[module.__module__].__file__ or "").name
    watched = exir_viz.coverage(model, X, dynamic_shapes=shapes).file(file)
    program = torch.export.export(model, (X,), dynamic_shapes=shapes, strict=strict)
    inferred = exir_viz.coverage(program).file(file)
    assert not inferred.is_watched
    pairs = list(zip(inferred.lines, watched.lines, strict=True))
    assert [one for one, other in pairs if one.status not in (other.status, LineStatus.UNKNOWN)] == []
    ran = {LineStatus.TRACED, LineStatus.SPECIALISED, LineStatus.FOLDED, LineStatus.PASSED}
    known = sum(one.status in ran for one, _ in pairs)
    assert known > sum(other.status in ran for _, other in pairs) * (0.75 if strict else 0.6)
    unknown = False
    for one, _ in pairs:
        assert one.status is not LineStatus.UNKNOWN or one.note or unknown, one
        unknown = one.status is LineStatus.UNKNOWN or (unknown and one.status is LineStatus.NONE)


def test_helper_functions_that_ran_are_inferred() -> None:
    """torch.export records lines of forward only, but these certainly call the helpers."""
    model = marked_model.Model().eval()
    inferred = exir_viz.coverage(torch.export.export(model, (X,)))
    assert line(inferred, "gate = torch.sigmoid(x)").note == (
        "It ran, and its ops count for line 99, which calls the function"
    )
    assert line(inferred, "assert x.dim()").status is LineStatus.SPECIALISED
    assert line(inferred, "batch, size = x.shape").status is LineStatus.PASSED
    assert line(inferred, "y = x + 1  # X").note == (
        "torch.export records lines of forward only: pass the module to see this function"
    )
    assert line(inferred, "count += 1").note == (
        "torch.export records lines of forward only: pass the module to see which way it went"
    )
    assert line(inferred, "out = out + self.bias").note == "No op names a line of this branch"
    assert (
        line(inferred, "last: torch.Tensor = y").note
        == "No op names a line after line 209, where the function may return"
    )


def test_a_condition_shows_that_its_line_ran() -> None:
    shapes = ({0: Dim.AUTO, 1: Dim.AUTO},)
    program = torch.export.export(marked_model.Model().eval(), (X,), dynamic_shapes=shapes)
    found = exir_viz.coverage(program)
    assert line(found, "if batch >").status is LineStatus.SPECIALISED
    assert re.fullmatch(r"The program requires s\d+ > 3", line(found, "if batch >").note)


def test_a_saved_program_is_read_without_torch(tmp_path: Path) -> None:
    snapshot = exir_viz.capture(marked_model.Model().eval(), X)
    path = snapshot.save(tmp_path / "model.exirviz", absolute_paths=True)
    code = (
        "import sys, exir_viz\n"
        f"coverage = exir_viz.coverage({str(path)!r})\n"
        "print(coverage.file('marked_model.py').ops > 10, 'torch' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True", "False"]


def test_a_file_that_changed_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "changing.py"
    body = "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    file.write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    changing = importlib.import_module("changing")
    snapshot = exir_viz.capture(changing.M(), torch.ones(2))
    file.write_text(body.replace("x + 1", "x + 2  # secret"))
    found = exir_viz.coverage(snapshot).file("changing.py")
    assert not found.is_read
    assert [(one.number, one.text, one.status.value) for one in found.lines] == [
        (4, "return x + 1", "traced")
    ]
    assert "secret" not in str(exir_viz.coverage(snapshot))


def test_a_model_of_a_notebook_is_covered() -> None:
    """Its file is only in Python's own cache of lines, as of a cell."""
    text = "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    file = "/absent/cell_of_a_notebook.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "cell"}
    exec(compile(text, file, "exec"), names)
    found = exir_viz.coverage(names["M"](), torch.ones(2)).file("cell_of_a_notebook.py")
    assert [one.status.value for one in found.lines] == ["none", "none", "none", "traced"]


def test_a_profile_gives_lines_their_time(coverage: exir_viz.Coverage) -> None:
    model = marked_model.Model().eval()
    profile = exir_viz.profile(exir_viz.Session(model, X).root, X, repeats=2)
    timed = exir_viz.coverage(profile).file("marked_model.py")
    shares = [one.time_share or 0 for one in timed.lines if one.ops]
    assert 0 < sum(shares) <= 1.000001


def test_a_profile_of_another_program_is_refused() -> None:
    model = marked_model.Model().eval()
    profile = exir_viz.profile(exir_viz.Session(model, X).root, X, repeats=2)
    with pytest.raises(exir_viz.WrongArgument, match=r"coverage\(\): profile .* profile of the same program"):
        exir_viz.coverage(torch.nn.Linear(2, 3), torch.ones(1, 2), profile=profile)


def test_watching_leaves_tracing_and_torch_as_they_were() -> None:
    seen: list[str] = []

    def tracer(frame: object, event: str, arg: object) -> None:
        seen.append(event)

    frames, before = torch.fx.proxy.TracerBase._filter_traceback_frames, sys.gettrace()
    sys.settrace(tracer)
    try:
        exir_viz.coverage(nn.ReLU(), torch.ones(2))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert torch.fx.proxy.TracerBase._filter_traceback_frames is frames
    with pytest.raises(exir_viz.errors.ExportFailed):
        exir_viz.coverage(marked_model.Model(), torch.ones(4, 5))
    assert sys.gettrace() is before


def test_texts(coverage: exir_viz.Coverage) -> None:
    listing = coverage.text("marked_model.py").splitlines()
    assert len(listing) == 3 + len(marks())
    assert listing[0].startswith("source_coverage/marked_model.py: ")
    page = coverage._repr_html_()
    assert page.count("<details open>") == 1
    assert "&lt;lambda&gt;" not in page
    assert "self.weight * x" in page
    with pytest.raises(exir_viz.WrongArgument, match="marked_model"):
        coverage.file("other.py")
    frame = coverage.frame
    assert set(frame["status"]) >= {status.value for status in MARKS.values()}


def test_a_model_of_a_library_is_covered() -> None:
    """transformers' Llama: the file of a model that was not written for this."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, vocab_size=20, use_cache=False,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    found = exir_viz.coverage(model, torch.zeros(1, 4, dtype=torch.long))
    llama = found.file("modeling_llama.py")
    assert found.files[0] is llama
    said = {one.text.strip(): one for one in llama.lines}
    rotate = said["return torch.cat((-x2, x1), dim=-1)"]
    assert (rotate.status.value, rotate.ops) == (
        "traced",
        2 * 2 * 2,
    )  # neg, cat; q, k; two layers
    assert said["if past_key_values is not None:"].note.startswith("Not taken")
    assert said["for decoder_layer in self.layers[: self.config.num_hidden_layers]:"].note.startswith(
        "Unrolled: 2 iterations"
    )
    assert (
        said["attn_weights = torch.matmul(query, key_states.transpose(2, 3)) * scaling"].status == "skipped"
    )


CELL = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        if x.shape[0] == 3:
            return x + 1
        return x.relu()
"""


def test_a_class_of_a_notebook_cell_has_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel's module `__main__` is no file, and Python keeps the text of its cells."""
    file = "/tmp/ipykernel_1/2.py"
    monkeypatch.setattr(sys.modules["__main__"], "__file__", None, raising=False)
    monkeypatch.setitem(linecache.cache, file, (len(CELL), None, CELL.splitlines(keepends=True), file))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CELL, file, "exec"), names)
    found = exir_viz.coverage(names["Model"](), torch.ones(2))
    assert found.names == (file,)
    assert [one.status for one in found.file().lines[3:]] == [MARKS["S"], MARKS["X"], MARKS["T"]]


CONTROL_FLOW = Path(control_flow.__file__).name
CLASSES = ("Closures", "Methods", "While", "Scan", "Lambdas", "Nested")


@pytest.mark.parametrize("name", CLASSES)
def test_bodies_of_control_flow_are_traced_where_ops_name_them(name: str) -> None:
    """TorchDynamo reads them instead of running them; the ops show what ran, as in a strict export."""
    model, x = getattr(control_flow, name)().eval(), torch.randn(2, 3)
    found = exir_viz.coverage(model, x).file(CONTROL_FLOW)
    strict = exir_viz.coverage(model, x, strict=True).file(CONTROL_FLOW)
    traced = {one.number for one in strict.lines if one.status is LineStatus.TRACED}
    assert len(traced) >= 3
    assert {one.number for one in found.lines if one.status is LineStatus.TRACED} == traced
    assert all(one.text.endswith("# T") for one in found.lines if one.number in traced)
    folded = [one.text.strip() for one in found.lines if one.status is LineStatus.FOLDED]
    assert {*folded} <= {"size = x.shape[-1]", "x = x if x.dim() == 2 else unused(x)"}
    assert [one.ops for one in found.lines] == [one.ops for one in strict.lines]
    known = {LineStatus.TRACED, LineStatus.SPECIALISED, LineStatus.FOLDED, LineStatus.PASSED}
    pairs = zip(found.lines, strict.lines, strict=True)
    assert [one for one, other in pairs if other.status in known and one.status is not other.status] == []


@pytest.mark.parametrize("name", CLASSES)
def test_what_control_flow_may_have_called_is_not_known(name: str) -> None:
    found = exir_viz.coverage(getattr(control_flow, name)().eval(), torch.randn(2, 3))
    lines = {one.text.strip(): one for one in found.file(CONTROL_FLOW).lines}
    assert lines["return x.tan()"].status is LineStatus.UNKNOWN
    assert lines["return x.tan()"].note == (
        "No op names a line of never, and functions given to torch.cond are not watched"
    )
    assert lines["def unused(x): return x - 9"].status is LineStatus.UNKNOWN


def test_what_control_flow_cannot_have_called_stays_known() -> None:
    x = torch.randn(2, 3)
    found = exir_viz.coverage(control_flow.Methods().eval(), x).file(CONTROL_FLOW)
    lines = {one.text.strip(): one for one in found.lines}
    assert lines["x = x + 11"].status is LineStatus.SKIPPED
    assert lines["return x.tan() - 1"].note == "unmentioned was not called"
    found = exir_viz.coverage(control_flow.Lambdas().eval(), x).file(CONTROL_FLOW)
    lines = {one.text.strip(): one for one in found.lines}
    assert lines["if x.dim() > 5:"].note.startswith("Not taken. ")
    assert lines["if is_large:"].note.startswith("Taken in some calls, not in others. ")


def test_a_function_on_one_line_ran_only_where_it_was_called() -> None:
    found = exir_viz.coverage(odd_calls.OneLine(), X).file("odd_calls.py")
    lines = {one.text.strip().partition("  #")[0]: one for one in found.lines}
    assert lines["def doubled(y): return y * 2"].status is LineStatus.TRACED
    unused = lines["def unused(y): return y.shape[0] * 2"]
    assert (unused.status, unused.note) == (LineStatus.SKIPPED, "unused was not called")


def test_loops_say_how_often_they_ran_and_no_value_that_changes() -> None:
    lines = exir_viz.coverage(odd_calls.Loops(), X).file("odd_calls.py").lines
    notes = {one.text.strip(): one.note for one in lines}
    decided = "Decided while exporting: the program has no branch"
    assert notes["for part in parts:"] == f"Unrolled. {decided}"
    assert notes["for at in range(4):"].startswith("Unrolled: 4 iterations. ")
    assert notes["for step in range(count):"].startswith("Unrolled: 4 iterations in 2 runs. ")
    assert notes["if at == 1:"] == f"Taken in some iterations or calls, not in others. {decided}"
    assert notes["if last > 1:"] == f"Taken in some iterations or calls, not in others. {decided}"
    assert notes["if not found:"] == f"Taken. {decided}"
