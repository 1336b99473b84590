"""Sweeps: every combination, each in a process of its own or in anybody's Executor; failures stop nothing."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

import exir_viz
from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.measure.progress import Reporter
from exir_viz.measure.sweeps import sweep
from exir_viz.measure.sweeps.needs import modules_of
from exir_viz.measure.sweeps.own_process import in_own_process
from exir_viz.measure.sweeps.packed_program import pack, unpack
from tests.corpus.concepts import Fn
from tests.corpus.programs import core, exported
from tests.measure import sweeping
from tests.measure.programs import delegated, edge
from tests.nightly import nightly
from tests.readers import mutations
from tests.remedies.suggestions import suggests

ROOT = Path(__file__).parents[2]


def _symbol(name: str) -> str:
    found = (expr for expr, limits in exported(name).range_constraints.items() if limits.upper == 256)
    return str(next(found))


def _program(function: Any) -> torch.export.ExportedProgram:
    return torch.export.export(Fn(function), (torch.randn(4, 4),))


class Unnamed:
    """What a program returns whose class torch has no name for in a file."""

    def __init__(self, x: torch.Tensor) -> None:
        self.x = x


class Unsent(Unnamed):
    """Another such class: torch takes each once."""


class Here(Executor):
    """Runs each call at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_every_combination() -> None:
    seen = []
    symbol = _symbol("named_dims")  # from 4 to 256
    found = sweep(
        {"named": exported("named_dims")},
        threads=(1, 2),
        symbols={symbol: (8, 1000)},
        repeats=2,
        executor=Here(),
        progress=seen.append,
    )
    assert len(found) == 2
    assert found.complete
    assert repr(found) == "<Sweep: 2 of 4 measured>"
    frame = found.frame
    assert list(frame.columns[:3]) == ["program", "threads", symbol]
    assert len(frame) == 4
    assert (frame["time_us"].notna() == frame["error"].isna()).all()
    for setting, profile in found:
        assert profile.conditions.threads == setting["threads"]
        assert profile.conditions.symbols[symbol] == 8
    assert len(found.failed) == 2
    assert set(found.nodes["threads"]) == {1, 2}
    assert [one.done for one in seen] == [0, 1, 2, 3, 4]


def test_a_program_is_measured_once_for_symbols_that_it_has_not() -> None:
    symbol = _symbol("named_dims")
    fixed = _program(torch.sin)
    found = sweep(
        {"fixed": fixed, "named": exported("named_dims")}, symbols={symbol: (8, 16)}, repeats=1, on=Here()
    )
    assert found.failed == []
    frame = found.frame
    assert list(frame["program"]) == ["fixed", "named", "named"]
    assert list(frame.columns[:3]) == list(found.nodes.columns[:3]) == ["program", "threads", symbol]
    assert frame[symbol].isna().tolist() == [True, False, False]
    assert list(frame[symbol][1:]) == [8, 16]
    with pytest.raises(WrongArgument, match=r"No program has a symbol 'nope': they have .*dx"):
        sweep({"fixed": fixed, "named": exported("named_dims")}, symbols={"nope": (1,)}, on=Here())


def test_a_symbol_without_a_name_of_the_user_has_that_of_torch() -> None:
    auto = torch.export.Dim.AUTO
    program = torch.export.export(Fn(torch.sin), (torch.randn(4, 4),), dynamic_shapes=(({0: auto},),))
    (symbol,) = (str(one) for one in program.range_constraints)
    found = sweep(program, symbols={symbol: (2, 16)}, repeats=1, on=Here())
    assert [profile.conditions.symbols for _, profile in found] == [{symbol: 2}, {symbol: 16}]
    assert [profile["sin"].output_bytes for _, profile in found] == [2 * 4 * 4, 16 * 4 * 4]


@pytest.mark.parametrize("name", ["batch", None], ids=["user's", "torch's"])
def test_a_symbol_has_the_name_of_the_user_or_of_torch(name: str | None) -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Fn(torch.sin), (torch.randn(4, 4),), dynamic_shapes=(({0: batch},),))
    (symbol,) = (str(one) for one in program.range_constraints)
    wanted = name or symbol
    found = sweep(program, symbols={wanted: (2, 16)}, repeats=1, on=Here())
    assert found.failed == []
    assert list(found.frame[wanted]) == [2, 16]
    assert [profile.conditions.symbols for _, profile in found] == [{symbol: 2}, {symbol: 16}]
    ((_, error),) = sweep(program, symbols={wanted: (65,)}, repeats=1, on=Here()).failed
    assert str(error).startswith("batch is 65 (of the input args_0), and the program is exported for 2 to 64")
    with pytest.raises(WrongArgument, match=r"they have batch\."):
        sweep(program, symbols={"nope": (1,)}, on=Here())
    again = suggests("pass one of them.", sweep, program, symbols={"batch": (2,), symbol: (4,)}, on=Here())
    assert f"'batch' and {symbol!r} are the same symbol" in str(again)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("more", [0, 1])
def test_a_dim_that_is_only_a_part_of_sizes_has_its_name(more: int, strict: bool) -> None:
    h = torch.export.Dim("h", min=2, max=64)
    size = 2 * h + more if more else 2 * h
    shapes = (({0: size},),)
    program = torch.export.export(
        Fn(torch.sin), (torch.randn(8 + more),), dynamic_shapes=shapes, strict=strict
    )
    with pytest.raises(WrongArgument, match=r"they have h\.$") as raised:
        sweep(program, symbols={"nope": (1,)}, on=Here())
    name = str(raised.value).removesuffix(".").split()[-1]
    found = sweep(program, symbols={name: (2, 16)}, repeats=1, on=Here())
    assert found.failed == []
    assert list(found.frame[name]) == [2, 16]
    profile = exir_viz.profile(program, symbols={name: 5}, repeats=1)
    assert profile["sin"].output_bytes == (2 * 5 + more) * 4
    assert f"f32[{size.__name__}]" in str(profile.snapshot)


def test_what_cannot_be_sent_has_the_names_of_the_user() -> None:
    pytree.register_pytree_node(Unsent, lambda one: ([one.x], None), lambda xs, _: Unsent(*xs))
    batch = torch.export.Dim("batch", min=2, max=64)
    shapes = (({0: batch},),)
    program = torch.export.export(Fn(Unsent), (torch.randn(4, 4),), dynamic_shapes=shapes)
    found = sweep(program, symbols={"batch": (2, 16)}, repeats=1)
    assert found.failed == []
    assert list(found.frame["batch"]) == [2, 16]


@pytest.mark.nightly
def test_each_in_a_process_of_its_own_and_a_dead_one_stops_nothing() -> None:
    same = _program(lambda x: torch.ops.sweeping.same(x) + torch.ops.sweeping.decorated(x))
    found = sweep({"dying": _program(torch.ops.sweeping.die), "last": same}, repeats=2)
    assert [setting["program"] for setting, _ in found] == ["last"]
    ((_, error),) = found.failed
    assert "died (exit code 9)" in str(error)


@pytest.mark.parametrize("size", [0, 1_000_000])  # the second is more than a pipe holds
def test_a_script_on_standard_input_is_why_no_process_began(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.setattr(main, "__file__", "<stdin>", raising=False)
    with pytest.raises(MeasureError, match=r"from a script on standard input: save the script as a file"):
        in_own_process(len, bytes(size))


def test_what_a_program_needs_imported_is_known() -> None:
    same = _program(torch.ops.sweeping.same)
    assert modules_of(same) == (sweeping.__name__,)
    decorated = _program(torch.ops.sweeping.decorated)
    assert modules_of(decorated) == (sweeping.__name__,)
    assert modules_of(exported("pytree_inputs")) == ("tests.corpus.concepts",)
    assert modules_of(exported("named_dims")) == ()


def test_the_module_that_registers_an_op_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that does not know it yet."""
    (tmp_path / "sweeping_late.py").write_text(
        "import torch\n"
        "library = torch.library.Library('sweeping_late', 'DEF')\n"
        "library.define('same(Tensor self) -> Tensor')\n"
        "library.impl('same', torch.clone, 'CompositeExplicitAutograd')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    packed, _ = pack(_program(torch.relu), None, None, None, ())
    members = mutations.unpack(packed.program)
    name = mutations.program_of(members)
    old, new = b"torch.ops.aten.relu.default", b"torch.ops.sweeping_late.same.default"
    late = replace(packed, program=mutations.pack({**members, name: members[name].replace(old, new)}))
    suggests("Name the module that registers it:", unpack, late)
    assert unpack(replace(late, imports=("sweeping_late",))).programs


@pytest.mark.nightly
def test_what_executorch_lowered_travels_too() -> None:
    """Into a process that has not imported ExecuTorch before the first."""
    pytest.importorskip("executorch")
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    program = _program(lambda x: torch.cumsum(x @ x, 1))
    edge = exir_viz.Session(program).edge()
    backend = edge.session.root.edge().backend(XnnpackPartitioner())
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        found = sweep({"edge": edge, "backend": backend}, on=process, repeats=2)
        in_runtime = sweep(delegated("dynamic_batch"), on=process, executor="executorch", repeats=2)
    assert found.failed == []
    for (_, profile), stage in zip(found, (edge, backend), strict=True):
        assert profile.snapshot == stage.snapshot
        assert profile.at(stage.session.root).time == pytest.approx(profile.whole.time / 1e9)
    ((_, profile),) = in_runtime
    assert {cost.basis for cost in profile} == {"estimated"}


def test_whatever_fails_is_a_row() -> None:
    pytree.register_pytree_node(Unnamed, lambda held: ([held.x], None), lambda held, _: Unnamed(*held))
    unsaved = _program(Unnamed)
    programs = {
        "stage": exir_viz.Session(_program(torch.cos)).root,
        "text": "model.pt2",
        "unsaved": unsaved,
        "module": torch.nn.Linear(2, 2),
        "last": _program(torch.cos),
    }
    found = sweep(programs, repeats=2, executor=Here())
    assert [setting["program"] for setting, _ in found] == ["stage", "last"]
    reasons = {setting["program"]: str(error) for setting, error in found.failed}
    assert "Cannot run the file" in reasons["text"]
    assert "cannot be sent to another process, as torch cannot save it" in reasons["unsaved"]
    assert "needs example inputs" in reasons["module"]
    asked = sweep(programs["last"], imports=["no_such_module"], executor=Here())
    assert "imports= asks for: No module named 'no_such_module'" in asked.frame["error"][0]


def test_a_size_at_which_an_op_fails_is_a_row_and_promises_no_profile() -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(
        Fn(lambda x: torch.linalg.cholesky(torch.eye(x.shape[0]) * (5 - x.shape[0]))),
        (torch.randn(3, 4),),
        dynamic_shapes=(({0: batch},),),
    )
    found = sweep(program, symbols={"batch": (4, 5)}, repeats=1, on=Here())
    assert [setting["symbols"] for setting, _ in found] == [{"batch": 4}]
    ((setting, error),) = found.failed
    assert setting["symbols"] == {"batch": 5}
    assert "linalg_cholesky" in str(error)
    assert error.profile is None
    assert "`profile`" not in str(error)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"executor": "gpu"}, "Available: 'cpu', 'executorch'"),
        ({"executor": 4}, "not 4"),
        ({"on": "cluster"}, "not 'cluster'"),
        ({"executor": Here(), "on": Here()}, "Pass on= only"),
    ],
)
def test_what_measures_and_where_it_runs_are_distinguished(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongArgument, match=said):
        sweep({}, **asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"threads": 1}, r"threads is 1. Expected: a list of values to measure, like \[1\]"),
        ({"threads": "12"}, "threads is '12'. Expected: a list of values"),
        ({"threads": (1, "2")}, "threads is '2'. Expected: a whole number"),
        ({"threads": ()}, "threads is empty: there is nothing to measure"),
        ({"threads": "12"}, r"threads is '12'. Expected: a list of values to measure, like \[12\]"),
        ({"symbols": {"s7": 8}}, r"symbols\['s7'\] is 8. Expected: a list of values"),
        ({"symbols": {"s7": ()}}, r"symbols\['s7'\] is empty"),
        ({"symbols": [8]}, r"symbols is \[8\]. Expected: a dict"),
        ({"repeats": 0}, "repeats is 0. Expected: a whole number from 1 on"),
        ({"warmup": 1.5}, "warmup is 1.5"),
    ],
)
def test_what_can_be_measured_of_none_is_reported_before_any(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongArgument, match=said):
        sweep({"text": "no program"}, **asked)


def test_there_is_something_to_measure() -> None:
    with pytest.raises(WrongArgument, match="programs is empty"):
        sweep({})


def test_a_frame_says_what_is_emulated() -> None:
    """Eager torch ran what the backend took: set beside another, its time is not the backend's."""
    found = sweep({"core": core("dynamic_batch"), "taken": delegated("dynamic_batch")}, repeats=1, on=Here())
    rows = found.frame.set_index("program")
    assert rows.loc["core", "basis"] == "measured"
    assert "emulated" not in str(rows.loc["core", "remarks"])  # none on an idle machine
    assert "emulated" in rows.loc["taken", "basis"]
    assert "emulated" in rows.loc["taken", "remarks"].split(", ")
    in_runtime = sweep(delegated("dynamic_batch"), repeats=1, on=Here(), executor="executorch").frame.loc[0]
    assert in_runtime["basis"] == "measured", "the whole is, of the delegates it is the remark that says it"
    assert "estimated" in in_runtime["remarks"].split(", ")
    (_, profile) = list(found)[1]
    for by in ("module", "op", "dialect", "node"):
        bases = profile.rollup(by)["basis"]
        assert set(bases.dropna()) <= {"measured", "emulated", "measured, emulated"}
        assert bases.str.contains("emulated").any()
    dialects = profile.rollup("dialect").set_index("dialect")
    assert dialects.loc["XnnpackBackend", "basis"] == "emulated"
    assert dialects.loc["(overhead)"].isna()["basis"]


def test_a_frame_has_the_same_columns_whatever_failed() -> None:
    columns = ["program", "threads", "time_us", "min_us", "overhead_us", "peak_bytes"]
    columns += ["basis", "remarks", "error"]
    programs = {"text": "no program", "cos": _program(torch.cos)}
    for tried in (programs, {"text": "no program"}, {"cos": programs["cos"]}):
        found = sweep(tried, repeats=1, imports="math", executor=Here())
        assert list(found.frame.columns) == columns
        assert [setting["program"] for setting, _ in found.failed] == [
            name for name in tried if name == "text"
        ]


def test_the_runtime_is_swept_over_as_profile_measures_it() -> None:
    """Programs and `.pte` travel; what is no lowered program is a row, with what to do."""
    programs = {
        "edge": exir_viz.Session(exported("dynamic_batch")).edge(),
        "backend": delegated("dynamic_batch"),
        "exported": exported("dynamic_batch"),
    }
    found = sweep(programs, threads=(1, 2), executor="executorch", on=Here(), repeats=2)
    assert {setting["program"] for setting, _ in found.failed} == {"exported"}
    assert "runs lowered programs" in str(found.failed[0][1])
    alike = {
        name: exir_viz.profile(programs[name], executor="executorch", repeats=2)
        for name in programs
        if name != "exported"
    }
    assert len(found) == 4
    for setting, profile in found:
        like = alike[setting["program"]]
        assert profile.conditions.executor == "executorch"
        assert profile.conditions.threads == setting["threads"]
        assert profile.record.columns.nodes == like.record.columns.nodes
        assert profile.whole.time > 0
        assert {cost.basis for cost in profile} <= {"estimated"}
    assert found.frame["time_us"].notna().sum() == 4
    assert [name for name in found.frame if name in ("rest_us", "overhead_us")] == ["rest_us"]
    assert all(profile.frame.attrs.keys() == {"whole_us", "rest_us"} for _, profile in found)


# What ExecuTorch's own format cannot hold, or does not keep.
@pytest.mark.parametrize("name", ["static_values", "pytree_inputs"])
def test_what_the_format_does_not_keep_travels_beside_it(name: str) -> None:
    found = sweep(edge(name), executor=Here(), repeats=1)
    assert found.failed == []


@pytest.mark.parametrize("name", ["nested_cond", *nightly(["unbacked_float", "while_loop"])])
def test_what_cannot_be_sent_is_measured_here(name: str) -> None:
    stage = exir_viz.Session(exported(name)).edge()
    found = sweep(stage, repeats=1)
    assert found.failed == []
    ((_, profile),) = found
    assert "It had no process of its own" in profile.remarks[-1].text
    assert profile.at(stage.session.root).time == pytest.approx(profile.whole.time / 1e9)
    ((_, error),) = sweep(stage, executor=Here(), repeats=1).failed
    assert "ExecuTorch cannot save it (SerializeError" in str(error)


def test_an_interrupt_of_what_is_measured_here_ends_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_reporter: object, what: str, _done: int, _total: int) -> None:
        if what == "Warming up":
            raise KeyboardInterrupt

    monkeypatch.setattr(Reporter, "__call__", stop)
    found = sweep(edge("while_loop"), threads=(1, 2), repeats=1)
    assert not found.complete
    assert [str(error) for _, error in found.failed] == [
        "The sweep was interrupted before this was measured."
    ] * 2


def test_what_executorch_cannot_finish_is_a_row() -> None:
    stage = exir_viz.Session(exported("while_loop")).edge()
    ((_, error),) = sweep(stage, executor="executorch", on=Here()).failed
    assert "ExecuTorch cannot make a .pte of it (InternalError" in str(error)


def test_a_node_that_loading_names_otherwise_is_measured_all_the_same() -> None:
    """torch gives an output that is None a name of its own when it loads a program."""
    program = exported("mutating_custom_op")
    found = sweep(program, repeats=2, executor=Here())
    assert found.failed == []
    ((_, profile),) = found
    assert profile.snapshot != exir_viz.load(program)


def test_an_executor_that_breaks_is_a_reason() -> None:
    class Breaks(Here):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if args[1]["threads"] == 2:
                raise BrokenExecutor("a process ended abruptly")
            return super().submit(fn, *args, **kwargs)

    found = sweep(exported("named_dims"), threads=(1, 2, 3), repeats=2, executor=Breaks())
    assert [setting["threads"] for setting, _ in found] == [1, 3]
    ((_, error),) = found.failed
    assert "A worker of the Executor died" in str(error)


def test_threads_of_one_process_wait_for_each_other() -> None:
    before = torch.get_num_threads()
    programs = {str(number): exported("named_dims") for number in range(4)}
    with ThreadPoolExecutor(4) as executor:
        found = sweep(programs, threads=(1, 2), repeats=5, executor=executor)
    assert found.failed == []
    assert torch.get_num_threads() == before


def test_an_interrupt_keeps_what_is_done() -> None:
    class Waits(Here):
        """The second is never done; the third is done before it."""

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future() if args[1]["threads"] == 2 else super().submit(fn, *args, **kwargs)

    def stop(progress: Any) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    found = sweep(exported("named_dims"), threads=(1, 2, 3), repeats=2, executor=Waits(), progress=stop)
    assert not found.complete
    assert repr(found) == "<Sweep: 2 of 3 measured, interrupted>"
    assert [setting["threads"] for setting, _ in found] == [1, 3]
    assert "interrupted" in found.frame["error"][1]


_SCRIPT = """
import signal
import torch
from exir_viz.measure.sweeps import sweep

def tell(progress):
    print("done", progress.done, flush=True)

if __name__ == "__main__":
    # what is started in the background may be told to ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = torch.export.export(torch.nn.Linear(4, 4), (torch.randn(2, 4),))
    found = sweep(program, threads=(1, 2, 3), repeats=10**9, progress=tell)
    print(repr(found), flush=True)
"""


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="a terminal sends Ctrl-C to a group of processes")
def test_a_terminals_interrupt_ends_the_worker_in_silence(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    running = subprocess.Popen(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert running.stdout.readline() == "done 0\n"
        os.killpg(running.pid, signal.SIGINT)  # while the worker starts
        out, err = running.communicate(timeout=300)
    finally:
        with contextlib.suppress(ProcessLookupError):  # nothing is left of it
            os.killpg(running.pid, signal.SIGKILL)
    assert out == "<Sweep: 0 of 3 measured, interrupted>\n"
    assert "Traceback" not in err
    assert running.returncode == 0


@pytest.mark.nightly
def test_on_a_dask_cluster() -> None:
    """With several threads in a worker, which would disturb each other."""
    distributed = pytest.importorskip("distributed")
    programs = {name: exported(name) for name in ("related_dims", "dynamic_batch")}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=4, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        found = sweep(programs, threads=(1, 2), executor=executor, repeats=2)
    assert [setting["program"] for setting, _ in found] == [name for name in programs for _ in (1, 2)]
    assert found.failed == []
    assert (found.frame["time_us"] > 0).all()


def test_a_sweep_over_sizes_is_explored_as_one_profile(tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Fn(torch.sin), (torch.ones(4, 3),), dynamic_shapes=(({0: batch},),))
    with ThreadPoolExecutor(1) as here:
        found = sweep(program, symbols={"batch": (2, 4, 8)}, threads=(1,), repeats=1, on=here)
    assert found.failed == []
    main = found.by_size()
    sizes = [[*one.conditions.symbols.values()] for one in (main, *main.other_sizes)]
    assert sizes == [[4], [2], [8]]  # the size of the example first
    explorer = exir_viz.explore(found)
    assert explorer.profile is not None
    page = explorer.to_html(tmp_path / "page.html").read_text()
    explorer.show(found)
    message = explorer._profiles.message("")
    assert (message.content["stages"], len(message.buffers)) == (["", "", ""], 3)
    assert "exirviz-profiles" in page
    measured = r"Expected: one that was measured: 'program' with threads=1\.$"
    with pytest.raises(WrongArgument, match=rf"program is 'other'\. {measured}"):
        found.by_size("other")
    with pytest.raises(WrongArgument, match=rf"threads is 7\. {measured}"):
        found.by_size("program", threads=7)
