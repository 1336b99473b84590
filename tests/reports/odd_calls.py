"""Modules whose functions only look as if a line of forward called them: what is inferred must stay true."""

import contextlib

import torch
from torch import nn


def shifted(x):
    shift = float(x.dim())
    if shift > 9:
        return x
    return x + shift


def twice(function):
    def inner(x):
        return x * 2

    return inner


@twice
def decorated(x):
    kept = x
    y = kept.sin()
    return y


def replaced(x):
    kept = x
    return kept.cos()


def replaced(x):  # noqa: F811
    kept = x
    return kept.tan()


def fails(x):
    kept = x
    size = len(kept.shape)
    raise ValueError(size)
    return x


def never(x):
    kept = x
    return kept * 9


def lazy(x):
    kept = x
    value = kept.exp()
    yield value


def only_size(x):
    batch = x.shape[0]
    half = batch // 2
    return half


class Base(nn.Module):
    def forward(self, x):
        x = self.step(x)
        y = x + self.offset
        return y

    def step(self, x):
        kept = x
        z = kept.sigmoid()
        return z

    @property
    def offset(self):
        value = 1.0 + 1
        return value


class Derived(Base):
    def step(self, x):
        kept = x
        return kept.tanh()


class Abstract(nn.Module):
    def forward(self, x):
        return self.step(x)

    def step(self, x):
        kept = x
        return kept


class Concrete(Abstract):
    def step(self, x):
        kept = x
        return kept.tanh()


class Patched(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = torch.relu

    def step(self, x):
        kept = x
        return kept.neg()

    def forward(self, x):
        return self.step(x)


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.base, self.derived, self.patched = Base(), Derived(), Patched()
        self.concrete, self.flag = Concrete(), False

    def forward(self, x):
        shifted_by = shifted(x)
        x = decorated(shifted_by) + replaced(x)
        try:
            x = fails(x)
            x = x + 100
        except ValueError:
            x = x - 1
        with contextlib.suppress(KeyError):
            x = x * 3
        late = lazy(x)
        x = x if self.flag is False else never(x)
        self.flag and never(x)
        x = self.derived(self.base(self.concrete(x))) + self.patched(x)
        for at in range(3):
            if at == 1:
                continue
            x = x + at
        half = only_size(x)

        def shifted_again(y):
            return shifted(y)

        unused = [never(one) for one in ()]
        later = lambda y: never(y)  # noqa: E731
        x = x + half
        if self.flag:
            return late, unused, later
        return shifted_again(x)


class OneLine(nn.Module):
    def forward(self, x):
        # fmt: off
        def doubled(y): return y * 2
        def unused(y): return y.shape[0] * 2
        # fmt: on
        return doubled(x), unused is doubled


def pieces(parts):
    for part in parts:
        yield part * 2


def repeated(x, count):
    for step in range(count):
        x = x + step
    return x


class Loops(nn.Module):
    def forward(self, x):
        found = []
        if not found:
            x = x + 3
        for at in range(4):
            last = at
            found.append(at)
            if at == 1:
                x = x * 2
            if last > 1:
                x = x - 1
        a, b, c = pieces([x, x + 1, x + 2])
        return repeated(a, 1) + repeated(b, 3) + c
