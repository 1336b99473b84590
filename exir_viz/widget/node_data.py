"""Model Explorer's node data → values to color nodes by.

The format is Model Explorer's (`GraphNodeData` and `ModelNodeData` of its node_data_builder): a JSON object
with `results` by node, or several of them by graph. A node is named by its id or by an output tensor, and its
value is a number or a text. Colors of the file (`bgColor`, `thresholds`, `gradient`) are not taken: the
explorer has its own, with a legend.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from exir_viz.errors import FileTooLarge, MalformedFile
from exir_viz.options import path as path_of
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import one_line

MAX_BYTES = 256 << 20
_NAMED = 5


@dataclass(frozen=True, slots=True)
class NodeData:
    """What was imported from a file of node data.

    Attributes
    ----------
    label
        The name of the overlay.
    values
        By id of a node: its number or text.
    unplaced
        The names in the file that no node has.
    """

    label: str
    values: Mapping[str, float | str]
    unplaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        total = len(self.values) + len(self.unplaced)
        text = f"{self.label}: {len(self.values):,} of {plural(total, 'value is', 'values are')} on nodes."
        if self.unplaced:
            first = ", ".join(one_line(name, 80) for name in self.unplaced[:_NAMED])
            more = f" and {len(self.unplaced) - _NAMED:,} more" if len(self.unplaced) > _NAMED else ""
            text += f" No node is named {first}{more}."
        return text

    __repr__ = __str__


def read_node_data(path: str | PathLike[str], snapshot: Snapshot, label: str = "") -> NodeData:
    """Read a file of node data for a program; raises a FileError that names the member."""
    file = Path(path_of("import_node_data", path))
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise FileTooLarge(file.name, f"it has {plural(size, 'byte')}, the limit is {MAX_BYTES:,}")
    try:
        raw = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise MalformedFile(file.name, f"it is not JSON: {error}") from error
    places = _Places(snapshot)
    values: dict[str, float | str] = {}
    unplaced: dict[str, None] = {}
    for graph, results in _graphs(raw, file.name):
        for key, result in results.items():
            value = _value(result, file.name, f"results.{key}")
            node = places.find(graph, key)
            if node is None:
                unplaced[key] = None
            elif value is not None:
                values[node] = value
    if any(isinstance(one, str) for one in values.values()):
        values = {node: one if isinstance(one, str) else f"{one:g}" for node, one in values.items()}
    return NodeData(label or file.stem, values, tuple(unplaced))


def _graphs(raw: object, file: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The results by graph; "" where the file has those of one graph without a name."""
    found = raw if isinstance(raw, dict) else None
    if found is not None and isinstance(found.get("results"), dict):
        found = {"": found}
    graphs = (
        {}
        if found is None
        else {
            name: one["results"]
            for name, one in found.items()
            if isinstance(one, dict) and isinstance(one.get("results"), dict)
        }
    )
    if not graphs:
        raise MalformedFile(file, "it has no results by node, as Model Explorer's node data has")
    yield from graphs.items()


def _value(result: object, file: str, member: str) -> float | str | None:
    value = result.get("value") if isinstance(result, dict) else result
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            raise MalformedFile(file, "its value is too large", member=member) from None
    if value is None or isinstance(value, str):
        return value
    raise MalformedFile(file, f"its value is a {type(value).__name__}, not a number or text", member=member)


class _Places:
    """Nodes by what a file may call them: their id, or their name in a graph."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._ids = {node.id for graph in snapshot.graphs for node in graph}
        self._paths = {graph.path for graph in snapshot.graphs}
        self._by_name: dict[str, list[str]] = {}
        for graph in snapshot.graphs:
            for node in graph:
                self._by_name.setdefault(node.name, []).append(node.id)

    def find(self, graph: str, key: str) -> str | None:
        """The node of the graph; without a graph of that name, the only one of the program that fits."""
        if f"{graph}/{key}" in self._ids:
            return f"{graph}/{key}"
        if key in self._ids:
            return key
        named = () if graph in self._paths else self._by_name.get(key, ())
        return named[0] if len(named) == 1 else None
