"""An op whose results are items of a tuple, and which becomes many calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.export import export

import exir_viz
from exir_viz.stages.session import Session

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
    a, b = (hidden(exir_viz.load(one)) for one in (program, program.run_decompositions()))
    diff = exir_viz.diff(a, b)
    op = a.method.graph[cls.__name__.lower()]
    made = [node for node in b.method.graph if node.torch_fn == op.torch_fn and node.op == "call_function"]
    assert len(made) > 20
    assert set(diff.of(op).b) == set(made)
    assert all(not diff.of(item).b for item in op.users)


def _std_and_mean(x: torch.Tensor) -> torch.Tensor:
    std, mean = torch.std_mean(x, 1)
    return std + mean


class Parts(torch.nn.Module):
    def __init__(self, body: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.body = body

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


@pytest.mark.parametrize(
    "module",
    [Recurrent(torch.nn.LSTM(8, 8, batch_first=True)), Recurrent(torch.nn.GRU(8, 8)), Parts(_std_and_mean)],
    ids=["lstm", "gru", "std_mean"],
)
def test_an_item_is_no_item_of_another_tuple(module: torch.nn.Module) -> None:
    """torch records that the gates of an LSTM came from it, but the results of an LSTM contain no gate."""
    session = Session(module, torch.randn(1, 3, 8))
    root, core = session.root, session.decompose()
    diff = exir_viz.diff(root, core)
    items = [node for node in root.snapshot.method.graph if node.target.name == "getitem"]
    assert items
    assert all(not diff.of(item).b for item in items)
    op = items[0].inputs[0]
    made = {node for node in core.snapshot.method.graph if core.ancestors(node.name)[:1] == (op,)}
    assert made <= set(diff.of(op).b)
    assert (core.change.added, core.change.removed) == (diff.calls.added, diff.calls.removed)


def test_items_of_a_tuple_that_only_changes_its_op_are_the_same() -> None:
    session = Session(
        Parts(lambda x: x.split([1, 7], 2)[1].exp() + x.chunk(2, 1)[0].sum()), torch.randn(1, 4, 8)
    )
    diff = exir_viz.diff(session.root, session.decompose())
    items = [
        node for node in session.root.snapshot.method.graph if node.target.name == "getitem" and node.users
    ]
    assert len(items) == 2
    for item in items:
        (other,) = diff.of(item).b
        assert (other.target.name, other.args[1]) == ("getitem", item.args[1])
