"""Re-export: dynamism in words, as torch takes it, and torch's complaints with fixes that work."""

from __future__ import annotations

import pytest
import torch
from torch.export import AdditionalInputs, Dim, ShapesCollection, export

import exir_viz
from exir_viz.stages.dynamic_shapes.dimension_spec import DimensionKind, DimensionSpec, parse
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import InputDim, StepKind
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps.reexport import form
from tests.corpus.concepts import Batch, Fn, Pair, Trees
from tests.corpus.programs import exported
from tests.nightly import nightly
from tests.stages.failing import failing, outcome

X, Y = torch.randn(8, 3), torch.randn(8, 3)


def at_most_64(x):
    return x + 1 if x.shape[0] <= 64 else x - 1


def rows(stage: Stage) -> dict[tuple[str, int | None], InputDim]:
    return {(row.input, row.dim): row for row in form(stage.live)}


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("static", DimensionSpec()),
        ("8", DimensionSpec()),
        ("", DimensionSpec()),
        ("dynamic", DimensionSpec(DimensionKind.DYNAMIC)),
        ("auto in 2..64", DimensionSpec(DimensionKind.AUTO, lower=2, upper=64)),
        ("batch", DimensionSpec(DimensionKind.NAMED, "batch")),
        ("batch in ..64", DimensionSpec(DimensionKind.NAMED, "batch", upper=64)),
        ("2*batch + 1", DimensionSpec(DimensionKind.NAMED, "batch", 2, 1)),
        ("batch - 1", DimensionSpec(DimensionKind.NAMED, "batch", 1, -1)),
        ("2*half, half in 1..32", DimensionSpec(DimensionKind.NAMED, "half", 2, 0, 1, 32)),
    ],
)
def test_words(text: str, choice: DimensionSpec) -> None:
    assert parse(text) == choice
    assert parse(str(choice)) == choice


@pytest.mark.parametrize(
    "text", ["2*", "a b", "x in 4..2", "0*x", "2*auto", "x, y in 1..2", "__import__('os')", "static in 2..3"]
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(NotPossible):
        parse(text)


def test_the_form_says_what_a_program_is() -> None:
    stage = Session(exported("named_dims")).root
    found = rows(stage)
    assert [(name, dim) for name, dim in found] == [(f"args_{n}", dim) for n in (0, 1) for dim in range(3)]
    first, second = found["args_0", 0], found["args_1", 0]
    assert (first.size, second.size, found["args_0", 1].choice) == (8, 16, "static")
    assert (first.choice, second.choice) == ("dynamic in 4..256", "dynamic")
    assert second.now == f"2*{first.now}"
    assert {row.node for row in found.values()} <= {node.id for node in stage.snapshot.method.graph}


def test_the_form_as_it_stands_exports_the_same() -> None:
    for name in ("named_dims", "inferred_dims", "shapes_collection", "static_values", "symbolic_scalars"):
        session = Session(exported(name))
        cells: dict[str, dict[str, str]] = {}
        for row in form(session.root.live):
            cells.setdefault(row.input, {})["" if row.dim is None else str(row.dim)] = row.choice
        stage = session.do(session.root, StepKind.REEXPORT, {"dims": cells})
        assert not stage.failed, (name, stage)
        before, after = form(session.root.live), form(stage.live)
        assert [bool(row.now) for row in before] == [bool(row.now) for row in after]
        assert [row.size for row in before] == [row.size for row in after]


def test_words_become_dims_of_their_names() -> None:
    session = Session(Fn(lambda x, y: torch.cat([x, x]) + y), X, torch.randn(16, 3))
    stage = session.root.reexport(dims={"args_0": {0: "batch in 4..64"}, "args_1": {0: "2*batch"}})
    found = rows(stage)
    assert (found["args_0", 0].choice, found["args_1", 0].choice) == (
        "batch in 4..64",
        "2*batch, batch in 4..64",
    )
    assert [symbol.dim for symbol in stage.snapshot.method.symbols] == ["batch"]
    assert not any(row.now for row in form(session.root.live))
    assert rows(stage.reexport("static"))["args_0", 0].choice == "static"


def test_every_way_torch_takes_shapes() -> None:
    collection = ShapesCollection()
    collection[X] = {0: Dim("n")}
    more = AdditionalInputs()
    more.add((torch.randn(5, 3),))
    given = (({0: Dim.DYNAMIC},), ({0: Dim.AUTO},), ({0: Dim("n", min=2, max=9)},))
    root = Session(Fn(lambda x: x * 2), X).root
    for shapes in (*((one,) for one in given), collection, more, "auto", "dynamic"):
        stage = root.reexport(shapes)
        assert not stage.failed, stage
        assert rows(stage)["args_0", 0].now
    strict = root.reexport(strict=True)
    assert any(node.source_fns for node in strict.snapshot.method.graph)


def test_nested_inputs() -> None:
    t, u = torch.randn(4), torch.randn(4)
    args = (Batch(t, [u, t]), Pair(t, u), {"a": t, "b": [u]}, t)
    session = Session(Trees(), *args, kwargs={"scale": t})
    names = list(dict.fromkeys(row.input for row in form(session.root.live)))
    assert len(names) == 9
    stage = session.root.reexport(dims={name: {0: "n in 2..9"} for name in names})
    assert not stage.failed, stage
    assert {row.choice for row in form(stage.live)} == {"n in ..9"}, form(stage.live)


def test_a_number_may_vary() -> None:
    root = Session(Fn(lambda x, n: x * n), X, 3).root
    stage = root.reexport(dims={"args_1": {"": "dynamic"}})
    assert (rows(stage)["args_1", None].choice, rows(stage)["args_1", None].size) == ("dynamic", 3)
    failing(root.reexport, ({}, Dim.DYNAMIC))  # not shaped as the inputs are


# What torch refuses, and whether it then says what to do. Inputs: as many as the function takes.
VIOLATIONS = {
    "constant": (lambda x: x + torch.ones(8, 3), (X,), {"args_0": {"0": "n"}}),
    "constant, no name": (lambda x: x + torch.ones(8, 3), (X,), {"args_0": {"0": "dynamic"}}),
    "equal": (lambda x, y: x + y, (X, Y), {"args_0": {"0": "n"}, "args_1": {"0": "m"}}),
    "twice": (
        lambda x, y: torch.cat([x, x]) + y,
        (X, torch.randn(16, 3)),
        {"args_0": {"0": "n"}, "args_1": {"0": "m"}},
    ),
    "one more": (
        lambda x, y: x + y[1:],
        (X, torch.randn(9, 3)),
        {"args_0": {"0": "n"}, "args_1": {"0": "m"}},
    ),
    "range": (at_most_64, (X,), {"args_0": {"0": "n in ..100"}}),
    "even": (lambda x: x.reshape(2, -1).sum(0), (X[:, :1],), {"args_0": {"0": "n"}}),
    "out of bounds": (lambda x: x + 1, (X,), {"args_0": {"0": "n in 2..4"}}),
    "wrong relation": (lambda x, y: (x + 1, y + 1), (X, Y), {"args_0": {"0": "n"}, "args_1": {"0": "2*n"}}),
    "two at once": (
        lambda x: torch.nn.functional.conv1d(x[None], torch.ones(1, 8, 2)),
        (X,),
        {"args_0": {"0": "n", "1": "m"}},
    ),
}


@pytest.mark.parametrize("strict", [False, *nightly([True])])
@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_has_a_fix_that_works(name: str, strict: bool) -> None:
    function, args, dims = VIOLATIONS[name]
    root = Session(Fn(function), *args).root
    stage = failing(root.reexport, dims=dims, strict=strict)
    assert stage.failure.message
    assert stage.failure.findings
    for _ in range(3):  # torch finds some only once others are mended
        (fix,) = stage.failure.fixes
        assert fix.title.startswith("Use args_")
        stage = root.do(StepKind.REEXPORT, fix.options)
        if not stage.failed:
            break
    assert not stage.failed, stage
    assert any(row.now for row in form(stage.live)) is (name not in ("constant", "constant, no name"))


@pytest.mark.parametrize(
    ("dims", "title"),
    [
        ({"args_0": {0: "rows in 9..64"}}, "Use args_0[0]: rows in 9..64 → rows in 8..64"),
        ({"args_0": {0: "2*h + 1, h in 1..32"}, "args_1": {0: "h"}}, None),
    ],
)
def test_a_fix_says_what_was_requested(dims: dict[str, dict[int, str]], title: str | None) -> None:
    """Positions may be numbers: a fix has each dimension once, and its title names the request."""
    function = (lambda x: x + 1) if title else (lambda x, y: x[: y.shape[0]] + y)
    inputs = (X,) if title else (torch.randn(5, 4), torch.randn(3, 4))
    failure = failing(Session(Fn(function), *inputs).root.reexport, dims=dims).failure
    (fix,) = failure.fixes
    assert all(isinstance(position, str) for cells in fix.options["dims"].values() for position in cells)
    assert "static →" not in fix.title
    assert title in (None, fix.title)


def test_a_fix_of_shapes_that_torch_was_given() -> None:
    root = Session(Fn(lambda x, y: x + y), X, Y).root
    stage = failing(root.reexport, (({0: Dim("n", max=50)}, {0: Dim("m")}),))
    assert "must always be equal" in stage.failure.reason
    assert root.do(StepKind.REEXPORT, stage.failure.fixes[0].options).failure is None


def test_a_complaint_names_its_input() -> None:
    root = Session(Fn(lambda x: x + torch.ones(8, 3)), X).root
    stage = failing(root.reexport, dims={"args_0": {0: "dynamic"}})
    (finding,) = stage.failure.findings
    assert finding.node in {node.id for node in stage.parent.snapshot.method.graph}


def test_other_failures_name_the_line() -> None:
    def choose(x):
        return x + 1 if x.sum() > 0 else x - 1

    session = Session(Fn(lambda x: x + 1), X)
    session.root.live.exported.module.fn = choose
    stage = failing(session.root.reexport)
    assert stage.failure.findings[0].frame.file == __file__
    assert stage.failure.fixes == ()


@pytest.mark.parametrize(
    "options",
    [
        {"dims": {"z": {0: "n"}}},
        {"dims": {"args_0": {7: "n"}}},
        {"dims": {"args_0": {0: "n in 9..2"}}},
        {"dims": {"args_0": {0: "n", 1: "?"}}},
        {"dims": {"args_0": "n"}},
        {"dims": "n"},
        {"dynamic_shapes": "wild"},
        {"dynamic_shapes": "auto", "dims": {}},
    ],
)
def test_options_that_make_no_sense_make_no_stage(options: dict[str, object]) -> None:
    session = Session(Fn(lambda x: x + 1), X)
    with pytest.raises(NotPossible):
        session.root.reexport(**options)
    assert len(session) == 1


def test_a_program_that_came_alone() -> None:
    session = Session(export(Fn(lambda x: x + 1), (X,), dynamic_shapes=(({0: Dim("n")},),)))
    stage = session.root.reexport(dims={"args_0": {0: "n in 2..9"}})
    assert [notice.code for notice in stage.step.notices] == ["reexport.program"]
    assert rows(stage)["args_0", 0].upper == "9"
    again = outcome(session.root.reexport, dims={"args_0": {1: "m"}})
    assert again.failed or not rows(stage)["args_0", 1].now


def test_it_begins_with_the_module() -> None:
    core = Session(Fn(lambda x: x + 1), X).decompose()
    with pytest.raises(NotPossible, match="would lose the step 'Core ATen'"):
        core.reexport()


def test_nothing_of_the_start_changes() -> None:
    session = Session(Fn(at_most_64), X)
    before = (str(session.root.program), session.root.live.capture())
    session.root.reexport("auto")
    assert (str(session.root.program), session.root.live.capture()) == before


def test_a_capture_takes_shapes_as_a_tuple_too() -> None:
    snapshot = exir_viz.load(Fn(lambda x: x * 2), X, dynamic_shapes=(({0: Dim("n")},),))
    assert [symbol.dim for symbol in snapshot.method.symbols] == ["n"]


def test_an_example_outside_its_bounds_is_named() -> None:
    """torch says "4 not in range [5, 9]", and not of what."""
    x = torch.randn(4, 3)
    session = Session(Fn(lambda x: x * 2), x)
    failure = failing(session.reexport, dims={"args_0": {0: "rows in 5..9"}}).failure
    (finding,) = failure.findings
    assert finding.text == "args_0, dimension 0, is 4 in the example inputs, which is outside rows in 5..9."
    assert finding.node == "forward/args_0"
    assert failure.fixes[0].options["dims"] == {"args_0": {"0": "rows in 4..9"}}


@pytest.mark.parametrize("strict", [False, True])
def test_a_failed_export_leaves_no_marks_on_the_inputs(strict: bool) -> None:
    """torch notes dynamic dimensions in a tensor. They would make every later export of it fail."""
    x = torch.randn(3, 4)
    x.mine = "kept"
    root = Session(torch.nn.Linear(4, 2), x).root
    failing(root.reexport, dynamic_shapes="dynamic", strict=strict)
    assert vars(x) == {"mine": "kept"}
    assert not root.reexport(strict=strict).failed
