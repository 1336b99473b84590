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


class Skips(nn.Module):
    """It reads values in lines that do not run, from other modules, and in inner functions."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.MaxPool1d(2, padding=1)
        self.block = Block()
        self.limit = 5
        self.extra = 2

    def forward(self, x: torch.Tensor, opt: float | None = None, plus: int = 1) -> torch.Tensor:
        lost = 3
        closed = 8
        if opt is not None:
            x = x + opt + self.extra + lost
        elif self.limit > 9:
            x = x * opt

        def shifted(y: torch.Tensor) -> torch.Tensor:
            return y + closed

        return self.pool(shifted(x)) * self.block.unused


class Branches(nn.Module):
    """torch.cond: TorchDynamo reads what it calls."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = 7
        self.power = 3

    def yes(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor

    def no(self, x: torch.Tensor) -> torch.Tensor:
        if self.power > 2:
            return x
        return -x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, self.yes, lambda y: self.no(y) + 1, (x,))
