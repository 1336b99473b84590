"""Memory that only one stage of a session uses: what dropping the stage frees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from exir_viz.snapshot import Snapshot
from exir_viz.stages.live import LivePrograms

# Bytes of an FX node with its meta, and of a node of a Snapshot: measured on resnet50 at Core ATen.
NODE_BYTES: Final = 6_100
SNAPSHOT_NODE_BYTES: Final = 700

# Address of a storage, or id of a bytes object → its size.
MemoryBlocks = Mapping[int, int]


def memory_blocks(live: LivePrograms) -> dict[int, int]:
    """The large memory blocks of programs: tensors, delegates, the bytes of a `.pte`."""
    import torch

    found: dict[int, int] = {}
    for program in live.programs.values():
        for tensor in (*program.state_dict.values(), *program.constants.values()):
            if isinstance(tensor, torch.Tensor) and not tensor.is_meta:
                storage = tensor.untyped_storage()
                found[storage.data_ptr()] = storage.nbytes()
        for module in program.graph_module.modules():
            processed = getattr(module, "processed_bytes", None)
            if isinstance(processed, bytes):
                found[id(processed)] = len(processed)
            # XNNPACK and others keep the weights of a delegate here, beside its payload.
            store = getattr(module, "named_data_store_output", None)
            found.update((id(one), len(one)) for one in (store.buffers if store is not None else ()))
    if live.pte is not None:
        found[id(live.pte)] = len(live.pte)
    return found


def unshared(
    own: MemoryBlocks, others: Iterable[MemoryBlocks], snapshot: Snapshot | None, live: LivePrograms | None
) -> int:
    """Bytes: exact for tensors and other blocks, an estimate for graphs."""
    shared = {address for other in others for address in other}
    size = sum(count for address, count in own.items() if address not in shared)
    nodes = 0 if snapshot is None else sum(len(graph) for graph in snapshot.graphs)
    return size + nodes * (SNAPSHOT_NODE_BYTES + (0 if live is None else NODE_BYTES))
