"""Snapshots that break what verbs rely on are refused when they are read, each by name."""

from __future__ import annotations

import copy
import json
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import exir_viz
from exir_viz.errors import MOST_CHARACTERS, FileError, FileTooLarge, MalformedFile
from exir_viz.measure import files as profile_files
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.columns import OPS, SCHEMA
from exir_viz.snapshot.validate import MAX_ARENAS, MAX_NUMBER, MAX_SCOPE_DEPTH
from exir_viz.snapshot.wire import Sections, encode_sections
from tests.readers import file_mutants
from tests.readers.mutations import places
from tests.readers.test_wild_files import WILD

Parts = dict[str, Any]


def _parts(snapshot: Snapshot) -> Parts:
    sections = Sections(wire.encode(snapshot), "file")
    return {name: json.loads(sections.raw(name)) for name in ("skeleton", "detail")}


def _first(records: list[Parts], kind: str) -> Parts:
    return next(one for one in records if one.get("kind") == kind)


def _tensor(parts: Parts) -> Parts:
    return next(one for one in parts["skeleton"]["values"] if one.get("shape") and one.get("stride"))


def _scopes(parts: Parts) -> None:
    for _ in range(MAX_SCOPE_DEPTH + 1):
        last = len(parts["skeleton"]["scopes"]) - 1
        parts["skeleton"]["scopes"].append({"parent": last, "key": "a", "path": "a", "cls": "A"})


def _unheld(parts: Parts) -> None:
    graphs = parts["skeleton"]["graphs"]
    graphs[next(one["parent"] for one in graphs if one["parent"] >= 0)]["subgraphs"] = []


def _literal(type: str, text: str) -> Callable[[Parts], object]:
    return lambda parts: parts["detail"]["calls"].append(
        {"args": [{"kind": "literal", "type": type, "text": text}]}
    )


def _symbol(**fields: str) -> Callable[[Parts], object]:
    symbol = {"name": "s0", "type": "int", "backed": True, **fields}
    return lambda parts: parts["skeleton"]["methods"][0].update(symbols=[symbol])


BROKEN: dict[str, tuple[Callable[[Parts], object], str]] = {
    "a stride too few": (lambda parts: _tensor(parts)["stride"].pop(), "stride"),
    "a negative size": (lambda parts: _tensor(parts)["shape"].__setitem__(0, -1), "-1"),
    "a size over 2^53": (
        lambda parts: _tensor(parts)["shape"].__setitem__(0, MAX_NUMBER + 1),
        "has the number",
    ),
    "too many elements": (
        lambda parts: _tensor(parts).update(shape=[1 << 40] * 9, stride=[1] * 9, dim_order=[*range(9)]),
        "elements",
    ),
    "a wrong order of dimensions": (lambda parts: _tensor(parts).update(dim_order=[7]), "order"),
    "an int that is none": (_literal("int", "x"), "is no int"),
    "an int of 5,000 digits": (_literal("int", "1" * 5000), "is no int"),
    "a float that is none": (_literal("float", "1.x"), "is no float"),
    "a bool that is none": (_literal("bool", "maybe"), "is no bool"),
    "a dict without values": (
        lambda parts: parts["skeleton"]["values"].append({"kind": "map", "keys": ["a"]}),
        "a dict has 1 key",
    ),
    "more inputs than nodes": (
        lambda parts: parts["skeleton"]["graphs"][0]["signature"].update(
            inputs=parts["skeleton"]["graphs"][0]["signature"]["inputs"] * 20_000
        ),
        "a signature of",
    ),
    "a graph that nobody holds": (_unheld, "has 0 holders"),
    "scopes nested deeply": (_scopes, "nested more than"),
    "a value that ends before it begins": (
        lambda parts: (
            parts["detail"]
            .setdefault("spec_lists", [])
            .append([{"dtype": "float32", "shape": [1], "lifetime": [2, 1]}])
        ),
        "alive from step 2 to 1",
    ),
    "a plan of very many arenas": (
        lambda parts: (
            parts["detail"]
            .setdefault("spec_lists", [])
            .append(
                [{"dtype": "float32", "shape": [1], "mem_id": number} for number in range(MAX_ARENAS + 1)]
            )
        ),
        "memory plan has 257 arenas",
    ),
    "an output before other nodes": (
        lambda parts: parts["skeleton"]["graphs"][0].update(
            ops=[OPS.index("output"), *parts["skeleton"]["graphs"][0]["ops"][1:]]
        ),
        "is not its last node",
    ),
    "one symbol twice": (
        lambda parts: parts["skeleton"]["methods"][0].update(
            symbols=[{"name": "s0", "type": "int", "backed": True}] * 2
        ),
        "two symbols",
    ),
    "a hint of 5,000 digits": (_symbol(hint="1" * 5000), "hint of the symbol 's0' is '111"),
    "a bound that only looks like a number": (_symbol(lower="²"), "symbol 's0' is '²'"),
    "two methods of one graph": (
        lambda parts: [
            parts["skeleton"]["methods"].append({**parts["skeleton"]["methods"][0], "name": "other"}),
            parts["detail"]["methods"].append(parts["detail"]["methods"][0]),
        ],
        "belongs to another one",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_verbs_rely_on_is_checked(what: str) -> None:
    change, words = BROKEN[what]
    parts = _parts(exir_viz.load(WILD / "torch-2.13.0" / "branch.pt2"))
    change(parts)
    with pytest.raises(MalformedFile, match=words) as refused:
        wire.decode(encode_sections(parts, SCHEMA))
    assert len(str(refused.value)) <= MOST_CHARACTERS


@pytest.mark.parametrize("name", ["torch-2.13.0/dynamic.pt2", "executorch-1.4.1/quantized.pte"])
def test_no_number_is_larger_than_javascript_reads(name: str) -> None:
    """Every field in turn: sums, quotients and texts of such numbers fail in many verbs."""
    parts = _parts(exir_viz.load(WILD / name))
    changed = 0
    for here, key in list(places(parts)):
        old = here[key]
        if type(old) is int and key != "schema":
            for number in (MAX_NUMBER + 1, -(10**400)):
                here[key] = number
                with pytest.raises(MalformedFile):
                    wire.decode(encode_sections(json_of(parts), SCHEMA))
            here[key] = old
            changed += 1
    assert changed > 100


def json_of(parts: Parts) -> dict[str, msgspec.Raw]:
    """Sections with numbers that msgspec does not write."""
    return {name: msgspec.Raw(json.dumps(section).encode()) for name, section in parts.items()}


@pytest.mark.parametrize(
    "section", [b'{"a":[' + b"{}," * 3_000_000 + b"{}]}", b"[" * 3_000_000, b"," * 12_000_000]
)
def test_a_small_file_cannot_take_much_memory(section: bytes) -> None:
    """Refused by the counts of records, lists and separators, before anything is decoded."""
    packed = zlib.compress(section)
    described = wire.Section("skeleton", len(packed), len(section), zlib.crc32(section))
    header = msgspec.json.encode(
        wire.Header(SCHEMA, (described, msgspec.structs.replace(described, name="detail")))
    )
    data = b"".join([wire.MAGIC, len(header).to_bytes(4, "big"), header, packed, packed])
    with pytest.raises(FileTooLarge, match=r"decoding it|unpack"):
        wire.decode(data)
    record = b"".join([profile_files.MAGIC, len(packed).to_bytes(8, "big"), packed, data])
    with pytest.raises(FileTooLarge, match=r"decoding it|unpack"):
        profile_files.decode(record)


def test_an_error_of_a_file_is_short() -> None:
    for name in ("x" * 10_000_000, "\x1b[31m" * 1_000_000):
        parts = _parts(exir_viz.load(WILD / "torch-2.13.0" / "tied.pt2"))
        parts["skeleton"]["graphs"][0]["name"] = name
        parts["skeleton"]["graphs"][0]["ops"].pop()
        with pytest.raises(FileError) as refused:
            wire.decode(encode_sections(parts, SCHEMA))
        assert len(str(refused.value)) <= MOST_CHARACTERS


@pytest.mark.parametrize("size", [1 << 50, 10**30, 10**1000])
def test_sizes_that_no_memory_holds_are_unknown(size: int) -> None:
    """Sums and products of them could not be shown, or written."""
    parts = _parts(exir_viz.load(WILD / "torch-2.13.0" / "dynamic.pt2"))
    for symbol in parts["skeleton"]["methods"][0]["symbols"]:
        symbol["hint"] = str(size)
    snapshot = wire.decode(encode_sections(parts, SCHEMA))
    page = json.loads(Sections(wire.encode(snapshot), "file").raw(wire.PAGE))
    assert page["memory"][0]["unknown"] > 0
    for name in ("delegation", "shapes", "size"):
        assert exir_viz.reports.run(name, snapshot).text()


@pytest.mark.parametrize("depth", [900, 100_000])
def test_an_annotation_nested_deeply_is_left_out(depth: int) -> None:
    parts = _parts(exir_viz.load(WILD / "torch-2.13.0" / "tied.pt2"))
    nested = "[" * depth + "]" * depth
    parts["detail"]["extras"] = [[{"name": "custom", "type": "dict", "text": f'{{"a": {nested}}}'}]]
    for graph in parts["detail"]["graphs"]:
        graph["extras"] = [0] * len(graph["extras"])
    text = wire.decode(encode_sections(parts, SCHEMA)).text()
    assert "return" in text
    assert nested not in text


@pytest.mark.parametrize("name", ["torch-2.13.0/branch.pt2", "executorch-1.4.1/quantized.pte"])
def test_snapshots_are_pickled_and_copied(name: str) -> None:
    snapshot = exir_viz.load(WILD / name)
    assert snapshot.methods  # what was asked for before does not matter
    for copied in (pickle.loads(pickle.dumps(snapshot)), copy.deepcopy(snapshot), copy.copy(snapshot)):
        assert copied == snapshot
        assert str(copied) == str(snapshot)
    graph = snapshot.method.graph
    for one in (snapshot.method, graph, graph[0]):
        assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    assert copy.deepcopy(graph[0]) == graph[0]


def test_every_verb_works_on_what_is_read(tmp_path: Path) -> None:
    """`python -m tests.readers.file_mutants` makes as many as you like."""
    import random

    outcomes = []
    small = [seed for seed in file_mutants.seeds() if "llama" not in seed.name]
    for number in range(150):
        rng = random.Random(number)
        seed = rng.choice(small)
        outcomes.append(file_mutants.survives(seed, seed.mutant(seed.data, rng), tmp_path, 3))
    assert 15 < sum(outcomes) < 135
