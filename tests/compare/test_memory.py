"""Two memory plans of one program: what the caller must provide, and addresses of values; live and as
files.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.snapshot import Snapshot

from .test_facts import texts
from .written import live_and_file


class Several(torch.nn.Module):
    """An output that only the caller could hold, beside one of several results of an op."""

    def forward(self, x, y):
        total = torch.relu(x + y)
        values, _ = torch.topk(total, 2)
        return total.sin(), values


@functools.cache
def planned(folder: Path, **options: bool) -> tuple[Snapshot, Snapshot]:
    """With options of the memory planning pass: live, and its file."""
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    program = torch.export.export(Several(), (torch.ones(2, 8), torch.zeros(2, 8)))
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(**options))
    return live_and_file(program, folder / f"{'-'.join(options) or 'all'}.pte", config)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plans")


def of_memory(a: Snapshot, b: Snapshot) -> list[str]:
    """What is reported about memory; it is no change of a node."""
    assert not exir_viz.diff(a, b).changes
    return [text for text in texts(a, b) if "arena" not in text]


def test_one_plan_is_the_same_live_and_in_a_file(folder: Path) -> None:
    for options in ({}, {"alloc_graph_input": False}, {"alloc_graph_output": False}):
        live, file = planned(folder, **options)
        assert any(node.specs and node.specs[0].offset for node in file.method.graph)
        assert exir_viz.diff(live, file).is_empty
        planned.cache_clear()
        assert exir_viz.diff(live, planned(folder, **options)[0]).is_empty


@pytest.mark.parametrize("sides", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_what_the_caller_must_bring(sides: tuple[int, int], folder: Path) -> None:
    whole = planned(folder)[sides[0]]
    inputs, outputs = (
        planned(folder, **{f"alloc_graph_{what}": False})[sides[1]] for what in ("input", "output")
    )
    names = "`input_0`, `input_1`" if sides == (1, 1) else "`x`, `y`"
    (plan, *_) = of_memory(whole, inputs)
    assert plan == f"memory of inputs {names}: planned → not planned"
    (plan, *_) = of_memory(inputs, whole)
    assert plan == f"memory of inputs {names}: not planned → planned"
    (plan, lies) = of_memory(whole, outputs)
    assert plan == "memory of outputs `1`, `2`: planned → not planned"
    assert "elsewhere" in lies


def test_values_that_lie_elsewhere_are_counted(folder: Path) -> None:
    whole, other = planned(folder)[1], planned(folder, alloc_graph_output=False)[1]
    (*_, text) = of_memory(whole, other)
    pairs = [
        (x, y)
        for one, two in zip(whole.method.graph, other.method.graph, strict=True)
        if one.op != "output" and one.target.name != "getitem"
        for x, y in zip(one.specs, two.specs, strict=True)
        if x.offset is not None and y.offset is not None
    ]
    count = sum((x.mem_id, x.offset) != (y.mem_id, y.offset) for x, y in pairs)
    assert count
    assert text == f"memory: {count} of {len(pairs)} values {'lies' if count == 1 else 'lie'} elsewhere"
    assert of_memory(other, whole)[-1] == text
