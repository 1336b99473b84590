"""Memory by shapes and by plan: what is alive at each node, and that files cannot say otherwise."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._higher_order_ops.map import map as map_
from torch.nn.functional import scaled_dot_product_attention
from torch.utils._pytree import tree_leaves

import exir_viz
from exir_viz.snapshot.execution_steps import ExecutionSteps
from exir_viz.snapshot.memory import Planned, memory_of, planned, planned_in
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.wire import decode, encode, page_data
from tests.corpus.programs import exported
from tests.nightly import nightly


@pytest.mark.parametrize("name", ["bert", *nightly(["vit"])])
def test_bytes_by_shapes_are_those_that_a_run_finds(name: str) -> None:
    profile = exir_viz.profile(exported(name), repeats=1)
    memory = memory_of(profile.method)
    assert memory.unknown == 0
    assert not memory.arenas
    assert profile.peak is not None
    assert max(memory.live) == profile.peak.live_bytes
    for cost in profile:
        assert cost.live_bytes in (None, memory.live[cost.node.position]), cost.node.id


CALLS: dict[str, Callable[[torch.Tensor], object]] = {
    "reshape_copies": lambda x: x.sin().transpose(0, 1).reshape(-1).cos(),
    "reshape_views": lambda x: x.sin().reshape(-1).cos(),
    "flatten_copies": lambda x: x.sin()[:, ::2].flatten(1).cos(),
    "ravel_copies": lambda x: x.sin().mT.ravel().cos(),
    "chunk": lambda x: x.sin().chunk(2, 1)[1].cos(),
    "split": lambda x: x.sin().split(2)[1].cos(),
    "unbind": lambda x: x.sin().unbind(1)[1].cos(),
    "two_results": lambda x: x.sin().max(0)[0].cos(),
    "in_place": lambda x: x.sin().add_(1).mul_(2).cos(),
    "in_place_view": lambda x: x.sin()[0].add_(1).cos(),
    "dropout": lambda x: torch.nn.functional.dropout(x.sin(), 0.5, training=False).cos(),
    "same_dtype": lambda x: x.sin().float().cos(),
    "other_dtype": lambda x: x.sin().double().cos(),
    "contiguous": lambda x: x.sin().mT.contiguous().cos(),
    "out": lambda x: torch.ops.aten.add.out(x.sin(), x, out=torch.empty(4, 6, 8)).cos(),
    "einsum": lambda x: torch.einsum("abc->cba", x.sin()).cos(),
    "attention": lambda x: scaled_dot_product_attention(x, x, x).transpose(0, 1).reshape(-1),
    "broadcast": lambda x: torch.add(*torch.broadcast_tensors(x.sin(), x[:1].cos())).sum() + x.exp(),
    "broadcast_one": lambda x: torch.broadcast_tensors(x[:1].cos(), x.sin())[1].sum() + x.exp(),
    "at_least": lambda x: torch.add(*torch.atleast_2d(x.sin(), x.cos())).sum() + x.exp(),
    "mesh": lambda x: torch.add(*torch.meshgrid(x[0, 0].sin(), x[0, :, 0].cos(), indexing="xy")).sum() * x,
    "two_items": lambda x: torch.cat([*x.sin().topk(1)], -1).squeeze(-1),
    "resolve_conj": lambda x: torch.complex(x, x).conj().resolve_conj().cos(),
    "resolve_conj_twice": lambda x: torch.complex(x, x).conj().resolve_conj().mT.resolve_conj().cos(),
    "resolve_conj_of_none": lambda x: torch.complex(x, x).resolve_conj().cos(),
    "resolve_conj_of_real": lambda x: x.sin().conj().resolve_conj().cos(),
    "resolve_two_conj": lambda x: torch.complex(x, x).conj().mT.conj().resolve_conj().cos(),
    "resolve_adjoint": lambda x: torch.complex(x, x).adjoint().resolve_conj().cos(),
    "resolve_mH": lambda x: torch.complex(x, x).mH.resolve_conj().cos(),
    "resolve_neg": lambda x: torch.complex(x, x).conj().imag.resolve_neg().cos(),
    "resolve_neg_of_none": lambda x: torch.complex(x, x).conj().real.resolve_neg().cos(),
    "resolve_neg_view": lambda x: torch._neg_view(x.sin()).resolve_neg().cos(),
}


class Called(torch.nn.Module):
    def __init__(self, call: Callable[[torch.Tensor], object]) -> None:
        super().__init__()
        self.call = call

    def forward(self, x: torch.Tensor) -> object:
        return self.call(x)


class Stored(torch.fx.Interpreter):
    """Runs a graph and notes the bytes of the storages that calls made and that are alive, by node."""

    def __init__(self, module: torch.fx.GraphModule, given: torch.Tensor) -> None:
        super().__init__(module)
        self.live: list[int] = []
        self._given = {given.untyped_storage().data_ptr()}

    def run_node(self, n: torch.fx.Node) -> Any:
        result = super().run_node(n)
        for unused in [one for one in self.env if not one.users and one.op == "call_function"]:
            del self.env[unused]
        alive = [one for one in tree_leaves([*self.env.values(), result]) if isinstance(one, torch.Tensor)]
        storages = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in alive}
        self.live.append(sum(size for at, size in storages.items() if at not in self._given))
        return result


@pytest.mark.parametrize("name", CALLS)
def test_bytes_by_shapes_are_those_of_the_storages(name: str) -> None:
    x = torch.randn(4, 6, 8)
    program = torch.export.export(Called(CALLS[name]), (x,))
    run = Stored(program.graph_module, x)
    run.run(x)
    memory = memory_of(exir_viz.load(program).method)
    assert list(memory.live) == run.live
    assert memory.unknown == 0


CONVERSIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "to": lambda w, x: w.to(x.dtype),
    "float": lambda w, _: w.float(),
    "type_as": lambda w, x: w.type_as(x),
    "contiguous": lambda w, _: w.contiguous(),
    "other_dtype": lambda w, _: w.double(),
    "copy": lambda w, x: w.to(x.dtype, copy=True),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_parameter_is_copied_only_where_a_conversion_changes_it(name: str) -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(6, 8))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return CONVERSIONS[name](self.weight, x) * x

    profile = exir_viz.profile(Scaled(), torch.randn(4, 6, 8), repeats=1)
    live, sizes = memory_of(profile.method).live, Sizes.hinted(profile.method)
    for cost in profile:
        assert cost.live_bytes == live[cost.node.position], cost.node.id
        assert cost.bytes_moved == moved_bytes(cost.node, sizes), cost.node.id


@pytest.mark.parametrize("name", CALLS)
def test_a_saved_program_has_the_same_bytes_without_schemas(name: str, tmp_path: Path) -> None:
    x = torch.randn(4, 6, 8)
    program = torch.export.export(Called(CALLS[name]), (x,))
    torch.export.save(program, file := tmp_path / "program.pt2")
    live, saved = exir_viz.load(program).method, exir_viz.load(file).method
    assert {node.target.schema for node in saved.graph} == {None}
    assert memory_of(saved) == memory_of(live)
    moved = [
        [moved_bytes(node, Sizes({})) for node in one.graph if node.op == "call_function"]
        for one in (live, saved)
    ]
    assert moved[0] == moved[1]


def test_an_operator_of_an_unknown_library_writes_in_place_as_its_name_says(tmp_path: Path) -> None:
    with torch.library._scoped_library("unknown", "DEF") as library:
        library.define("scale_(Tensor(a!) x, float factor) -> Tensor(a!)")
        library.impl("scale_", lambda x, factor: x.mul_(factor), "CompositeExplicitAutograd")
        call = Called(lambda x: torch.ops.unknown.scale_(x.sin(), 2.0).cos())
        program = torch.export.export(call, (torch.randn(4, 8),))
        torch.export.save(program, file := tmp_path / "program.pt2")
        live = memory_of(exir_viz.load(program).method)
    assert memory_of(exir_viz.load(file).method) == live
    assert max(live.live) == 2 * 4 * 8 * 4


@pytest.mark.parametrize("name", ["dynamic_batch", "related_dims"])
def test_symbolic_sizes_are_those_of_the_example_inputs(name: str) -> None:
    profile = exir_viz.profile(exported(name), repeats=1)
    memory = memory_of(profile.method)
    assert memory.unknown == 0
    assert profile.peak is not None
    assert max(memory.live) == profile.peak.live_bytes
    assert memory.live.index(max(memory.live)) == profile.peak.node.position


def test_the_sizes_of_symbols_are_stated() -> None:
    batch = torch.export.Dim("batch", min=2, max=8)
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU())
    program = torch.export.export(model, (torch.ones(4, 8),), dynamic_shapes=({0: batch},))
    (memory,) = page_data(exir_viz.load(program)).memory
    assert memory.sizes == "batch = 4"
    assert max(memory.live) == 2 * 4 * 32 * 4
    assert memory_of(exir_viz.load(exported("vit")).method).sizes == ""


def test_values_of_unknown_size_are_counted_and_not_guessed() -> None:
    memory = memory_of(exir_viz.load(exported("data_dependent_shape")).method)
    assert memory.unknown > 0


@pytest.fixture(scope="module")
def method() -> Method:
    from executorch.exir import to_edge

    return exir_viz.load(copy.deepcopy(to_edge(exported("nested_cond"))).to_executorch()).method


def in_arena(value: Planned) -> range:
    return range(value.offset, value.offset + value.bytes)


def test_arenas_hold_what_is_planned(method: Method) -> None:
    memory, values = memory_of(method), planned(method)
    assert sum(len(arena.nodes) for arena in memory.arenas) == len(values) > 0
    for arena in memory.arenas:
        mine = [one for one in values if one.arena == arena.number]
        alive = [
            len({byte for one in mine if one.first <= at <= one.last for byte in in_arena(one)})
            for at in range(len(memory.steps))
        ]
        assert arena.peak == max(alive) == alive[arena.peak_at]
        assert arena.peak <= arena.size
    assert len(memory.live) == len(memory.steps)
    assert max(memory.live) >= max(arena.peak for arena in memory.arenas)


class Branching(torch.nn.Module):
    def forward(self, p: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = torch.cond(p, lambda x: (x.sin() * x).cos(), lambda x: x.exp(), (x,))
        return (y * x).tanh()


class Mapping(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return map_(lambda row, y: (row * y).sin(), x, y).cos()


def branching(p: bool = True) -> torch.export.ExportedProgram:
    return torch.export.export(Branching(), (torch.tensor(p), torch.randn(8, 8)))


def mapping() -> torch.export.ExportedProgram:
    return torch.export.export(Mapping(), (torch.randn(3, 16), torch.randn(16)))


@pytest.mark.parametrize("program", [branching, mapping])
def test_a_program_and_its_file_have_the_same_planned_values(
    program: Callable[[], torch.export.ExportedProgram], tmp_path: Path
) -> None:
    from executorch.exir import to_edge

    emitted = to_edge(program()).to_executorch()
    (file := tmp_path / "program.pte").write_bytes(emitted.buffer)
    live, read = (exir_viz.load(emitted).method, exir_viz.load(file).method)

    def places(values: Iterable[Planned]) -> list[tuple[str, int, int]]:
        return sorted((one.value, one.arena, one.offset) for one in values)

    assert places(planned(live)) == places(planned(read))
    assert len(planned(live)) > len(planned_in(live.graph))
    memory = memory_of(live)
    assert len(memory.live) == len(memory.steps) == sum(map(len, live.graphs()))
    numbering = Numbering(live.graph.snapshot)
    for arena in memory.arenas:
        for step, place in zip(arena.nodes, zip(arena.offsets, arena.bytes, strict=True), strict=True):
            specs = numbering.node(memory.steps[step]).specs
            assert place in [(spec.offset, spec.bytes) for spec in specs]


def test_memory_in_a_branch_is_that_of_its_own_nodes() -> None:
    program = branching()
    method = exir_viz.load(program).method
    memory = memory_of(method)
    one = 8 * 8 * 4
    named = {
        (node.graph.name, node.name): live
        for node, live in zip(ExecutionSteps(method.graph).nodes, memory.live, strict=True)
    }
    then, other = (graph.name for graph in list(method.graphs())[1:])
    assert named[then, "sin"] == one
    assert named[then, "mul"] == named[then, "cos"] == 2 * one
    assert named[other, "exp"] == one
    assert named["forward", "mul"] == named["forward", "tanh"] == 2 * one
    assert max(memory.live) == 2 * one


@torch.compiler.nested_compile_region
def region(x: torch.Tensor) -> torch.Tensor:
    return (x.sin() * x).cos()


class Repeated(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return region(region(x)) + 1


def test_a_body_that_several_calls_run_has_steps_for_each() -> None:
    method = exir_viz.load(torch.export.export(Repeated(), (torch.randn(4, 8),), strict=True)).method
    assert len(list(method.graphs())) == 2
    memory, steps = memory_of(method), ExecutionSteps(method.graph)
    names = [node.name for node in steps.nodes]
    assert names.count("sin") == 2
    one, (first, second) = 4 * 8 * 4, [at for at, name in enumerate(names) if name == "sin"]
    assert memory.live[first : first + 3] == (one, 2 * one, 2 * one)
    assert memory.live[second : second + 3] == (2 * one, 3 * one, 3 * one)  # with what the first returned
    assert [Numbering(method.snapshot).node(number) for number in memory.steps] == steps.nodes


def test_a_page_gets_the_memory_of_each_method(method: Method) -> None:
    snapshot = method.graph.snapshot
    assert page_data(snapshot).memory == (memory_of(method),)
    assert decode(encode(snapshot)) == snapshot
