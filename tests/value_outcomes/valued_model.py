"""A model with values of every kind."""

from __future__ import annotations

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(6, eps=1e-3)
        self.scale = 0.5
        self.power = 3
        self.flag = True
        self.unused = 7
        self.fixed = torch.arange(6.0)
        self.register_buffer("steps", torch.zeros(()), persistent=False)

    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        k = n + 1
        batch = x.shape[0]
        columns = x.shape[1]
        if self.flag:
            x = x * self.scale
        y = x ** (self.power + 1)
        z = self.norm(y) + self.fixed + self.steps
        dim = -1
        return doubled(z.view(batch, columns).sum(dim) * k, self.scale)


def doubled(z: torch.Tensor, s: float) -> torch.Tensor:
    u = s * 2
    left = 12345  # noqa: F841  a variable that nothing uses
    return z + u


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = Block()
        self.b = Block()

    def forward(self, x: torch.Tensor, n: int = 3) -> torch.Tensor:
        return self.a(x, n) + self.b(x, n)
