"""Small modules that sessions begin with, and passes over their graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class Small(torch.nn.Module):
    """Composite operators, one that writes in place, a constant and a call that prints nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.add_(1)
        y = torch.nn.functional.gelu(self.norm(self.linear(x)))
        return (y.reshape(-1, 4) * 2.5 + torch.tensor([1.0, 2.0, 3.0, 4.0])).softmax(-1)


class ConvNorm(torch.nn.Module):
    """A convolution and a batch norm: in training mode ExecuTorch refuses it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.conv(x)))


def small() -> tuple[torch.nn.Module, torch.Tensor]:
    """A module and its input."""
    torch.manual_seed(0)
    return Small().eval(), torch.randn(2, 8)


def without_gelu(module: fx.GraphModule) -> None:
    """A pass as a function that changes the module in place."""
    for node in list(module.graph.nodes):
        if "gelu" in str(node.target):
            node.replace_all_uses_with(node.args[0])
            module.graph.erase_node(node)
    module.recompile()


class DoubleScale(PassBase):
    """A pass as a class: doubles what is multiplied by."""

    def call(self, graph_module: fx.GraphModule) -> PassResult:
        for node in graph_module.graph.nodes:
            if "mul" in str(node.target) and isinstance(node.args[1], float):
                node.args = (node.args[0], 2 * node.args[1])
        return PassResult(graph_module, True)


def broken(module: fx.GraphModule) -> None:
    """A pass that fails at a node."""
    for node in module.graph.nodes:
        if "layer_norm" in str(node.target):
            raise ValueError("this pass knows no layer norm")


def ops(snapshot: Any) -> dict[str, int]:
    """How often each op is called in a Snapshot's first graph."""
    from exir_viz.snapshot.index import index_of

    return {target.text: count for target, count in index_of(snapshot.method.graph).ops.items()}
