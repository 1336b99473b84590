"""Model Explorer's node data as an overlay: what has a place, what has none, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import exir_viz
from exir_viz.errors import FileTooLarge, MalformedFile
from exir_viz.widget import node_data
from exir_viz.widget.node_data import read_node_data
from tests.snapshot.sample import sample

NAMES = list(sample().method.graph.columns.names)
FIRST, SECOND = NAMES[:2]


def written(folder: Path, data: Any) -> Path:
    path = folder / "cycles.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_values_of_one_graph(tmp_path: Path) -> None:
    results = {
        FIRST: {"value": 3, "bgColor": "red"},
        f"forward/{SECOND}": {"value": 0.5},
        "gone": {"value": 1},
    }
    data = {"results": results, "thresholds": [{"value": 1, "bgColor": "red"}]}
    found = read_node_data(written(tmp_path, data), sample())
    assert found.values == {f"forward/{FIRST}": 3.0, f"forward/{SECOND}": 0.5}
    assert found.unplaced == ("gone",)
    assert str(found) == "cycles: 2 of 3 values are on nodes. No node is named gone."


def test_values_by_graph(tmp_path: Path) -> None:
    """A graph that the program does not have by that name is searched by the nodes' names."""
    data = {"forward": {"results": {FIRST: {"value": "int8"}}}, "main": {"results": {SECOND: {"value": 4}}}}
    found = read_node_data(written(tmp_path, data), sample())
    assert found.values == {f"forward/{FIRST}": "int8", f"forward/{SECOND}": "4"}
    elsewhere = {"forward": {"results": {"true": {"value": 1}}}}
    assert read_node_data(written(tmp_path, elsewhere), sample()).unplaced == ("true",)


def test_an_explorer_paints_them(tmp_path: Path) -> None:
    explorer = exir_viz.types.Explorer(sample())
    found = explorer.import_node_data(written(tmp_path, {"results": {FIRST: {"value": 3}}}), unit="cycles")
    assert len(found.values) == 1
    (series,) = explorer._series.values()
    assert (series.head["label"], series.head["unit"]) == ("cycles", "cycles")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("[", "is not JSON"),
        ("[]", "no results by node"),
        ({"forward": {"nodes": []}}, "no results by node"),
        ({"results": {"x": {"value": [1]}}}, r"in 'results\.x': its value is a list"),
        ('{"results": {"x": {"value": 1' + "0" * 400 + "}}}", r"'results\.x': its value is too large"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: Any, text: str) -> None:
    with pytest.raises(MalformedFile, match=text):
        read_node_data(written(tmp_path, data), sample())


def test_a_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_data, "MAX_BYTES", 3)
    with pytest.raises(FileTooLarge):
        read_node_data(written(tmp_path, {"results": {}}), sample())
