"""Both programs on the same inputs, in whatever order they take them; all that they hand back has a row."""

from __future__ import annotations

import pytest
import torch
from torch.export import export

import exir_viz
from exir_viz.compare.values.records import Numbers
from tests.corpus.programs import exported

A, B = torch.linspace(-1, 1, 16).reshape(2, 8), torch.linspace(2, 5, 16).reshape(2, 8)


class Keywords(torch.nn.Module):
    def forward(self, x, *, a, b):
        return x * a - b


class Positions(torch.nn.Module):
    def forward(self, a, b):
        return a / b


class Swapped(torch.nn.Module):
    def forward(self, b, a):
        return a / b


class Renamed(torch.nn.Module):
    def forward(self, upper, lower):
        return upper / lower


class Dict(torch.nn.Module):
    def forward(self, x):
        return x["a"] / x["b"]


class Returned(torch.nn.Module):
    """Hands back what is made of a sine."""

    def __init__(self, made) -> None:
        super().__init__()
        self.made = made

    def forward(self, x):
        return self.made(x.sin())


def test_keywords_go_by_name() -> None:
    one, other = (export(Keywords(), (A,), given) for given in ({"a": A, "b": B}, {"b": B, "a": A}))
    for values in (
        exir_viz.diff(one, other).values(),
        exir_viz.diff(one, other).values((B,), kwargs={"a": B, "b": A}),
        exir_viz.diff(one, other).values((B,), kwargs={"b": A, "a": B}),
    ):
        assert values.agree
        assert not values.diverged
        assert values.record.notes == (
            "b takes its inputs in another order (x, b, a): they were given by name.",
        )


def test_examples_of_the_second_go_by_name() -> None:
    one, other = export(Positions(), (A, B)), export(Swapped(), (B, A))
    one.example_inputs = None
    values = exir_viz.diff(one, other).values()
    assert values.record.inputs_from == "example"
    assert values.agree
    assert values.of(values.diff.b.method.graph["a"]).numbers.max_abs == 0


def test_inputs_of_other_names_go_by_position() -> None:
    values = exir_viz.diff(export(Positions(), (A, B)), export(Renamed(), (A, B))).values()
    assert values.agree
    assert values.record.notes == (
        "The inputs of b have other names; they were given by position and keyword: a → upper, b → lower.",
    )


def test_keys_of_a_dict_go_by_name() -> None:
    one, other = (export(Dict(), (given,)) for given in ({"a": A, "b": B}, {"b": B, "a": A}))
    for given in (None, ({"b": A, "a": B},), ({"a": B, "b": A},)):
        values = exir_viz.diff(one, other).values(given)
        assert values.agree
        assert not values.diverged
    right = exir_viz.diff(one, one).values(({"b": A, "a": B},))
    assert dict(right.record.inputs).keys() == {"x['a']", "x['b']"}


def test_inputs_that_are_where_they_were_need_no_note() -> None:
    program = export(Positions(), (A, B))
    assert not exir_viz.diff(program, program.run_decompositions()).values().record.notes


PAIR = Returned(lambda y: (y * 2, y.sum()))


@pytest.mark.parametrize(
    ("made", "agree", "reasons"),
    [
        (lambda y: (y * 2, y.sum()), True, ["", ""]),
        (lambda y: (y * 3, y.sum()), False, ["", ""]),
        (lambda y: (y[:, :4] * 3, y.sum()), None, ["different shapes at run time: (2, 8) and (2, 4)", ""]),
        (lambda y: (y * 2,), None, ["", "only a has it"]),
        (lambda y: (y * 2, y.sum(), y), None, ["", "", "only b has it"]),
        (lambda y: ((y * 2).to(torch.int8), y.sum()), None, ["numbers of two kinds: float32 and int8", ""]),
        (lambda y: (y * 3, None), False, ["", "different shapes at run time: () and no tensor"]),
        (
            lambda y: (y.sum(), y * 2),
            None,
            ["different shapes at run time: (2, 8) and ()", "different shapes at run time: () and (2, 8)"],
        ),
    ],
)
def test_they_agree_only_where_all_was_compared(made, agree, reasons) -> None:
    values = exir_viz.diff(export(PAIR, (A,)), export(Returned(made), (A,))).values()
    assert values.agree is agree
    assert [row.reason for row in values.outputs] == reasons
    assert [row.numbers is None for row in values.outputs] == [bool(reason) for reason in reasons]
    for reason in filter(None, reasons):
        assert f"not compared output {reasons.index(reason)}: {reason}" in str(values)


def test_outputs_of_a_dict_go_by_key() -> None:
    one, other = (
        export(Returned(made), (A,))
        for made in (lambda y: {"p": y * 2, "q": y * 3}, lambda y: {"q": y * 3, "p": y * 2})
    )
    values = exir_viz.diff(one, other).values()
    assert [row.name for row in values.outputs] == ["output ['p']", "output ['q']"]
    assert values.agree


def test_what_is_no_number_must_be_equal() -> None:
    program = export(Returned(lambda y: (y, None)), (A,))
    values = exir_viz.diff(program, program).values()
    assert values.agree
    assert values.outputs[1].numbers == Numbers(0)


def test_losses_and_gradients_are_returned() -> None:
    joint = exported("joint_graph")
    values = exir_viz.diff(joint, joint).values()
    assert values.agree
    assert any(row.name.startswith("gradient of ") for row in values.outputs)


def test_state_that_the_runtime_writes_back_is_compared() -> None:
    from executorch.exir import to_edge

    class Counts(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(8))

        def forward(self, x):
            self.count.add_(1)
            return x + self.count

    program = export(Counts(), (A,))
    values = exir_viz.diff(program, to_edge(export(Counts(), (A,))).to_executorch()).values()
    assert {row.name for row in values.outputs} == {"output 0", "state count"}
    assert values.agree


def test_of_several_methods_one_is_compared_and_said() -> None:
    from executorch.exir import to_edge

    manager = to_edge({"forward": export(Positions(), (A, B)), "other": export(Positions(), (A, B))})
    values = exir_viz.diff(manager, manager).values()
    assert values.agree
    assert values.record.notes == ("Only the method forward was run. Not compared: other; pass method=.",)
    assert values.record.reasons == ("of a method that was not run",)
    assert not exir_viz.diff(manager, manager).values(method="other").record.reasons[1:]
