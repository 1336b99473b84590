"""The pandas frames: what each row says, and that the frames agree with each other."""

from __future__ import annotations

import pytest

from exir_viz import tables
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
    assert (row["value"], row["inputs"], row["users"]) == ("f32[s0, 4]", 2, 1)
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
        ["[0]", "tensor", "float32", "s0, 4", "1, 1"]
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
