"""The graphs of one method, read one after the other, and what they share."""

from __future__ import annotations

from typing import Final

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.constants import ConstantReader
from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.graph import GraphReader
from exir_viz.readers.archive.metadata import MetadataReader
from exir_viz.readers.archive.schema import Graph
from exir_viz.readers.archive.symbols import Symbols
from exir_viz.readers.archive.targets import call_target
from exir_viz.readers.archive.values import ValueReader
from exir_viz.snapshot.build import GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import Target

graph_decoder: Final = msgspec.json.Decoder(Graph)


class MethodReader:
    """What the graphs of one method share."""

    def __init__(
        self,
        builder: SnapshotBuilder,
        place: MemberPlace,
        metadata: MetadataReader,
        dtypes: dict[int, str],
        input_names: list[str],
    ) -> None:
        """`input_names` are the signature's, because the graph does not name constant inputs."""
        self.builder = builder
        self.place = place
        self.metadata = metadata
        self.constants = ConstantReader(dtypes)
        self.input_names = input_names
        self.symbols = Symbols(place)
        self.values = ValueReader(place, builder.values, self.symbols, dtypes)
        self.inferred = False
        self._targets: dict[str, tuple[int, Target]] = {}

    def read(
        self, graph: Graph, name: str, type: str = "method", parent: int = NONE, depth: int = 0
    ) -> GraphBuilder:
        """Read a graph, then those it holds, each once."""
        if depth > limits.MAX_GRAPH_DEPTH:
            raise self.place.too_large(f"graphs are nested over {limits.MAX_GRAPH_DEPTH} deep")
        reader = GraphReader(self, graph, self.builder.graph(name, type, parent))
        builder = reader.read()
        self.inferred |= reader.arguments.inferred
        for graph_name, (raw, positions) in reader.subgraphs.items():
            nested = self.place.decode(graph_decoder.decode, raw, f"the graph {brief(graph_name)}")
            child = self.read(nested, graph_name, "subgraph", builder.number, depth + 1)
            for position in positions:
                builder.holds(position, child.number)
        return builder

    def call_target(self, text: str) -> tuple[int, Target]:
        """A call's target and its number."""
        found = self._targets.get(text)
        if found is None:
            target = call_target(text)
            found = self._targets[text] = (self.builder.targets[target], target)
        return found
