"""What one side cannot know is no difference: a plain graph has no signature, a function no schema."""

from __future__ import annotations

import torch
from torch import nn

import exir_viz
from exir_viz.compare.explanations.reasons import UNKNOWN_ARGUMENTS, argument_changes


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.lin(x)).relu()


def test_the_graph_of_a_program_is_that_program() -> None:
    batch = torch.export.Dim("batch", min=2, max=9)
    program = torch.export.export(Norm().eval(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: batch}})
    bare, whole = exir_viz.load(program.graph_module), exir_viz.load(program)
    for diff in (exir_viz.diff(bare, whole), exir_viz.diff(whole, bare), exir_viz.diff(bare, bare)):
        assert [fact.text for fact in diff.facts] == []
        assert diff.is_empty


def test_what_a_graph_tells_itself_is_reported() -> None:
    program = torch.export.export(Norm().eval(), (torch.randn(3, 4),))
    bare = exir_viz.load(program.graph_module)
    core = exir_viz.load(program.run_decompositions())
    assert "calls: 3 → 5" in [fact.text for fact in exir_viz.diff(bare, core).facts]


def test_an_op_is_reported_no_argument_that_it_cannot_take() -> None:
    """A call of a Python function has no schema, like the call of a delegate."""

    class View(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.view(8)

    class Negative(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return -x

    view = exir_viz.load(torch.export.export(View(), (torch.randn(2, 4),))).method.graph["view"]
    (negative,) = (
        one
        for one in exir_viz.load(torch.fx.symbolic_trace(Negative())).method.graph
        if one.target.name == "neg"
    )
    for pair in ((view, negative), (negative, view)):
        assert argument_changes(*pair) == UNKNOWN_ARGUMENTS
