"""Programs whose runs take different paths: no time is lost, and a reader is told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle, repeat
from typing import Any

import pytest
import torch
from torch._higher_order_ops.while_loop import while_loop
from torch.export import ExportedProgram

import exir_viz
from exir_viz.measure.profile import Cost, Profile
from tests.corpus.concepts import Fn


def adds_up(profile: Profile) -> None:
    """In the nodes that are shown to have run."""
    parts = sum(cost.time for cost in profile if cost.calls) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)


def codes(profile: Profile) -> list[str]:
    return [remark.code for remark in profile.remarks if remark.code == "paths"]


def heavy_or_light(decide) -> ExportedProgram:
    def forward(x):
        return torch.cond(decide(x), lambda x: (x @ x @ x @ x,), lambda x: (x + 1,), (x,))

    return torch.export.export(Fn(forward), (torch.randn(200, 200),))


def turns_of(count) -> ExportedProgram:
    def turn(left, y):
        return left - 1, y.sin()

    def forward(x):
        return while_loop(lambda left, _: left > 0, turn, (count(x), x.clone()))

    return torch.export.export(Fn(forward), (torch.randn(8),))


def named(profile: Profile, name: str) -> Cost:
    return next(cost for cost in profile if cost.node.name == name)


@pytest.mark.parametrize("seed", range(3))
def test_torchs_random_numbers_are_the_same_in_each_run(seed: int) -> None:
    branches = heavy_or_light(lambda x: torch.rand(()) > 0.5)
    turns = turns_of(lambda x: torch.randint(1, 40, ()))
    for program in (branches, turns):
        torch.manual_seed(seed)
        profile = exir_viz.profile(program, repeats=6)
        adds_up(profile)
        assert codes(profile) == []
        assert {cost.n for cost in profile if cost.calls} == {6}
        # the run that would be next has not been drawn
        state = torch.get_rng_state()
        torch.manual_seed(seed)
        assert torch.equal(torch.get_rng_state(), state)


@pytest.fixture
def decisions() -> dict[str, Iterator[int]]:
    """What the ops decide, call by call."""
    return {"coin": cycle([1, 0]), "dice": cycle([3, 9])}


@pytest.fixture
def ops(decisions) -> Iterator[Any]:
    """Ops that decide by something that is not torch's."""
    library = torch.library.Library("exirviz_paths", "DEF")
    for name, dtype in (("coin", torch.bool), ("dice", torch.int64)):

        def kernel(_x, name=name, dtype=dtype):
            return torch.tensor(next(decisions[name]), dtype=dtype)

        def fake(x, dtype=dtype):
            return x.new_empty((), dtype=dtype)

        library.define(f"{name}(Tensor x) -> Tensor")
        torch.library.impl(library, name, "CPU")(kernel)
        torch.library.register_fake(f"exirviz_paths::{name}", fake, lib=library)
    yield torch.ops.exirviz_paths
    library._destroy()


@pytest.mark.parametrize("warmup", [1, 2])
def test_a_branch_that_ran_in_some_runs_keeps_its_times(ops, warmup: int) -> None:
    """Whichever of the two the run took in which bytes and FLOPs were counted."""
    profile = exir_viz.profile(heavy_or_light(ops.coin), repeats=10, warmup=warmup)
    adds_up(profile)
    assert codes(profile) == ["paths"]
    heavy = [cost for cost in profile if "matmul" in cost.node.name]
    light = [cost for cost in profile if cost.node.name == "add"]
    assert {(cost.calls, cost.n) for cost in (*heavy, *light)} == {(1, 5)}
    # half of the runs have them, and the quiet half would have none
    assert sum(cost.time for cost in heavy) > sum(cost.time for cost in light)
    assert all(cost.min > 0 for cost in (*heavy, *light))
    said = next(remark.text for remark in profile.remarks if remark.code == "paths")
    assert said.startswith("Runs took different paths: 4 nodes did not run equally often in all")
    assert profile.rollup("op")["share"].sum() == pytest.approx(1, rel=0.001)


def test_a_loop_whose_turns_vary_has_the_mean_of_its_calls(ops) -> None:
    profile = exir_viz.profile(turns_of(ops.dice), repeats=8)
    adds_up(profile)
    assert codes(profile) == ["paths"]
    assert named(profile, "sin").calls == 6
    assert named(profile, "sin").n == 8


def test_what_ran_only_when_bytes_were_counted_did_not_run(ops, decisions) -> None:
    program = heavy_or_light(ops.coin)
    decisions["coin"] = chain([1, 1, 1], repeat(0))
    profile = exir_viz.profile(program, repeats=4, warmup=2)
    adds_up(profile)
    assert codes(profile) == ["paths"]
    assert {(cost.calls, cost.time) for cost in profile if "matmul" in cost.node.name} == {(0, None)}
    assert named(profile, "add").calls == 1
