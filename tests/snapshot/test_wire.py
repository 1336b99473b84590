"""The `.exirviz` file: a fixpoint for what is right, a clear error for everything else."""

from __future__ import annotations

import contextlib
import functools
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exir_viz.errors import (
    FileError,
    FileTooLarge,
    MalformedFile,
    TruncatedFile,
    UnknownFormat,
    UnsupportedVersion,
)
from exir_viz.snapshot import Snapshot, columns, schema_upgrade, wire
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.program import Dialect, MethodDetail, MethodRecord, OriginOfSnapshot
from exir_viz.snapshot.records import (
    Call,
    Frame,
    Literal,
    LiteralType,
    NodeArg,
    Origin,
    Scope,
    SequenceArg,
    Target,
    TargetType,
    TensorValue,
)


@functools.cache
def small() -> Snapshot:
    """Two inputs added, then a graph held by a node."""
    builder = SnapshotBuilder(OriginOfSnapshot("test"))
    value = builder.values[TensorValue("float32", (4, "s0"), (4, 1))]
    scope = builder.scopes[Scope(-1, "L__self__", "", "Model")]
    scope = builder.scopes[Scope(scope, "L__self__layer", "layer", "Layer")]
    empty = builder.calls[Call()]
    add = builder.calls[
        Call((NodeArg(0), SequenceArg("list", (NodeArg(1), Literal(LiteralType.INT, "9223372036854775807")))))
    ]
    trace = builder.traces[(builder.frames[Frame("model.py", 3, "forward", "x + y")],)]
    origin = builder.origin_lists[(builder.origins[Origin("add", "aten.add", "export", "create", 0)],)]
    graph = builder.graph("forward")
    inputs = [
        graph.add(name, 0, builder.targets[Target(TargetType.INPUT, name)], [], empty, value=value)
        for name in ("x", "y")
    ]
    op = builder.targets[Target(TargetType.OP, "torch.ops.aten.add.Tensor", "aten", "add", "Tensor")]
    position = graph.add("add", 1, op, inputs, add, value=value, scope=scope, trace=trace, origin=origin)
    inner = builder.graph("branch", "subgraph", graph.number)
    inner.add("output", 5, builder.targets[Target(TargetType.OUTPUT, "output")], [], empty)
    graph.holds(position, inner.number)
    builder.method(MethodRecord("forward", graph.number, Dialect.ATEN), MethodDetail())
    return builder.finish()


def sections(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "skeleton": msgspec.to_builtins(snapshot.skeleton),
        "detail": msgspec.to_builtins(snapshot.detail),
    }


def pack(parts: dict[str, Any], schema: int = columns.SCHEMA) -> bytes:
    """A file of JSON data, whatever it says: what a hostile writer can make."""
    raw = {name: msgspec.json.encode(data) for name, data in parts.items()}
    packed = {name: zlib.compress(data) for name, data in raw.items()}
    head = tuple(
        wire.Section(name, len(packed[name]), len(data), zlib.crc32(data)) for name, data in raw.items()
    )
    header = msgspec.json.encode(wire.Header(schema, head))
    return b"".join([wire.MAGIC, len(header).to_bytes(4, "big"), header, *packed.values()])


def test_round_trip_is_a_fixpoint(tmp_path: Path) -> None:
    path = small().save(tmp_path / "small.exirviz")
    again = wire.read(path)
    assert again == small()
    assert wire.encode(again) == path.read_bytes()
    assert [node.id for graph in again.graphs for node in graph] == [
        "forward/x", "forward/y", "forward/add", "forward/branch/output",
    ]  # fmt: skip
    assert again.method.graph["add"].args[1] == [again.method.graph["y"], 2**63 - 1]


def test_every_truncation_is_reported() -> None:
    data = wire.encode(small())
    for end in range(len(data)):
        with pytest.raises((TruncatedFile, UnknownFormat)):
            wire.decode(data[:end])


def test_an_empty_file_is_called_empty() -> None:
    with pytest.raises(TruncatedFile, match="it is empty"):
        wire.decode(b"")


def test_another_file_is_not_ours() -> None:
    with pytest.raises(UnknownFormat, match="does not begin"):
        wire.decode(b"PK\x03\x04 something else")


def test_a_newer_schema_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedVersion, match=f"schema {columns.SCHEMA + 1}.*Upgrade exir_viz"):
        wire.decode(pack(sections(small()), columns.SCHEMA + 1), "new.exirviz")


def test_an_older_schema_is_upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step from schema 0, in which scopes had no class."""
    old = sections(small())
    for scope in old["skeleton"]["scopes"]:
        del scope["cls"]

    def name_classes(parts: schema_upgrade.Sections) -> schema_upgrade.Sections:
        for scope in parts["skeleton"]["scopes"]:
            scope["cls"] = "unknown"
        return parts

    with pytest.raises(UnsupportedVersion, match="does not exist"):
        wire.decode(pack(old, 0))
    monkeypatch.setitem(schema_upgrade.STEPS, 0, name_classes)
    upgraded = wire.decode(pack(old, 0))
    assert {scope.cls for scope in upgraded.scopes} == {"unknown"}
    assert upgraded.schema == columns.SCHEMA


@pytest.mark.parametrize(
    "page",
    [
        {"version": columns.PAGE_VERSION + 1, "placements": "in another form", "new": 1},
        {"version": columns.PAGE_VERSION, "placements": [{"inferred": [99]}]},
        "garbage",
    ],
)
def test_a_file_is_read_whatever_its_page_data(page: object) -> None:
    parts = {**sections(small()), wire.PAGE: page}
    again = wire.decode(pack(parts))
    assert again == small()
    assert wire.encode(again) == wire.encode(small())


def test_damaged_page_data_is_never_unpacked() -> None:
    good = wire.encode(small())
    page = wire.encode_sections({"page": wire.page_data(small())}, columns.SCHEMA)[-8:]
    assert good.endswith(page), "the page data is the last section of a file"
    assert wire.decode(good[:-8] + b"\0" * 8) == small()


def test_page_data_is_a_section_of_its_own() -> None:
    """A new field of it changes nothing that Python reads."""
    found = wire.Sections(wire.encode(small()), "small")
    assert set(msgspec.json.decode(found.raw("skeleton"))) <= set(columns.Skeleton.__struct_fields__)
    assert msgspec.json.decode(found.raw(wire.PAGE))["version"] == columns.PAGE_VERSION


def without_words(form: Any) -> Any:
    """A JSON schema without titles and descriptions, which may change."""
    if isinstance(form, dict):
        return {key: without_words(one) for key, one in form.items() if key not in ("title", "description")}
    return [without_words(one) for one in form] if isinstance(form, list) else form


def test_page_data_of_another_form_has_another_version() -> None:
    """Else pages misread what an earlier version wrote. If this fails, raise the version, and record both."""
    form = without_words(msgspec.json.schema(columns.PageData))
    digest = zlib.crc32(msgspec.json.encode(form, order="sorted"))
    assert (columns.PAGE_VERSION, digest) == (5, 231892051)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zlib.compress(b"\0" * (1 << 26), 9)
    header = msgspec.json.encode(
        wire.Header(columns.SCHEMA, (wire.Section("skeleton", len(bomb), 1 << 26, 0),))
    )
    with pytest.raises(FileTooLarge, match="unpack"):
        wire.decode(wire.MAGIC + len(header).to_bytes(4, "big") + header + bomb)


def test_the_sections_of_a_file_share_the_limit_of_memory() -> None:
    """A session of 1 MB has room for hundreds of sections that each stay just below it."""
    stage = [msgspec.Raw(b"{}")] * 200_000
    found = wire.Sections(wire.encode_sections({"first": stage, "second": stage}, columns.SCHEMA), "file")
    found.json("first")
    with pytest.raises(FileTooLarge, match="decoding it"):
        found.json("second")


@pytest.mark.parametrize(("name", "packed"), [("page", -200), ("detail", 0)])
def test_sections_do_not_overlap(name: str, packed: int) -> None:
    """One of less than no bytes would put the next one over the one before it."""
    data = wire.encode(small())
    size = int.from_bytes(data[8:12], "big")
    header = msgspec.json.decode(data[12 : 12 + size], type=wire.Header)
    more = (*header.sections[:2], wire.Section(name, packed, 0, 0))
    changed = msgspec.json.encode(wire.Header(header.schema, more))
    with pytest.raises(MalformedFile, match="two sections of one name"):
        wire.decode(data[:8] + len(changed).to_bytes(4, "big") + changed + data[12 + size :])


def lie(path: str, value: object) -> bytes:
    parts = sections(small())
    *way, last = path.split(".")
    at: Any = parts
    for step in way:
        at = at[int(step)] if isinstance(at, list | tuple) else at[step]
    if isinstance(at, tuple):
        raise TypeError(path)
    at[int(last) if isinstance(at, list) else last] = value
    return pack(parts)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("skeleton.graphs.0.targets", [0, 1, 99], "target of graph 0.*out of range"),
        ("skeleton.graphs.0.values", [0, 0, 7], "value of graph 0.*out of range"),
        ("skeleton.graphs.0.ops", [0, 1], "columns of graph 0.*differ in length"),
        ("skeleton.graphs.0.inputs", [2, 0], "does not come before it"),
        ("skeleton.graphs.0.inputs", [3, 1], "does not come before it"),
        ("skeleton.graphs.0.arity", [0, 0, 3], "counts 3 inputs but lists 2"),
        ("skeleton.graphs.0.names", ["x", "x", "add"], "have the same name"),
        ("skeleton.graphs.0.subgraphs", [{"node": 2, "graph": 0}], "holds graph 0"),
        ("skeleton.graphs.1.parent", 1, "holds graph 1"),
        ("skeleton.scopes.0.parent", 1, "scope 0 has scope 1 as its parent"),
        ("skeleton.methods.0.graph", 5, "names graph 5"),
        ("skeleton.methods", [], "0 methods"),
        ("detail.origins.0.parents", [0], "refers to a later origin"),
        ("detail.traces", [[4]], "frame of a trace"),
        ("detail.graphs.0.calls", [0, 0, 9], "number of the detail"),
        ("detail.calls.1.args", [{"kind": "node", "at": 8}], "refers to more"),
        ("detail.calls.1.args", [{"kind": "node", "at": -1}], "refers to more"),
        ("detail.calls.1.args", [{"kind": "surprise"}], "does not follow the schema"),
        ("skeleton.surprise", 1, "unknown field"),
        ("skeleton.schema", "one", "Expected `int`"),
    ],
)
def test_lies_are_found(path: str, value: object, reason: str) -> None:
    with pytest.raises(MalformedFile, match=reason):
        wire.decode(lie(path, value))


def test_deep_nesting_is_refused() -> None:
    parts = sections(small())
    raw = msgspec.json.encode(parts["detail"])
    deep = b'{"kind":"sequence","type":"list","items":[' * 5000 + b"]}" * 5000
    start = raw.index(b'"args":[') + len(b'"args":[')
    raw = raw[:start] + deep + b"," + raw[start:]
    skeleton = msgspec.json.encode(parts["skeleton"])
    packed = [zlib.compress(skeleton), zlib.compress(raw)]
    header = msgspec.json.encode(
        wire.Header(
            columns.SCHEMA,
            (
                wire.Section("skeleton", len(packed[0]), len(skeleton), zlib.crc32(skeleton)),
                wire.Section("detail", len(packed[1]), len(raw), zlib.crc32(raw)),
            ),
        )
    )
    with pytest.raises(FileError):
        wire.decode(b"".join([wire.MAGIC, len(header).to_bytes(4, "big"), header, *packed]))


@settings(max_examples=400)
@given(st.data())
def test_random_damage_raises_nothing_else(data: st.DataObject) -> None:
    """A byte changed, cut or added anywhere: either refused by a FileError, or the very same Snapshot."""
    good = bytearray(wire.encode(small()))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(good) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "add"])):
            case "flip":
                good[at] = data.draw(st.integers(0, 255))
            case "cut":
                del good[at : at + data.draw(st.integers(1, 8))]
            case _:
                good[at:at] = data.draw(st.binary(min_size=1, max_size=8))
    with contextlib.suppress(FileError):
        assert wire.decode(bytes(good)) == small()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [f"skeleton.{name}" for name in columns.Skeleton.__struct_fields__]
    + [f"skeleton.graphs.0.{name}" for name in columns.GraphColumns.__struct_fields__]
    + [f"detail.{name}" for name in columns.Detail.__struct_fields__]
    + [f"detail.graphs.0.{name}" for name in columns.GraphDetail.__struct_fields__]
)


@settings(max_examples=400)
@given(FIELDS, JSON)
def test_any_json_in_any_field(path: str, value: object) -> None:
    """A file that another program wrote: its Snapshot can be walked, or a FileError says why not."""
    try:
        snapshot = wire.decode(lie(path, value))
    except FileError:
        return
    for graph in snapshot.graphs:
        for node in graph:
            assert node.args is not None
            assert node.frames is not None
            assert node.scopes is not None
            assert len(node.users) <= len(graph)
