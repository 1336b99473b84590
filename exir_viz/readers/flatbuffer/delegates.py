"""The delegates of a plan: backend, options, size and checksum of what the backend made, and its payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.readers.checksums import Allowance
from exir_viz.readers.kept_data import compile_spec
from exir_viz.snapshot.build import GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.program import Delegate

from .container import Container
from .corrupt import Corrupt
from .schema import BackendDelegate

if TYPE_CHECKING:
    from exir_viz.readers.payloads.reader import PayloadReader


class DelegateReader:
    """Reads the delegates of all plans of one file."""

    def __init__(
        self, builder: SnapshotBuilder, container: Container, allowance: Allowance, payloads: PayloadReader
    ) -> None:
        self._builder = builder
        self._container = container
        self._allowance = allowance
        self._payloads = payloads

    def read(self, graph: GraphBuilder, delegate: BackendDelegate, number: int) -> None:
        """Read one delegate into its graph."""
        specs = tuple(compile_spec(spec.key, spec.value) for spec in delegate.compile_specs)
        data = delegate.processed
        if data is None:
            graph.delegate = Delegate(delegate.id, None, specs)
            return
        try:
            source = self._container.delegate_payload(data)
        except Corrupt as error:
            raise Corrupt(f"delegate {number} has no data: {error.reason}") from None
        read = self._allowance.take(source.size)
        crc32 = self._container.delegate_checksum(data) if read else None
        graph.delegate = Delegate(delegate.id, source.size, specs, crc32)
        self._payloads.read(graph, source, (data.location, data.index))
