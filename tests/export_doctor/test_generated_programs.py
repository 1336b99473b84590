"""Rewrites of generated programs compute what the programs compute, on inputs that take each branch."""

from __future__ import annotations

import random
import re
import textwrap
from collections import Counter

import pytest
import torch

from exir_viz.export_doctor import rewrite

from .test_rewrite import as_python, every_rewrite, model_of, outcome, pasted

__all__ = ["as_python"]

PROGRAMS = 300
HEAD = """\
class Model(nn.Module):
    def same(self, x):
        return x

    def forward(self, x, n):
"""
INPUTS = [
    (torch.tensor(values), torch.tensor(count))
    for values, count in (([3.4, 2.0], 2), ([-3.2, 1.0], 0), ([0.2, -0.1], 1), ([-1.0, -2.0], 3))
]
NAMES = ("x", "y", "z")
KINDS = {"torch.cond": "torch.cond", "torch._check": "torch._check", "goes_on(": "while_loop"}


class Generator:
    """Bodies of `forward(self, x, n)` with statements that depend on data."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, *texts: str) -> str:
        """One of some texts, in which each A and B is a name."""
        text = self.random.choice(texts)
        return re.sub(r"\b[AB]\b", lambda _: self.random.choice(NAMES), text)

    def happens(self, chance: float) -> bool:
        return self.random.random() < chance

    def body(self) -> str:
        before = self.one("z = x\ny = x", "y = x * 2\nz = y", "y = z = x + 1", "y = self.same(x)\nz = y * 2")
        before = "\n".join([before, *self.some(0, 1)]).splitlines()
        after = self.some(0, 2)
        return "\n".join([*before, *self.around(self.statement()), *after, self.returned()])

    def some(self, least: int, most: int, writes: float = 0.2) -> list[str]:
        count = self.random.randint(least, most)
        return [self.write() if self.happens(writes) else self.assignment() for _ in range(count)]

    def value(self) -> str:
        return self.one(
            *(
                "A",
                "B",
                "A + 1",
                "A * B",
                "A - B",
                "self.same(A)",
                "A.view(-1)",
                "A.abs()",
                "+A",
                "A.clone()",
            ),
            *(
                "A[:]",
                "torch.relu(A)",
                "torch.where(A > 0, A, B)",
                "(A + B).reshape(-1)",
                "A if n > 1 else B",
            ),
            *(
                "[A * i for i in (1, 2)][1]",
                "[x for x in (A, B)][0]",
            ),
        )

    def assignment(self) -> str:
        text = self.one(
            *("A = ", "A = ", "A = ", "A = B = ", "A: torch.Tensor = "), "A += 1", "A *= 2", "A, B = ", "pass"
        )
        if text.endswith(" = "):
            text += self.value() if "," not in text else f"{self.value()}, {self.value()}"
        return text

    def write(self) -> str:
        return self.one(
            *("A.add_(1)", "A += 1", "A[0] = 9", "torch.relu_(A)", "torch.add(B, 1, out=A)", "del A"),
            *(
                "nn.functional.relu(A, inplace=True)",
                "A.data = B + 1",
                "A.view(-1)[0] = 5",
                "f = lambda: A * 2",
            ),
            *("for w in (A, B): w += 1", "for A in (B, B + 1): pass"),
        )

    def condition(self) -> str:
        asked = (
            *("A.sum() > 0", "A.sum() > 0", "A.mean() < 1", "A.max() < 2", "A[0] > 1", "n > 0", "n > 1"),
            *(
                "n.item() == 2",
                "not A.sum() > 2",
                "bool(n)",
                "(A > 0).any()",
                "6 // n > 2",
                "torch.equal(A, B)",
            ),
            *("0 < n < 3", "(s := A.sum()) > 0", "0 <= A.sum() + n <= 9", "A.numel() > 1"),
        )
        if self.happens(0.2):
            return f"{self.one(*asked)} {self.one('and', 'or')} {self.one(*asked)}"
        return self.one(*asked)

    def suite(self, end: str = "") -> list[str]:
        lines = self.some(1, 3, writes=0.05) + [end] * bool(end)
        return [f"    {line}" for line in lines]

    def returned(self) -> str:
        one, other = self.value(), self.value()
        return "return " + self.random.choice((one, f"{one}, {other}", f"({one},)", f"{{'a': {one}}}"))

    def statement(self) -> list[str]:
        kind = self.one(*("if",) * 5, *("return",) * 3, "for", "for", "assert", "raise", "elif", "elif")
        asks = self.condition()
        other = ["else:", *self.suite()] if self.happens(0.6) else []
        match kind:
            case "if":
                return [f"if {asks}:", *self.suite(), *other]
            case "elif":
                return [f"if {self.condition()}:", *self.suite(), f"elif {asks}:", *self.suite(), *other]
            case "return":
                other = ["else:", *self.suite(self.returned())] if other else []
                return [f"if {asks}:", *self.suite(self.returned()), *other]
            case "for":
                values = self.one("range(int(n))", "range(n.item())", "range(n)", "range(int(n + x.numel()))")
                return [f"for i in {values}:", *self.suite(self.one("A = A + i", "A = B * i", "pass"))]
            case "assert":
                return [f"assert {asks}" + self.one("", ", 'wrong'")]
        return [
            f"if {asks}:",
            "    raise " + self.one("ValueError", "ValueError(str(n))", "ValueError(1, 2)"),
        ]

    def around(self, lines: list[str]) -> list[str]:
        inner = [f"    {line}" for line in lines]
        match self.one(*("nothing",) * 5, "with", "for", "try", "def", "else"):
            case "with":
                return ["with torch.no_grad():", *inner]
            case "for":
                return ["for j in range(2):", *inner, *self.suite(self.one("continue", "pass"))]
            case "try":
                caught = self.one("Exception as y", "AssertionError", "ValueError", "UnboundLocalError")
                return ["try:", *inner, f"except {caught}:", *self.suite()]
            case "def":
                head = f"def g({self.one('x, n', 'z, n', 'x, n, y=x')}):"
                return [head, *inner, f"    {self.returned()}", "y = g(x, n)"]
            case "else":
                return ["if n > 2:", *self.suite(), "else:", *inner]
        return lines


@pytest.mark.usefixtures("as_python")
def test_rewrites_of_generated_programs_compute_the_same() -> None:
    compared: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        text = HEAD + textwrap.indent(Generator(seed).body(), " " * 8) + "\n"
        model = model_of(text)
        rewrites = [one for one in every_rewrite(text) if rewrite.is_code_there(text, *one)]
        expected = [outcome(model, given) for given in INPUTS if rewrites]
        for one in rewrites:
            mended = model_of(pasted(text, one))
            kind = next(kind for words, kind in KINDS.items() if words in one.code)
            for given, before in zip(INPUTS, expected, strict=True):
                after = outcome(mended, given)
                assert after in (before, "refused") or before == "unbound", f"{text}\n{one.code}\n{given}"
                compared[kind] += after not in ("refused", "raises", "unbound")
    assert min(compared[kind] for kind in KINDS.values()) > 20, compared
