"""Tables: what each row says, that frames agree with each other, and with what is made without pandas."""

from __future__ import annotations

import csv
import io
import json

import pytest

import exir_viz
from exir_viz import tables
from exir_viz.table import table
from tests.compare.mutate import mutate
from tests.snapshot.sample import chain, hostile, sample


def test_frames_are_the_seven_by_name() -> None:
    assert tuple(tables.frames(sample())) == tables.NAMES


@pytest.mark.parametrize("make", [sample, hostile, lambda: chain(30)])
def test_frames_agree(make) -> None:
    frames = tables.frames(make())
    nodes, edges = frames["nodes"], frames["edges"]
    assert not nodes.duplicated(["graph", "node"]).any()
    assert len(edges) == nodes["inputs"].sum()
    keys = set(zip(nodes["graph"], nodes["node"], strict=True))
    for end in ("source", "target"):
        assert set(zip(edges["graph"], edges[end], strict=True)) <= keys
    users = edges.drop_duplicates(["graph", "source", "target"]).groupby(["graph", "source"]).size()
    assert users.sum() == nodes["users"].sum()
    assert frames["ops"]["count"].sum() == (nodes["op"] == "call_function").sum()


def test_a_node() -> None:
    nodes = tables.nodes(sample()).set_index(["graph", "node"])
    row = nodes.loc["forward", "linear_1"]
    assert (row["op"], row["target"], row["kind"]) == ("call_function", "aten.linear.default", "matrix")
    assert (row["value"], row["inputs"], row["users"]) == ("f32[batch, 4]", 2, 1)
    assert (row["module"], row["class"], row["call"]) == ("fc", "torch.nn.modules.linear.Linear", 1)
    assert (row["file"], row["line"], row["function"]) == ("model.py", 8, "forward")
    assert row.isna()["bytes"]
    assert nodes.loc["forward/true_graph_0", "sin"]["kind"] == "pointwise"


def test_edges_name_argument_and_bytes() -> None:
    edges = tables.edges(sample())
    weight = edges[(edges["source"] == "p_fc_weight") & (edges["target"] == "linear_1")]
    assert weight[["argument", "value", "bytes"]].to_numpy().tolist() == [[1, "f32[4, 4]", 64]]
    assert edges[edges["target"] == "cond"]["argument"].tolist() == [0, 1, 2, 3]


def test_values_have_a_row_for_each_part_of_a_tuple() -> None:
    values = tables.values(sample())
    cond = values[values["node"] == "cond"]
    assert cond[["item", "type", "dtype", "shape", "stride"]].to_numpy().tolist() == [
        ["[0]", "tensor", "float32", "batch, 4", "1, 1"]
    ]


def test_scopes_signature_symbols_and_ops() -> None:
    frames = tables.frames(sample())
    scopes = frames["scopes"]
    assert scopes["module"].tolist() == ["", "fc", "fc"]
    assert scopes["total_parameters"].tolist() == [16, 16, 16]
    assert scopes["parent"].isna().tolist() == [True, False, False]
    signature = frames["signature"]
    assert signature["kind"].tolist()[-2:] == ["buffer_mutation", "user_output"]
    assert signature["persistent"].tolist()[1] is True
    assert frames["symbols"].iloc[0].to_dict() == {
        "method": "forward", "symbol": "s0", "type": "int", "backed": True, "lower": "0", "upper": "int_oo",
        "hint": "8", "dim": "batch", "bound_at": "x.size()[0]",
    }  # fmt: skip
    assert frames["ops"].iloc[0]["target"] == "aten.add.Tensor"


@pytest.mark.parametrize("name", tables.NAMES)
def test_columns_are_documented_and_typed_even_without_rows(name: str) -> None:
    full, empty = (getattr(tables, name)(one) for one in (sample(), chain(1, scoped=False)))
    assert (full.dtypes == empty.dtypes).all()
    words = getattr(tables, name).__doc__
    short = {column.removeprefix("own_").removeprefix("total_") for column in full.columns}
    assert [column for column in short if column not in words] == []


@pytest.mark.parametrize("make", [sample, hostile, lambda: chain(30)])
@pytest.mark.parametrize("name", tables.NAMES)
def test_records_and_texts_are_those_of_the_frame(name: str, make) -> None:
    snapshot = make()
    frame = getattr(tables, name)(snapshot)
    found = tables.table(snapshot, name)
    known = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert tables.records(snapshot, name) == found.records() == known
    assert found.csv() == frame.to_csv(index=False, lineterminator="\n")
    assert json.loads(found.json()) == known
    assert len(found.markdown().splitlines()) == len(frame) + 2 == len(found) + 2


def test_a_cell_that_is_not_known_is_empty_and_none_is_not_text() -> None:
    rows = [("a|b\nc", 1, 0.5, True), (None, None, float("nan"), None), ("<i>", 2, float("inf"), False)]
    columns = ("text", "count", "share", "flag")
    found = table("it", rows, columns, integers=("count",), floats=("share",), booleans=("flag",))
    assert list(csv.reader(io.StringIO(found.csv())))[2:] == [["", "", "", ""], ["<i>", "2", "inf", "False"]]
    assert found.markdown() == (
        "| text | count | share | flag |\n| --- | --- | --- | --- |\n"
        "| a\\|b c | 1 | 0.5 | True |\n|  |  |  |  |\n| \\<i\\> | 2 | inf | False |\n"
    )
    assert json.loads(found.json())[1:] == [
        {"text": None, "count": None, "share": None, "flag": None},
        {"text": "<i>", "count": 2, "share": None, "flag": False},
    ]
    assert found.frame().isna().sum().tolist() == [1, 1, 1, 1]


def test_a_diff_and_a_session_have_records_too() -> None:
    diff = exir_viz.diff(*mutate(chain(40), "mixed", share=0.1)[:2])
    records = tables.records(diff, "matches")
    assert [one["kind"] for one in records] == diff.frame["kind"].tolist()
    assert {type(one["confidence"]) for one in records} == {float}
    (stage,) = tables.records(exir_viz.Session(sample()).record(), "stages")
    assert (stage["stage"], stage["parent"], stage["state"]) == ("s0", None, "loaded")


def test_a_table_that_there_is_not_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"A Snapshot has no table 'matches'\. Tables: nodes, edges"):
        tables.records(sample(), "matches")
