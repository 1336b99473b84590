"""Memory by shapes and by plan: what is alive at each node, and that files cannot say otherwise."""

from __future__ import annotations

import copy

import pytest
import torch

import exir_viz
from exir_viz.snapshot.memory import memory_of, planned
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.wire import decode, encode, page_data
from tests.corpus.programs import exported


@pytest.mark.parametrize("name", ["vit", "bert"])
def test_bytes_by_shapes_are_those_that_a_run_finds(name: str) -> None:
    profile = exir_viz.profile(exported(name), repeats=1)
    memory = memory_of(profile.method)
    assert memory.unknown == 0
    assert not memory.arenas
    assert profile.peak is not None
    assert max(memory.live) == profile.peak.live_bytes
    costs = [cost for cost in profile if cost.live_bytes is not None]
    differ = [cost for cost in costs if cost.live_bytes != memory.live[cost.node.position]]
    # Only dropout, which hands its input on when it does nothing; its schema promises new memory.
    assert {cost.node.target.name for cost in differ} == {"dropout"}
    assert len(differ) < len(costs) / 5


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
    (memory,) = page_data(exir_viz.capture(program)).memory
    assert memory.sizes == "batch = 4"
    assert max(memory.live) == 2 * 4 * 32 * 4
    assert memory_of(exir_viz.capture(exported("vit")).method).sizes == ""


def test_values_of_unknown_size_are_counted_and_not_guessed() -> None:
    memory = memory_of(exir_viz.capture(exported("data_dependent_shape")).method)
    assert memory.unknown > 0


@pytest.fixture(scope="module")
def method() -> Method:
    from executorch.exir import to_edge

    return exir_viz.capture(copy.deepcopy(to_edge(exported("nested_cond"))).to_executorch()).method


def test_arenas_hold_what_is_planned(method: Method) -> None:
    memory, values = memory_of(method), planned(method)
    assert sum(len(arena.nodes) for arena in memory.arenas) == len(values) > 0
    for arena in memory.arenas:
        mine = [one for one in values if one.arena == arena.number]
        alive = [
            sum(one.bytes for one in mine if one.first <= at <= one.last) for at in range(len(method.graph))
        ]
        assert arena.peak == max(alive) == alive[arena.peak_at]
        assert arena.peak <= arena.size
    assert len(memory.live) == len(method.graph)
    assert max(memory.live) >= max(arena.peak for arena in memory.arenas)


def test_a_page_gets_the_memory_of_each_method(method: Method) -> None:
    snapshot = method.graph.snapshot
    assert page_data(snapshot).memory == (memory_of(method),)
    assert decode(encode(snapshot)) == snapshot
