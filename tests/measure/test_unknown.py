"""What is not known is missing everywhere, and never 0; a sum over known and unknown says so."""

from __future__ import annotations

import msgspec
import pandas as pd
import pytest
import torch

import exir_viz
from exir_viz.measure.compare import compare
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import UNKNOWN
from exir_viz.measure.rollup import rollup

TIMES = ("time", "min", "p25", "median", "p75")


class Block(torch.nn.Module):
    """Two ops of its own."""

    def forward(self, x):
        return torch.relu(torch.sin(x))


class Two(torch.nn.Module):
    """Two blocks, and an op in no block."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        return self.second(self.first(x)) + 1


@pytest.fixture(scope="module")
def session() -> exir_viz.Session:
    return exir_viz.Session(torch.export.export(Two(), (torch.randn(8, 8),)))


def without(profile: Profile, *names: str) -> Profile:
    """The profile with nodes whose time nobody knows."""
    columns = profile.record.columns
    lost = {f"forward/{name}" for name in names}
    fields = {
        field: tuple(
            UNKNOWN if node in lost else time
            for node, time in zip(columns.nodes, getattr(columns, field), strict=True)
        )
        for field in TIMES
    }
    changed = msgspec.structs.replace(columns, **fields)
    return Profile(msgspec.structs.replace(profile.record, columns=changed), profile.snapshot)


@pytest.fixture(scope="module")
def cut(session) -> Profile:
    """Of the second block nothing is known, of the first a half."""
    return without(exir_viz.profile(session.root, repeats=2), "relu", "relu_1", "sin_1")


def test_in_rollups(cut: Profile) -> None:
    frame = cut.rollup("module").set_index("module")
    times = ["time_us", "total_us", "share", "total_share"]
    assert frame.loc["second", times].isna().all()
    assert frame.loc["first", times].notna().all()
    assert dict(frame["untimed"]) == {"(overhead)": 0, "(root)": 3, "first": 1, "second": 2}
    assert frame.loc["first", "time_us"] == pytest.approx(cut["sin"].time * 1e6)
    nodes = cut.rollup("node").set_index("node")
    assert pd.isna(nodes.loc["forward/relu", "time_us"])
    assert [share.untimed for share in rollup(cut, "op") if share.key == "aten.sin.default"] == [1]


def test_in_text(cut: Profile) -> None:
    lines = str(cut).partition("Modules")[2].splitlines()
    line = {name: next(one for one in lines if f" {name} " in one) for name in ("(root)", "first", "second")}
    assert line["first"].strip().startswith("≥")
    assert line["(root)"].strip().startswith("≥")
    assert line["second"].split() == ["–", "–", "second", "not", "measurable"]
    assert "≥: includes ops whose time is unknown" in str(cut)
    assert "≥" not in str(exir_viz.profile(Two(), torch.randn(8, 8), repeats=1))


def test_in_comparisons(session, cut: Profile) -> None:
    whole = exir_viz.profile(session.root, repeats=2)
    rows = {(row.module, row.stage): row for row in compare([whole, cut], ["whole", "cut"])}
    for name in ("first", "second", "(root)"):
        assert rows[name, "cut"].ratio is None
        assert "not timed separately" in rows[name, "cut"].mixed
    assert rows["second", "cut"].time is None


def test_carried_back(session, cut: Profile) -> None:
    carried = cut.at(session.root)
    assert carried.of(session.root.node("relu")).time is None
    assert "forward/relu" not in carried.series()
    frame = carried.frame.set_index("node")
    assert pd.isna(frame.loc["forward/relu", "time_us"])
    assert frame["time_us"].sum() == pytest.approx(carried.time * 1e6)


def test_what_is_spread_over_several_is_an_estimate(session) -> None:
    carried = exir_viz.profile(session.root.edge().backend("xnnpack"), repeats=2).at(session.root)
    spread = [part for one in carried for part in one.parts if part.share < 1]
    assert {part.basis for part in spread} == {"estimated"}
    assert {part.node.name for part in spread} == {"executorch_call_delegate"}
    whole = {part.basis for one in carried for part in one.parts if part.share == 1}
    assert whole == {"emulated", "measured"}
    frame = carried.frame
    assert set(frame.loc[frame["share"] < 1, "basis"]) == {"estimated"}
    assert "estimated" in {basis for one in carried for basis in one.bases}
