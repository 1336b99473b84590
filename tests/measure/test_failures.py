"""What cannot be run: the error names node, line, expected and given; what was measured before is kept."""

from __future__ import annotations

import _thread
import copy
import os
import re
import signal
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode

import exir_viz
from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.options import thread_count
from exir_viz.measure.progress import Progress, Reporter
from exir_viz.measure.sweeps import sweep
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.measure.programs import codes


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    dim = torch.export.Dim("n", min=4, max=9)
    module = Fn(lambda x, y: (x @ y).relu())
    return torch.export.export(
        module, (torch.randn(5, 3), torch.randn(3, 2)), dynamic_shapes=(({0: dim}, None),)
    )


@pytest.mark.parametrize(
    ("inputs", "expected", "given", "said"),
    [
        ((torch.randn(5, 4), torch.randn(3, 2)), "3", "dimension 1 of size 4", "the program takes 3"),
        ((torch.randn(5), torch.randn(3, 2)), "f32[", "f32[5]", "the program takes f32"),
        ((torch.randn(5, 3).double(), torch.randn(3, 2)), "torch.float32", "dtype torch.float64", "float64"),
        ((torch.randn(12, 3), torch.randn(3, 2)), "4 to 9", "12", "is 12"),
        ((torch.randn(3, 3), torch.randn(3, 2)), "4 to 9", "3", "is 3"),
        (([1.0], torch.randn(3, 2)), "f32[", "1.0", "the program takes"),
    ],
)
def test_inputs_that_do_not_fit(program, inputs, expected: str, given: str, said: str) -> None:
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(program, inputs, repeats=1)
    error = failed.value
    assert expected in error.expected
    assert given in error.given
    assert said in str(error)
    assert error.node in [node.name for node in program.graph.nodes]


@pytest.mark.parametrize("lost", [None, "", 'File "nowhere'], ids=["none", "empty", "damaged"])
def test_the_first_use_of_an_input_is_the_first_with_a_line(lost: str | None) -> None:
    class Uses(torch.nn.Module):
        def forward(self, x):
            one = x + 1
            two = x * 2  # the second use
            return one, two

    program = torch.export.export(Uses(), (torch.randn(2, 3),))
    program.graph_module.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor)[0].meta[
        "stack_trace"
    ] = lost
    with pytest.raises(MeasureError, match="x is first used") as failed:
        exir_viz.profile(program, (torch.randn(2, 4),), repeats=1)
    assert failed.value.file == __file__
    assert "two = x * 2" in str(failed.value)


def test_the_structure_of_the_inputs(program) -> None:
    with pytest.raises(
        MeasureError, match=r"takes 2 arguments by position \(args_0, args_1\), and 1 was given"
    ):
        exir_viz.profile(program, torch.randn(5, 3))
    with pytest.raises(MeasureError, match="no keyword arguments, and kwargs has z"):
        exir_viz.profile(program, (torch.randn(5, 3),), kwargs={"z": torch.randn(3, 2)})
    with pytest.raises(MeasureError, match=r"It takes args_1 by position: inputs=\(args_0, args_1,\)"):
        exir_viz.profile(program, (torch.randn(5, 3),), kwargs={"args_1": torch.randn(3, 2)})


class Pair(NamedTuple):
    q: torch.Tensor
    r: torch.Tensor


ONE, NIL = torch.ones(2), torch.zeros(2)
BY_KEY = Fn(lambda d: d["q"] * 2 - d["r"])
BY_PLACE = Fn(lambda d: d[0] * 2 - d[1])


@pytest.mark.parametrize(
    ("module", "example", "given", "said"),
    [
        (
            BY_KEY,
            {"q": ONE, "r": NIL},
            {"r": NIL, "s": ONE},
            "The input args_0 is {'r': f32[2], 's': f32[2]}",
        ),
        (BY_KEY, {"q": ONE, "r": NIL}, OrderedDict(q=ONE, r=NIL), "is OrderedDict({'q': f32[2], 'r'"),
        (BY_KEY, OrderedDict(q=ONE, r=NIL), OrderedDict(r=NIL, q=ONE), "takes OrderedDict({'q'"),
        (BY_KEY, {"q": ONE, "r": NIL}, [ONE, NIL], "is [f32[2], f32[2]], and the program takes {'q': f32["),
        (BY_PLACE, [ONE, NIL], (ONE, NIL), "is (f32[2], f32[2]), and the program takes [f32[2], f32[2]]"),
        (BY_PLACE, [ONE, NIL], [[ONE], NIL], "The input args_0[0] is [f32[2]], and the program takes f32[2]"),
        (BY_PLACE, [ONE, NIL], {"x": ONE, "y": NIL}, "and the program takes [f32[2], f32[2]]"),
        (BY_PLACE, Pair(ONE, NIL), (ONE, NIL), "and the program takes Pair(f32[2], f32[2])"),
        (
            BY_PLACE,
            Pair(ONE, NIL),
            Pair(ONE, [NIL]),
            "The input args_0.r is [f32[2]], and the program takes f32",
        ),
    ],
)
def test_inputs_of_another_structure_are_refused_as_torch_refuses_them(module, example, given, said) -> None:
    program = torch.export.export(module, (example,))
    with pytest.raises(ValueError, match="Trying to flatten user inputs"):
        program.module()(given)
    for measure in (exir_viz.profile, lambda x, inputs: exir_viz.diff(x, x).values(inputs)):
        with pytest.raises(MeasureError, match=re.escape(said)) as failed:
            measure(program, (given,))
        assert failed.value.node.startswith("args_0")
        assert failed.value.expected in str(failed.value)
        assert failed.value.given in str(failed.value)


def test_keys_in_another_order_are_the_same_structure() -> None:
    program = torch.export.export(BY_KEY, ({"q": ONE, "r": NIL},))
    given = CpuProgram(program).inputs(({"r": NIL, "q": ONE},), None, None)
    assert [value is ONE for value in given.values] == [True, False]


def test_the_runtime_refuses_another_structure_too() -> None:
    to_edge = pytest.importorskip("executorch.exir").to_edge
    manager = to_edge(torch.export.export(BY_KEY, ({"q": ONE, "r": NIL},)))
    with pytest.raises(MeasureError, match=r"the program takes \{'q': f32"):
        exir_viz.profile(manager, ({"r": NIL, "s": ONE},), executor="executorch")


def test_sizes_that_must_agree() -> None:
    program = exported("named_dims")  # y is twice as long as x
    with pytest.raises(MeasureError, match=r"Expected: 16, which is 2\*"):
        exir_viz.profile(program, (torch.randn(8, 3, 5), torch.randn(17, 3, 5)))


class Guarded(torch.nn.Module):
    def forward(self, x, n, d):
        if x.shape[0] * d["a"].shape[0] < 100 and x.shape[0] % 4 == 0 and min(2 * n, 7) < x.shape[0]:
            return x * n + d["a"].sum()  # the first use
        return x


@pytest.fixture(scope="module")
def guarded() -> dict[str, torch.export.ExportedProgram]:
    any_size = torch.export.Dim.DYNAMIC
    shapes = ({0: any_size}, any_size, {"a": {0: any_size}})
    example = (torch.randn(8), 9, {"a": torch.randn(5)})
    program = torch.export.export(Guarded(), example, dynamic_shapes=shapes)
    return {"aten": program, "core": program.run_decompositions()}


@pytest.mark.parametrize("stage", ["aten", "core"])
@pytest.mark.parametrize(
    ("sizes", "guard", "given", "said"),
    [
        ((24, 9, 5), "x.size()[0]*d['a'].size()[0] < 100", "x.size()[0] = 24", "120 < 100"),
        ((9, 9, 5), "(x.size()[0] % 4) == 0", "x.size()[0] = 9", "1 == 0"),
        ((4, 9, 5), "min(7, 2*n) < x.size()[0]", "n = 9", "7 < 4"),
    ],
)
def test_guards_beside_the_ranges(guarded, stage: str, sizes, guard: str, given: str, said: str) -> None:
    x, n, a = sizes
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(guarded[stage], (torch.randn(x), n, {"a": torch.randn(a)}), repeats=1)
    error = failed.value
    assert sorted(error.expected) == sorted(guard)  # torch orders the factors as it likes
    assert given in error.given
    assert f"it says {said}." in str(error)
    assert error.node in ("x", "n", "d_a")
    assert error.file == __file__
    assert 'x * n + d["a"].sum()' in str(error)


def test_inputs_that_keep_the_guards_run(guarded) -> None:
    profile = exir_viz.profile(guarded["core"], (torch.randn(12), 5, {"a": torch.randn(4)}), repeats=1)
    assert codes(profile) == []


@pytest.mark.parametrize("minimum", ["min", "torch.sym_min"])
def test_both_names_of_a_minimum_are_read(guarded, minimum: str) -> None:
    """torch 2.13 writes Python's min and max into guards, torch 2.15 its own."""
    program = copy.copy(guarded["aten"])
    program._guards_code = [f"{minimum}(7, 2*L['n']) < L['x'].size()[0]"]
    with pytest.raises(MeasureError, match="it says 7 < 4") as failed:
        exir_viz.profile(program, (torch.randn(4), 9, {"a": torch.randn(5)}), repeats=1)
    assert failed.value.expected == "min(7, 2*n) < x.size()[0]"
    maximum = minimum.replace("min", "max")
    program._guards_code = [f"{maximum}(7, {maximum}(2*L['n'], L['x'].size()[0])) < 20"]
    with pytest.raises(MeasureError, match="it says 24 < 20"):
        exir_viz.profile(program, (torch.randn(24), 9, {"a": torch.randn(5)}), repeats=1)


def test_a_guard_that_cannot_be_read_is_reported(guarded) -> None:
    program = copy.copy(guarded["aten"])
    program._guards_code = ["torch.sym_odd(L['x'].size()[0]) == 3", "L['x'].dtype == 5"]
    profile = exir_viz.profile(program, repeats=1)
    assert codes(profile) == ["guards"]
    assert any("torch.sym_odd(x.size()[0]) == 3; x.dtype == 5" in remark.text for remark in profile.remarks)


def test_a_constant_that_export_burnt_in() -> None:
    program = exported("static_values")
    with pytest.raises(MeasureError, match="made a constant of the program"):
        exir_viz.profile(program, (torch.randn(2), 4, True, "mean", None))
    exir_viz.profile(program, (torch.randn(2), 3, True, "mean", None), repeats=1)


def test_an_op_that_raises_names_its_line_and_keeps_what_came_before() -> None:
    class Looks(torch.nn.Module):
        def forward(self, table, where):
            doubled = table * 2
            return doubled[where]  # the line that fails

    program = torch.export.export(Looks(), (torch.randn(4, 2), torch.tensor([1])))
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(program, (torch.randn(4, 2), torch.tensor([7])))
    error = failed.value
    assert error.node == "forward/index"
    assert "aten.index" in error.op
    assert error.file == __file__
    assert "the line that fails" not in error.file
    assert "return doubled[where]" in str(error)
    assert "torch says" not in str(error)  # its words are in the first line already
    assert (error.expected, error.given) == ("f32[4, 2], i64[1] → f32[1, 2]", "f32[4, 2], [i64[1]]")
    assert isinstance(error.__cause__, (IndexError, RuntimeError))
    assert error.profile is not None
    assert not error.profile.complete
    assert error.profile["mul"].time > 0
    assert error.profile["index"].time is None
    assert codes(error.profile) == ["failed"]
    (remark,) = (one for one in error.profile.remarks if one.code == "failed")
    assert remark.node == "forward/index"
    assert remark.text.startswith("forward/index raised")
    assert "mul" in str(error.profile)


def test_an_op_within_a_branch_is_named() -> None:
    program = exported("nested_cond")
    broken = torch.export.export(Branches(), (torch.ones(3), torch.tensor([1])))
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(broken, (torch.ones(3), torch.tensor([9])))
    assert failed.value.node == "forward/true_graph_0/index"
    # torch made code of the branch up; what leads there is ours
    assert failed.value.file == __file__
    assert "return torch.cond(" in str(failed.value)
    lines = exir_viz.profile(broken, repeats=1).hottest(9, by="line")
    assert {share.key for share in lines} - {"(overhead)"} == {f"{__file__}:{failed.value.line}"}
    exir_viz.profile(program, repeats=1)  # and the next program runs as if nothing had been


class Branches(torch.nn.Module):
    def forward(self, x, at):
        return torch.cond(x.sum() > 0, lambda x, i: x[i] * 1, lambda x, i: x[i] + 1, (x, at))


_LIBRARY = torch.library.Library("exir_viz_tests_measure", "DEF")
_LIBRARY.define("nowhere(Tensor x) -> Tensor")
torch.library.register_fake("exir_viz_tests_measure::nowhere", torch.empty_like, lib=_LIBRARY)


def test_an_op_without_a_kernel() -> None:
    module = Fn(lambda x: torch.ops.exir_viz_tests_measure.nowhere(x + 1))
    program = torch.export.export(module, (torch.ones(2),))
    with pytest.raises(MeasureError, match="there is no kernel for it on this CPU") as failed:
        exir_viz.profile(program)
    assert "exir_viz_tests_measure.nowhere" in failed.value.op
    assert "exir_viz.Session(program)" in str(failed.value)
    assert failed.value.profile["add"].time > 0


def test_an_interrupt_keeps_what_was_measured() -> None:
    seen: list[Progress] = []
    # where tests run in the background, Python is started with interrupts ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if progress.what == "Measuring" and progress.done == 3:
            _thread.interrupt_main()

    try:
        profile = exir_viz.profile(exported("related_dims"), repeats=10_000, progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not profile.complete
    assert 3 <= profile.conditions.repeats < 10_000
    assert codes(profile) == ["interrupted"]
    assert repr(profile).endswith("s, interrupted>")
    assert "interrupted" in profile._repr_html_()
    assert ", interrupted, load" in profile.ran
    assert all(cost.n == profile.conditions.repeats for cost in profile)
    assert {one.what for one in seen} == {"Warming up", "Counting bytes and FLOPs", "Measuring"}


def test_the_time_left_follows_from_the_time_spent() -> None:
    seen: list[Progress] = []
    report = Reporter(seen.append)
    report("Measuring", 0, 4)
    report("Measuring", 2, 4)
    assert seen[0].left is None
    assert seen[1].left == pytest.approx(seen[1].elapsed, rel=0.5, abs=1e-3)
    assert str(seen[1]).startswith("Measuring: 2 of 4, 0 s, about 0 s left")


def test_nonsense_is_refused() -> None:
    program = exported("related_dims")
    for options in ({"repeats": 0}, {"threads": 0}, {"warmup": 0}, {"executor": "gpu"}, {"method": "other"}):
        with pytest.raises(WrongArgument):
            exir_viz.profile(program, **options)


def test_sixty_four_threads_for_each_core_are_enough() -> None:
    most = 64 * (os.cpu_count() or 1)
    assert thread_count(most) == most
    with pytest.raises(WrongArgument, match=f"at most {most:,} on this machine"):
        thread_count(most + 1)


def test_symbols_that_are_not_there_or_out_of_range() -> None:
    program = exported("named_dims")
    (name,) = (str(expr) for expr, limits in program.range_constraints.items() if limits.upper == 256)
    with pytest.raises(WrongArgument, match="has no symbol 'nobody'"):
        exir_viz.profile(program, symbols={"nobody": 4})
    with pytest.raises(MeasureError, match=r"is 1000 .*for 4 to 256"):
        exir_viz.profile(program, symbols={name: 1000})
    with pytest.raises(MeasureError, match=r"is -4 .*, and the program is exported for \d+ to"):
        exir_viz.profile(exported("dynamic_batch"), symbols={_free(): -4})
    with pytest.raises(MeasureError, match="Cannot generate a value"):
        exir_viz.profile(exported("dynamic_batch"), symbols={_free(): 10**12})


def _free() -> str:
    return str(next(iter(exported("dynamic_batch").range_constraints)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"inputs": 3}, "inputs is 3. Expected: a tensor or a tuple"),
        ({"inputs": {"x": torch.ones(2)}}, r"Pass arguments with names as kwargs=\{…\}"),
        ({"repeats": "3"}, "repeats is '3'. Expected: a whole number"),
        ({"repeats": True}, "repeats is True"),
        ({"threads": 2.0}, "threads is 2.0. Expected: a whole number"),
        ({"threads": 10**6}, "threads is 1000000. Expected: at most"),
        ({"symbols": {"s": 1}}, "has no symbol 's'"),
        ({"symbols": 3}, r"symbols is 3. Expected: a dict, like \{'s77': 16\}"),
        ({"symbols": [3]}, r"symbols is \[3\]. Expected: a dict"),
        ({"inputs": (torch.ones(2),), "kwargs": "x"}, "kwargs is 'x'. Expected: a dict"),
    ],
)
def test_what_is_no_input_and_no_number_is_reported(options, said: str) -> None:
    with pytest.raises(WrongArgument, match=said):
        exir_viz.profile(exported("related_dims"), **options)


def test_another_default_device_is_not_that_of_a_measurement() -> None:
    program = torch.export.export(Fn(lambda x, at: x.add_(1)[at]), (torch.zeros(4, 2), torch.tensor([1])))
    for kept in (program.example_inputs, None):
        program.example_inputs = kept
        expected = exir_viz.profile(program, repeats=1).conditions.inputs
        with torch.device("meta"):
            assert exir_viz.profile(program, repeats=1).conditions.inputs == expected
            assert exir_viz.diff(program, program).values().agree


def test_the_hottest_are_counted_in_whole_numbers() -> None:
    profile = exir_viz.profile(exported("related_dims"), repeats=1)
    assert profile.hottest(0) == []
    for wrong, said in ((2.5, "count is 2.5"), ("3", "count is '3'"), (-1, "a whole number from 0 on")):
        with pytest.raises(WrongArgument, match=said):
            profile.hottest(wrong)


class Sized(torch.nn.Module):
    def forward(self, x, n):
        return x.sum() * n + x[:n].sum()


def test_a_symbol_is_an_integer_and_agrees_with_the_inputs() -> None:
    dim = torch.export.Dim("rows", min=2, max=8)
    program = torch.export.export(
        Sized(), (torch.ones(5), 3), dynamic_shapes={"x": {0: dim}, "n": torch.export.Dim.DYNAMIC}
    )
    with pytest.raises(MeasureError, match="The input n is True, and the program takes an integer"):
        exir_viz.profile(program, (torch.ones(5), True))
    rows = next(str(size) for size in program.graph.find_nodes(op="placeholder")[0].meta["val"].shape)
    for wrong in (True, None, 2.5):
        with pytest.raises(WrongArgument, match=f"{wrong}. Expected: a whole number"):
            exir_viz.profile(program, symbols={rows: wrong})
    with pytest.raises(WrongArgument, match="no symbol 'nobody'"):
        exir_viz.profile(program, (torch.ones(5), 3), symbols={"nobody": 4})
    with pytest.raises(MeasureError, match="rows = 4, but it is 5 in the inputs") as failed:
        exir_viz.profile(program, (torch.ones(5), 3), symbols={rows: 4})
    assert (failed.value.expected, failed.value.given) == ("4", "5")
    assert exir_viz.profile(program, (torch.ones(5), 3), symbols={rows: 5}, repeats=1).complete
    with pytest.raises(MeasureError, match="is exported for 2 to 8"):
        exir_viz.profile(program, (torch.ones(9), 3))


def test_a_constant_that_is_no_number_is_the_one_that_was_burnt_in() -> None:
    program = torch.export.export(
        Fn(lambda x, fill: x.masked_fill(x > 0, fill)), (torch.ones(2), float("nan"))
    )
    assert exir_viz.profile(program, (torch.ones(2), float("nan")), repeats=1).complete
    with pytest.raises(MeasureError, match=r"is 1\.0, and the program takes nan"):
        exir_viz.profile(program, (torch.ones(2), 1.0))


def test_a_sparse_tensor_is_not_a_dense_one() -> None:
    program = torch.export.export(Fn(lambda x: x + 1), (torch.ones(2, 2),))
    with pytest.raises(MeasureError, match=r"layout torch\.sparse_coo"):
        exir_viz.profile(program, (torch.eye(2).to_sparse(),))


class Times(torch.nn.Module):
    def forward(self, x, n):
        return x * n


def test_a_guard_of_several_comparisons_is_reported_in_numbers() -> None:
    shapes = {"x": None, "n": torch.export.Dim.DYNAMIC}
    program = torch.export.export(Times(), (torch.ones(2), 3), dynamic_shapes=shapes)
    program._guards_code = ["L['n'] >= 0 and L['n'] <= 6"]
    with pytest.raises(MeasureError, match="with n = 8 it says") as failed:
        exir_viz.profile(program, (torch.ones(2), 8))
    assert "v0" not in str(failed.value)
    assert "8 <= 6" in str(failed.value)


class Variadic(torch.nn.Module):
    def forward(self, x, *a):
        torch._check(x.shape[0] * a[0].shape[0] < 100)
        return x.sum() + a[0].sum() + a[1].sum()


def test_a_guard_over_variadic_inputs_is_held() -> None:
    auto = torch.export.Dim.AUTO
    inputs = (torch.ones(5), torch.ones(6), torch.ones(2))
    program = torch.export.export(Variadic(), inputs, dynamic_shapes={"x": {0: auto}, "a": ({0: auto}, None)})
    assert program._guards_code
    assert codes(exir_viz.profile(program, inputs, repeats=1)) == []
    with pytest.raises(MeasureError, match="200 < 100"):
        exir_viz.profile(program, (torch.ones(20), torch.ones(10), torch.ones(2)))


def test_what_holds_a_branch_that_failed_has_no_time() -> None:
    program = torch.export.export(Branches(), (torch.ones(3), torch.tensor([1])))
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(program, (torch.ones(3), torch.tensor([9])))
    kept = failed.value.profile
    assert kept["sum_1"].time > 0
    assert (kept["cond"].time, kept["cond"].calls) == (None, 0)


def test_an_edge_op_is_named_shortly_and_torchs_list_of_kernels_is_left_out() -> None:
    from executorch.exir import EdgeCompileConfig, to_edge

    module = Fn(lambda x: torch.ops.exir_viz_tests_measure.nowhere(x + 1))
    config = EdgeCompileConfig(_check_ir_validity=False)
    edge = to_edge(torch.export.export(module, (torch.ones(2),)), compile_config=config)
    with pytest.raises(MeasureError) as failed:
        exir_viz.profile(edge.exported_program())
    assert failed.value.op == "exir_viz_tests_measure.nowhere.default"
    assert "EdgeOpOverload" not in str(failed.value)
    assert "only available for these backends" not in str(failed.value)


def test_random_numbers_go_on_as_if_nothing_was_measured() -> None:
    program = torch.export.export(Fn(lambda x: x + torch.randn(2)), (torch.ones(2),))
    torch.manual_seed(7)
    expected = torch.randn(3)
    torch.manual_seed(7)
    exir_viz.profile(program, repeats=2)
    assert torch.equal(torch.randn(3), expected)


def _without_values(device: str) -> torch.export.ExportedProgram:
    with FakeTensorMode() if device == "fake" else torch.device("meta"):
        layer, x = torch.nn.Linear(4, 4), torch.randn(2, 4)
    return torch.export.export(layer, (x,))


@pytest.mark.parametrize(("device", "why"), [("fake", "a fake tensor"), ("meta", "on the meta device")])
def test_what_has_no_values_is_not_measured(device: str, why: str) -> None:
    """Fake tensors can be run, and that takes time; it is not the program's."""
    program, real = _without_values(device), torch.export.export(torch.nn.Linear(4, 4), (torch.ones(2, 4),))
    for measured in (
        lambda: exir_viz.profile(program),
        lambda: exir_viz.profile(program, torch.ones(2, 4)),
        lambda: exir_viz.diff(program, real).values(),
        lambda: exir_viz.diff(real, program).values(),
    ):
        with pytest.raises(MeasureError, match=rf"weight is .*{why}, and so are 1 more.*program\.state_dict"):
            measured()
    x = (
        torch.empty(2, 4, device="meta")
        if device == "meta"
        else FakeTensorMode().from_tensor(torch.ones(2, 4))
    )
    with pytest.raises(MeasureError, match=rf"The input input is .*{why}, without values") as raised:
        exir_viz.profile(real, x)
    assert (raised.value.node, raised.value.expected) == ("input", "a tensor with data: f32[2, 4]")
    found = sweep(program, on=ThreadPoolExecutor(1), repeats=1)
    assert why in str(found.failed[0][1])


def test_example_inputs_without_values_are_made_anew() -> None:
    program = _without_values("fake")
    program.state_dict.update(weight=torch.ones(4, 4), bias=torch.ones(4))
    assert exir_viz.profile(program, repeats=1).conditions.inputs_from == "made"


def test_nothing_is_measured_within_a_mode_that_computes_nothing() -> None:
    program = torch.export.export(torch.nn.Linear(4, 4), (torch.ones(2, 4),))
    with FakeTensorMode(), pytest.raises(MeasureError, match=r"in a FakeTensorMode.*outside"):
        exir_viz.profile(program)


def test_a_symbol_may_be_an_integer_of_numpy(program: torch.export.ExportedProgram) -> None:
    (symbol,) = (str(one) for one in program.range_constraints)
    assert exir_viz.profile(program, symbols={symbol: np.int64(7)}, repeats=1).conditions.symbols == {
        symbol: 7
    }


def test_a_bound_that_nobody_said_is_not_told() -> None:
    dim = torch.export.Dim("n", max=512)
    one = torch.export.export(Fn(lambda x: x.sin()), (torch.ones(5),), dynamic_shapes=(({0: dim},),))
    with pytest.raises(MeasureError, match="is exported for at most 512"):
        exir_viz.profile(one, torch.ones(600))


class OnAnotherDevice(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.empty(4, device="cuda:0"))

    def forward(self, x):
        return x * self.scale


def test_a_program_on_another_device_is_moved() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.export.passes import move_to_device_pass

    with FakeTensorMode(allow_non_fake_inputs=True):
        program = torch.export.export(OnAnotherDevice(), (torch.empty(2, 4, device="cuda:0"),))
    remedy = r"torch\.export\.passes\.move_to_device_pass\(program, 'cpu'\)"
    with pytest.raises(MeasureError, match=rf"This program is on cuda:0, .* Move it: {remedy}"):
        exir_viz.profile(program, (torch.ones(2, 4),))
    snapshot = exir_viz.load(program)
    assert 'mul: "f32[2, 4]cuda:0"' in snapshot.text()
    assert "x  f32[2, 4]cuda:0" in str(snapshot)
    moved = move_to_device_pass(program, "cpu")
    moved.state_dict["scale"] = torch.ones(4)  # a fake tensor has no values to move
    assert exir_viz.profile(moved, (torch.ones(2, 4),), repeats=1).complete
    assert "cuda" not in exir_viz.load(moved).text()
