"""Capture at edge, backend and executorch, against the live programs: everything that ExecuTorch lowers."""

from __future__ import annotations

import copy
import logging
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.snapshot import wire
from exir_viz.snapshot.program import Dialect
from tests.corpus.concepts import CONCEPTS
from tests.corpus.lowered import edge
from tests.corpus.programs import SMALL, exportdb, exported
from tests.nightly import nightly, some
from tests.readers.oracle import differences

for noisy in ("torchao", "torch.utils._pytree"):
    logging.getLogger(noisy).setLevel(logging.ERROR)

# What ExecuTorch 1.4 itself cannot lower, and the class of its error. A program that starts to lower fails
# the test, so that the list stays true.
NOT_TO_EDGE = {
    "dtypes": "SpecViolationError",
    "several_outputs": "SpecViolationError",
    "symbolic_scalars": "AssertionError",
    "training_mode": "SpecViolationError",
    "preserved_calls": "SpecViolationError",
    "buffer_mutation": "SpecViolationError",
    "db:assume_constant_result": "GuardOnDataDependentSymNode",
}
NOT_TO_EXECUTORCH = {
    "while_loop": "InternalError",
    "custom_op": "RuntimeError",
    "mutating_custom_op": "AttributeError",
    "db:scalar_output": "AssertionError",
}
SMALL_PROGRAMS = [*CONCEPTS, *SMALL, *(f"db:{name}" for name in exportdb())]


@pytest.mark.parametrize("name", some(SMALL_PROGRAMS, SMALL_PROGRAMS[::4]))
def test_edge_and_executorch(name: str) -> None:
    if name in NOT_TO_EDGE:
        with pytest.raises(Exception) as failed:  # noqa: PT011  torch's own error, named in the table
            edge(name)
        assert type(failed.value).__name__ == NOT_TO_EDGE[name]
        return
    manager = edge(name)
    snapshot = exir_viz.load(manager)
    assert snapshot.method.dialect is Dialect.EDGE
    assert differences(snapshot.method, manager.exported_program()) == []
    handles = {node.debug_handle for graph in snapshot.graphs for node in graph}
    if name in NOT_TO_EXECUTORCH:
        with pytest.raises(Exception) as failed:  # noqa: PT011  ExecuTorch's own error, named in the table
            copy.deepcopy(manager).to_executorch()
        assert type(failed.value).__name__ == NOT_TO_EXECUTORCH[name]
        return
    program = copy.deepcopy(manager).to_executorch()
    snapshot = exir_viz.load(program)
    assert snapshot.method.dialect is Dialect.EXECUTORCH
    assert snapshot.method.detail.arenas
    assert not {*snapshot.method.detail.edge_handles} - {-1} - handles
    assert differences(snapshot.method, program.exported_program()) == []
    assert wire.decode(wire.encode(snapshot)) == snapshot


@pytest.mark.parametrize("name", nightly(("llama2", "bert2", "mobilenetv2")))
def test_real_architectures_at_edge(name: str) -> None:
    manager = edge(name)
    snapshot = exir_viz.load(manager)
    assert differences(snapshot.method, manager.exported_program()) == []
    handles = [node.debug_handle for node in snapshot.method.graph if node.op == "call_function"]
    assert None not in handles


@pytest.mark.parametrize("name", ["dynamic_batch", "nested_cond", *nightly(["module_called_twice"])])
def test_delegates_are_graphs(name: str) -> None:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    manager = to_edge_transform_and_lower(exported(name), partitioner=[XnnpackPartitioner()])
    snapshot = exir_viz.load(manager)
    assert differences(snapshot.method, manager.exported_program()) == []
    delegates = [graph for graph in snapshot.graphs if graph.delegate]
    assert all(graph.delegate and graph.delegate.backend == "XnnpackBackend" for graph in delegates)
    assert snapshot.method.dialect is (Dialect.BACKEND if delegates else Dialect.EDGE)
    assert all(graph.parent and graph in graph.parent.walk() for graph in delegates)
    program = copy.deepcopy(manager).to_executorch()
    assert differences(exir_viz.load(program).method, program.exported_program()) == []


def test_all_methods_of_a_program() -> None:
    from executorch.exir import to_edge

    manager = to_edge({"encode": exported("dynamic_batch"), "decode": exported("control_flow")})
    snapshot = exir_viz.load(manager)
    assert set(snapshot.methods) == {"encode", "decode"}
    for name, method in snapshot.methods.items():
        assert differences(method, manager.exported_program(name)) == []


def test_constant_methods_are_methods_as_in_the_file(tmp_path: Path) -> None:
    from executorch.exir import to_edge

    constants = {"get_max_seq_len": 128, "get_eos_ids": [2, 3], "has_cache": True, "scale": 0.5}
    manager = to_edge({"forward": exported("control_flow")}, constant_methods=constants)
    program = manager.to_executorch()
    (tmp_path / "model.pte").write_bytes(program.buffer)
    read = exir_viz.load(tmp_path / "model.pte")
    for live, dialect in ((manager, Dialect.EDGE), (program, Dialect.EXECUTORCH)):
        snapshot = exir_viz.load(live)
        assert list(snapshot.methods) == ["forward", *sorted(constants)]
        for name in constants:
            mine, other = snapshot.methods[name], read.methods[name]
            assert (mine.dialect, mine.signature) == (dialect, other.signature)
            assert [node.args for node in mine.graph] == [node.args for node in other.graph]
            assert mine.detail.out_spec == other.detail.out_spec


class Tied(torch.nn.Module):
    """One weight that the CPU and two delegates read."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = torch.nn.Embedding(32, 8), torch.nn.Linear(8, 32, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        once = self.head(self.embedding(tokens)).cumsum(1)
        return self.head(once[..., :8])


def test_weights_that_only_delegates_read_are_no_state_of_the_program() -> None:
    """Delegating leaves a copy of a weight for each delegate in the state dict; no `.pte` holds them."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.export(Tied(), (torch.arange(4).view(1, 4),))
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    live = lowered.exported_program()
    named = {spec.target for spec in live.graph_signature.input_specs}
    method = exir_viz.load(lowered).method
    assert live.state_dict.keys() - named
    assert {entry.name for entry in method.state} <= named
    assert sum(entry.bytes or 0 for entry in method.state) == 32 * 8 * 4
