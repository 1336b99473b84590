"""Every blocker is found at its line, and every fix that can be pasted makes the module exportable."""

from __future__ import annotations

import dataclasses
import enum
import importlib.util
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.errors import ExportFailed
from exir_viz.export_doctor import blockers, rewrite, trial
from exir_viz.export_doctor.records import Blocker, BlockerKind, Fix
from tests.nightly import nightly
from tests.remedies.suggestions import suggests

HEAD = "import torch\nfrom torch import nn\n\n\n"

BRANCH = """
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            y = x.sin()
        else:
            y = x.cos()
        return y
"""
RETURNS = """
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            z = x + 1
            return z * 2
        return x - 1
"""
WITHOUT_ELSE = """
class Model(nn.Module):
    def forward(self, x):
        y = x * 2
        if (y > 1).any():
            y = y / y.max()
        return y
"""
ASSERTION = """
class Model(nn.Module):
    def forward(self, x):
        assert x.min() >= -100
        return x.sqrt()
"""
SIZE = """
class Model(nn.Module):
    def forward(self, x, n):
        k = n.item()
        y = x[:k]
        if y.shape[0] == 0:
            return x
        return y
"""
LOOP = """
class Model(nn.Module):
    def forward(self, x, n):
        for step in range(int(n)):
            x = x + step
        return x
"""
X, N = torch.linspace(1, 2, 4), torch.tensor(2)


def written(folder: Path, text: str) -> ModuleType:
    """A module of Python with this text."""
    path = folder / f"written_{len(list(folder.iterdir()))}.py"
    path.write_text(HEAD + text.lstrip("\n"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pasted(file: str, fix: Fix) -> str:
    """The text of a file with the code of a fix in it."""
    lines = Path(file).read_text().splitlines()
    lines[fix.first - 1 : max(fix.last, fix.first - 1)] = fix.code.splitlines()
    return "\n".join(lines).removeprefix(HEAD)


def exports(module: nn.Module, *args: object) -> bool:
    try:
        torch.export.export(module, args)
    except Exception:  # noqa: BLE001  torch raises many classes
        return False
    return True


def only(found: exir_viz.types.Diagnosis) -> Blocker:
    (one,) = found
    return one


@pytest.mark.parametrize(
    ("text", "args", "kind", "line"),
    [
        (BRANCH, (X,), BlockerKind.BRANCH, "if x.sum() > 0:"),
        (RETURNS, (X,), BlockerKind.BRANCH, "if x.sum() > 0:"),
        (WITHOUT_ELSE, (X,), BlockerKind.BRANCH, "if (y > 1).any():"),
        (ASSERTION, (X,), BlockerKind.ASSERTION, "assert x.min() >= -100"),
        (SIZE, (X, N), BlockerKind.SIZE, "if y.shape[0] == 0:"),
        (LOOP, (X, N), BlockerKind.LOOP, "for step in range(int(n)):"),
    ],
    ids=["branch", "returns", "without else", "assertion", "size", "loop"],
)
def test_a_fix_that_is_pasted_works(
    text: str, args: tuple[Any, ...], kind: BlockerKind, line: str, tmp_path: Path
) -> None:
    model = written(tmp_path, text).Model()
    one = only(exir_viz.doctor(model, *args))
    assert (one.kind, one.code) == (kind, line)
    assert "non-strict" in one.modes
    assert one.reason
    fix = one.fixes[0]
    mended = written(tmp_path, pasted(one.file, fix)).Model()
    after = exir_viz.doctor(mended, *args)
    assert after.works["non-strict"], str(after)
    program = torch.export.export(mended, args)
    for sign in (1, -1):
        given = (args[0] * sign, *args[1:])
        if kind is not BlockerKind.ASSERTION:
            torch.testing.assert_close(program.module()(*given), model(*given))


# Bodies of forward(self, x, n), of which torch cannot export one line; x is positive, n is 2. The number: how
# many fixes with code each has.
ODD = [
    ("if x.sum() > 0:\n    return x\nreturn x + 1", 1),
    ("y = x.view(2, 2)\nif x.sum() > 0:\n    y = y.t()\nreturn y", 0),
    ("y = x * 1\nif x.sum() > 0:\n    y += 1\nelse:\n    y -= x\nreturn y", 1),
    ("if x.sum() > 0 and x.max() < 9:\n    y = x * 2\nelse:\n    y = x - 1\nreturn y", 1),
    ("if x.sum().item() > 0:\n    y, z = x * 2, x\nelse:\n    y, z = x, x + 1\nreturn y + z", 1),
    ("if torch.equal(x, x * 1):\n    return x * 2\nreturn x", 1),
    ("a = x.tolist()[0]\nif a > 0.5:\n    return x + 1\nreturn x - 1", 1),
    ("k, y = 3, x\nif x.sum() > 0:\n    y = self.linear(x) * k\nreturn y", 1),
    ("for step in range(n.item()):\n    x = x + step\nreturn x", 1),
    ("for step in range(n.item()):\n    x += step\nreturn x", 0),  # it writes to the input
    ("for step in range(int(x.abs().sum())):\n    x = x + 1\nreturn x", 1),
    ("if self.count:\n    y = x\nelif x.sum() > 9:\n    y = x + 1\nelse:\n    y = x * 2\nreturn y", 1),
    ("if self.count:\n    y = x\nelif n.item() > 9:\n    return x\nelse:\n    y = x * 2\nreturn y", 0),
    ("if x.sum() > 0:\n    self.count += 1\n    y = x\nelse:\n    y = x + 1\nreturn y", 0),
    ("if x.sum() > 0:\n    y = x.sum()\nelse:\n    y = x\nreturn y", 0),
    ("return x * max(x.tolist())", 0),
    ("if (\n    x.sum() > 0\n    and x.max() < 9\n):\n    return x + 1\nreturn x - 1", 1),
    ("if x.sum() < 0:\n    y = x * 2\nelse:\n    y = nn.Identity()(x)\ny.add_(1)\nreturn y", 0),
    ("for step in range(n):\n    x = x + step\nreturn x", 1),
    ("assert torch.allclose(x, x * 1), 'not close'\nreturn x + 1", 1),
    ("assert torch.equal(x, x * 1)\nreturn x + 1", 1),
    ("k = n.item()\nassert 0 <= k < 4 and k > 1, f'{k}'\nreturn x[:k]", 1),
    ("k = 0\nfor i in range(int(n)):\n    k = k + 1\nreturn x, k", 1),
    ("if x.sum() < 0:\n    raise ValueError('negative')\nreturn x + 1", 1),
    ("def f(z, k=2):\n    if z.sum() > 0:\n        z = z * k\n    return z\nreturn f(x)", 1),
]
CLASS = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.flag, self.count, self.linear = True, 0, nn.Linear(4, 4)

    def forward(self, x, n):
"""


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(*one, id=str(at), marks=[pytest.mark.nightly] if at % 3 else [])
        for at, one in enumerate(ODD)
    ],
)
def test_code_is_suggested_only_if_it_works(body: str, count: int, tmp_path: Path) -> None:
    model = written(tmp_path, CLASS + textwrap.indent(body, " " * 8)).Model()
    code = type(model).forward.__code__
    found = exir_viz.doctor(model, X, N)
    assert type(model).forward.__code__ is code
    pairs = [(one, fix) for one in found for fix in one.fixes if fix.first]
    assert len(pairs) == count, str(found)
    for one, fix in pairs:
        assert fix.is_tried
        mended = written(tmp_path, pasted(one.file, fix)).Model()
        mended.load_state_dict(model.state_dict())
        strict = "non-strict" not in one.modes
        program = torch.export.export(mended, (X, N), strict=strict)
        for given in (X, -X) if "torch.cond" in fix.code else (X,):
            torch.testing.assert_close(program.module()(given, N), model(given, N))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("k = n.item()\nif k < x.shape[0]:\n    return x + 1\nreturn x - 1", BlockerKind.BRANCH),
        ("k = n.item()\nif k + x.shape[0] > 5:\n    return x + 1\nreturn x - 1", BlockerKind.BRANCH),
        ("y = x[x > 0]\nif y.shape[0] == 1:\n    return y\nreturn x", BlockerKind.SIZE),
        ("y = x[x > 0]\nif 2 * y.size(0) > x.numel():\n    return y\nreturn x", BlockerKind.SIZE),
    ],
)
def test_a_number_is_not_called_a_size(body: str, kind: BlockerKind, tmp_path: Path) -> None:
    found = exir_viz.doctor(written(tmp_path, CLASS + textwrap.indent(body, " " * 8)).Model(), X, N)
    assert only(found).kind is kind


def test_a_check_keeps_the_message(tmp_path: Path) -> None:
    for body in (
        "assert x.min() > 0, f'{n} values'",
        "if (x <= 0).any():\n            raise ValueError(f'{n} values')",
    ):
        text = f"{CLASS}        {body}\n        return x.sqrt()"
        one = only(exir_viz.doctor(written(tmp_path, text).Model(), X, N))
        mended = written(tmp_path, pasted(one.file, one.fixes[0])).Model()
        program = torch.export.export(mended, (X, N))
        with pytest.raises(RuntimeError):
            program.module()(-X, N)
        with pytest.raises(RuntimeError, match="2 values"):
            mended(-X, N)


METHODS = """
class Model(nn.Module):
    def first(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    def second(self, x, n):
        for i in range(int(n)):
            x = x + i
        return x

    def forward(self, x, n):
        y = self.first(self.second(self.first(x), n))
        assert y.max() < 1000
        return y
"""


def test_fixes_of_several_methods_are_tried_together(tmp_path: Path) -> None:
    found = exir_viz.doctor(written(tmp_path, METHODS).Model(), X, N)
    assert [one.code.split()[0] for one in found] == ["if", "for", "assert"]
    assert [[fix.is_tried for fix in one.fixes] for one in found] == [[True]] * 3


def test_both_ways_of_exporting_do_not_give_two_pieces_of_general_advice(tmp_path: Path) -> None:
    body = "return torch.stack([x * i for i in (1, 2, 3) if x.sum() > i])"
    found = exir_viz.doctor(written(tmp_path, CLASS + textwrap.indent(body, " " * 8)).Model(), X, N)
    assert [fix.title for fix in only(found).fixes] == [blockers._OTHERWISE[BlockerKind.BRANCH]]


def test_a_check_is_not_suggested_for_the_truth_of_a_tensor(tmp_path: Path) -> None:
    text = BRANCH.replace("if x.sum() > 0:", "if x.sum() > 0:\n            print(x)\n        if x.max() > 9:")
    first, second = exir_viz.doctor(written(tmp_path, text).Model(), X)
    assert [fix.code for fix in first.fixes] == [""]
    assert [("torch.cond" in fix.code, fix.is_tried) for fix in second.fixes] == [(True, False)]


ENDLESS = """
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
        while not same(y, x + 1):
            pass
        return y


def same(y, x):
    return bool(x.shape == y.shape)
"""


def test_a_module_that_runs_too_long_with_a_fix_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(place: rewrite.Place) -> list[rewrite.Rewritten]:
        statement = place.statement
        code = " " * 8 + "y = x[:1] if not torch.compiler.is_exporting() else x"
        return [rewrite.Rewritten(code, statement.lineno, statement.end_lineno or 0)]

    monkeypatch.setattr(trial, "_SECONDS", 0.5)
    monkeypatch.setitem(blockers._REWRITES, BlockerKind.BRANCH, (("Loop for ever", wrong),))
    model = written(tmp_path, ENDLESS).Model()
    before = sys.getprofile()
    one = only(exir_viz.doctor(model, X))
    assert [fix.code for fix in one.fixes] == [""]
    assert sys.getprofile() is before


def test_code_that_is_no_python_where_it_goes_is_not_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(place: rewrite.Place) -> list[rewrite.Rewritten]:
        line = place.statement.lineno
        return [rewrite.Rewritten("        x.numel()", line, line - 1)]

    monkeypatch.setitem(blockers._REWRITES, BlockerKind.BRANCH, (("Ask before the line", wrong),))
    text = BRANCH.replace("if x.sum() > 0:", "if x.dim() > 1:\n            y = x\n        elif x.sum() > 0:")
    one = only(exir_viz.doctor(written(tmp_path, text).Model(), X))
    assert one.code == "elif x.sum() > 0:"
    assert [fix.code for fix in one.fixes] == [""]


def test_code_is_not_called_tried_if_the_module_does_not_run(tmp_path: Path) -> None:
    text = BRANCH.replace("return y", "raise_if_run()\n        return y")
    text += "\n\ndef raise_if_run():\n    if not torch.compiler.is_exporting():\n        raise ValueError\n"
    one = only(exir_viz.doctor(written(tmp_path, text).Model(), X))
    assert [fix.is_tried for fix in one.fixes if fix.code] == [False]


def test_values_that_are_no_tensors_are_compared(tmp_path: Path) -> None:
    text = BRANCH.replace("return y", "return y, x.numpy()")
    found = exir_viz.doctor(written(tmp_path, text).Model(), X)
    assert found[0].kind is BlockerKind.BRANCH


def test_a_tensor_is_no_number() -> None:
    assert trial.is_equal([2, X], [2, X.clone()])
    assert not trial.is_equal([2], [N])
    assert not trial.is_equal([N], [2])


@dataclasses.dataclass
class Pair:
    a: torch.Tensor
    b: torch.Tensor


class TakesPair(nn.Module):
    def forward(self, pair: Pair) -> torch.Tensor:
        return pair.a + pair.b


def test_a_dataclass_is_registered() -> None:
    one = only(exir_viz.doctor(TakesPair(), Pair(X, X)))
    assert one.kind is BlockerKind.INPUT
    exec(one.fixes[0].code, {"torch": torch, "Pair": Pair})
    assert exir_viz.doctor(TakesPair(), Pair(X, X)).works["non-strict"]


class TakesNested(nn.Module):
    def forward(self, x: torch.Tensor, options: dict[str, list[Pair]]) -> torch.Tensor:
        return x + options["pairs"][0].a


def test_an_input_within_others_is_named() -> None:
    other = dataclasses.make_dataclass("Other", ["a"])
    one = only(exir_viz.doctor(TakesNested(), X, kwargs={"options": {"pairs": [other(X)]}}))
    assert one.kind is BlockerKind.INPUT
    assert "kwargs['options']['pairs'][0] is of type Other" in one.explanation
    exec(one.fixes[0].code, {"torch": torch, "Other": other})
    assert exir_viz.doctor(TakesNested(), X, kwargs={"options": {"pairs": [other(X)]}}).can_export


class Opaque:
    def __init__(self, x: torch.Tensor) -> None:
        self.x = x


class Shade(enum.Enum):
    DARK = 1


class Named(NamedTuple):
    first: object
    second: object


class Returns(nn.Module):
    def __init__(self, output: Callable[[torch.Tensor], object]) -> None:
        super().__init__()
        self.output = output

    def forward(self, x: torch.Tensor, *, factor: int = 1) -> object:
        return self.output(x * factor)


@pytest.mark.parametrize(
    ("output", "place", "returned"),
    [
        (lambda x: (x, Opaque(x)), "output[1] is of type Opaque", ["output[0]"]),
        (lambda x: Named({"a": [Opaque(x)]}, x), "output.first['a'][0] is of type Opaque", ["output.second"]),
        (lambda x: {"x": x, "n": 3, "s": {1}}, "output['s'] is of type set", ["output['x']", "output['n']"]),
        (lambda x: [x, Shade.DARK], "output[1] is of type Shade", ["output[0]"]),
    ],
)
def test_a_wrapper_returns_the_rest_of_the_output(
    output: Callable[[torch.Tensor], object], place: str, returned: list[str]
) -> None:
    model = Returns(output)
    one = only(exir_viz.doctor(model, X, kwargs={"factor": 3}))
    assert (one.kind, one.modes) == (BlockerKind.OUTPUT, ("non-strict", "strict"))
    assert one.explanation.startswith(place)
    (fix,) = one.fixes
    assert fix.is_tried
    names: dict[str, Any] = {"torch": torch, "model": model}
    exec(fix.code, names)
    given = exir_viz.load(names["model"], X, kwargs={"factor": 3}).method.signature.outputs
    assert len(given) == len(returned)
    assert all(one in fix.code for one in returned)
    assert exir_viz.doctor(names["model"], X, kwargs={"factor": 3}).can_export


def test_what_has_no_rest_is_only_explained() -> None:
    one = only(exir_viz.doctor(Returns(Opaque), X))
    assert one.explanation.startswith("output is of type Opaque.")
    assert [fix.code for fix in one.fixes] == [""]


def test_an_output_is_no_blocker_where_a_failure_has_another_cause() -> None:
    def output(x: torch.Tensor) -> tuple[torch.Tensor, Opaque]:
        if x.sum() > 0:
            x = x + 1
        return x, Opaque(x)

    kinds = [one.kind for one in exir_viz.doctor(Returns(output), X)]
    assert kinds[0] is BlockerKind.BRANCH


class Inner(nn.Module):
    def forward(self, x: torch.Tensor) -> Opaque:
        return Opaque(x)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x).x
        raise NotImplementedError if y.shape[0] > 1 else ValueError


def test_what_a_submodule_returns_to_its_caller_is_no_blocker() -> None:
    assert BlockerKind.OUTPUT not in [one.kind for one in exir_viz.doctor(Outer(), X)]


@pytest.mark.parametrize("name", ["Llama", *nightly(["T5"])])
def test_a_language_model_exports_without_its_cache(name: str) -> None:
    import transformers

    sizes = {
        "Llama": {
            "hidden_size": 32,
            "intermediate_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
        },
        "T5": {"d_model": 32, "d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2},
    }
    classes = {"Llama": "LlamaForCausalLM", "T5": "T5ForConditionalGeneration"}
    config = getattr(transformers, f"{name}Config")(vocab_size=64, **sizes[name])
    model = getattr(transformers, classes[name])(config).eval()
    ids = torch.arange(8).reshape(1, 8)
    kwargs = {"decoder_input_ids": ids} if name == "T5" else {}
    if name == "T5":
        suggests(
            "Call exir_viz.doctor with the same module and inputs: it says what to change.",
            exir_viz.load,
            model,
            ids,
            kwargs=kwargs,
        )
    else:
        suggests("Turn the cache off: model.config.use_cache = False", exir_viz.load, model, ids)
    one = only(exir_viz.doctor(model, ids, kwargs=kwargs))
    assert one.explanation.startswith("output['past_key_values'] is of type")
    assert one.fixes[0].is_tried
    assert (one.fixes[0].code == "model.config.use_cache = False") == (name != "T5")
    names = {"torch": torch, "model": model}
    exec(one.fixes[0].code, names)
    assert exir_viz.doctor(names["model"], ids, kwargs=kwargs).can_export


LIBRARY = torch.library.Library("exir_viz_doctor", "DEF")
LIBRARY.define("twice(Tensor x) -> Tensor")
LIBRARY.impl("twice", lambda x: x * 2, "CPU")


class Custom(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.ops.exir_viz_doctor.twice(x)
        return found


def test_a_fake_kernel_is_registered() -> None:
    one = only(exir_viz.doctor(Custom(), X))
    assert (one.kind, one.code) == (
        BlockerKind.FAKE_KERNEL,
        "found: torch.Tensor = torch.ops.exir_viz_doctor.twice(x)",
    )
    exec(one.fixes[0].code, {"torch": torch})
    assert exir_viz.doctor(Custom(), X).can_export


class Fixed(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(4, 2) + 1


def test_dimensions_are_defined_as_torch_suggests() -> None:
    x = torch.ones(4, 2)
    one = only(exir_viz.doctor(Fixed(), x, dynamic_shapes=({0: torch.export.Dim("batch")},)))
    assert one.kind is BlockerKind.DYNAMIC_SHAPES
    names: dict[str, Any] = {"torch": torch, "Dim": torch.export.Dim}
    exec(one.fixes[0].code, names)
    assert exir_viz.doctor(Fixed(), x, dynamic_shapes=({0: names["batch"]},)).can_export


class Limited(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.cat([a, b[::2]], 0)
        if a.shape[0] > 2:
            y = y * 2
        return y


def test_the_line_is_the_one_that_limits_the_dimension() -> None:
    batch = torch.export.Dim("batch", min=2, max=16)
    shapes = ({0: batch}, {0: 2 * batch})
    one = only(exir_viz.doctor(Limited(), torch.ones(4, 3), torch.ones(8, 3), dynamic_shapes=shapes))
    assert one.code == "if a.shape[0] > 2:"
    assert one.fixes[0].code.splitlines()[0] == "batch = Dim('batch', min=3, max=16)"


class Viewed42(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if y.shape[0] > 2:
            y = y * 2
        return x.view(4, 2) + 1, y


def test_the_line_is_not_one_that_limits_another_dimension() -> None:
    shapes = ({0: torch.export.Dim("batch")}, {0: torch.export.Dim("len", min=3)})
    one = only(exir_viz.doctor(Viewed42(), torch.ones(4, 2), torch.ones(4, 2), dynamic_shapes=shapes))
    assert (one.code, one.fixes[0].code) == ("return x.view(4, 2) + 1, y", "batch = 4")


class Cache(nn.Module):
    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at
        self.register_buffer("cache", torch.zeros(4, 8))

    def forward(self, x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        if self.at == "i":
            self.cache[i] = x
        else:
            self.cache[i.view(1)] = x
        return self.cache + 1


def test_an_index_is_no_size() -> None:
    if exports(Cache("i"), torch.ones(8), N):  # torch 2.14
        assert exir_viz.doctor(Cache("i"), torch.ones(8), N).can_export
        return
    one = only(exir_viz.doctor(Cache("i"), torch.ones(8), N))
    assert (one.kind, one.code) == (BlockerKind.NUMBER, "self.cache[i] = x")
    assert one.fixes[0].title.endswith("with x[i.view(1)] = …")
    assert exir_viz.doctor(Cache("i.view(1)"), torch.ones(8), N).can_export


class Numpy(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.from_numpy(x.detach().numpy() * 2)


def test_the_other_way_of_exporting_is_a_fix_where_it_works() -> None:
    found = exir_viz.doctor(Numpy(), X)
    assert found.works == {"non-strict": False, "strict": True}
    one = only(found)
    assert one.fixes[0].title == "Export with strict=True"
    names: dict[str, Any] = {"torch": torch, "model": Numpy(), "args": (X,)}
    exec(f"program = {one.fixes[0].code}", names)
    assert names["program"].graph is not None


BLOCKS = """
class First(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        return x


class Second(nn.Module):
    def forward(self, x):
        assert x.max() > 0
        return x * 2


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.second = Second()

    def forward(self, x):
        return self.second(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([First(), First(), Inner()])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""


def test_the_blockers_of_all_submodules_are_found_at_once(tmp_path: Path) -> None:
    model = written(tmp_path, BLOCKS).Model()
    found = exir_viz.doctor(model, X)
    assert [(one.code, one.module) for one in found if "non-strict" in one.modes] == [
        ("if x.sum() > 0:", "blocks.0"),
        ("assert x.max() > 0", "blocks.2.second"),
    ]
    assert not any(child._forward_pre_hooks for child in model.modules())


def test_a_list_of_inputs_is_pointed_out() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.relu()

    found = exir_viz.doctor(Model(), [X])
    assert found.notes[0] == (
        "The only input is a list. Pass what it holds as inputs: doctor(module, *inputs)."
    )
    for inputs in (X, (X,)):
        assert not exir_viz.doctor(Model(), inputs).notes


TWO = """
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        y = x * 2
        if y.max() > 5:
            y = y - 1
        return y
"""


STOPS = """
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        if type(x) is not torch.Tensor:
            raise KeyError(x)
        return x
"""
TWO_AND_NUMPY = """
class Model(nn.Module):
    def forward(self, x):
        print("running")
        y = x
        if x.sum() > 0:
            y = x.sin()
        if y.max() > 5:
            y = y - 1
        return x.numpy().sum() + y
"""


def test_a_blocker_after_which_draft_export_stops_is_no_end(tmp_path: Path, capsys) -> None:
    model = written(tmp_path, TWO_AND_NUMPY).Model()
    expected = ["if x.sum() > 0:", "if y.max() > 5:", "return x.numpy().sum() + y"]
    found = exir_viz.doctor(model, X)
    assert capsys.readouterr().out == ""
    assert [one.code for one in found] == expected
    assert [one.code for one in exir_viz.doctor(model, X, draft=True)] == expected


def test_all_blockers_of_a_function_can_be_fixed_at_once(tmp_path: Path) -> None:
    model = written(tmp_path, TWO).Model()
    found = exir_viz.doctor(model, X)
    assert [one.code for one in found] == ["if x.sum() > 0:", "if y.max() > 5:"]
    assert [one.modes for one in found] == [("non-strict", "strict")] * 2
    for one in (found[1], found[0]):  # from the last line to the first, so that lines stay where they are
        Path(one.file).write_text(HEAD + pasted(one.file, one.fixes[0]))
    mended = written(tmp_path, Path(found[0].file).read_text().removeprefix(HEAD)).Model()
    assert exir_viz.doctor(mended, X).works["non-strict"]


# Each line blocks non-strict export; below it is a line that does not.
SEVERAL = [
    ("y = x if x.sum() > 0 else x + 1", "y = x"),
    ("z = y + torch.from_numpy(x.numpy() * 2)", "z = y + x * 2"),
    ("z = z + torch.ops.exir_viz_doctor.thrice(x)", "z = z + x * 3"),
    ("z = z + len(range(int(n)))", "z = z + 2"),
    ("assert z.min() > -100", "z.min()"),
    ("z = z if y.tolist()[0] > 3 else z * 2", "z = z * 2"),
    ("z = z + helper(z)", "z = z + z.mean()"),
    ("z = z + float(z.max())", "z = z + z.max()"),
    ("w = x[: n.item()] if x[: n.item()].shape[0] == 2 else z", "w = x[:2]"),
    ("z = z if bool((z > 5).any()) else z - 1", "z = z - 1"),
]
HELPER = """
def helper(z):
    try:
        z.numpy()
    except RuntimeError:
        z = z + 1
    return z.max() if z.max() > 3 else z.min()
"""
LIBRARY.define("thrice(Tensor x) -> Tensor")
LIBRARY.impl("thrice", lambda x: x * 3, "CPU")


def several(lines: list[str]) -> str:
    body = "\n".join(f"        {line}" for line in lines)
    return f"{HELPER}\n\nclass Model(nn.Module):\n    def forward(self, x, n):\n{body}\n        return z\n"


def test_all_blockers_of_a_function_are_those_at_which_torch_stops_one_by_one(tmp_path: Path) -> None:
    bad, good = ([pair[at] for pair in SEVERAL] for at in (0, 1))
    found = exir_viz.doctor(written(tmp_path, several(bad)).Model(), X, N)
    at_once = [one.code for one in found if "non-strict" in one.modes]
    one_by_one = []
    for fixed in range(len(bad)):
        model = written(tmp_path, several(good[:fixed] + bad[fixed:])).Model()
        with pytest.raises(ExportFailed) as stopped:
            exir_viz.load(model, X, N)
        one_by_one.append(stopped.value.code)
    assert set(at_once) == set(one_by_one)
    assert exir_viz.doctor(written(tmp_path, several(good)).Model(), X, N).works["non-strict"]
    assert not found.notes


def test_what_was_not_examined_is_noted(tmp_path: Path) -> None:
    model = written(tmp_path, STOPS).Model()
    found = exir_viz.doctor(model, X)
    assert [one.code for one in found] == ["if x.sum() > 0:"]
    assert "not examined: it stops at line" in found.notes[0]
    assert "raise KeyError(x)" in found.notes[0]


@pytest.mark.nightly
def test_every_case_of_exportdb_that_fails_is_located_and_fixed() -> None:
    from torch._export.db.examples import all_examples

    failing = {}
    for name, case in all_examples().items():
        found = exir_viz.doctor(
            case.model, *case.example_args, kwargs=case.example_kwargs, dynamic_shapes=case.dynamic_shapes
        )
        if not found.can_export:
            failing[name] = found
    assert len(failing) >= 1
    for found in failing.values():
        for one in found:
            assert one.explanation
            assert one.reason
            assert one.fixes[0].code
    one = failing["dynamic_shape_round"][0]
    assert one.kind is BlockerKind.DYNAMIC_SHAPES
    assert one.fixes[0].code == "dim0_x = torch.export.Dim.STATIC"
    assert one.code == "return x[: round(x.shape[0] / 2)]"
    case = all_examples()["dynamic_shape_round"]
    static = {"x": {0: torch.export.Dim.STATIC}}
    assert exir_viz.doctor(case.model, *case.example_args, dynamic_shapes=static).can_export


class Linear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.linear(x)
        return y


class Viewed(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            y = x.view(7)
        except RuntimeError:
            y = x.view(-1)
        return y


class ViewedWrongly(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(7)


class TypeOfInput(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.dim() == 1:
            raise ValueError("specialized input type of fake tensors: fake impl")
        return x


@pytest.mark.parametrize(
    ("model", "args", "error", "line"),
    [
        (Linear(), (torch.ones(2, 5),), "RuntimeError: mat1 and mat2", "y: torch.Tensor = self.linear(x)"),
        (Linear(), (), "TypeError: Linear.forward() missing 1 required", ""),
        (Linear(), (X, X), "TypeError: Linear.forward() takes 2", ""),
        (ViewedWrongly(), (X,), "RuntimeError: shape '[7]' is invalid", "return x.view(7)"),
        (
            TypeOfInput(),
            (X,),
            "ValueError: specialized input type",
            'raise ValueError("specialized input type of fake tensors: fake impl")',
        ),
    ],
)
def test_an_error_of_the_module_is_not_one_of_the_export(
    model: nn.Module, args: tuple[Any, ...], error: str, line: str
) -> None:
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        model(*args)
    found = exir_viz.doctor(model, *args)
    one = only(found)
    assert (one.kind, one.modes) == (BlockerKind.RUN, ("non-strict", "strict"))
    assert one.reason.startswith(error)
    assert one.code == line
    assert [fix.code for fix in one.fixes] == [""]
    assert f"error: {error}" in str(found)
    assert "What torch says" not in found._repr_html_()


def test_an_operator_that_raises_an_error_has_a_fake_kernel() -> None:
    found = exir_viz.doctor(Viewed(), X)
    assert found.works == {"non-strict": True, "strict": False}
    one = only(found)
    assert one.kind is BlockerKind.PYTHON
    assert "fake kernel" not in f"{one.explanation} {one.fixes}"
    assert "strict=False" in one.fixes[0].title


@torch.library.custom_op("exir_viz_doctor::of_python", mutates_args=())
def of_python(x: torch.Tensor, factor: int) -> torch.Tensor:
    return x * factor


class CallsPython(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = torch.ops.exir_viz_doctor.twice(of_python(x, 3))
        return y


def test_a_fake_kernel_is_of_the_operator_that_has_none() -> None:
    first = exir_viz.doctor(CallsPython(), X)[0]
    assert first.kind is BlockerKind.FAKE_KERNEL
    assert first.fixes[0].code.startswith('@torch.library.register_fake("exir_viz_doctor::of_python")\n')
    assert "def of_python_fake(x, factor):" in first.fixes[0].code


LIBRARY.define("doubled(Tensor x) -> Tensor")
LIBRARY.impl("doubled", lambda x: torch.cat([x, x]), "CPU")
torch.library.register_fake("exir_viz_doctor::doubled", torch.empty_like)


class Doubled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.ops.exir_viz_doctor.doubled(x)
        return found


def test_a_wrong_fake_kernel_is_not_called_absent() -> None:
    one = only(exir_viz.doctor(Doubled(), X, draft=True))
    assert (one.kind, one.modes) == (BlockerKind.WRONG_FAKE_KERNEL, ("draft",))
    assert "exir_viz_doctor.doubled" in one.reason
    assert [fix.code for fix in one.fixes] == [""]


class Half(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return y[: x.shape[0] // 2]


class HalfOfTwo(nn.Module):
    def forward(self, x: torch.Tensor, *, y: torch.Tensor) -> torch.Tensor:
        return y[: x.shape[0] // 2]


def test_the_call_of_the_other_way_keeps_kwargs_and_dynamic_shapes() -> None:
    batch, length = torch.export.Dim("batch", min=2, max=32), torch.export.Dim("len", min=8)
    shapes = {"x": {0: batch}, "y": {0: length}}
    args, kwargs = (torch.ones(4, 6),), {"y": torch.ones(9, 2)}
    found = exir_viz.doctor(HalfOfTwo(), *args, kwargs=kwargs, dynamic_shapes=shapes)
    if found.works != {"non-strict": False, "strict": True}:
        pytest.skip("Both ways of exporting do the same with this torch.")
    codes = [fix.code for fix in only(found).fixes if fix.title == "Export with strict=True"]
    names: dict[str, Any] = {
        "torch": torch,
        "model": HalfOfTwo(),
        "args": args,
        "kwargs": kwargs,
        "dynamic_shapes": shapes,
    }
    exec(f"program = {codes[0]}", names)
    assert names["program"].range_constraints


def test_static_dimensions_are_not_called_the_only_way() -> None:
    given = torch.ones(4, 6), torch.ones(9, 2)
    shapes = [({0: torch.export.Dim("batch", min=least, max=32)}, {0: torch.export.Dim("len", min=8)})
              for least in (2, 4)]  # fmt: skip
    one = only(exir_viz.doctor(Half(), *given, dynamic_shapes=shapes[0]))
    assert one.kind is BlockerKind.DYNAMIC_SHAPES
    assert one.fixes[0].code == "batch = torch.export.Dim.STATIC"
    assert "or choose a range in which the condition holds" in one.fixes[0].title
    assert exir_viz.doctor(Half(), *given, dynamic_shapes=shapes[1]).can_export


def test_texts(tmp_path: Path) -> None:
    model = written(tmp_path, BRANCH).Model()
    found = exir_viz.doctor(model, X)
    text = str(found)
    assert text.splitlines()[0] == "Export of Model: non-strict fails, strict fails; 1 blocker."
    assert "→ Put both branches into torch.cond (replaces lines 7–10; tried):" in text
    assert textwrap.dedent(found[0].fixes[0].code).splitlines()[-1] == (
        "y = torch.cond(x.sum() > 0, if_true, if_false, (x,))"
    )
    assert "x.sum() &gt; 0" in found._repr_html_()
    assert list(found.frame["kind"]) == ["branch on data"]
    assert (
        str(exir_viz.doctor(nn.ReLU(), X))
        == "Export of ReLU: non-strict works, strict works; nothing to fix."
    )
    with pytest.raises(exir_viz.errors.WrongArgument, match="Expected: a Module"):
        exir_viz.doctor(found)
