"""What ExecuTorch's signature says of outputs after it renamed their nodes: as the graph calls them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.snapshot.program import OutputKind

pytest.importorskip("executorch.backends.xnnpack")


class Cache(nn.Module):
    """It writes to a buffer, and a backend takes what is around that."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.head = nn.Linear(8, 8), nn.Linear(8, 16)
        self.register_buffer("keys", torch.zeros(1, 16, 8))

    def forward(self, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        self.keys[:, at] = self.query(x).detach()
        return self.head((x.unsqueeze(1) @ self.keys.transpose(1, 2)).softmax(-1) @ self.keys)


@pytest.fixture(scope="module")
def steps() -> list[exir_viz.types.Snapshot]:
    inputs = torch.randn(1, 8), torch.tensor([2])
    backend = exir_viz.Session(Cache().eval(), *inputs).root.edge().backend("xnnpack")
    return [backend.snapshot, backend.executorch().snapshot]


def test_outputs_are_called_as_the_graph_calls_them(steps: list[exir_viz.types.Snapshot]) -> None:
    method = steps[1].method
    written, made = method.signature.outputs
    assert (written.kind, written.target) == (OutputKind.BUFFER_MUTATION, "keys")
    assert method.graph[written.arg.name].target.name == "copy_"
    assert [node.name for node in method.graph[-1].inputs] == [made.arg.name]
    assert str(method.graph[made.arg.name].value.shape) == "(1, 1, 16)"


def test_no_output_is_reported_as_other(steps: list[exir_viz.types.Snapshot]) -> None:
    assert [fact.text for fact in exir_viz.diff(*steps).facts if fact.topic == "output"] == []
