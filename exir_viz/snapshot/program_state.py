"""What a program keeps: the state of all its methods, and what backends keep; what is shared counts once."""

from __future__ import annotations

from .columns import ProgramState
from .payload import named_data
from .rollup import distinct, own_state
from .snapshot import Snapshot


def program_state(snapshot: Snapshot) -> ProgramState:
    """Tensors and bytes of all methods, without what delegates keep, and the bytes of all delegates."""
    named: dict[str, int] = {}
    sizes: list[int | None] = []
    for graph in snapshot.graphs:
        if graph.delegate is not None:
            sizes.append(graph.delegate.bytes)
            named |= named_data(graph.payload)
    entries = (entry for method in snapshot.methods.values() for entry in own_state(method))
    own = list(distinct(snapshot, entries, set()))
    known = [size for size in sizes if size is not None]
    return ProgramState(
        tensors=len(own),
        bytes=sum(entry.bytes or 0 for entry in own),
        delegates=len(sizes),
        delegate_bytes=sum(known) + sum(named.values()) if len(known) == len(sizes) else None,
    )
