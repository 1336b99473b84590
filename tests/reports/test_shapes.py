"""The report `shapes`: dimensions and conditions are those of the program, bytes at sizes those of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import Dim

import exir_viz
from exir_viz.reports import Report, Row, Slider, run
from exir_viz.snapshot.format import byte_text
from tests.corpus.programs import exported


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 5)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 3:
            x = x * 2
        if x.shape[1] != 6:
            raise ValueError("six columns")
        x = x.reshape(-1, 6)
        return torch.cat([self.linear(x), self.linear(x)]).sum(0) + y.sum()


X, Y = torch.randn(4, 6), torch.randn(8)
AUTO = {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "y": {0: Dim.AUTO}}


def rows(report: Report, title: str) -> list[Row]:
    return [row for section in report.sections if section.title == title for row in section.rows]


def dimensions(x: object) -> list[Row]:
    """Rows whose values are the dimension, its kind, its size and its range."""
    return rows(run("shapes", x), "Dimensions of inputs")


def lines_of(row: Row) -> list[str]:
    """The lines of this file that a row names."""
    text = Path(__file__).read_text().splitlines()
    return [text[int(one) - 1].strip() for one in re.findall(r"test_shapes\.py:(\d+)", row.reason)]


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return torch.export.export(Model(), (X, Y), dynamic_shapes=AUTO)


def test_every_dimension_says_what_decided_it(program: torch.export.ExportedProgram) -> None:
    report = run("shapes", program)
    first, second, size = dimensions(program)
    (rows_symbol,) = (one.name for one in report.sliders if one.example == 4)
    assert first.values == (0, "dynamic", f"{rows_symbol} = 4", "4 … ∞")
    assert first.reason.startswith(f"requires {rows_symbol} > 3; decided by test_shapes.py:")
    assert lines_of(first) == ["if x.shape[0] > 3:"]
    assert second.values[1:3] == ("specialised", "6")
    assert lines_of(second) == ["if x.shape[1] != 6:"]
    assert (size.values[1], size.reason) == ("dynamic", "")
    assert [row.nodes for row in (first, second, size)] == [("forward/x",), ("forward/x",), ("forward/y",)]
    assert (report.headline, report.outcome.value) == (
        "2 of 3 dimensions of the inputs may vary; your code fixed 1 more",
        "note",
    )
    (condition,) = rows(report, "Conditions")
    assert (condition.title, lines_of(condition)) == (f"{rows_symbol} > 3", ["if x.shape[0] > 3:"])


def helper(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, torch.ones(3, 6))


class FixedByTorch(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return helper(x), y.view(4, 2)


def test_sizes_that_functions_of_torch_fix_name_the_line_that_called_them() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    before = ShapeEnv._get_stack_summary
    snapshot = exir_viz.load(FixedByTorch(), X, Y, dynamic_shapes=AUTO)
    assert ShapeEnv._get_stack_summary is before
    found = {
        (one.title, one.values[0]): lines_of(one)
        for one in dimensions(snapshot)
        if one.values[1] == "specialised"
    }
    assert found == {
        ("x", 1): ["return torch.nn.functional.linear(x, torch.ones(3, 6))"],
        ("y", 0): ["return helper(x), y.view(4, 2)"],
    }
    found_rows = [row for row in exir_viz.check(snapshot).rows() if row.name == "fixed-dimension"]
    texts = {node: text for row in found_rows for node, text in zip(row.nodes, row.texts, strict=True)}
    assert texts.keys() == {"forward/x", "forward/y"}
    assert all("was meant to be dynamic" in text for text in texts.values())
    assert all("because of test_shapes.py:" in text for text in texts.values())


@pytest.mark.parametrize("size", [4, 7, 33])
def test_bytes_at_a_size_are_those_of_a_run(program: torch.export.ExportedProgram, size: int) -> None:
    (name,) = (one.name for one in run("shapes", program).sliders if one.example == 4)
    report = run("shapes", program, at={name: size})
    seen: dict[str, int] = {}

    class Noting(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> object:
            result = super().run_node(n)
            if isinstance(result, torch.Tensor) and n.op != "output":
                seen[n.name] = result.nbytes
            return result

    state = [program.state_dict[key] for key in program.graph_signature.inputs_to_parameters.values()]
    Noting(program.graph_module).run(*state, torch.randn(size, 6), Y)
    calls = {node.name for node in program.graph.nodes if node.op == "call_function"}
    assert len(seen) > 6
    results = sum(count for node, count in seen.items() if node in calls)
    inputs = sum(seen.values()) - results
    (fact,) = (one for one in report.facts if one.label == "bytes")
    said = f"inputs and state {byte_text(inputs)}, results of all ops {byte_text(results)}, for "
    assert fact.text.startswith(said)
    assert f"{name} = {size}" in fact.text
    follows = {row.title: row.values[0] for row in rows(report, "Sizes that follow")}
    assert follows == {f"2*{name}": 2 * size}
    by_shape = {row.title: row.values for row in rows(report, "Shapes of values")}
    assert by_shape[f"f32[2*{name}, 5]"] == (1, 2 * size * 5 * 4)


def test_a_size_out_of_range_names_the_condition(program: torch.export.ExportedProgram) -> None:
    (name,) = (one.name for one in run("shapes", program).sliders if one.example == 4)
    refused = exir_viz.errors.WrongArgument
    with pytest.raises(refused, match=rf"at\['{name}'\] is 3\. Expected: a size for which {name} >"):
        run("shapes", program, at={name: 3})
    with pytest.raises(refused, match="one of the symbols"):
        run("shapes", program, at={"rows": 3})
    limited = exir_viz.load(nn.ReLU(), X, dynamic_shapes=({0: Dim("batch", min=2, max=64)},))
    (fact, _) = run("shapes", limited, at={"batch": 64}).facts
    assert f"results of all ops {byte_text(64 * 6 * 4)}, for batch = 64" in fact.text
    with pytest.raises(refused, match=r"at\['batch'\] is 65\. Expected: a size for which batch <= 64"):
        run("shapes", limited, at={"batch": 65})
    assert [one.values[1] for one in dimensions(limited)] == ["dynamic", "static"]
    assert run("shapes", limited).sliders == (Slider("batch", 2, 64, 4),)


class Items(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values, positions = x.max(1)
        one, other = x.chunk(2, 1)
        return values + positions + (one * other).sum()


def test_results_count_once_with_their_items() -> None:
    snapshot = exir_viz.load(Items(), torch.randn(4, 6), dynamic_shapes=({0: Dim("rows")},))
    by_hand = {"max": 12, "chunk": 6 * 4, "add": 4, "mul": 3 * 4, "sum": 0, "add_1": 4}
    for size in (4, 9):
        (fact, _) = run("shapes", snapshot, at={"rows": size}).facts
        assert f"results of all ops {byte_text(size * sum(by_hand.values()) + 4)}, for" in fact.text


class Related(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, x]) + y[1:]


def test_related_dimensions_follow() -> None:
    batch = Dim("batch", min=2, max=64)
    snapshot = exir_viz.load(
        Related(), torch.ones(4), torch.ones(9), dynamic_shapes=({0: batch}, {0: 2 * batch + 1})
    )
    report = run("shapes", snapshot, at={"batch": 10})
    first, second = rows(report, "Dimensions of inputs")
    assert first.values[1:3] == ("dynamic", "batch = 10")
    assert second.values[1:3] == ("related", "2*batch + 1 = 21")
    assert second.formula is not None
    assert second.formula.postfix == "2 batch Mul:2 1 Add:2"
    with pytest.raises(
        exir_viz.errors.WrongArgument, match=r"is 65\. Expected: a size for which batch <= 64"
    ):
        run("shapes", snapshot, at={"batch": 65})
    # The line that adds both is known; that another symbol was once used for y is of no use.
    assert first.reason == second.reason
    assert lines_of(first) == ["return torch.cat([x, x]) + y[1:]"]
    (symbol,) = rows(report, "Symbols")
    assert (symbol.title, symbol.values, symbol.query) == ("batch", ("2 … 64", 4), "symbol:batch")
    assert symbol.nodes == ("forward/x",)
    assert re.match(r"in the shapes of \d nodes; bound by x\.size\(\)\[0\]; s\d+ in torch", symbol.reason)


def test_a_file_has_the_same(program: torch.export.ExportedProgram, tmp_path: Path) -> None:
    path = exir_viz.load(program).save(tmp_path / "model.exirviz")
    assert run("shapes", path) == run("shapes", program)
    assert "specialised" in str(run("shapes", path))


def test_a_manager_is_accepted(program: torch.export.ExportedProgram) -> None:
    from executorch.exir import EdgeCompileConfig, to_edge

    manager = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    assert [one.reason for one in dimensions(manager)] == [one.reason for one in dimensions(program)]


class Numbers(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        batch = x.shape[0]
        return x.relu(), torch.arange(batch * 2 + 1), batch * 3 + y.shape[0]


def test_numbers_are_not_counted_as_shapes() -> None:
    shapes = {0: Dim("batch", min=4, max=32)}, {0: Dim("size", min=2, max=64)}
    program = torch.export.export(Numbers(), (torch.ones(4, 3), torch.ones(8)), dynamic_shapes=shapes)
    values = [node.meta.get("val") for node in program.graph.nodes]
    names = {str(spec.shape[0]): name for spec, name in zip(values, ("batch", "size"), strict=False)}
    found = {row.title: row.reason for row in rows(run("shapes", program), "Symbols")}
    for symbol, name in names.items():
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        numbers = [value for value in values if isinstance(value, torch.SymInt)]
        shapes_of = sum(symbol in str(tuple(value.shape)) for value in tensors)
        values_of = sum(symbol in str(value) for value in numbers)
        assert min(shapes_of, values_of) > 0
        said = re.match(r"in the shapes? of (\d+) nodes? and the values? of (\d+) nodes?;", found[name])
        assert said is not None
        assert (int(said[1]), int(said[2])) == (shapes_of, values_of)


def test_every_method_has_its_sizes() -> None:
    from executorch.exir import to_edge

    programs = {
        "still": torch.export.export(nn.ReLU(), (X,)),
        "varying": torch.export.export(nn.ReLU(), (X,), dynamic_shapes=({0: Dim("batch", min=2, max=8)},)),
    }
    report = run("shapes", to_edge(programs))
    kinds = {
        name: [row.values[1] for row in rows(report, f"Dimensions of inputs of {name}")] for name in programs
    }
    assert kinds == {"still": ["static", "static"], "varying": ["dynamic", "static"]}
    assert [one.label for one in report.facts[:2]] == ["bytes of still", "bytes of varying"]
    assert [one.upper for one in report.sliders] == [8]


class Asserts(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        size = n.item()
        torch._check(size > 1, lambda: "too small")
        return x[:size]


def test_asserts_at_run_time_say_their_message() -> None:
    program = torch.export.export(Asserts(), (torch.ones(8), torch.tensor(3)))
    report = run("shapes", program)
    asserts = rows(report, "Asserts at run time")
    assert any("1" in row.title and row.nodes for row in asserts)
    (symbol,) = rows(report, "Symbols")
    assert "computed from data: no size of an input" in symbol.reason


def test_a_condition_among_the_sizes_is_true_or_false() -> None:
    report = run("shapes", exported("db:cond_operands"))
    assert {row.title: row.values for row in rows(report, "Sizes that follow")} == {"dim0_x > 2": ("true",)}
    assert report.frame["now"].dropna().tolist() == ["true"]
