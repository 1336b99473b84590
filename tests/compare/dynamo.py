"""Dynamo's graph and AOT's graph of small models, both as plain GraphModules, with the true pairs of calls.

AOT's nodes name the nodes of Dynamo's graph that they come from (`from_node`). The Snapshots are stripped of
that.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.fx import GraphModule

import exir_viz

from .truth import Truth, hidden

X = torch.randn(2, 6, 16)
IMAGE = torch.randn(2, 4, 8, 8)


class Lambda(nn.Module):
    def __init__(self, call: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.call = call

    def forward(self, x: torch.Tensor) -> Any:
        return self.call(x)


class Attention(nn.Module):
    def __init__(self, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(16, 16) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (one(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in (self.q, self.k, self.v))
        scores = (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1)
        return self.out((scores @ v).transpose(1, 2).flatten(2))


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x, x, x)[0]


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.TransformerDecoderLayer(16, 2, 32, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x, x)


class Residual(nn.Module):
    def __init__(self, inner: nn.Module, width: int = 16) -> None:
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(width), inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(self.norm(x))


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(16, 32), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class RootMeanSquare(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(30, 16), nn.Linear(16, 30)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.words(x.argmax(-1)))


def _block(stride: int = 1) -> nn.Module:
    return nn.Sequential(nn.Conv2d(4, 4, 3, stride, 1), nn.BatchNorm2d(4), nn.ReLU())


def _mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))


MODELS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "two layers": lambda: (_mlp(), X[0]),
    "two layers, a batch": lambda: (_mlp(), X),
    "tanh": lambda: (nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 4), nn.Sigmoid()), X),
    "dropout": lambda: (nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 4)), X),
    "equal layers": lambda: (nn.Sequential(*(nn.Linear(16, 16) for _ in range(4))), X),
    "gated": lambda: (Gated(), X),
    "attention": lambda: (Attention(), X),
    "multi-head attention": lambda: (SelfAttention(), X),
    "attention function": lambda: (Lambda(lambda x: nn.functional.scaled_dot_product_attention(x, x, x)), X),
    "pre-norm block": lambda: (nn.Sequential(Residual(Attention()), Residual(_mlp())), X),
    "transformer layer": lambda: (nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), X),
    "transformer decoder": lambda: (Decoder(), X),
    "layer norms": lambda: (nn.Sequential(nn.LayerNorm(16), nn.LayerNorm(16)), X),
    "group norm": lambda: (nn.Sequential(nn.GroupNorm(2, 4), nn.SiLU(), nn.Conv2d(4, 8, 1)), IMAGE),
    "root mean square": lambda: (nn.Sequential(RootMeanSquare(), nn.Linear(16, 16), RootMeanSquare()), X),
    "batch norms": lambda: (nn.Sequential(_block(), _block(2), _block()), IMAGE),
    "depthwise": lambda: (nn.Sequential(nn.Conv2d(4, 4, 3, groups=4), nn.Hardswish()), IMAGE),
    "pooled": lambda: (nn.Sequential(_block(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1)), IMAGE),
    "upsampled": lambda: (nn.Sequential(nn.Conv2d(4, 2, 3), nn.Upsample(scale_factor=2)), IMAGE),
    "embedding": lambda: (Embedded(), X),
    "methods": lambda: (Lambda(lambda x: x.view(2, -1).chunk(2, 1)[0].clamp(0).add(1).sum(-1).sqrt()), X),
}  # fmt: skip


def graph_modules(name: str) -> tuple[GraphModule, GraphModule]:
    """What Dynamo traces of a model, and what AOT makes of that for inference."""
    from torch._dynamo.backends.common import aot_autograd

    torch.manual_seed(0)
    model, x = MODELS[name]()
    traced: list[GraphModule] = []

    def keep(graph: GraphModule, _: Any) -> Callable[..., Any]:
        traced.append(graph)
        return graph.forward

    lower = aot_autograd(fw_compiler=keep)

    def keep_and_lower(graph: GraphModule, inputs: Any) -> Callable[..., Any]:
        traced.append(graph)
        return lower(graph, inputs)

    torch._dynamo.reset()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.compile(model.eval(), backend=keep_and_lower, fullgraph=True)(x)
    before, after = traced
    return before, after


def dynamo_truth(name: str) -> Truth:
    """The two graphs as Snapshots, and the pairs of calls."""
    a, b = graph_modules(name)
    before = {node.name: at for at, node in enumerate(a.graph.nodes) if node.op.startswith("call_")}
    pairs = {
        (before[source.name], at)
        for at, node in enumerate(b.graph.nodes)
        if node.op == "call_function"
        for source in node.meta.get("from_node", ())
        if source.name in before
    }
    return Truth(hidden(exir_viz.load(a)), hidden(exir_viz.load(b)), frozenset(pairs))
