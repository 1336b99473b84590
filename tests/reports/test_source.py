"""The report `source` says of every line what torch.export made of it, and nothing that it does not know."""

from __future__ import annotations

import importlib
import linecache
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch.export import Dim

import exir_viz
from exir_viz.reports import Report, SourceFile, run
from exir_viz.reports.source.marks import MARKS, Status
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.placement import working
from tests.nightly import nightly, some
from tests.remedies.suggestions import suggests

from . import control_flow, marked_model, odd_calls

X = torch.randn(4, 6)
BATCH = Dim("batch", min=4, max=64)
SIGNS = {
    "T": Status.TRACED,
    "S": Status.SPECIALISED,
    "F": Status.FOLDED,
    "P": Status.PASSED,
    "X": Status.SKIPPED,
}


class Line(NamedTuple):
    number: int
    text: str
    status: Status
    note: str
    ops: int
    bytes: int
    nodes: tuple[str, ...]


def watched(model: nn.Module, *args: Any, **options: Any) -> Snapshot:
    return exir_viz.load(model, *args, watch=True, **options)


def of(x: object, file: str = "") -> list[Line]:
    """The lines of a file of the report."""
    return lines(run("source", x, only=file).sources[0])


def lines(source: SourceFile) -> list[Line]:
    columns = (source.numbers, source.texts, map(Status, source.marks), source.notes)
    return [Line(*one) for one in zip(*columns, source.ops, source.bytes, source.nodes, strict=True)]


def line(x: list[Line], text: str) -> Line:
    return next(one for one in x if one.text.strip().startswith(text))


@pytest.fixture(scope="module")
def program() -> Snapshot:
    return watched(marked_model.Model().eval(), X, dynamic_shapes=({0: BATCH},))


@pytest.fixture(scope="module")
def report(program: Snapshot) -> Report:
    return run("source", program, only="marked_model.py")


@pytest.fixture(scope="module")
def marked(report: Report) -> list[Line]:
    return lines(report.sources[0])


def marks() -> list[Status]:
    text = Path(marked_model.__file__).read_text().splitlines()
    return [SIGNS.get(line.rpartition("  # ")[2] if "  # " in line else "", Status.NONE) for line in text]


def test_every_line_of_a_hand_marked_file(marked: list[Line]) -> None:
    """The program has torch.cond: what it may have read is not known, unless ops name it."""
    expected = marks()
    assert len(expected) >= 200
    assert min(Counter(expected)[status] for status in SIGNS.values()) >= 10
    wrong = [
        f"{one.number}: {one.text} — {one.status.name}, not {mark.name}"
        for one, mark in zip(marked, expected, strict=True)
        if one.status is not mark and not (one.status is Status.UNKNOWN and mark is Status.SKIPPED)
    ]
    assert wrong == []
    unknown = [one.text.strip() for one in marked if one.status is Status.UNKNOWN]
    assert [text.partition("  #")[0] for text in unknown] == [
        *("y = x + 1", "if y.sum() > 0:", "return y", "return x"),
        'return f"{self.size}"',
    ]


def test_a_branch_says_which_way_it_went_and_why(marked: list[Line]) -> None:
    assert line(marked, "if self.training:").note == (
        "Not taken. Decided while exporting: the program has no branch"
    )
    assert line(marked, "elif root < 1:").note.startswith("Not taken. ")
    assert line(marked, "if mask is None:").note == (
        "Taken. Decided while exporting (mask is None): the program has no branch"
    )
    in_loop = "Taken in some iterations or calls, not in others. "
    assert line(marked, "if weight == 0:").note.startswith(in_loop)
    assert line(marked, "if count == 2:").note.startswith(in_loop)
    assert line(marked, "for layer in").note.startswith("Unrolled: 2 iterations. ")
    assert line(marked, "while count").note.startswith("Unrolled: 2 iterations. ")


def test_a_function_that_nothing_calls_was_not_called() -> None:
    found = of(watched(odd_calls.Loops(), X), "odd_calls.py")
    never = line(found, "return kept * 9")
    assert never.status is Status.SKIPPED
    assert found[never.number - 2].note == "never was not called"


def test_a_branch_on_a_size_names_what_the_program_requires() -> None:
    snapshot = watched(marked_model.Model().eval(), X, dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    found = of(snapshot, "marked_model.py")
    (batch,) = (symbol.name for symbol in snapshot.method.symbols)
    assert line(found, "if batch >").note == f"Taken. The program requires {batch} > 3"
    assert re.fullmatch(r"Not taken. The program requires s\d+ == 6", line(found, "if size != 6:").note)


def test_the_ops_of_a_line_are_those_that_it_made(program: Snapshot, marked: list[Line]) -> None:
    every = [node.id for method in program.methods.values() for graph in method.graphs()
             for node in map(graph.__getitem__, working(graph))]  # fmt: skip
    made = [node for one in run("source", program).sources for nodes in one.nodes for node in nodes]
    assert len(made) == len(set(made))
    assert set(made) <= set(every)
    assert len(made) >= len(every) - 1  # an assertion on a size has no line
    gate = line(marked, "gate = torch.sigmoid(x)")
    assert (len(gate.nodes), gate.ops) == (2, 2)  # each of two layers calls it
    assert {name.partition("/")[2].rpartition("_")[0] or name for name in gate.nodes} <= {
        "sigmoid",
        "forward/sigmoid",
    }
    call = line(marked, "out = swish(out)")
    assert (len(call.nodes), call.ops) == (0, 4)
    assert call.bytes == 2 * (2 + 3) * 4 * 6 * 4  # of each layer: a sigmoid, a product of two


@pytest.mark.parametrize("strict", [False, *nightly([True])])
@pytest.mark.parametrize("module", [marked_model.Model, odd_calls.Calls], ids=["marked", "odd"])
def test_what_stack_traces_prove_is_true(module: type[nn.Module], strict: bool) -> None:
    """Without watching, a line is as when it is watched, or not known."""
    model = module().eval()
    shapes = ({0: BATCH},) if module is marked_model.Model else None
    file = Path(sys.modules[module.__module__].__file__ or "").name
    known = of(watched(model, X, dynamic_shapes=shapes), file)
    program = torch.export.export(model, (X,), dynamic_shapes=shapes, strict=strict)
    report = run("source", program, only=file)
    pairs = list(zip(lines(report.sources[0]), known, strict=True))
    assert [one for one, other in pairs if one.status not in (other.status, Status.UNKNOWN)] == []
    proved = {one.status for one, _ in pairs} - {Status.NONE, Status.UNKNOWN}
    assert proved == {Status.TRACED, Status.SPECIALISED}
    traced = [one for one, other in pairs if other.status is Status.TRACED]
    assert sum(one.status is Status.TRACED for one in traced) > len(traced) / 2
    assert not any("aken" in one.note for one, _ in pairs)  # which way a branch went

    def fails() -> None:
        raise RuntimeError(report.unexamined[0])

    suggests("Pass exir_viz.load(model, x, watch=True), which watches the export.", fails)
    assert run("source", watched(odd_calls.Loops(), X)).unexamined == ()


def test_a_condition_shows_that_its_line_ran() -> None:
    shapes = ({0: Dim.AUTO, 1: Dim.AUTO},)
    program = torch.export.export(marked_model.Model().eval(), (X,), dynamic_shapes=shapes)
    found = line(of(program, "marked_model.py"), "if batch >")
    assert found.status is Status.SPECIALISED
    assert re.fullmatch(r"The program requires s\d+ > 3", found.note)


def test_a_saved_program_keeps_its_lines_and_is_read_without_torch(
    program: Snapshot, marked: list[Line], tmp_path: Path
) -> None:
    path = program.save(tmp_path / "model.exirviz")
    assert of(path, "marked_model.py") == marked
    code = (
        "import sys\n"
        "from exir_viz.reports import run\n"
        f"report = run('source', {str(path)!r})\n"
        "print(sum(report.sources[0].ops) > 10, 'torch' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True", "False"]
    bare = run("source", program.save(tmp_path / "bare.exirviz", sources=False))
    assert {text for one in bare.sources for text in one.texts} == {""}


def test_a_file_that_changed_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "changing.py"
    body = "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    file.write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    changing = importlib.import_module("changing")
    snapshot = exir_viz.load(changing.M(), torch.ones(2))
    file.write_text(body.replace("x + 1", "x + 2  # secret"))
    report = run("source", snapshot, only="changing.py")
    assert "the source file is missing, changed or not read" in report.sources[0].note
    assert [one[:3] for one in lines(report.sources[0])] == [(4, "return x + 1", Status.TRACED)]
    assert "secret" not in str(report)


def test_a_model_of_a_notebook_has_its_lines() -> None:
    """Its file is only in Python's own cache of lines, as of a cell."""
    text = "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    file = "/absent/cell_of_a_notebook.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "cell"}
    exec(compile(text, file, "exec"), names)
    found = of(watched(names["M"](), torch.ones(2)), "cell_of_a_notebook.py")
    assert [one.status for one in found] == [Status.NONE] * 3 + [Status.TRACED]


def test_a_profile_gives_lines_their_time() -> None:
    stage = exir_viz.Session(marked_model.Model().eval(), X).root
    profile = exir_viz.profile(stage, X, repeats=2)
    (timed,) = run("source", profile, profile=profile, only="marked_model.py").sources
    own = [share for share, nodes in zip(timed.shares, timed.nodes, strict=True) if nodes]
    assert 0 < sum(own) <= 1.000001
    with pytest.raises(
        exir_viz.errors.WrongArgument, match=r"source\(\): profile .* profile of the same program"
    ):
        run("source", exir_viz.load(torch.nn.Linear(2, 3), torch.ones(1, 2)), profile=profile)


def test_watching_leaves_tracing_and_torch_as_they_were() -> None:
    seen: list[str] = []

    def tracer(frame: object, event: str, arg: object) -> None:
        seen.append(event)

    frames, before = torch.fx.proxy.TracerBase._filter_traceback_frames, sys.gettrace()
    sys.settrace(tracer)
    try:
        watched(nn.ReLU(), torch.ones(2))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert torch.fx.proxy.TracerBase._filter_traceback_frames is frames
    with pytest.raises(exir_viz.errors.ExportFailed):
        watched(marked_model.Model(), torch.ones(4, 5))
    assert sys.gettrace() is before


def test_only_a_module_that_runs_is_watched() -> None:
    suggests("Leave out strict=True: with it torch reads your code instead of running it.",
             watched, nn.ReLU(), torch.ones(2), strict=True)  # fmt: skip
    assert watched(nn.ReLU(), torch.ones(2)).methods
    with pytest.raises(exir_viz.errors.WrongArgument, match="watch is given"):
        watched(torch.export.export(nn.ReLU(), (torch.ones(2),)))


def test_texts_and_tables(report: Report) -> None:
    listing = str(report).splitlines()
    begin = listing.index(report.sources[0].file)
    assert listing[begin + 1] == "  ".join(f"{mark.sign} {mark.label}" for mark in MARKS)
    assert len(listing) == begin + 2 + len(marks())
    page = report.to_html()
    assert "&lt;lambda&gt;" not in page
    assert "self.weight * x" in page
    with pytest.raises(exir_viz.errors.WrongArgument, match="marked_model"):
        run("source", watched(marked_model.Model().eval(), X), only="other.py")
    frame = report.line_table().frame()
    assert set(frame["mark"]) >= {MARKS[status].label for status in SIGNS.values()}
    (row,) = report.rows()
    assert row.values[1:] == tuple(Counter(report.sources[0].marks)[at] for at in range(len(MARKS)))


def test_a_model_of_a_library_has_its_lines() -> None:
    """transformers' Llama: the file of a model that was not written for this."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, vocab_size=20, use_cache=False,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    llama = run("source", watched(model, torch.zeros(1, 4, dtype=torch.long))).sources[0]
    assert llama.file.endswith("modeling_llama.py")
    said = {one.text.strip(): one for one in lines(llama)}
    rotate = said["return torch.cat((-x2, x1), dim=-1)"]
    assert (rotate.status, len(rotate.nodes)) == (Status.TRACED, 2 * 2 * 2)  # neg, cat; q, k; two layers
    assert said["if past_key_values is not None:"].note.startswith("Not taken")
    assert said["for decoder_layer in self.layers[: self.config.num_hidden_layers]:"].note.startswith(
        "Unrolled: 2 iterations"
    )
    eager = said["attn_weights = torch.matmul(query, key_states.transpose(2, 3)) * scaling"]
    assert eager.status is Status.SKIPPED


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
    (found,) = run("source", watched(names["Model"](), torch.ones(2))).sources
    assert found.file == file
    assert found.marks[3:] == (Status.SPECIALISED, Status.SKIPPED, Status.TRACED)


CONTROL_FLOW = Path(control_flow.__file__).name
CLASSES = ("Closures", "Methods", "While", "Scan", "Lambdas", "Nested")


@pytest.mark.parametrize("name", some(CLASSES, CLASSES[::3]))
def test_bodies_of_control_flow_are_traced_where_ops_name_them(name: str) -> None:
    """TorchDynamo reads them instead of running them; the ops show what ran, as in a strict export."""
    model, x = getattr(control_flow, name)().eval(), torch.randn(2, 3)
    report = run("source", watched(model, x), only=CONTROL_FLOW)
    found = lines(report.sources[0])
    strict = of(exir_viz.load(model, x, strict=True), CONTROL_FLOW)
    traced = {one.number for one in strict if one.status is Status.TRACED}
    assert len(traced) >= 3
    assert {one.number for one in found if one.status is Status.TRACED} == traced
    assert all(one.text.endswith("# T") for one in found if one.number in traced)
    folded = [one.text.strip() for one in found if one.status is Status.FOLDED]
    assert {*folded} <= {"x = x if x.dim() == 2 else unused(x)"}
    assert [one.ops for one in found] == [one.ops for one in strict]
    (missing,) = report.unexamined
    assert missing.startswith("functions given to torch.cond")


@pytest.mark.parametrize("name", some(CLASSES, CLASSES[::3]))
def test_what_control_flow_may_have_called_is_not_known(name: str) -> None:
    found = of(watched(getattr(control_flow, name)().eval(), torch.randn(2, 3)), CONTROL_FLOW)
    assert line(found, "return x.tan()").status is Status.UNKNOWN
    assert line(found, "def unused(x): return x - 9").status is Status.UNKNOWN
    notes = {one.note for one in found if one.status is Status.UNKNOWN} - {""}
    assert notes == {"Not known: torch.cond, while_loop and scan read functions instead of running them"}


def test_what_was_watched_stays_known_beside_control_flow() -> None:
    x = torch.randn(2, 3)
    found = of(watched(control_flow.Methods().eval(), x), CONTROL_FLOW)
    assert line(found, "x = x + 11").status is Status.SKIPPED
    found = of(watched(control_flow.Lambdas().eval(), x), CONTROL_FLOW)
    assert line(found, "if x.dim() > 5:").note.startswith("Not taken. ")
    # a function that was watched, and read too: neither which way it went, nor the value that decided
    assert line(found, "if is_large:").note == "Decided while exporting: the program has no branch"


def test_a_function_on_one_line_ran_only_where_it_was_called() -> None:
    found = of(watched(odd_calls.OneLine(), X), "odd_calls.py")
    assert line(found, "def doubled(y): return y * 2").status is Status.TRACED
    unused = line(found, "def unused(y): return y.shape[0] * 2")
    assert (unused.status, unused.note) == (Status.SKIPPED, "unused was not called")


def test_loops_say_how_often_they_ran_and_no_value_that_changes() -> None:
    notes = {one.text.strip(): one.note for one in of(watched(odd_calls.Loops(), X), "odd_calls.py")}
    decided = "Decided while exporting: the program has no branch"
    assert notes["for part in parts:"] == f"Unrolled. {decided}"
    assert notes["for at in range(4):"].startswith("Unrolled: 4 iterations. ")
    assert notes["for step in range(count):"].startswith("Unrolled: 4 iterations in 2 runs. ")
    assert notes["if at == 1:"] == f"Taken in some iterations or calls, not in others. {decided}"
    assert notes["if last > 1:"] == f"Taken in some iterations or calls, not in others. {decided}"
    assert notes["if not found:"] == f"Taken. {decided}"
