"""A Profile: it adds up, says what it depends on, survives a file, can be asked, rolled up and exported."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import msgspec
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import exir_viz
from exir_viz.errors import ExirVizError, FileError, MissingExtra, NotWritten
from exir_viz.measure import files
from exir_viz.measure.conditions import version
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import NOT_MEASURABLE, UNKNOWN, Columns, Executor, Times
from exir_viz.measure.rollup import OVERHEAD, rollup
from exir_viz.snapshot import wire
from exir_viz.snapshot.format import share_text
from tests.corpus.programs import core, exported


class Net(torch.nn.Module):
    """Two blocks and a head, large enough that the ops outweigh the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Linear(256, 256) for _ in range(3))
        self.head = torch.nn.Linear(256, 10)

    def forward(self, x):
        for block in self.blocks:
            x = block(x).relu()
        return self.head(x)


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    return torch.export.export(Net(), (torch.randn(64, 256),)).run_decompositions()


@pytest.fixture(scope="module")
def profile(program) -> Profile:
    return exir_viz.profile(program, repeats=9)


BY = ("node", "module", "op", "kind", "dialect", "line", "dtype")


def test_the_parts_add_up_to_the_whole(profile: Profile) -> None:
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    for by in BY:
        assert sum(share.time for share in rollup(profile, by)) == pytest.approx(parts, rel=0.001)
        assert rollup(profile, by)[-1].cumulative == pytest.approx(1, rel=0.001)


def test_the_statistics_are_in_order(profile: Profile) -> None:
    for cost in profile:
        assert 0 < cost.min <= cost.p25 <= cost.median <= cost.p75
        assert cost.n == profile.conditions.repeats == 9


def test_bytes_and_flops_are_those_of_the_shapes(profile: Profile) -> None:
    mm = [cost for cost in profile if cost.flops]
    assert [cost.flops for cost in mm] == [2 * 64 * 256 * 256] * 3 + [2 * 64 * 256 * 10]
    first = mm[0]
    assert first.output_bytes == first.allocated_bytes == 4 * 64 * 256
    assert first.bytes_moved == 4 * (256 + 64 * 256 + 256 * 256 + 64 * 256)
    assert first.intensity == first.flops / first.bytes_moved
    views = [cost for cost in profile if "permute" in cost.node.name]
    assert views
    assert all(cost.bytes_moved == cost.allocated_bytes == 0 for cost in views)
    # torch counts matrix products only: of all else FLOPs are not known, and not 0
    assert {cost.flops for cost in profile if cost not in mm} == {None}
    assert {share.key for share in rollup(profile, "op") if share.flops is not None} == {"aten.addmm.default"}


def test_live_bytes_are_what_is_still_used(profile: Profile) -> None:
    block = 4 * 64 * 256
    # the input of an op, and its output
    assert profile.peak.live_bytes == 2 * block
    assert profile.record.input_bytes == block
    assert profile.record.state_bytes == 4 * (3 * (256 * 256 + 256) + 256 * 10 + 10)
    frame = profile.memory
    assert frame["live_bytes"].max() == 2 * block
    assert frame["live_bytes"].iloc[-1] >= 4 * 64 * 10


def test_conditions_say_what_the_numbers_depend_on(profile: Profile) -> None:
    conditions = profile.conditions
    assert (conditions.threads, conditions.executor, conditions.inputs_from) == (1, "cpu", "example")
    assert [(one.path, one.value) for one in conditions.inputs] == [("x", "f32[64, 256]")]
    assert conditions.torch == torch.__version__
    assert conditions.cpu
    assert conditions.cores > 0
    assert profile.complete


def test_conditions_name_the_build_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CUDA build and the CPU build are packages of one version, and their times differ."""
    monkeypatch.setattr(torch, "__version__", "2.15.0+cu132")
    assert version("torch") == "2.15.0+cu132"
    assert version("pytest") == pytest.__version__
    assert version("no-such-package") == ""


def test_conditions_that_differ_are_reported(program, profile: Profile) -> None:
    more = exir_viz.profile(program, torch.randn(64, 256), threads=2, repeats=2)
    said = [text for text in profile.differences(more) if "busy" not in text]
    assert said == ["the number of threads differs: 1 vs. 2"]
    assert [text for text in profile.differences(profile) if "busy" not in text] == []


def test_threads_and_the_collector_are_as_before(program) -> None:
    import gc

    before = torch.get_num_threads()
    exir_viz.profile(program, threads=2 if before == 1 else 1, repeats=1)
    assert torch.get_num_threads() == before
    assert gc.isenabled()


def test_asking_by_name_and_node(profile: Profile) -> None:
    cost = next(iter(profile))
    assert profile[cost.node] == profile[cost.node.id] == profile[cost.node.name] == cost
    assert cost.node in profile
    assert "forward/x" not in profile
    with pytest.raises(KeyError, match="computes nothing, was not timed alone, or"):
        profile["x"]
    assert profile.series()[cost.node.id] == cost.time
    assert set(profile.series("flops")) == {cost.node.id for cost in profile if cost.flops is not None}


def test_a_file_holds_it_all(profile: Profile, tmp_path: Path) -> None:
    path = profile.save(tmp_path / "net.exirprofile", absolute_paths=True)
    read = exir_viz.load(path)
    assert read == profile
    assert files.encode(read) == path.read_bytes()
    code = f"import sys, exir_viz; p = exir_viz.load({str(path)!r}); str(p); p.frame; p.memory\n"
    code += "print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def _damaged(profile: Profile, **changes: object) -> bytes:
    record = msgspec.structs.replace(profile.record, **changes)
    return files.encode(Profile(record, profile.snapshot))


def test_damaged_files_are_refused(profile: Profile) -> None:
    data = files.encode(profile)
    short = msgspec.structs.replace(profile.record.columns, time=(1,))
    strange = msgspec.structs.replace(
        profile.record.columns, nodes=("forward/no_such", *profile.record.columns.nodes[1:])
    )
    for broken in (
        b"", data[:4], data[:20], data[:-9], data[:16] + b"\0" + data[17:], b"EXIRPROF" + b"\xff" * 20,
        _damaged(profile, schema=99), _damaged(profile, columns=short), _damaged(profile, columns=strange),
        _damaged(profile, method="other"),
    ):  # fmt: skip
        with pytest.raises(FileError):
            files.decode(broken, "broken.exirprofile")
    with pytest.raises(FileError, match=r"no_such.*does not have"):
        files.decode(_damaged(profile, columns=strange))


@pytest.mark.parametrize("number", [-7, 1 << 53, 1 << 70])
def test_numbers_that_nothing_can_show_are_refused(profile: Profile, number: int) -> None:
    columns = profile.record.columns
    for name in columns.__struct_fields__[2:]:
        changed = msgspec.structs.replace(columns, **{name: (number, *getattr(columns, name)[1:])})
        words = f"its column '{name}' has {number:,}" if number < 0 else f"has the number {number:,}"
        with pytest.raises(FileError, match=words):
            files.decode(_altered(profile, columns=changed))
    if number > 0:
        whole = msgspec.structs.replace(profile.whole, median=number)
        for changes in ({"state_bytes": number}, {"whole": whole}):
            with pytest.raises(FileError, match=f"has the number {number:,}"):
                files.decode(_altered(profile, **changes))


def _altered(profile: Profile, **changes: object) -> bytes:
    """What anybody can write, with numbers that no encoder of ours does."""
    record = msgspec.structs.asdict(profile.record) | changes
    packed = zlib.compress(json.dumps(msgspec.to_builtins(record)).encode())
    return b"".join([files.MAGIC, len(packed).to_bytes(8, "big"), packed, wire.encode(profile.snapshot)])


def test_the_frame_is_tidy(profile: Profile) -> None:
    frame = profile.frame
    assert len(frame) == len(profile)
    assert not frame.duplicated(["graph", "node"]).any()
    assert frame["share"].sum() + profile.overhead.time / profile.whole.time == pytest.approx(1, rel=0.01)
    assert set(frame["module"]) == {"blocks.0", "blocks.1", "blocks.2", "head", "(root)"}
    assert frame["file"].str.endswith("test_profile.py").all()
    assert (frame["flops_per_s"].dropna() > 0).all()


def test_all_that_is_shown_adds_up_to_the_whole(profile: Profile) -> None:
    """The frame, every rollup and its shares, and the text: of one whole, with the overhead."""
    whole = profile.whole.time / 1e3
    frame = profile.frame
    assert frame.attrs["whole_us"] == whole
    assert frame["time_us"].sum() + frame.attrs["overhead_us"] == pytest.approx(whole, rel=0.001)
    for by in ("node", "module", "op", "kind", "dialect", "line", "dtype"):
        rows = profile.rollup(by)
        assert rows["time_us"].sum() == pytest.approx(whole, rel=0.001)
        assert rows["share"].sum() == pytest.approx(1, rel=0.001)
        assert rows["cumulative"].iloc[-1] == pytest.approx(1, rel=0.001)
    modules = profile.rollup("module").set_index("module")
    root, overhead = modules.loc["(root)", "total_share"], modules.loc[OVERHEAD, "share"]
    assert root < 1
    assert root + overhead == pytest.approx(1, rel=0.001)
    (line,) = (line for line in str(profile).splitlines() if "(root)" in line)
    assert share_text(root) in line


def test_without_a_whole_shares_are_of_what_was_measured(profile: Profile) -> None:
    cut = Profile(msgspec.structs.replace(profile.record, whole=None, overhead=None), profile.snapshot)
    assert sum(share.share for share in rollup(cut, "op")) == pytest.approx(1, rel=0.001)
    assert cut.frame["share"].sum() == pytest.approx(1, rel=0.001)
    assert cut.frame.attrs == {}


def test_modules_have_their_own_and_all_within(profile: Profile) -> None:
    modules = {share.key: share for share in rollup(profile, "module")}
    root = modules["(root)"]
    within = sum(share.time for key, share in modules.items() if key not in ("(root)", OVERHEAD))
    assert root.total == pytest.approx(root.time + within, rel=0.001)
    frame = profile.rollup("module").set_index("module")
    assert frame.loc["head", "class"].endswith("Linear")
    for by, beside in (("op", "class"), ("node", "op"), ("line", "code")):
        assert list(profile.rollup(by).columns[:3]) == [by, beside, "time_us"]
    with pytest.raises(ValueError, match="rollup\\(\\): by is"):
        profile.rollup("colour")


def test_the_hottest_are_the_same_twice(program) -> None:
    first, second = (exir_viz.profile(program, repeats=15) for _ in range(2))
    tops = [{share.key for share in profile.hottest(4)} - {OVERHEAD} for profile in (first, second)]
    assert len(tops[0] & tops[1]) >= 2  # the three equal layers


def test_a_second_call_of_a_module_is_distinguished() -> None:
    profile = exir_viz.profile(exported("module_called_twice"), repeats=2)
    assert {"layers.0", "layers.1", "layers.0@1"} <= {share.key for share in rollup(profile, "module")}


def test_csv_and_parquet_hold_the_frame(profile: Profile, tmp_path: Path, monkeypatch) -> None:
    frame = profile.frame
    csv = pd.read_csv(profile.to_csv(tmp_path / "p.csv"))
    assert list(csv.columns) == list(frame.columns)
    assert len(csv) == len(frame)
    parquet = pd.read_parquet(profile.to_parquet(tmp_path / "p.parquet", absolute_paths=True))
    pd.testing.assert_frame_equal(parquet, frame)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r'pip install "exir-viz\[parquet\]"'):
        profile.to_parquet(tmp_path / "q.parquet")


@pytest.mark.parametrize("writer", ["save", "to_csv", "to_html", "to_parquet", "to_trace"])
def test_what_cannot_be_written_is_said_and_leaves_what_was_there(
    writer: str, profile: Profile, tmp_path: Path, monkeypatch
) -> None:
    write = getattr(profile, writer)
    with pytest.raises(NotWritten, match=r"there is no folder .*Create it, or name another\."):
        write(tmp_path / "none" / "run")
    with pytest.raises(NotWritten, match=r"it is a folder\. Name a file in it\."):
        write(tmp_path)
    before = write(tmp_path / "run").read_bytes()
    monkeypatch.setattr(Path, "write_bytes", _half)
    with pytest.raises(NotWritten, match="No space left"):
        write(tmp_path / "run")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"run": before}


def _half(path: Path, data: bytes) -> int:
    """What a full disk does."""
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def test_it_prints_on_one_screen(profile: Profile) -> None:
    text = str(profile)
    assert max(map(len, text.splitlines())) <= 96
    assert "x: f32[64, 256]" in text
    assert "addmm" in text
    assert repr(profile).startswith("<Profile of forward")


def test_symbols_choose_the_shapes() -> None:
    program = exported("dynamic_batch")
    name = next(str(symbol) for symbol in program.range_constraints)
    profile = exir_viz.profile(program, symbols={name: 6}, repeats=1)
    assert profile.conditions.inputs_from == "made"
    assert profile.conditions.symbols[name] == 6
    assert profile.conditions.inputs[0].value.startswith("f32[6")


def test_a_module_is_exported_first() -> None:
    profile = exir_viz.profile(Net(), torch.randn(3, 256), repeats=1)
    assert profile.record.dialect == "aten.training"
    with pytest.raises(ExirVizError, match="needs example inputs"):
        exir_viz.profile(Net())
    with pytest.raises(ExirVizError, match="Cannot run an object of type dict"):
        exir_viz.profile({})


def test_stages_are_compared_module_by_module() -> None:
    from exir_viz.measure.frames import compare_frame

    profiles = [exir_viz.profile(make("module_called_twice"), repeats=3) for make in (exported, core)]
    frame = compare_frame(profiles, ["ATen", "Core"])
    row = frame[(frame["module"] == "layers.0")].set_index("stage")
    assert list(row.index) == ["ATen", "Core"]
    assert pd.isna(row.loc["ATen", "ratio"])
    assert row.loc["Core", "ratio"] == pytest.approx(row.loc["Core", "time_us"] / row.loc["ATen", "time_us"])


_TIME = st.integers(-1, 2_000)


@given(
    times=st.lists(_TIME, min_size=5, max_size=5),
    whole=st.none() | st.integers(0, 3_000),
    overhead=st.none() | st.integers(-3_000, 3_000),
    executor=st.sampled_from(Executor),
)
def test_no_part_takes_longer_than_the_whole(
    profile: Profile, times, whole, overhead, executor: Executor
) -> None:
    """Whatever a runtime measured or a file says: shares lie within 0 and 100%, or are not measurable."""
    like = profile
    blank = (UNKNOWN,) * 5
    named = like.record.columns.nodes[:5]
    columns = Columns(
        named, (0,) * 5, (1,) * 5, tuple(int(one >= 0) for one in times), tuple(times), *[tuple(times)] * 4,
        *[blank] * 5,
    )  # fmt: skip
    record = msgspec.structs.replace(
        like.record,
        conditions=msgspec.structs.replace(like.conditions, executor=executor),
        columns=columns,
        whole=None if whole is None else Times(1, *[whole] * 5),
        overhead=None if overhead is None else Times(0, overhead, *[UNKNOWN] * 4),
    )
    profile = Profile(record, like.snapshot)
    for by in ("node", "op", "module", "kind"):
        groups = rollup(profile, by)
        shares = [share for one in groups for share in (one.share, one.total_share, one.cumulative)]
        assert all(-1e-9 <= share <= 1 + 1e-9 for share in shares if share is not None)
        assert sum(one.share or 0 for one in groups) <= 1 + 1e-9
    percents = [float(one) for one in re.findall(r"([\d.]+)%", str(profile).split("\nnot measurable:")[0])]
    assert all(one <= 100 for one in percents)
    sum_of_known = sum(time for time in times if time >= 0)
    if whole is not None and sum_of_known > whole + 5:
        assert {cost.time for cost in profile} == {None}
        (why,) = (one.text for one in profile.remarks if one.code == NOT_MEASURABLE)
        assert "add up to" in why
    else:
        assert [cost.time is None for cost in profile] == [time < 0 for time in times]
    assert Profile(profile.record, profile.snapshot).record == profile.record
