"""Dimensions and conditions are those of the program; shapes for given sizes are those of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import Dim

import exir_viz
from exir_viz.symbolic_shapes.records import DimensionKind


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


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return torch.export.export(Model(), (X, Y), dynamic_shapes=AUTO)


def test_every_dimension_says_what_decided_it(program: torch.export.ExportedProgram) -> None:
    rows, second, size = exir_viz.shapes(program).dimensions
    assert (rows.kind, rows.size, rows.lower) == (DimensionKind.DYNAMIC, 4, 4)
    assert rows.requires[0] == f"{rows.expr} > 3"
    file, _, number = rows.lines[0].partition(":")
    assert file == "test_shapes.py"
    assert "if x.shape[0] > 3" in Path(__file__).read_text().splitlines()[int(number) - 1]
    assert (second.kind, second.expr) == (DimensionKind.SPECIALISED, "6")
    (line,) = second.lines
    assert "if x.shape[1] != 6" in Path(__file__).read_text().splitlines()[int(line.partition(":")[2]) - 1]
    assert (size.kind, size.size, size.requires) == (DimensionKind.DYNAMIC, 8, ())


def helper(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, torch.ones(3, 6))


class FixedByTorch(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return helper(x), y.view(4, 2)


def test_sizes_that_functions_of_torch_fix_name_the_line_that_called_them() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    before = ShapeEnv._get_stack_summary
    shapes = exir_viz.shapes(FixedByTorch(), X, Y, dynamic_shapes=AUTO)
    assert ShapeEnv._get_stack_summary is before
    text = Path(__file__).read_text().splitlines()
    found = {
        (one.input, one.dim): [text[int(line.rpartition(":")[2]) - 1].strip() for line in one.lines]
        for one in shapes.dimensions
        if one.kind is DimensionKind.SPECIALISED
    }
    assert found == {
        ("x", 1): ["return torch.nn.functional.linear(x, torch.ones(3, 6))"],
        ("y", 0): ["return helper(x), y.view(4, 2)"],
    }
    rows = [row for row in exir_viz.check(shapes.snapshot).rows() if row.name == "fixed-dimension"]
    texts = {node: text for row in rows for node, text in zip(row.nodes, row.texts, strict=True)}
    assert texts.keys() == {"forward/x", "forward/y"}
    assert all("was meant to be dynamic" in text for text in texts.values())
    assert all("because of test_shapes.py:" in text for text in texts.values())


@pytest.mark.parametrize("rows", [4, 7, 33])
def test_shapes_are_those_of_a_run(program: torch.export.ExportedProgram, rows: int) -> None:
    shapes = exir_viz.shapes(program)
    name = shapes.dimensions[0].expr
    found = shapes.at(**{name: rows})
    seen: dict[str, tuple[int, ...]] = {}

    class Noting(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> object:
            result = super().run_node(n)
            if isinstance(result, torch.Tensor):
                seen[n.name] = tuple(result.shape)
            return result

    state = [program.state_dict[key] for key in program.graph_signature.inputs_to_parameters.values()]
    Noting(program.graph_module).run(*state, torch.randn(rows, 6), Y)
    assert len(seen) > 6
    assert {node: found[node] for node in seen} == seen
    assert found.bytes_of("cat") == 2 * rows * 5 * 4


def test_a_size_out_of_range_names_the_condition(program: torch.export.ExportedProgram) -> None:
    shapes = exir_viz.shapes(program)
    name = shapes.dimensions[0].expr
    with pytest.raises(exir_viz.WrongArgument, match=f"{name} is 3. Expected: a size for which {name} >"):
        shapes.at(**{name: 3})
    with pytest.raises(exir_viz.WrongArgument, match="one of the symbols"):
        shapes.at(rows=3)
    limited = exir_viz.shapes(nn.ReLU(), X, dynamic_shapes=({0: Dim("batch", min=2, max=64)},))
    assert limited.at(batch=64).bytes == 64 * 6 * 4
    with pytest.raises(exir_viz.WrongArgument, match=r"batch is 65\. Expected: a size for which batch <= 64"):
        limited.at(batch=65)
    assert limited.dimensions[0].expr == "batch"
    assert [one.kind.value for one in limited.dimensions] == ["dynamic", "static"]


class Items(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values, positions = x.max(1)
        one, other = x.chunk(2, 1)
        return values + positions + (one * other).sum()


def test_results_count_once_with_their_items() -> None:
    shapes = exir_viz.shapes(Items(), torch.randn(4, 6), dynamic_shapes=({0: Dim("rows")},))
    by_hand = {"max": 12, "chunk": 6 * 4, "add": 4, "mul": 3 * 4, "sum": 0, "add_1": 4}
    for rows in (4, 9):
        assert shapes.at(rows=rows).bytes == rows * sum(by_hand.values()) + 4


class Related(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, x]) + y[1:]


def test_related_dimensions_follow() -> None:
    batch = Dim("batch", min=2, max=64)
    shapes = exir_viz.shapes(
        Related(), torch.ones(4), torch.ones(9), dynamic_shapes=({0: batch}, {0: 2 * batch + 1})
    )
    first, second = shapes.dimensions
    assert (first.expr, second.expr, second.kind) == ("batch", "2*batch + 1", DimensionKind.RELATED)
    assert shapes.at(batch=10)["y"] == (21,)
    with pytest.raises(exir_viz.WrongArgument, match=r"batch is 65\. Expected: a size for which batch <= 64"):
        shapes.at(batch=65)
    # The line that adds both is known; that another symbol was once used for y is of no use.
    assert first.requires == second.requires == ()
    assert first.lines == second.lines != ()
    (symbol,) = shapes.symbols
    assert (symbol.name, symbol.lower, symbol.upper, symbol.hint, symbol.backed) == ("batch", 2, 64, 4, True)
    assert symbol.nodes >= 4


def test_a_file_has_the_same(program: torch.export.ExportedProgram, tmp_path: Path) -> None:
    path = exir_viz.capture(program).save(tmp_path / "model.exirviz")
    shapes = exir_viz.shapes(path)
    assert [one.kind for one in shapes.dimensions] == [
        one.kind for one in exir_viz.shapes(program).dimensions
    ]
    assert list(shapes.frame["size"]) == [4, 6, 8]
    assert shapes.dimensions[0].lines[0].startswith("test_shapes.py:")
    assert "specialised" in str(shapes)


def test_a_manager_is_accepted(program: torch.export.ExportedProgram) -> None:
    from executorch.exir import EdgeCompileConfig, to_edge

    manager = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    own, lowered = exir_viz.shapes(program), exir_viz.shapes(manager)
    assert [one.lines for one in lowered.dimensions] == [one.lines for one in own.dimensions]
    assert exir_viz.coverage(manager).names == exir_viz.coverage(program).names


class Numbers(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        batch = x.shape[0]
        return x.relu(), torch.arange(batch * 2 + 1), batch * 3 + y.shape[0]


def test_numbers_are_not_counted_as_shapes() -> None:
    shapes = {0: Dim("batch", min=4, max=32)}, {0: Dim("size", min=2, max=64)}
    program = torch.export.export(Numbers(), (torch.ones(4, 3), torch.ones(8)), dynamic_shapes=shapes)
    values = [node.meta.get("val") for node in program.graph.nodes]
    names = {str(spec.shape[0]): name for spec, name in zip(values, ("batch", "size"), strict=False)}
    found = exir_viz.shapes(program)
    for symbol, name in names.items():
        (one,) = (each for each in found.symbols if each.name == name)
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        numbers = [value for value in values if isinstance(value, torch.SymInt)]
        assert one.nodes == sum(symbol in str(tuple(value.shape)) for value in tensors) > 0
        assert one.values == sum(symbol in str(value) for value in numbers) > 0
    (line,) = (line for line in str(found).splitlines() if line.startswith("batch:"))
    batch = found.symbols[[one.name for one in found.symbols].index("batch")]
    assert line == f"batch: 4..32, in the shapes of {batch.nodes} nodes and the values of {batch.values}"


def test_the_text_says_which_of_several_methods_it_describes() -> None:
    from executorch.exir import to_edge

    programs = {
        "still": torch.export.export(nn.ReLU(), (X,)),
        "varying": torch.export.export(nn.ReLU(), (X,), dynamic_shapes=({0: Dim("batch", min=2, max=8)},)),
    }
    text = str(exir_viz.shapes(to_edge(programs)))
    assert text.splitlines()[0] == "Method still; not shown: varying"
    assert "Method" not in str(exir_viz.shapes(programs["varying"]))
