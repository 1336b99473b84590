"""Files that releases of torch and ExecuTorch wrote, against what each release itself says is in them.

`scripts/release_files.py` wrote them once; a test run needs none of these releases.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import exir_viz
from exir_viz.snapshot import Snapshot, validate, wire
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.program import ArgumentType
from exir_viz.snapshot.records import Literal, SequenceValue, SymValue, TargetType, TensorValue, Value
from exir_viz.snapshot.rollup import module_path
from exir_viz.snapshot.snapshot import Method
from tests.readers.mutations import pack, unpack

WILD = Path(__file__).parent / "wild"
NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"


@cache
def expected() -> dict[str, Any]:
    """What the releases said, by release and file: "torch-2.9.1/strict.pt2"."""
    return {
        f"{path.parent.name}/{name}": said
        for path in sorted(WILD.glob("*/expected.json"))
        for name, said in json.loads(path.read_text("utf-8")).items()
    }


def files(*endings: str) -> list[str]:
    return [name for name in expected() if name.endswith(endings)]


@cache
def load(name: str) -> Snapshot:
    return exir_viz.load(WILD / name)


def described(value: Value | None) -> Any:
    """A value as `release_programs.describe` has it."""
    match value:
        case TensorValue():
            return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
        case SymValue():
            return value.expr
        case Literal():
            return value.text
        case SequenceValue():
            return list(map(described, value.items))
    assert value is None
    return None


def target_of(node: Node) -> str:
    target = node.target
    match target.type:
        case TargetType.OP:
            return f"{target.namespace}.{target.name}.{target.overload}"
        case TargetType.HIGHER_ORDER:
            return target.name
        case TargetType.BUILTIN if target.namespace == "operator":
            return f"_operator.{target.name}"
    return target.text


def modules_of(node: Node) -> list[list[str]]:
    return [[module_path(scope.path), scope.cls] for scope in node.scopes]


def same_nodes(graph: Graph, rows: list[list[Any]]) -> None:
    assert [node.name for node in graph] == [row[0] for row in rows]
    for node, (_, op, target, inputs, value, modules) in zip(graph, rows, strict=True):
        assert node.op == op
        assert target_of(node) == target
        assert list(dict.fromkeys(one.name for one in node.inputs)) == inputs
        if op != "output":
            assert described(node.value) == value, node.name
        assert modules_of(node) == [[module_path(path), cls] for path, cls in modules if path != NO_MODULE]


def same_program(method: Method, said: dict[str, Any]) -> None:
    graphs = list(method.graphs())
    assert len(graphs) == len(said["graphs"])
    for graph, rows in zip(graphs, said["graphs"], strict=True):
        same_nodes(graph, rows)
    signature = method.graph.signature
    assert signature is not None
    assert [[one.kind.name, one.arg.name, one.target] for one in signature.inputs] == said["inputs"]
    outputs = [
        [one.kind.name, "" if one.arg.type is ArgumentType.CONSTANT else one.arg.name, one.target]
        for one in signature.outputs
    ]
    assert outputs == said["outputs"]
    ranges = {one.expr: [one.lower, one.upper] for one in method.record.ranges}
    assert ranges == said["ranges"]
    values = method.snapshot.values
    assert {one.name: described(values[one.value]) for one in method.state} == said["state"]


def test_every_file_is_expected() -> None:
    """No file lies here that no test reads, and none is missing."""
    found = {f"{path.parent.name}/{path.name}" for path in WILD.glob("*/*") if path.suffix != ".json"}
    assert found == set(expected())
    assert sum(path.stat().st_size for path in WILD.rglob("*") if path.is_file()) < 1_000_000


@pytest.mark.parametrize("name", files(".pt2", ".pte", ".etrecord"))
def test_files_give_sound_snapshots(name: str) -> None:
    read = load(name)
    assert validate.problem(read.skeleton, read.detail) is None
    assert wire.decode(wire.encode(read)) == read


@pytest.mark.parametrize("name", files(".pt2"))
def test_programs_are_read_as_their_torch_reads_them(name: str) -> None:
    same_program(load(name).methods["forward"], expected()[name])


@pytest.mark.parametrize("name", files("/numbers.pt2"))
def test_numbers_that_json_lacks(name: str) -> None:
    """torch 2.6 writes them bare, later releases as strings."""
    graph = load(name).methods["forward"].graph
    low, high, none = (graph[node].args[-1] for node in ("masked_fill", "full", "full_1"))
    assert (low, high) == (-math.inf, math.inf)
    assert isinstance(none, float)
    assert math.isnan(none)


@pytest.mark.parametrize("name", files(".pt2"))
def test_a_program_is_the_same_in_all_releases(name: str) -> None:
    """Names of symbols, of module calls and of layouts differ; only checks of dynamic sizes came and went."""
    program = Path(name).name
    diff = exir_viz.diff(load(name), load(f"torch-2.15.0/{program}"))
    counts = diff.counts
    assert (counts.changed, counts.added, counts.moved, counts.rewritten) == (0, 0, 0, 0)
    assert counts.removed == 0 or program == "dynamic.pt2"
    assert not diff.contents.other_weights


def exchanged(name: str, one: str, other: str, folder: Path) -> Path:
    """A copy of a file whose nodes read one input for the other."""
    members = unpack((WILD / name).read_bytes())
    program = next(member for member in members if member.endswith(("models/model.json", "program.json")))
    said = json.loads(members[program])
    for node in said["graph_module"]["graph"]["nodes"]:
        for given in node["inputs"]:
            if given["arg"].get("as_tensor", {}).get("name") == one:
                given["arg"]["as_tensor"]["name"] = other
    path = folder / "exchanged.pt2"
    path.write_bytes(pack({**members, program: json.dumps(said).encode()}))
    return path


@pytest.mark.parametrize("name", files("/tied.pt2"))
def test_inputs_that_share_memory_are_one_in_a_diff(name: str, tmp_path: Path) -> None:
    """Which of two tied parameters a call reads depends on the release, and on strict export."""
    path = exchanged(name, "p_decode_weight", "p_encode_weight", tmp_path)
    assert not exir_viz.diff(load(name), exir_viz.load(path)).counts.changed
    path = exchanged(name, "p_decode_bias", "p_encode_bias", tmp_path)
    assert exir_viz.diff(load(name), exir_viz.load(path)).counts.changed == 1


# What ExecuTorch calls the dtypes of the programs' inputs and outputs.
DTYPES = {"FLOAT": "float32", "BOOL": "bool"}


def instruction_of(node: Node) -> str:
    """An instruction as `release_programs.instructions` has it."""
    target = node.target
    match target.type:
        case TargetType.OP:
            return f"{target.namespace}::{target.name}" + (
                f".{target.overload}" if target.overload != "default" else ""
            )
        case TargetType.HIGHER_ORDER:
            delegate = node.subgraphs[0].delegate
            assert delegate is not None
            return delegate.backend
    return target.text


def tensors(nodes: Iterable[Node]) -> list[str]:
    return [described(node.value) for node in nodes if isinstance(node.value, TensorValue)]


def emitted(said: list[str]) -> list[str]:
    """The tensors among the inputs or outputs: "FLOAT[2, 4]" is "float32[2, 4]"."""
    found = [one.partition("[") for one in said if "[" in one]
    return [f"{DTYPES[dtype]}[{sizes}" for dtype, _, sizes in found]


@pytest.mark.parametrize("name", files(".pte"))
def test_lowered_programs_have_the_instructions_that_their_executorch_emitted(name: str) -> None:
    read, said = load(name), expected()[name]
    assert set(read.methods) == set(said)
    for method, plan in said.items():
        nodes = list(read.methods[method].graph)
        steps = [node for node in nodes if node.op in ("call_function", "instruction")]
        assert list(map(instruction_of, steps)) == plan["instructions"]
        inputs = [node for node in nodes if node.op == "placeholder" and node.name.startswith("input_")]
        assert tensors(inputs) == emitted(plan["inputs"])
        assert tensors(nodes[-1].inputs) == emitted(plan["outputs"])
        arenas = read.methods[method].detail.arenas
        assert [one.bytes for one in arenas] == [size for size in plan["arenas"][1:] if size]


@pytest.mark.parametrize("name", files(".etrecord"))
def test_records_are_read_as_their_executorch_reads_them(name: str) -> None:
    read, said = load(name), expected()[name]
    assert set(read.methods) == set(said)
    for method, program in said.items():
        same_program(read.methods[method], program)


@pytest.mark.parametrize("name", files(".etrecord"))
def test_records_say_which_instructions_their_nodes_became(name: str) -> None:
    """The `.pte` beside the record has two: a call of `cat`, and of a delegate that holds `add`."""
    found = {
        node.target.name: {one.name: one.text for one in node.extras if one.name.startswith("executorch.")}
        for node in load(name).methods["forward"].graph
        if node.op == "call_function"
    }
    assert found == {
        "cat": {"executorch.instructions": "[0]"},
        "add": {"executorch.instructions": "[1]", "executorch.backend": "XnnpackBackend"},
    }
