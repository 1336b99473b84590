"""A model of which every line says what torch.export makes of it.

A line ends with T (traced), S (specialised), F (folded), P (passed on) or X (never reached); others are no
code of a function. The test exports it with an input of 4 x 6, the first dimension dynamic, not training.
"""

import math

import torch
from torch import nn

SCALE = 0.5
NAMES = [name for name in ("a", "b")]


def swish(x):
    """Multiply by a sigmoid."""
    gate = torch.sigmoid(x)  # T
    return gate * x  # T


def unused(x):
    """Nothing calls it."""
    y = x + 1  # X
    if y.sum() > 0:  # X
        return y  # X
    return x  # X


def scale_of(size):
    # no op: Python computes it
    root = math.sqrt(size)  # F
    if root > 100:  # S
        root = 100.0  # X
    elif root < 1:  # S
        root = 1.0  # X
    else:
        root = root * SCALE  # F
    return root  # P


def weighted(values, weights):
    total = None  # P
    for value, weight in zip(values, weights):  # S
        if weight == 0:  # S
            continue  # P
        part = value * weight  # T
        total = part if total is None else total + part  # T
    return total  # P


class Norm(nn.Module):
    eps = 1e-6

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        dtype = x.dtype  # P
        variance = x.pow(2).mean(  # T
            -1,  # T
            keepdim=True,  # T
        )  # T
        x = x * torch.rsqrt(  # T
            variance + self.eps  # T
        )  # T
        return (self.weight * x).to(dtype)  # T

    def extra_repr(self):
        return f"{self.size}"  # X


class Gate(nn.Module):
    def __init__(self, size, bias=False):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.bias = nn.Parameter(torch.zeros(size)) if bias else None
        self.dropout = nn.Dropout(0.1)

    @property
    def has_bias(self):
        return self.bias is not None  # F

    def forward(self, x, mask=None):
        out = self.linear(x)  # T
        if self.has_bias:  # S
            out = out + self.bias  # X
        if self.training:  # S
            out = out * 0.9  # X
            noise = torch.randn_like(  # X
                out,  # X
            )  # X
            out = out + noise  # X
        elif mask is not None:  # S
            out = out.masked_fill(mask, 0.0)  # X
        else:
            out = swish(out)  # T
        return out  # P


class Block(nn.Module):
    def __init__(self, size, kind):
        super().__init__()
        self.kind = kind
        self.norm = Norm(size)
        self.gate = Gate(size)

    def forward(self, x, **options):
        """Normalise, then gate."""
        residual = x  # P
        x = self.norm(x)  # T
        match self.kind:  # S
            case "gate":
                x = self.gate(x)  # T
            case "plain":
                x = x + 1  # X
            case _:
                raise ValueError(self.kind)  # X

        def add(a, b):
            return a + b  # T

        return add(x, residual)  # T


class Model(nn.Module):
    LIMIT = 3

    def __init__(self, size: int = 6, layers: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block(size, "gate") for _ in range(layers))
        self.head = nn.Linear(size, 2)
        self.names = {}
        self.debug = False

    def check(self, x):
        assert x.dim() == 2, "a matrix"  # S
        batch, size = x.shape  # P
        if size != 6:  # S
            raise ValueError(  # X
                f"size {size}"  # X
            )  # X
        if batch > self.LIMIT:  # S
            return True  # P
        return False  # X

    def halves(self, x):
        half = x.shape[-1] // 2  # F
        first, second = x[..., :half], x[..., half:]  # T
        return first, second  # P

    def log(self, text):
        if self.debug:  # S
            print(text)  # X
        return  # P

    def mask(self, x):
        count = 0  # P
        while count < 3:  # S
            count += 1  # F
            if count == 2:  # S
                break  # P
        else:
            count = -1  # X
        with torch.no_grad():  # F
            steps = torch.arange(count)  # T
        return steps  # P

    def forward(self, x, mask=None, return_all=False):
        """The whole."""
        if not self.check(x):  # S
            return None  # X
        self.log("begin")  # F
        if mask is None:  # S
            steps = self.mask(x)  # T
        else:
            steps = mask  # X
        kept = []  # P
        for layer in self.layers:  # S
            x = layer(x)  # T
            kept.append(x)  # F
        try:
            scale = scale_of(x.shape[-1])  # F
        except ValueError:
            scale = 1.0  # X
        finally:
            self.log(f"scale {scale if self.debug else 0}")  # F
        first, second = self.halves(x)  # T
        pair = {"first": first, "second": second}  # P
        mixed = weighted(  # T
            [*pair.values(), second],  # T
            (0.5, 0, 2.0),  # T
        )  # T
        wide = torch.cat([mixed, mixed], dim=-1) * scale  # T
        branch = torch.cond(  # T
            wide.sum() > 0,  # T
            lambda y: y.sin(),  # T
            lambda y: y.cos(),  # T
            (wide,),  # T
        )  # T
        y = self.head(branch)  # T
        y = nn.functional.dropout(  # T
            y,  # T
            0.5,  # T
            self.training,  # T
        )  # T
        if return_all:  # S
            return y, kept, steps  # X

        last: torch.Tensor = y  # P
        return last, steps  # P
