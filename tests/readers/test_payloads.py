"""Payloads of delegates, against flatc with ExecuTorch's schema; damaged ones give located errors."""

from __future__ import annotations

import json
import random
import re
import struct
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import exir_viz
from exir_viz import tables
from exir_viz.errors import FileError, MalformedFile, TruncatedFile, UnknownFormat
from exir_viz.readers import flatbuffer
from exir_viz.readers.flatbuffer import container, table_layouts
from exir_viz.readers.flatbuffer.table_reader import TableReader
from exir_viz.readers.payloads import reader, xnnpack, xnnpack_schema
from exir_viz.readers.payloads.source import PayloadSource
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.payload import Payload, payload_problems
from exir_viz.snapshot.program import Delegate, OriginOfSnapshot
from tests.nightly import nightly
from tests.readers.pte_files import lowered
from tests.readers.test_pte_hostile import mutated

WILD = Path(__file__).parent / "wild"
RELEASES = sorted(path.name for path in WILD.glob("executorch-*"))


@cache
def payload_bytes(name: str) -> tuple[bytes, ...]:
    """The payloads of a wild file, or of what is lowered here."""
    data = lowered(name).data if name == "delegated" else (WILD / name).read_bytes()
    held = container.Container(container.Source(len(data), lambda at, size: data[at : at + size]))
    delegates = [one for plan in held.program.execution_plan for one in plan.delegates]
    sources = [held.delegate_payload(one.processed) for one in delegates if one.processed is not None]
    return tuple(source.read_at(0, source.size) for source in sources)


ALL = ("delegated", *(f"{release}/{file}.pte" for release in RELEASES for file in ("dynamic", "quantized")))


def read(data: bytes) -> Payload:
    found = reader.read_payload("XnnpackBackend", PayloadSource.of(data), "x.pte")
    assert found is not None
    return found


# --- the schema and what is read by it ---------------------------------------------------------------------

LETTERS = {
    "short": "h",
    "ushort": "H",
    "int": "i",
    "uint": "I",
    "uint64": "Q",
    "float": "f",
    "XNNDatatype": "h",
}


def schema_file() -> Path:
    import executorch.backends.xnnpack.serialization as home

    return Path(home.__path__[0]) / "schema.fbs"


def test_the_schema_is_the_installed_one() -> None:
    text = re.sub(r"//[^\n]*", "", schema_file().read_text())
    members = re.findall(r"union XNodeUnion \{(.*?)\}", text, re.DOTALL)[0].split(",")
    unions = [tuple(part.strip() for part in one.partition(":")[::2]) for one in members if one.strip()]
    layout = table_layouts.layout_of(xnnpack_schema.XNode).fields[0]
    assert [one.__name__ for one in layout.tables] == [name for name, _ in unions]
    bodies = dict(re.findall(r"table (\w+) \{(.*?)\}", text, re.DOTALL))
    assert len(bodies) > 25
    for name, body in bodies.items():
        fields = [one.partition("(")[0].partition("=")[0] for one in body.split(";") if one.strip()]
        wanted = [tuple(part.strip() for part in one.split(":")) for one in fields]
        ours = table_layouts.layout_of(getattr(xnnpack_schema, name)).fields
        assert [field.name for field in ours] == [field for field, _ in wanted], name
        for field, (_, kind) in zip(ours, wanted, strict=True):
            if field.kind in (table_layouts.Kind.SCALAR, table_layouts.Kind.SCALARS):
                assert LETTERS[kind.strip("[]")] == field.letter, (name, field.name)
    for name, base in unions:
        if base:
            assert table_layouts.layout_of(getattr(xnnpack_schema, name)) == table_layouts.layout_of(
                getattr(xnnpack_schema, base)
            )
    datatypes = re.findall(r"xnn_datatype_(\w+) = (\d+)", text)
    assert [name for name, _ in datatypes] == list(xnnpack_schema.DATATYPES)


def flatc_json(data: bytes, folder: Path) -> Any:
    """A payload's graph as flatc reads it."""
    from executorch.exir._serialize._flatbuffer import _flatc_decompile

    at, size = struct.unpack_from("<II", data, 10)
    (folder / "graph.bin").write_bytes(data[at : at + size])
    flags = ["--raw-binary", "--strict-json", "--defaults-json"]
    _flatc_decompile(str(folder), str(schema_file()), str(folder / "graph.bin"), flags)
    return json.loads(re.sub(r": (-?)inf\b", r": \1Infinity", (folder / "graph.json").read_text()))


@pytest.mark.parametrize("name", ALL)
def test_graphs_are_read_as_flatc_reads_them(name: str, tmp_path: Path) -> None:
    for data in payload_bytes(name):
        found, said = read(data), flatc_json(data, tmp_path)
        assert [f"XNN{op.type}" for op in found.ops] == [one["xnode_union_type"] for one in said["xnodes"]]
        handles = [one["debug_handle"] for one in said["xnodes"]]
        assert [op.handle or xnnpack._DEFAULT_HANDLE for op in found.ops] == handles
        by_name = {tensor.name: tensor for tensor in found.tensors}
        assert len(by_name) == len(said["xvalues"])
        for value in said["xvalues"]:
            base, params = value["xvalue_union"], {}
            if value["xvalue_union_type"] == "XNNQuantizedTensorValue":
                base, params = base["tensor_value"], base["quant_params"]
            tensor = by_name[f"tensor_{base['id_out']}"]
            assert list(tensor.shape) == base.get("dims", [])
            assert (tensor.role == "constant") == (base["constant_buffer_idx"] > 0)
            if tensor.role == "constant":
                constant = said["constant_data"][base["constant_buffer_idx"]]
                assert (tensor.bytes, tensor.key) == (constant["size"], constant.get("named_key", ""))
            if "zero_point" in params:
                assert tensor.quantization is not None
                assert tensor.quantization.scales == (pytest.approx(params["scale"], abs=1e-6),)
                assert tensor.quantization.zero_points == (params["zero_point"],)
        for op, one in zip(found.ops, said["xnodes"], strict=True):
            outputs = [found.tensors[at].name for at in op.outputs]
            assert outputs == [f"tensor_{one['xnode_union']['output_id']}"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_pte_of_each_release_has_its_quantized_graph(release: str) -> None:
    snapshot = exir_viz.load(WILD / release / "quantized.pte")
    ops = tables.records(snapshot, "payload_ops")
    assert [row["op"] for row in ops] == ["Convert", "FullyConnected", "Convert"]
    assert {row["evidence"] for row in ops} == {""}  # a .pte has no nodes to link to
    constants = [row for row in tables.records(snapshot, "payload_tensors") if row["role"] == "constant"]
    assert [row["dtype"] for row in constants] == ["qint8", "qint32"]
    assert {row["scheme"] for row in constants} == {"per tensor"}


# --- linked to the program ---------------------------------------------------------------------------------


def test_ops_are_linked_to_the_nodes_they_were_made_from() -> None:
    snapshot = exir_viz.load(lowered("delegated").manager)
    assert [one.delegate is not None for one in snapshot.graphs].count(True) == 2
    found = [(row["op"], row["nodes"], row["evidence"]) for row in tables.records(snapshot, "payload_ops")]
    by = "debug handle"
    assert found[0][0] == "StaticTranspose"  # to channels last, which no node asks for
    assert ("Conv2d", "aten_convolution_default", by) in found
    assert ("FullyConnected", "aten_linear_default", by) in found
    assert ("Sigmoid", "aten_sigmoid_default", by) in found
    assert wire.decode(wire.encode(snapshot)) == snapshot


def test_ops_without_handles_are_linked_in_order() -> None:
    from exir_viz.readers.payloads.reader import linked
    from exir_viz.snapshot.payload import PayloadOp

    builder = SnapshotBuilder(OriginOfSnapshot("test"))
    graph = builder.graph("delegate", "delegate")
    for op in (0, 1, 1):
        graph.add(f"node_{len(graph.names)}", op, 0, (), 0)
    ops = (PayloadOp("Abs", (), ()), PayloadOp("Exp", (), ()))
    found = linked(Payload("F", "r", (), ops), graph)
    assert [(one.nodes, one.evidence) for one in found.ops] == [((1,), "order"), ((2,), "order")]
    assert linked(Payload("F", "r", (), ops[:1]), graph).ops[0].nodes == ()


# --- damage ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["delegated", *nightly([f"{RELEASES[0]}/quantized.pte", f"{RELEASES[-1]}/quantized.pte"])]
)
def test_mutations_are_read_or_refused(name: str) -> None:
    data = payload_bytes(name)[0]
    chance = random.Random(f"payload {name}")
    outcomes: Counter[str] = Counter()
    members = set()
    for _ in range(2000):
        try:
            found = read(mutated(data, chance))
        except FileError as error:
            outcomes[type(error).__name__ if error.reason else "no reason given"] += 1
            members.add(error.member.partition("[")[0])
            continue
        outcomes["read"] += 1
        assert not list(payload_problems(found, 0))
    assert not outcomes["no reason given"]
    assert outcomes["MalformedFile"] > 100  # the mutations do damage
    assert outcomes["read"] > 100  # and not all of them
    assert {"", "xnodes", "xvalues"} <= members


@pytest.mark.parametrize("part", range(20))
def test_truncated_anywhere(part: int) -> None:
    data = payload_bytes("delegated")[0]
    with pytest.raises(TruncatedFile, match="ends"):
        read(data[: len(data) * part // 20])


def test_another_format_is_named() -> None:
    with pytest.raises(UnknownFormat, match="no payload of XNNPACK"):
        read(b"\0\0\0\0QNN0" + bytes(40))
    assert reader.read_payload("QnnBackend", PayloadSource.of(b"")) is None


def test_a_tensor_that_does_not_exist() -> None:
    data = payload_bytes("delegated")[0]
    at, size = struct.unpack_from("<II", data, 10)
    graph = TableReader(memoryview(data)[at : at + size]).root(xnnpack_schema.XNNGraph)
    fewer = type(graph)(graph.version, graph.xnodes, graph.xvalues[:1], constant_data=graph.constant_data)
    made = xnnpack._GraphReader(PayloadSource.of(data), fewer, 0, len(data))
    with pytest.raises(Exception, match="names tensor") as caught:
        made.read()
    assert caught.value.member.startswith("xnodes[0]")


def program_with(payload: Payload | Exception, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    """A .pte whose payloads are read as this."""

    def answer(source: PayloadSource) -> Payload:
        if isinstance(payload, Exception):
            raise payload
        return payload

    monkeypatch.setitem(reader._OWN_READERS, "XnnpackBackend", answer)
    return flatbuffer.read(lowered("delegated").data, "x.pte")


def test_a_bad_payload_is_a_notice_and_the_program_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    error = MalformedFile("x.pte", "it is odd", member="xnodes[2]")
    snapshot = program_with(error, monkeypatch)
    texts = [one.text for one in snapshot.notices if one.code == "backend"]
    assert texts == [
        f"exir-viz could not read the payload of delegate_{number}: xnodes[2]: it is odd."
        for number in (0, 1)
    ]
    held = [graph.payload for graph in snapshot.graphs if graph.delegate]
    assert [one and one.problem for one in held] == ["xnodes[2]: it is odd"] * 2


def test_payloads_have_a_limit() -> None:
    builder = SnapshotBuilder(OriginOfSnapshot("test"))
    payloads = reader.PayloadReader(builder, max_parts=10)
    data = payload_bytes(f"{RELEASES[-1]}/quantized.pte")[0]
    for number in range(3):
        graph = builder.graph(f"delegate_{number}", "delegate")
        graph.delegate = Delegate("XnnpackBackend")
        payloads.read(graph, PayloadSource.of(data), "one")
        assert graph.payload is not None
        assert bool(graph.payload.problem) == (number > 0)
