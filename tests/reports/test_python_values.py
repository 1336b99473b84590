"""Every input, attribute and variable is a placeholder, an op, a graph constant, or absent, and says why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch.export import Dim

import exir_viz
from exir_viz.reports import run
from exir_viz.reports.shapes.python_values import python_values
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import PythonValue
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.symbol_names import in_user_names
from tests.remedies.suggestions import suggests

from . import valued_model

X = torch.randn(4, 6)
SHAPES = ({0: Dim("batch", min=2, max=64)}, None)


@pytest.fixture(scope="module")
def program() -> Snapshot:
    return exir_viz.load(valued_model.Model().eval(), X, 3, dynamic_shapes=SHAPES, watch=True)


@pytest.fixture(scope="module")
def values(program: Snapshot) -> list[PythonValue]:
    return values_of(program)


def values_of(x: Snapshot) -> list[PythonValue]:
    return python_values(in_user_names(x))


def watched(model: torch.nn.Module, *args: object) -> list[PythonValue]:
    return values_of(exir_viz.load(model, *args, watch=True))


def named(values: list[PythonValue], name: str) -> PythonValue:
    (found,) = [one for one in values if one.name == name]
    return found


def test_inputs_are_dynamic_or_fixed(values: list[PythonValue]) -> None:
    x, n = (one for one in values if one.role.value == "input")
    assert (x.name, x.outcome.value, x.value) == ("x", "placeholder", "f32[batch, 6]")
    assert x.note == "Its data varies, and dimension 0"
    assert (n.name, n.outcome.value, n.value) == ("n", "graph constant", "3")
    with pytest.raises(Exception, match="3"):  # the program refuses another value, as the note says
        torch.export.export(valued_model.Model(), (X, 3)).module()(X, 4)


@pytest.mark.parametrize(
    ("name", "outcome", "note"),
    [
        ("a.norm.weight", "placeholder", "A parameter"),
        ("b.steps", "placeholder", "A buffer that is not in the state dict"),
        ("a.fixed", "graph constant", "A tensor that is no parameter or buffer: it cannot change"),
        ("a.scale", "graph constant", "An argument of mul (valued_model.py:"),
        ("b.norm.eps", "graph constant", "The argument eps of layer_norm"),
        ("a.power", "absent", "Python read it at valued_model.py:"),
        ("a.flag", "absent", "Python read it at valued_model.py:"),
        ("b.unused", "absent", "No line of yours read it while exporting"),
    ],
)
def test_attributes(values: list[PythonValue], name: str, outcome: str, note: str) -> None:
    one = named(values, name)
    assert one.outcome.value == outcome
    assert one.note.startswith(note)


@pytest.mark.parametrize(
    ("name", "value", "outcome"),
    [
        ("Block.forward: dim", "-1", "graph constant"),
        ("Block.forward: k", "4", "graph constant"),
        ("doubled: u", "1.0", "graph constant"),
        ("Block.forward: columns", "6", "graph constant"),
        ("doubled: s", "0.5", "absent"),
        ("doubled: left", "12345", "absent"),
    ],
)
def test_variables(values: list[PythonValue], name: str, value: str, outcome: str) -> None:
    one = named(values, name)
    assert (one.value, one.outcome.value) == (value, outcome)
    line = Path(valued_model.__file__).read_text().splitlines()[one.line - 1]
    assert name.partition(": ")[2] in line


def test_a_size_that_varies_is_an_op(values: list[PythonValue]) -> None:
    batch = named(values, "Block.forward: batch")
    assert (batch.value, batch.outcome.value) == ("batch", "op")
    static = named(watched(valued_model.Model().eval(), X, 3), "Block.forward: batch")
    assert (static.value, static.outcome.value) == ("4", "graph constant")


def test_constants_are_arguments_of_their_ops(program: Snapshot, values: list[PythonValue]) -> None:
    graph = program.method.graph
    scale = named(values, "a.scale")
    assert len(scale.nodes) == 1  # the other block has its own
    assert [graph[node.partition("/")[2]].args[1] for node in scale.nodes] == [0.5]
    (eps,) = named(values, "a.norm.eps").nodes
    assert 1e-3 in graph[eps.partition("/")[2]].args


def test_the_report_lists_them(program: Snapshot, values: list[PythonValue]) -> None:
    report = run("shapes", program)
    titles = ("Values of inputs", "Values of attributes", "Values of variables")
    rows = [row for section in report.sections if section.title in titles for row in section.rows]
    assert [(row.title, row.values, row.nodes) for row in rows] == [
        (one.name, (one.type, one.value, one.outcome.value), one.nodes) for one in values
    ]
    assert "valued_model.py" in str(report)
    assert "contextlib" not in str(report)
    assert "a.scale" in report.to_html()
    assert report.unexamined == ()


def test_a_program_and_a_file_have_inputs_and_state(
    program: Snapshot, values: list[PythonValue], tmp_path: Path
) -> None:
    bare = torch.export.export(valued_model.Model(), (X, 3))
    report = run("shapes", bare)
    assert not any(section.title == "Values of variables" for section in report.sections)

    def said() -> None:
        raise RuntimeError(report.unexamined[0])

    suggests("Pass exir_viz.load(model, x, watch=True), which watches the export.", said)
    assert any(section.title == "Values of variables" for section in run("shapes", program).sections)
    kept = exir_viz.load(program.save(tmp_path / "model.exirviz"))
    assert len(values_of(kept)) == len(values)
    assert named(values_of(kept), "a.scale").value == "0.5"


def test_without_sources_values_of_code_are_left_out(program: Snapshot) -> None:
    shared = Redaction([program], sources=False).snapshot(program)
    assert {one.value for one in shared.detail.python_values} == {""}
    assert not any(Path(one.file).is_absolute() for one in shared.detail.python_values)


def test_a_diagnosis_is_explored_with_its_marks() -> None:
    class Branch(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x * 2
            if y.sum() > 0:
                y = y + 1
            return y

    suggests("Pass draft=True to exir_viz.doctor:", exir_viz.explore, exir_viz.doctor(Branch(), X))
    diagnosis = exir_viz.doctor(Branch(), X, draft=True)
    shown = exir_viz.explore(diagnosis)
    assert shown.snapshot is diagnosis.snapshot
    assert set(diagnosis.marks.values()) == {"branch on data"}
    assert "forward/mul" not in diagnosis.marks
    assert list(shown._series) == ["blockers of the export"]


def test_a_diagnosis_without_blockers_has_no_program_to_explore() -> None:
    diagnosis = exir_viz.doctor(torch.nn.ReLU(), X)
    suggests("pass the module to exir_viz.explore with its example inputs.", exir_viz.explore, diagnosis)
    assert exir_viz.explore(torch.nn.ReLU(), X).snapshot.methods


class Shared(torch.nn.Module):
    """Tied weights, a module with two names, a view of a buffer, and a parameter that nothing uses."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = torch.nn.Embedding(20, 6)
        self.head = torch.nn.Linear(6, 20, bias=False)
        self.head.weight = self.emb.weight
        self.body = self.alias = torch.nn.Linear(6, 6)
        self.unused = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("cache", torch.ones(4, 6))
        self.register_buffer("row", self.cache[:1])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.alias(self.emb(ids)) + self.cache[:1])


def test_no_op_uses_only_memory_that_no_op_uses(tmp_path: Path) -> None:
    program = torch.export.export(Shared(), (torch.tensor([1, 2]),))
    torch.export.save(program, tmp_path / "shared.pt2")
    for given in (program, tmp_path / "shared.pt2"):
        snapshot = exir_viz.load(given)
        found = values_of(snapshot)
        assert [one.name for one in found if "no op uses it" in one.note] == ["unused"]
        said = {one.name: one.note for one in found if "ops use its memory" in one.note}
        graph = snapshot.method.graph
        named = {spec.target: graph[spec.arg.name] for spec in graph.signature.inputs}
        assert {*said} == {name for name, node in named.items() if name and not node.users} - {"unused"}
        assert "emb.weight" in said or "head.weight" in said
        for note in said.values():
            assert named[note.rpartition(" as ")[2]].users
        unused = [row for row in exir_viz.check(given).rows() if row.name == "unused-state"]
        assert [row.nodes for row in unused] == [(named["unused"].id,)]


def lines_of(text: str) -> list[str]:
    """The lines of the model that a note names."""
    model = Path(valued_model.__file__).read_text().splitlines()
    return [model[int(one) - 1].strip() for one in re.findall(r"valued_model\.py:(\d+)", text)]


def test_only_lines_that_ran_are_said_to_use_a_value() -> None:
    snapshot = exir_viz.load(valued_model.Skips(), X, watch=True)
    found = values_of(snapshot)
    table = run("source", snapshot, only="valued_model.py").line_table()
    lines = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    ran = {one["text"].strip() for one in lines if one["mark"] not in ("never reached", "")}
    for one in found:
        assert {*lines_of(one.note)} <= ran, one
    assert lines_of(named(found, "Skips.forward: opt").note) == ["if opt is not None:"]
    assert lines_of(named(found, "limit").note) == ["elif self.limit > 9:"]
    assert named(found, "extra").note == "No line of yours read it while exporting"
    assert named(found, "Skips.forward: lost").note == "No line that ran uses it"
    assert named(found, "Skips.forward: closed").outcome.value == "graph constant"
    unused = named(found, "block.unused").note
    assert unused.startswith("No method of its module read it; an attribute of this name is read at ")
    assert lines_of(unused) == ["return self.pool(shifted(x)) * self.block.unused"]


def test_a_number_for_each_dimension_is_an_argument_of_the_op() -> None:
    snapshot = exir_viz.load(valued_model.Skips(), X, watch=True)
    found = values_of(snapshot)
    (pool,) = (node for node in snapshot.method.graph if node.target.name == "max_pool1d")
    for name in ("pool.kernel_size", "pool.stride", "pool.padding"):
        one = named(found, name)
        assert (one.outcome.value, one.nodes) == ("graph constant", (pool.id,))
    assert named(found, "pool.ceil_mode").outcome.value == "absent"


def test_values_that_control_flow_reads() -> None:
    for path, model in (("", valued_model.Branches()), ("0.", torch.nn.Sequential(valued_model.Branches()))):
        found = watched(model, X)
        factor = named(found, f"{path}factor")
        assert (factor.outcome.value, len(factor.nodes)) == ("graph constant", 1)
        assert lines_of(factor.note) == ["return x * self.factor"]
        assert named(found, f"{path}power").note == "No watched line of yours read it while exporting"
