"""ETRecords, read as data, against what ExecuTorch reads of them and the `.pte` that each came with."""

from __future__ import annotations

import functools
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from exir_viz.errors import FileError, MalformedFile
from exir_viz.readers import etrecord, flatbuffer
from exir_viz.snapshot import Snapshot, validate, wire
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import Dialect
from tests.readers.pte_files import lowered

RECORDS = ("delegated", "recorded")


@functools.cache
def record_bytes(name: str) -> bytes:
    buffer = io.BytesIO()
    lowered(name).record.save(buffer)
    return buffer.getvalue()


@pytest.fixture(params=RECORDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    path = tmp_path / f"{name}.etrecord"
    path.write_bytes(record_bytes(name))
    return path


def extras(node: Node) -> dict[str, str | None]:
    return {extra.name: extra.text for extra in node.extras if extra.name.startswith("executorch.")}


def changed(name: str, path: Path, member: str, data: bytes | None) -> Path:
    """The record with one member replaced, or left out."""
    with zipfile.ZipFile(io.BytesIO(record_bytes(name))) as old, zipfile.ZipFile(path, "w") as new:
        for one in old.namelist():
            if one != member:
                new.writestr(one, old.read(one))
        if data is not None:
            new.writestr(member, data)
    return path


def test_the_programs_are_those_executorch_reads(path: Path) -> None:
    from executorch.devtools.etrecord import parse_etrecord

    record = parse_etrecord(str(path))
    read = etrecord.read(path)
    programs = {"exported_program": record.exported_program, "forward": record.edge_dialect_program}
    assert list(read.methods) == list(programs)
    assert read.methods["forward"].dialect is Dialect.EDGE
    for method, program in programs.items():
        live = list(program.graph.nodes)
        graph = read.methods[method].graph
        assert [(node.name, node.op) for node in graph] == [(node.name, node.op) for node in live]
        for ours, theirs in zip(graph, live, strict=True):
            assert [one.name for one in ours.inputs] == [one.name for one in theirs.all_input_nodes]
            assert ours.debug_handle == theirs.meta.get("debug_handle")


def test_nodes_say_which_instructions_they_became(name: str, path: Path) -> None:
    """Forwards and back: the map of the manager that wrote the record, and the nodes of the `.pte`."""
    edge = etrecord.read(path).methods["forward"].graph
    handles = lowered(name).manager.debug_handle_map["forward"]
    expected: dict[int, set[int]] = {}
    for instruction, known in handles.items():
        for handle in [known] if isinstance(known, int) else known:
            expected.setdefault(handle, set()).add(instruction)
    assert expected
    joined = [node for node in edge if "executorch.instructions" in extras(node)]
    assert {node.debug_handle for node in joined} == set(expected)
    emitted = {node.debug_handle: node for node in flatbuffer.read(lowered(name).data).method.graph}
    for node in joined:
        instructions = json.loads(extras(node)["executorch.instructions"] or "")
        assert set(instructions) == expected[node.debug_handle or 0]
        assert set(instructions) <= set(emitted)
        delegated = {emitted[one].subgraphs[0].delegate for one in instructions if emitted[one].subgraphs}
        backends = {one.backend for one in delegated if one}
        assert extras(node).get("executorch.backend") == (", ".join(backends) or None)


def test_a_delegated_program_names_its_backend(tmp_path: Path) -> None:
    path = tmp_path / "x.etrecord"
    path.write_bytes(record_bytes("delegated"))
    graph = etrecord.read(path).methods["forward"].graph
    backends = [extras(node).get("executorch.backend") for node in graph]
    assert backends.count("XnnpackBackend") > 2
    assert None in backends


def test_the_result_is_sound(path: Path) -> None:
    read = etrecord.read(path)
    assert validate.problem(read.skeleton, read.detail) is None
    assert wire.decode(wire.encode(read)) == read
    codes = {notice.code for notice in read.notices}
    assert "export_graph_id" in codes
    assert not {"debug_handle_map", "delegate_map"} & codes  # they are looked at


def test_delegate_numbers_and_older_maps(tmp_path: Path) -> None:
    """A backend's own numbers are shown; a map without the method's name is that of `forward`."""
    graph = read_with("recorded", tmp_path, "debug_handle_map", {"4": [1, 2], "5": 2, "6": None}).method.graph
    by_handle = {node.debug_handle: extras(node) for node in graph if extras(node)}
    assert {handle: found["executorch.instructions"] for handle, found in by_handle.items()} == {
        1: "[4]",
        2: "[4, 5]",
    }
    numbers = {"forward": {"0": {"name": "B", "delegate_map": {"7": [1], "conv": [1]}}}}
    graph = read_with("recorded", tmp_path, "delegate_map", numbers).method.graph
    found = [extras(node) for node in graph if node.debug_handle == 1]
    assert {one["executorch.delegate_numbers"] for one in found} == {"7, conv"}
    assert {one["executorch.backend"] for one in found} == {"B"}


def read_with(name: str, folder: Path, member: str, value: Any) -> Snapshot:
    return etrecord.read(changed(name, folder / "x.etrecord", member, json.dumps(value).encode()))


def test_records_without_maps_are_read(tmp_path: Path) -> None:
    for member in ("debug_handle_map", "delegate_map"):
        read = etrecord.read(changed("recorded", tmp_path / f"{member}.etrecord", member, None))
        assert len(read.methods) == 2
    assert len(read_with("recorded", tmp_path, "delegate_map", None).methods) == 2


@pytest.mark.parametrize("member", ["debug_handle_map", "delegate_map"])
@pytest.mark.parametrize(
    "data", [b"", b"[1]", b'{"forward": 3}', b'{"a": {"b": 1}}', b"[" * 5000, b'"\xff"', b'{"1": "x"}']
)
def test_maps_that_are_none_are_refused(tmp_path: Path, member: str, data: bytes) -> None:
    path = changed("recorded", tmp_path / "bad.etrecord", member, data)
    with pytest.raises(MalformedFile, match=r"bad\.etrecord") as caught:
        etrecord.read(path)
    assert caught.value.member == member


def test_truncated_anywhere(path: Path) -> None:
    data = path.read_bytes()
    for part in range(50):
        path.write_bytes(data[: len(data) * part // 50])
        with pytest.raises(FileError):
            etrecord.read(path)


class Canary:
    """Unpickling it would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (open, (str(self.path), "w"))


def test_no_pickle_is_run(tmp_path: Path) -> None:
    import pickle

    canary = tmp_path / "canary"
    data = pickle.dumps(Canary(canary))
    members = ["reference_outputs", "representative_inputs"]
    members += [f"{one}_{part}" for one in ("exported_program", "edge_dialect_exported_program/forward")
                for part in ("state_dict", "constants", "example_inputs")]  # fmt: skip
    for member in members:
        read = etrecord.read(changed("recorded", tmp_path / "x.etrecord", member, data))
        assert len(read.methods) == 2
        assert not canary.exists()
    codes = {notice.code: notice.text for notice in read_pickled(tmp_path, data).notices}
    assert "not read" in codes["reference_outputs"]
    pickle.loads(data).close()
    assert canary.exists()  # the canary sings where it is let out


def read_pickled(folder: Path, data: bytes) -> Snapshot:
    return etrecord.read(changed("recorded", folder / "y.etrecord", "reference_outputs", data))


def test_reading_needs_no_torch(path: Path) -> None:
    code = (
        "import sys\nfrom exir_viz.readers import etrecord\n"
        f"print(list(etrecord.read({str(path)!r}).methods))\n"
        "print(sorted({'torch', 'executorch', 'numpy', 'sympy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["['exported_program', 'forward']", "[]"]
