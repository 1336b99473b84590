"""The delegates of a plan: backend, options, size and checksum of what the backend made, and its payload."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from exir_viz.readers.checksums import Allowance
from exir_viz.readers.kept_data import compile_spec
from exir_viz.snapshot.build import GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.program import Delegate

from .container import Container
from .corrupt import Corrupt
from .schema import BackendDelegate, BackendDelegateDataReference, ExecutionPlan

if TYPE_CHECKING:
    from exir_viz.readers.payloads.reader import PayloadReader
    from exir_viz.readers.payloads.source import PayloadSource


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
        source = self._source(data, number)
        read = self._allowance.take(source.size)
        crc32 = self._container.delegate_checksum(data) if read else None
        graph.delegate = Delegate(delegate.id, source.size, specs, crc32)
        self._payloads.read(graph, source, _key(data))

    def ends(self, plan: ExecutionPlan, number: int) -> tuple[int, int] | None:
        """How many inputs and outputs a delegate has, as its payload says; None if that cannot be read."""
        delegate = plan.delegates[number]
        data = delegate.processed
        if data is None:
            return None
        name = delegate_name(number)
        return self._payloads.ends(delegate.id, name, self._source(data, number), _key(data))

    def _source(self, data: BackendDelegateDataReference, number: int) -> PayloadSource:
        try:
            return self._container.delegate_payload(data)
        except Corrupt as error:
            raise Corrupt(f"delegate {number} has no data: {error.reason}") from None


def delegate_name(number: int) -> str:
    """The name of a delegate's graph."""
    return f"delegate_{number}"


def _key(data: BackendDelegateDataReference) -> Hashable:
    return data.location, data.index
