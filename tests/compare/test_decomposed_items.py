"""An op whose results are items of a tuple, and which becomes many calls."""

from __future__ import annotations

import pytest
import torch
from torch.export import export

import exir_viz

from .truth import hidden


class Recurrent(torch.nn.Module):
    def __init__(self, cell: torch.nn.Module) -> None:
        super().__init__()
        self.cell, self.head = cell, torch.nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, object]:
        sequence, state = self.cell(x)
        return self.head(sequence[:, -1]), state


@pytest.mark.parametrize("cls", [torch.nn.LSTM, torch.nn.GRU])
def test_all_calls_that_an_op_with_items_became_are_its_own(cls: type[torch.nn.Module]) -> None:
    program = export(Recurrent(cls(8, 8, batch_first=True)), (torch.randn(1, 3, 8),))
    a, b = (hidden(exir_viz.capture(one)) for one in (program, program.run_decompositions()))
    diff = exir_viz.diff(a, b)
    op = a.method.graph[cls.__name__.lower()]
    made = [node for node in b.method.graph if node.torch_fn == op.torch_fn and node.op == "call_function"]
    assert len(made) > 20
    assert set(diff.of(op).b) == set(made)
    assert all(not diff.of(item).b for item in op.users)
