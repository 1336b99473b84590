"""Profiling from where people stand: stages of a session, the command, the bench's measures."""

from __future__ import annotations

import copy
import json
import os
import sys
import threading
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.cli import main
from exir_viz.errors import MissingImport, WrongArgument
from exir_viz.measure import files
from exir_viz.measure.progress import Reporter
from exir_viz.stages.session import Session
from tests.bench.profiling import near_ten, paired, profiled, ten
from tests.corpus.programs import archive, exported
from tests.measure.programs import delegated


def test_stages_of_a_session_are_profiled_with_their_own_snapshots() -> None:
    session = Session(exported("dynamic_batch"), name="batch")
    core = session.root.decompose()
    for stage in (session.root, core):
        profile = exir_viz.profile(stage, repeats=2)
        assert profile.snapshot is stage.snapshot
        assert all(cost.time is not None for cost in profile)


def test_the_command_refuses_without_trust(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(archive("dynamic_batch"))]) == 1
    assert "pass --trust" in capsys.readouterr().err


def test_the_command_prints_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, trace, page = (tmp_path / name for name in ("run.exirprofile", "run.json", "run.html"))
    command = ["profile", str(archive("dynamic_batch")), "--trust", "--repeats", "2", "--top", "2"]
    command += ["--import", "colorsys"]
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert main([*command, "-o", str(saved)]) == 0
    assert "colorsys" in sys.modules
    printed = capsys.readouterr().out
    assert "aten.linear.default" in printed
    assert "more" in printed
    assert main(["profile", str(saved), "--top", "2", "-o", str(trace)]) == 0
    assert capsys.readouterr().out == printed
    assert json.loads(trace.read_text())["traceEvents"]
    assert main(["profile", str(saved), "--html", str(page)]) == 0
    assert f"{page}: {page.stat().st_size:,} bytes" in capsys.readouterr().err
    assert 'id="exirviz-profiles"' in page.read_text()
    assert exir_viz.load(saved).to_html(tmp_path / "same.html").read_text() == page.read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--trust", "--symbol", "nobody=3"], "has no symbol 'nobody'"),
        (["--trust", "--import", "no_such_module_here"], "Cannot import 'no_such_module_here'"),
    ],
)
def test_the_command_says_what_is_wrong(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", str(archive("dynamic_batch")), *more]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        *((["--top", count], "a whole number from 1 on") for count in ("0", "-3", "²")),
        (["--repeats", "0"], "a whole number from 1 on"),
        (["--threads", "one"], "a whole number from 1 on"),
        *((["--symbol", text], "expected NAME=VALUE") for text in ("s7", "s7=--5", "s7=²", "s7=1.5", "=3")),
        (["-o", "run.txt"], "the name must end in .exirprofile, .json, .csv, .parquet"),
        (["--html", "run.json"], "the name must end in .html"),
    ],
)
def test_a_wrong_option_is_a_wrong_call(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["profile", "model.pt2", "--trust", *more])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_symbol_has_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["profile", str(archive("dynamic_batch")), "--trust", "--symbol", "s7=9", "--symbol", "s7=10"]
    assert main(command) == 2
    assert "--symbol s7=… is given twice" in capsys.readouterr().err


def test_the_trace_and_the_page_are_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, page = tmp_path / "run.json", tmp_path / "run.html"
    page.symlink_to(trace)
    command = ["profile", str(archive("dynamic_batch")), "--trust", "-o", str(trace), "--html", str(page)]
    assert main(command) == 2
    assert "are the same file" in capsys.readouterr().err
    assert not trace.exists()
    trace.write_text("before")
    page.unlink()
    page.hardlink_to(trace)
    assert main(command) == 2
    assert trace.read_text() == "before"


@pytest.mark.parametrize(
    "more",
    [["--threads", "1"], ["--repeats", "3"], ["--method", "foo"], ["--symbol", "s7=9"], ["--import", "nope"]],
)
def test_how_to_measure_is_not_asked_of_what_was_measured(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.exirprofile"
    saved.write_bytes(files.MAGIC)
    assert main(["profile", str(saved), *more]) == 2
    assert f"{more[0]}: has no effect on 'run.exirprofile'" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_has_no_size_to_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, pipe = tmp_path / "run.exirprofile", tmp_path / "pipe.json"
    exir_viz.profile(exported("dynamic_batch"), repeats=1).save(saved)
    os.mkfifo(pipe)
    reader = threading.Thread(target=pipe.read_bytes)
    reader.start()
    assert main(["profile", str(saved), "-o", str(pipe)]) == 0
    reader.join()
    assert "bytes" not in capsys.readouterr().err


@pytest.mark.parametrize(("option", "name"), [("-o", "run.csv"), ("--html", "run.html")])
def test_a_missing_folder_is_reported_before_measuring(
    option: str,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exir_viz, "load", None, raising=False)
    output = tmp_path / "missing" / name
    assert main(["profile", str(archive("dynamic_batch")), "--trust", option, str(output)]) == 1
    assert f"there is no folder '{tmp_path / 'missing'}'" in capsys.readouterr().err


def test_an_interrupted_command_keeps_what_it_measured_and_says_130(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_reporter: object, what: str, done: int, _total: int) -> None:
        if (what, done) == ("Measuring", 3):
            raise KeyboardInterrupt

    monkeypatch.setattr(Reporter, "__call__", stop)
    saved = tmp_path / "run.exirprofile"
    assert main(["profile", str(archive("dynamic_batch")), "--trust", "-o", str(saved)]) == 130
    assert "interrupted:" in capsys.readouterr().out
    assert exir_viz.load(saved).conditions.repeats == 3
    assert main(["profile", str(saved)]) == 0  # reading it was not interrupted


def test_a_missing_class_names_the_option_that_imports_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise MissingImport("model.pt2", "it takes a theirs.outputs.Output", module="theirs.outputs")

    monkeypatch.setattr(exir_viz, "load", missing)
    assert main(["profile", str(archive("dynamic_batch")), "--trust"]) == 1
    assert "it takes a theirs.outputs.Output. Pass --import theirs.outputs." in capsys.readouterr().err


def test_one_of_several_methods_is_asked_for() -> None:
    methods = {"encode": exported("named_dims"), "decode": exported("named_dims")}
    root = Session(methods).root
    with pytest.raises(WrongArgument, match=r"the methods decode, encode, .* method='decode'"):
        exir_viz.profile(root, repeats=2)
    assert exir_viz.profile(root, method="encode", repeats=2).record.method == "encode"
    only = Session({"encode": exported("named_dims")}).root
    assert exir_viz.profile(only, repeats=2).record.method == "encode"


def test_only_programs_are_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = exir_viz.load(exported("dynamic_batch")).save(tmp_path / "x.exirviz")
    assert main(["profile", str(snapshot), "--trust"]) == 1
    assert "only a .pt2" in capsys.readouterr().err


def test_a_lowered_file_is_run_in_the_runtime(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("executorch")
    file = tmp_path / "batch.pte"
    file.write_bytes(copy.deepcopy(delegated("dynamic_batch")).to_executorch().buffer)
    assert main(["profile", str(file)]) == 1
    assert "pass --trust" in capsys.readouterr().err
    for more in (["--symbol", "s0=3"], ["--import", "theirs"]):
        assert main(["profile", str(file), "--trust", *more]) == 2
        assert "has no symbols" in capsys.readouterr().err
    saved = tmp_path / "run.exirprofile"
    assert main(["profile", str(file), "--trust", "--repeats", "3", "-o", str(saved)]) == 0
    printed = capsys.readouterr().out
    assert "executorch_call_delegate" in printed
    assert "estimated: The whole run is measured." in printed
    profile = exir_viz.load(saved)
    assert {cost.basis for cost in profile} == {"estimated"}
    assert profile.conditions.inputs_from == "made"


def test_what_the_benchmark_compares_with() -> None:
    program = exported("dynamic_batch")
    ours, theirs = paired(program, 2)
    assert len(ours.seconds) == len(theirs.seconds) == 2
    profile = exir_viz.profile(program, repeats=2)
    assert all(time > 0 for time in profiled(program, len(profile), runs=1))
    assert (
        ten(profile).keys() <= near_ten(profile) <= {share.key for share in profile.hottest(99, by="module")}
    )


def test_a_timed_step_makes_few_calls(call_count) -> None:
    """Work without a clock: Python and C calls of a whole run, by op."""
    from exir_viz.measure.cpu.program import CpuProgram
    from exir_viz.measure.cpu.timing import Timer

    class Chain(torch.nn.Module):
        def forward(self, x):
            for _ in range(200):
                x = x + 1.0
            return x

    prepared = CpuProgram(torch.export.export(Chain(), (torch.ones(2),)))
    values = prepared.inputs(None, None, None).values
    timer = Timer(len(prepared.planner.nodes))
    with torch.no_grad():
        calls = call_count(lambda: prepared.once(timer, values))
    # the clock twice, the arguments, the op itself
    assert calls <= 5 * 200 + 20
