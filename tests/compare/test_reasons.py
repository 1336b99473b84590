"""What a reason says about arguments and inputs, and what a rule says about many."""

from __future__ import annotations

import pytest
import torch

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.normalize.schemas import parsed
from exir_viz.snapshot.printable import sentence

from .test_diff import mirrored
from .test_guesses import Fn
from .test_scopes import captured

X = torch.randn(2, 8)


def diff(before, after, count: int = 1) -> Diff:
    inputs = [torch.randn(2, 8) for _ in range(count)]
    a, b = captured(Fn(before), *inputs), captured(Fn(after), *inputs)
    assert mirrored(a, b)
    return exir_viz.diff(a, b)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (lambda x: x + 2.0, lambda x: x + 3.0, "`aten.add.Tensor`: other 2.0 → 3.0"),
        (
            lambda x: torch.dropout(x, 0.5, False),
            lambda x: torch.dropout(x, 0.5, True),
            "`aten.dropout`: train False → True",
        ),
        (lambda x: x.sum(0), lambda x: x.sum([0], True), "keepdim False (default) → True"),
        (lambda x: x.view(4, 4), lambda x: x.view(2, 2, 4), "size [4, 4] → [2, 2, 4]"),
        (
            torch.nn.functional.gelu,
            lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
            "`aten.gelu`: approximate 'none' (default) → 'tanh'",
        ),
    ],
)
def test_arguments_by_name_before_and_after(before, after, reason: str) -> None:
    found = diff(before, after)
    (told,) = [one for one in found.changes if one.a[0].op == "call_function"]
    assert reason in told.reason
    assert reason in told.rule.text  # the only one of its kind: the rule says everything
    for text in (str(found), found.to_markdown()):
        assert reason.rpartition("`: ")[2].partition(" ")[0].rstrip("`") in text


def test_an_input_that_is_no_tensor_before_and_after() -> None:
    class Scaled(torch.nn.Module):
        def forward(self, x, by):
            return x if by is None else x * by

    for before, after, told in (
        (2, 3, "2 → 3"),
        (True, False, "True → False"),
        (None, X, "None → f32[2, 8]"),
    ):
        a, b = captured(Scaled(), X, before), captured(Scaled(), X, after)
        assert mirrored(a, b)
        found = exir_viz.diff(a, b)
        match = found.of(a.method.graph["by"])
        assert match.reason == f"`input`: {told}"
        assert match.rule.text == match.reason


def test_an_argument_is_distinguished_from_the_value() -> None:
    one = diff(lambda x: x.to(torch.float16), lambda x: x.to(torch.bfloat16)).changes[0]
    assert one.reason == "`aten.to.dtype`: dtype float16 → bfloat16"
    found = diff(lambda x: torch.full((2, 3), 1.0) + x.sum(), lambda x: torch.full((3, 2), 1.0) + x.sum())
    (filled,) = (match for match in found.changes if match.a[0].target.name == "full")
    assert "shape [2, 3] → [3, 2]" in filled.reason
    viewed = diff(lambda x: x.reshape(4, 4), lambda x: x.reshape(2, 8)).changes[0]
    assert "argument shape [4, 4] → [2, 8]" in viewed.reason


def test_a_long_text_is_cut_between_words() -> None:
    text = "Runtime assertion failed for expression u0 <= 20 on node 'le'"
    assert sentence(text, len(text)) == text
    for width in range(24, len(text)):
        cut = sentence(text, width)
        assert len(cut) <= width
        before, after = cut.split("…")
        assert {*before.split(), *after.split()} <= set(text.split())
    assert sentence("a" * 60, 20) == "a" * 10 + "…" + "a" * 9


def test_swapped_inputs() -> None:
    (one,) = diff(lambda x, y: x - y, lambda x, y: y - x, 2).changes
    assert one.reason == "`aten.sub.Tensor`: inputs `args_1`, `args_0` swapped"


def test_a_block_that_came_between_changes_no_input() -> None:
    for block in (lambda x: x + x.relu().exp(), lambda x: x * torch.arange(8).float()):
        found = diff(lambda x: x.tanh().sin(), lambda x, block=block: block(x.tanh()).sin())
        assert {one.kind.value for one in found.changes} == {"added"}


def test_a_block_that_brings_another_input_changes_it() -> None:
    found = diff(lambda x, y: (x.tanh().sin(), y), lambda x, y: ((x.tanh() + y.exp()).sin(), y), 2)
    assert "`aten.sin`: inputs `tanh` → `add`" in [one.reason for one in found.changes]


def test_another_input() -> None:
    found = diff(lambda x, y: (x.sin() - y, y), lambda x, y: (x.sin() - x, y), 2)
    assert [one.reason for one in found.changes] == ["`aten.sub.Tensor`: inputs `args_1` → `args_0`"]


def test_one_more_input() -> None:
    found = diff(lambda x, y: torch.cat([x, x]), lambda x, y: torch.cat([x, x, y]), 2)
    assert "also reads `args_1`" in next(one.reason for one in found.changes if one.a[0].name == "cat")


def test_a_rule_of_many_says_what_all_of_them_say() -> None:
    scaled = diff(lambda x: [(x + n) * 2.0 for n in (1, 2)], lambda x: [(x + n) * 3.0 for n in (1, 2)])
    assert [(rule.text, rule.count) for rule in scaled.rules] == [("`aten.mul.Tensor`: other 2.0 → 3.0", 2)]
    split = diff(
        lambda x: [(x + n).split([4 - n, 4 + n], 1)[0].sum() for n in (1, 2)],
        lambda x: [(x + n).split([4 - n, 3 + n, 1], 1)[0].sum() for n in (1, 2)],
    )
    assert ("split_sizes", 2) in {(rule.text.rpartition(", ")[2], rule.count) for rule in split.rules}


def test_names_of_a_schema() -> None:
    schema = "aten::sum.dim(Tensor self, int[1]? dim=[0, 1], *, ScalarType? dtype=None) -> (Tensor, Tensor)"
    assert [one.name for one in parsed(schema)] == ["self", "dim", "dtype"]
    assert parsed("") == ()


def test_an_op_in_place_writes_to_what_it_changes() -> None:
    class Counting(torch.nn.Module):
        def __init__(self, *, counts: bool) -> None:
            super().__init__()
            self.counts = counts
            self.register_buffer("steps", torch.zeros(()))

        def forward(self, x):
            if self.counts:
                self.steps.add_(1)
            return x.relu()

    a, b = (captured(Counting(counts=counts)) for counts in (False, True))
    (added,) = exir_viz.diff(a, b).changes
    assert added.reason == "`aten.add_.Tensor` added: it writes to `b_steps`"


def test_what_an_output_returns_more() -> None:
    (added, output) = diff(lambda x: x.relu(), lambda x: (y := x.relu(), y.sin())).changes[-2:]
    assert output.reason == "`output`: also returns `sin`"
    assert added.reason == "`aten.sin` added between `relu` and `output`"


def test_equal_facts_of_layers_are_one() -> None:
    class Layers(torch.nn.Module):
        def __init__(self, count: int, width: int) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(count))
            self.last = torch.nn.Linear(8, width)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.last(x)

    found = exir_viz.diff(captured(Layers(5, 4)), captured(Layers(2, 6)))
    assert len([fact for fact in found.facts if "layers." in fact.text]) == 6  # each piece of state once
    for text in (str(found), found.to_markdown()):
        assert "removed: parameter f32" in text
        assert text.replace("\\", "").count("(3×)") == 2
        assert "last.weight" in text
    assert "state `last.weight`: f32[4, 8], 128 B → f32[6, 8], 192 B" in [one.text for one in found.facts]


def test_what_one_item_is_needs_no_count() -> None:
    a, b = (captured(Fn(lambda x: x.split(4, 1)[0].sum()), torch.randn(rows, 8)) for rows in (2, 3))
    (told,) = [one.reason for one in exir_viz.diff(a, b).changes if one.b[0].target.name == "split"]
    assert told == "`aten.split.Tensor`: shape [2, 4] → [3, 4] of each item"
    a, b = (
        captured(Fn(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))), torch.randn(rows, 8))
        for rows in (2, 3)
    )
    (told,) = [one.reason for one in exir_viz.diff(a, b).changes if one.b[0].target.name == "cond"]
    assert told == "`cond`: shape [2, 8] → [3, 8]"
    texts = [fact.text for fact in diff(lambda x: x + 1, lambda x: (x + 1).view(4, 4)).facts]
    assert "output: f32[2, 8] → f32[4, 4]" in texts
