"""The state of a whole program: what several methods, tensors or delegates share counts once."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program_state import program_state
from exir_viz.snapshot.rollup import method_count
from exir_viz.snapshot.wire import page_data


class Decoder(torch.nn.Module):
    """Weights that `prefill` and `decode` share, but for `one`; the head is tied to the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(32, 16)
        self.shared = torch.nn.Linear(16, 16)
        self.one = torch.nn.Linear(16, 16)
        self.head = torch.nn.Linear(16, 32, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("cache", torch.ones(8, 16))


class Prefill(torch.nn.Module):
    def __init__(self, net: Decoder) -> None:
        super().__init__()
        self.net = net

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.net.one(torch.relu(self.net.shared(self.net.embed(ids))))
        return self.net.head(h + self.net.cache)


class Decode(Prefill):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.net.head(torch.erf(self.net.shared(self.net.embed(ids))))


@pytest.fixture(scope="module")
def managers() -> dict[str, Any]:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    torch.manual_seed(0)
    net = Decoder().eval().requires_grad_(False)
    ids = torch.zeros(1, 8, dtype=torch.long)
    programs = {
        name: torch.export.export(of(net), (ids,)) for name, of in (("prefill", Prefill), ("decode", Decode))
    }
    plain = to_edge_transform_and_lower(copy.deepcopy(programs))
    delegated = to_edge_transform_and_lower(copy.deepcopy(programs), partitioner=[XnnpackPartitioner()])
    return {
        "edge": plain,
        "executorch": copy.deepcopy(plain).to_executorch(),
        "xnnpack": delegated,
        "xnnpack.executorch": copy.deepcopy(delegated).to_executorch(),
    }


def storages(manager: Any) -> dict[int, int]:
    """Bytes by address of what the programs of all methods read."""

    def named() -> Iterator[torch.Tensor]:
        for name in manager.methods:
            program = manager.exported_program(name)
            for spec in program.graph_signature.input_specs:
                if spec.target is not None:
                    yield {**program.state_dict, **program.constants}[spec.target]

    return {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in named()}


@pytest.mark.parametrize("stage", ["edge", "executorch", "xnnpack", "xnnpack.executorch"])
def test_what_methods_share_counts_once(managers: dict[str, Any], stage: str) -> None:
    snapshot = exir_viz.load(managers[stage])
    state, known = program_state(snapshot), storages(managers[stage])
    assert (state.tensors, state.bytes) == (len(known), sum(known.values()))
    assert state.bytes < sum(method_count(method).bytes for method in snapshot.methods.values())
    assert page_data(snapshot).state == state


def read(manager: Any, folder: Path) -> Snapshot:
    (file := folder / "program.pte").write_bytes(manager.buffer)
    return exir_viz.load(file)


def test_a_file_keeps_as_much_as_its_program(managers: dict[str, Any], tmp_path: Path) -> None:
    live, snapshot = managers["executorch"], read(managers["executorch"], tmp_path)
    state, known = program_state(snapshot), storages(live)
    assert (state.tensors, state.bytes) == (len(known), sum(known.values()))
    assert state.delegates == 0


def test_weights_that_delegates_share_count_once(managers: dict[str, Any], tmp_path: Path) -> None:
    manager = managers["xnnpack.executorch"]
    live, snapshot = exir_viz.load(manager), read(manager, tmp_path)
    assert program_state(live) == program_state(snapshot)
    counts = [{name: method_count(one) for name, one in each.methods.items()} for each in (live, snapshot)]
    assert [one.bytes for one in counts[0].values()] == [one.bytes for one in counts[1].values()]
    payloads = [graph.delegate.bytes or 0 for graph in snapshot.graphs if graph.delegate]
    named = manager._named_data.pte_data
    known = {name: len(manager._named_data.buffers[entry.buffer_index]) for name, entry in named.items()}
    state = program_state(snapshot)
    assert state.delegates == len(payloads)
    assert state.delegate_bytes == sum(payloads) + sum(known.values())


def test_a_method_has_only_the_weights_of_its_own_delegates(managers: dict[str, Any], tmp_path: Path) -> None:
    snapshot = read(managers["xnnpack.executorch"], tmp_path)
    for method in snapshot.methods.values():
        payloads = [graph.payload for graph in method.graphs() if graph.payload]
        used = {tensor.key for payload in payloads for tensor in payload.tensors if tensor.key}
        assert {entry.name for entry in method.state if entry.cls == "NamedData"} == used
    of_prefill, of_decode = (
        {entry.name for entry in snapshot.methods[name].state if entry.cls == "NamedData"}
        for name in ("prefill", "decode")
    )
    assert of_decode < of_prefill


def test_scales_beside_a_payload_count(tmp_path: Path) -> None:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from executorch.exir import to_edge_transform_and_lower
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    example = (torch.randn(4, 8),)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(torch.nn.Linear(8, 16), example).module(), quantizer)
    prepared(*example)
    program = torch.export.export(convert_pt2e(prepared), example)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    live, manager = exir_viz.load(edge), edge.to_executorch()
    snapshot = read(manager, tmp_path)
    (payload,) = (graph.delegate.bytes for graph in snapshot.graphs if graph.delegate)
    entries = {entry.name: entry.bytes for entry in snapshot.method.state if entry.cls == "NamedData"}
    known = manager._named_data.pte_data
    assert set(entries) == set(known)
    assert any(name.startswith("scale") for name in known)
    stored = sum(len(manager._named_data.buffers[entry.buffer_index]) for entry in known.values())
    for one in (live, snapshot):
        assert program_state(one).delegate_bytes == payload + stored
