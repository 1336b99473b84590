"""Code that a fix puts in place of lines computes what the lines compute, for all inputs and in any order."""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

from exir_viz.export_doctor import rewrite

# Bodies of forward(self, x, n). Each has a statement that depends on data.
BODIES = [
    # the length of a range is computed once, and is a whole number
    "for i in range(int(x.abs().sum())):\n    x = x + 1\nreturn x",
    "for i in range(int(x.abs().sum())):\n    x = x * 0.5 + i\nreturn x",
    "y = n\nfor i in range(int(n)):\n    n = n - 1\n    x = x + n\nreturn x, n, y",
    "for i in range(n.item()):\n    n = n + 1\nreturn n",
    "for i in range(int(n.item())):\n    x = x * 2\nreturn x",
    "for i in range(n):\n    n = n + 1\n    x = x + i\nreturn x, n",
    "m = {'n': n}\nfor i in range(m['n']):\n    x = x + m['n']\nreturn x",
    # the number of the iteration after the loop, and in its body
    "i = n\nfor i in range(int(n)):\n    x = x + 1\nreturn x, i",
    "for i in range(int(n)):\n    i = i * 2\n    x = x + i\nreturn x",
    "j = 0\nfor k in range(2):\n    x = x + j\n    for j in range(int(n)):\n        x = x + 1\nreturn x",
    # what an iteration leaves behind
    "y = x\nfor i in range(int(n)):\n    z = y * 2\n    y = z + i\nreturn y",
    "for i in range(int(n)):\n    z = x * 2\n    x = z + i\nreturn x + (z if n > 0 else 0)",
    "for i in range(int(n)):\n    x = x + 1\nelse:\n    x = x * 3\nreturn x",
    "for i in range(int(n)):\n    x = x + 1\n    if i > 1:\n        break\nreturn x",
    "for i in range(int(n)):\n    x = x + 1\n    continue\nreturn x",
    "for i in range(int(n)):\n    return x + i\nreturn x",
    "count = x * 2\niteration = n\nfor i in range(int(n)):\n    x = x + count + iteration\nreturn x, count",
    # writing to an input or to another name of a tensor
    "for i in range(int(n)):\n    x += 1\nreturn x",
    "y = z = x * 2\nif x.sum() > 0:\n    y += 1\nreturn y, z",
    "y = x * 2\nz = y\nif x.sum() > 0:\n    y += 1\nelse:\n    y -= 1\nreturn y, z",
    "if x.sum() > 0:\n    x += 1\nreturn x",
    "if x.sum() > 0:\n    return x + 2\nx += 1\nreturn x",
    "y = x\nif x.sum() > 0:\n    y = x + 1\ny.add_(1)\nreturn y, x",
    "y = x\nif x.sum() > 0:\n    y = x + 1\ny[0] = 9\nreturn y, x",
    "y = x\nif x.sum() > 0:\n    y = x + 1\ny += 1\nreturn y, x",
    "y = x * 1\nfor i in range(int(n)):\n    y = x\ny.neg_()\nreturn y, x",
    "y = x * 1\nif x.sum() > 0:\n    y = x * 2\nelse:\n    y = x * 3\ny += 1\nreturn y",
    "y = x\nif x.sum() > 0:\n    y = x + 1\nx.add_(1)\nreturn y",
    "y = x * 1\nz = y\nif x.sum() > 0:\n    z = x + 1\nnn.functional.relu(y, inplace=True)\nreturn z",
    "y = x * 1\nz = y\nif x.sum() > 0:\n    z = x + 1\ntorch.add(x, 1, out=y)\nreturn z",
    "y, z = x, x * 2\nif n > 1:\n    y = nn.Identity()(z)\nz *= 2\nreturn y",
    "y = nn.Identity()(x)\nif x.sum() < 0:\n    y += 1\nreturn y",
    "y = x * 1\nif x.sum() < 0:\n    y = x\n    y += 1\nreturn y",
    "y = x * 1\nzs = []\nzs.append(y)\nif x.sum() < 0:\n    y += 1\nreturn y, zs",
    "y = x * 1\nif x.sum() < 0:\n    y = x.add_(1)\nreturn y",
    "y, k = x * 1, 2\nif x.sum() < 0:\n    y = y * k\nk += 1\nreturn y, k",
    # an elif, of which the branches before it stay
    "if n > 1:\n    z = x + 1\nelif x.sum() > 0:\n    z = x - 1\nelse:\n    z = x * 2\nreturn z",
    "z = x\nif n > 1:\n    z = x + 1\nelif x.sum() > 0:\n    z = z - 1\nreturn z",
    "z = x\nif n > 1:\n    z = x + 1\nelif n > 0:\n    pass\nelif x.sum() > 0:\n    z = x - 1\nreturn z",
    "if n > 1:\n    return x + 1\nelif x.sum() > 0:\n    return x - 1\nelse:\n    return x * 2",
    "if n > 1:\n    return x + 1\nelif x.sum() > 0:\n    return x - 1\nreturn x * 2",
    "z = x\nif n > 1:\n    z = x + 1\nelse:\n    if x.sum() > 0:\n        z = x - 1\nreturn z",
    # what a branch assigns, and who reads it
    "if x.sum() > 0:\n    y = x\nelse:\n    y = x + 1\n    y = y * y\nreturn y",
    "if n > 1:\n    z = x\nelse:\n    if x.sum() > 0:\n        z = x + 1\nreturn z if n > 1 else x",
    "y = x\nf = lambda: y * 2\nif x.sum() > 0:\n    y = x + 1\nreturn f()",
    "y = x\ndef f():\n    return y * 2\nif x.sum() > 0:\n    y = x + 1\nreturn f()",
    "y = x\ndef f():\n    nonlocal y\n    if x.sum() > 0:\n        y = x + 1\nf()\nreturn y",
    "def f(z):\n    if z.sum() > 0:\n        z = z + 1\n    return z\nreturn f(x) + f(x * n)",
    "y = x\nfor k in range(3):\n    x = x + y\n    if x.sum() > 0:\n        y = y + 1\nreturn x",
    "input = x\nif x.sum() > 0:\n    input = input + 1\nreturn input",
    "def f(z):\n    if z.sum() > 0:\n        y = z + 1\n    return y\ny = x\nreturn f(x)",
    "y = x\ndel y\nif x.sum() > 0:\n    y = x + 1\nreturn y",
    "y = x\ntry:\n    n.none\nexcept Exception as y:\n    pass\nif x.sum() > 0:\n    y = x + 1\nreturn y",
    "def f(z, k=2):\n    if z.sum() > 0:\n        z = z * k\n    return z\nreturn f(x)",
    "if_true = x\nif x.sum() > 0:\n    x = x + 1\nreturn x + if_true",
    "if x.sum() > 0:\n    return (x + 1,)\nreturn (x - 1,)",
    "if x.sum() > 0:\n    return x + 1\nreturn x - 1\nreturn x",
    "if x.sum() > 0:\n    return x + 1\n    return x\nelse:\n    return x - 1",
    "if x.sum() > 0:\n    return super().__repr__()\nreturn super().__str__()",
    "if x.sum() > 0:\n    y = [x + x for x in (x,)][0]\nelse:\n    y = [x - i for i in (1, 2)][1]\nreturn y",
    "z = x * 1\nif x.sum() > 0:\n    z = nn.functional.relu(x, inplace=False)\nreturn z",
    # conditions
    "if x.argmax() and n:\n    return x + 1\nreturn x - 1",
    "if n.item() and x.sum() > 0:\n    return x + 1\nreturn x - 1",
    "if x.sum() > 0 and x.max() > 1 or not n:\n    return x + 1\nreturn x - 1",
    "if self.none is not None and self.none.sum() > 0:\n    return x + 1\nreturn x - 1",
    "if n > 0 and 6 // n > 2:\n    return x + 1\nreturn x - 1",
    "if n < 2 and x[n] > 0:\n    return x + 1\nreturn x - 1",
    "if bool(n) == True:\n    return x + 1\nreturn x - 1",
    "if bool(x.sum() > 0) or bool(n):\n    return x + 1\nreturn x - 1",
    "if torch.equal(x, x.abs()):\n    return x + 1\nreturn x - 1",
    "if torch.equal(x, n):\n    return x + 1\nreturn x - 1",
    "if torch.allclose(x, x.abs(), atol=0.3):\n    return x + 1\nreturn x - 1",
    "if torch.equal(x, x[:1]):\n    return x + 1\nreturn x - 1",
    "if x.sum().item() > 0:\n    return x + 1\nreturn x - 1",
    # assertions, and several statements on a line
    "assert x.max() > -99 and n < 99\nreturn x",
    "y = x + 1; assert x.max() > -99; y = y * 2\nreturn y",
    "assert x.max() > 1, str(n)\nreturn x",
    "assert 0 <= n <= 2, str(n)\nreturn x",
    "assert 0 <= x.max() + n <= 2 and (n > 0 or x.max() > 0)\nreturn x",
    "k = n.item()\nassert k > 0 and 6 // k > 2 and 1 < k < 9, f'{k}'\nreturn x",
    "try:\n    assert x.max() > 1\nexcept AssertionError:\n    x = x + 1\nreturn x",
    "if x.max() < 1:\n    raise ValueError(n)\nreturn x",
    "if x.max() < 1:\n    raise ValueError\nelse:\n    x = x + 1\nreturn x",
    "if n > 1:\n    x = x + 1\nelif x.max() < 1:\n    raise ValueError\nreturn x",
    "try:\n    if x.max() < 1:\n        raise ValueError\nexcept ValueError:\n    x = x + 1\nreturn x",
    "assert x.max() > -99; x = x * 2\nreturn x",
    "if n > 1: assert n < 99\nreturn x",
    "if x.sum() > 0: y = x + 1; z = x\nelse: y = z = x - 1\nreturn y, z",
]  # fmt: skip
REWRITES: dict[str, Callable[[rewrite.Place], list[rewrite.Rewritten]]] = {
    "cond": rewrite.cond,
    "check": rewrite.check,
    "while_loop": rewrite.while_loop,
}
INPUTS = [
    (torch.tensor(values), torch.tensor(count))
    for values in ([3.4, 2.0], [-3.2, 1.0], [0.2, 0.1], [5.0, 5.0], [-1.0, 1.0])
    for count in (0, 1, 2, 3)
]


def of_class(body: str) -> str:
    head = "class Model(nn.Module):\n    none = None\n\n    def forward(self, x, n):\n"
    return head + textwrap.indent(body, " " * 8) + "\n"


def every_rewrite(text: str) -> Iterator[rewrite.Rewritten]:
    for line, code in enumerate(text.split("\n"), 1):
        if not any(word in code for word in ("if ", "for ", "assert ")):
            continue
        place = rewrite.place_of(text, line)
        if place is not None and place.statement.lineno == line:
            for one in REWRITES.values():
                yield from one(place)


def pasted(text: str, one: rewrite.Rewritten) -> str:
    lines = text.split("\n")
    lines[one.first - 1 : max(one.last, one.first - 1)] = one.code.split("\n")
    return "\n".join(lines)


def model_of(text: str) -> nn.Module:
    names: dict[str, Any] = {"nn": nn, "torch": torch}
    exec(text, names)
    model: nn.Module = names["Model"]()
    return model


def outcome(model: nn.Module, given: tuple[torch.Tensor, ...]) -> str:
    """What a call returns, and what its inputs are after it.

    It is "refused" where torch refuses a type, and "unbound" where a variable has no value: such a program
    is wrong, and code that mends it is not.
    """
    given = copy.deepcopy(given)
    try:
        result = model(*given)
    except (TypeError, AttributeError):
        return "refused"
    except UnboundLocalError:
        return "unbound"
    except Exception:  # noqa: BLE001  a program may raise what it likes
        return "raises"
    return f"{result} {given}"


@pytest.fixture
def as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch.cond and while_loop as they are defined: without tracing, which takes time."""

    def cond(condition: Any, if_true: Any, if_false: Any, operands: Any) -> Any:
        assert condition is True or condition is False or condition.dtype is torch.bool
        return if_true(*operands) if condition else if_false(*operands)

    def while_loop(goes_on: Any, body: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
        for _ in range(50):
            if not goes_on(*carried):
                return carried
            carried = body(*carried)
        raise AssertionError("The loop does not end.")

    monkeypatch.setattr(torch, "cond", cond)
    monkeypatch.setattr("torch._higher_order_ops.while_loop", while_loop)


@pytest.mark.usefixtures("as_python")
@pytest.mark.parametrize("body", BODIES)
def test_code_in_place_of_lines_computes_the_same(body: str) -> None:
    text = of_class(body)
    model = model_of(text)
    for one in every_rewrite(text):
        mended = model_of(pasted(text, one))
        for given in INPUTS:
            assert outcome(mended, given) in (outcome(model, given), "refused"), pasted(text, one)


@pytest.mark.parametrize("body", BODIES)
def test_code_before_a_line_is_code_there(body: str) -> None:
    text = of_class(body)
    for line in range(1, len(text.split("\n"))):
        place = rewrite.place_of(text, line)
        for one in rewrite.promise(place) if place is not None else ():
            ast.parse(pasted(text, one))


def test_each_rewrite_is_offered() -> None:
    codes = [one.code for body in BODIES for one in every_rewrite(of_class(body))]
    for words in ("def if_true(", "def if_true_(", "torch._check(", "def goes_on(", "else:\n", ".all() if "):
        assert any(words in code for code in codes), words


def test_only_python_is_put_in_place_of_lines() -> None:
    text = of_class("if n > 1:\n    x = x + 1\nelif x.sum() > 0:\n    x = x * 2\nreturn x")
    line = text.split("\n").index("        elif x.sum() > 0:") + 1
    before = "        torch._check(n < 9)"
    assert not rewrite.is_code_there(text, before, line, line - 1)
    assert rewrite.is_code_there(text, before, line - 2, line - 3)


@pytest.mark.usefixtures("as_python")
@pytest.mark.parametrize("body", BODIES)
def test_code_has_the_indent_of_its_file(body: str) -> None:
    text = re.sub("(?m)^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), of_class(body))
    for one in every_rewrite(text):
        assert rewrite.is_code_there(text, *one)
        assert one.code.startswith("\t\t")
