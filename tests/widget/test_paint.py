"""Painting: what a user has by node becomes numbers or categories, and what cannot be painted says why."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pandas as pd
import pytest

from exir_viz.snapshot import Node
from exir_viz.widget.node_names import NodeNames, UnknownName
from exir_viz.widget.node_series import NotPaintable, series_of
from tests.snapshot.sample import sample
from tests.widget.test_explorer import Recorded, ask


@pytest.fixture
def explorer() -> Recorded:
    explorer = Recorded(sample())
    ask(explorer, "life")
    return explorer


def painted(explorer: Recorded) -> tuple[Any, list[dict[str, float]]]:
    """The last message, and what it says of each node by label."""
    message, buffers = explorer.sent[-1]
    values = [
        dict(zip(head["nodes"], struct.unpack(f"<{len(data) // 8}d", data), strict=True))
        for head, data in zip(message["series"], buffers, strict=True)
    ]
    return message, values


def test_a_pandas_series_is_painted_and_shown(explorer: Recorded) -> None:
    explorer.paint(pd.Series({"x": 1.5, "forward/add": 2}, name="ms"), unit="ms")
    message, [values] = painted(explorer)
    assert message["show"] == "ms"
    assert message["series"] == [{"label": "ms", "unit": "ms", "nodes": ["forward/x", "forward/add"]}]
    assert values == {"forward/x": 1.5, "forward/add": 2.0}


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.int64(2), pd.Series([2]).iloc[0]])
def test_any_number_is_a_number(explorer: Recorded, number: object) -> None:
    explorer.paint({explorer.snapshot.method.graph[0]: number})
    assert painted(explorer)[1] == [{"forward/p_fc_weight": 2.0}]


@pytest.mark.parametrize("nothing", [None, math.nan, np.nan, pd.NA, pd.NaT, math.inf, -math.inf])
def test_what_has_no_value_stays_unpainted(explorer: Recorded, nothing: object) -> None:
    explorer.paint({"x": nothing, "add": 1})
    assert painted(explorer)[1] == [{"forward/add": 1.0}]


def test_texts_are_categories(explorer: Recorded) -> None:
    explorer.paint(
        pd.Series(["cpu", "npu", "cpu", None], index=["x", "input", "add", "linear"], dtype="category")
    )
    message, [values] = painted(explorer)
    assert message["series"][0]["categories"] == ["cpu", "npu"]
    assert values == {"forward/x": 0.0, "forward/input": 1.0, "forward/add": 0.0}


def test_truth_is_a_category(explorer: Recorded) -> None:
    explorer.paint({"x": True, "input": np.False_})
    assert painted(explorer)[0]["series"][0]["categories"] == ["True", "False"]


def test_the_first_unknown_node_is_named(explorer: Recorded) -> None:
    with pytest.raises(UnknownName, match=r"no node 'ad'\. Did you mean .*'add'.*Other unknown names: 1"):
        explorer.paint({"x": 1, "ad": 2, 7: 3})
    assert explorer._series == {}


def test_a_node_of_another_program_is_known_by_its_name(explorer: Recorded) -> None:
    [first, *_] = sample().method.graph
    assert isinstance(first, Node)
    explorer.paint({first: 1})
    assert painted(explorer)[1] == [{first.id: 1.0}]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"x": 1, "input": "cpu"}, "mixes numbers and categories"),
        ({"x": object()}, "'forward/x' by a object: values are numbers or texts"),
        ([1, 2], "a list: pass a pandas Series or a mapping"),
    ],
)
def test_what_cannot_be_painted_says_why(values: Any, said: str) -> None:
    with pytest.raises(NotPaintable, match=said):
        series_of(values, NodeNames(sample()), "value", "")


def test_painting_again_under_a_label_replaces_it(explorer: Recorded) -> None:
    for value, label in ((1, "time"), (2, "time"), (3, "bytes")):
        explorer.paint({"x": value}, label)
    message, values = painted(explorer)
    assert [head["label"] for head in message["series"]] == ["time", "bytes"]
    assert values == [{"forward/x": 2.0}, {"forward/x": 3.0}]


def test_paintings_are_taken_away_one_by_one_or_all(explorer: Recorded) -> None:
    explorer.paint({"x": 1}, "time")
    explorer.paint({"x": 2}, "bytes")
    explorer.unpaint("time")
    message, _ = painted(explorer)
    assert ([head["label"] for head in message["series"]], message["show"]) == (["bytes"], None)
    with pytest.raises(UnknownName, match=r"no painting 'tim'\. Did you mean 'bytes'"):
        explorer.unpaint("tim")
    explorer.unpaint()
    assert painted(explorer)[0]["series"] == []
