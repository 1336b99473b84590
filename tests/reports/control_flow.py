"""Modules with torch.cond, while_loop and scan. TorchDynamo reads the functions given to these.

A line with the comment "T" makes ops in every program that calls it.
"""

import torch
from torch import nn
from torch._higher_order_ops import scan, while_loop


def helper(x):
    y = x.sinh()  # T
    return y * 5  # T


def scaled(x, is_large):
    if is_large:
        return x * 100  # T
    return x * 2  # T


def never(x):
    return x.tan()


def unmentioned(x):
    return x.tan() - 1


class Closures(nn.Module):
    def forward(self, x):
        def yes(x):
            y = x.sin()  # T
            return helper(y)  # T

        def no(x):
            return x.cos()  # T

        return torch.cond(x.sum() > 0, yes, no, (x,))  # T


class Methods(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.inner = nn.Linear(3, 3), Inner()

    def yes(self, x):
        return self.linear(x)  # T

    def no(self, x):
        if self.training:
            return x - 1
        return self.inner(x)  # T

    def forward(self, x):
        if self.training:
            x = x + 11
        return torch.cond(x.sum() > 0, self.yes, self.no, (x,))  # T


class Inner(nn.Module):
    def forward(self, x):
        size = x.shape[-1]
        return x / size  # T


class While(nn.Module):
    def forward(self, x):
        # fmt: off
        def going(i, y): return i < 4  # T
        # fmt: on

        def body(i, y):
            z = y.exp()  # T
            return i + 1, z  # T

        return while_loop(going, body, (torch.zeros((), dtype=torch.int64), x))  # T


class Scan(nn.Module):
    def forward(self, x):
        def combine(carry, row):
            carry = carry + row  # T
            return carry, row * 2  # T

        return scan(combine, torch.zeros(3), x, dim=0)  # T


class Lambdas(nn.Module):
    def forward(self, x):
        x = scaled(x, False)  # T
        if x.dim() > 5:
            x = x + 1
        return torch.cond(x.sum() > 0, lambda x: scaled(x, True), lambda x: -x, (x,))  # T


class Nested(nn.Module):
    def forward(self, x):
        def deep(x):
            return x.erf()  # T

        def yes(x):
            return torch.cond(x.max() > 1, deep, lambda x: x.abs(), (x,))  # T

        # fmt: off
        def unused(x): return x - 9
        # fmt: on

        x = x if x.dim() == 2 else unused(x)
        return torch.cond(x.sum() > 0, yes, lambda x: x + 0.5, (x,))  # T


def later(x):
    return never(x)
