"""Is a program what it was? All that a capture sees of it, the tensors themselves, and random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from exir_viz.stages.stage import Stage


@contextmanager
def unchanged(stage: Stage) -> Iterator[None]:
    """Hold that the block leaves the stage's programs as they were, and the random generator too."""
    snapshot, tables, random = stage.live.capture(), _tables(stage), torch.get_rng_state()
    yield
    assert stage.live.capture() == snapshot
    assert _tables(stage) == tables
    assert torch.equal(torch.get_rng_state(), random)


def _tables(stage: Stage) -> list[Any]:
    return [
        (
            name,
            id(program.graph),
            str(program.graph),
            str(program.graph_signature),
            str(program.range_constraints),
            [sorted(map(str, node.meta)) for node in program.graph.nodes],
            {key: _tensor(one) for key, one in {**program.state_dict, **program.constants}.items()},
        )
        for name, program in stage.programs.items()
    ]


def _tensor(one: Any) -> Any:
    if not isinstance(one, torch.Tensor):
        return id(one)
    return id(one), one._version, one.stride(), repr(one.detach().double().sum().item())
