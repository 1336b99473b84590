"""load of a `.pt2` is capture of the program that torch loads from it, field by field; without torch."""

from __future__ import annotations

import collections
import functools
import json
import os
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.readers.archive.limits import MAX_DIM
from exir_viz.readers.archive.read import NOT_IN_ARCHIVE
from exir_viz.readers.kept_data import MAX_TEXT
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.program import Dialect, StateKind
from exir_viz.snapshot.validate import problem
from tests.corpus.concepts import CONCEPTS, Fn
from tests.corpus.programs import ROOT, archive, exportdb, exported
from tests.nightly import nightly, some
from tests.readers import archives
from tests.readers.equal import differences
from tests.readers.mutations import pack, program_of, unpack, with_program

NAMES = [*CONCEPTS, *(f"db:{name}" for name in exportdb())]


def _live(path: Path) -> Snapshot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return exir_viz.load(torch.export.load(path))


@pytest.mark.parametrize("level", ["aten", "core"])
@pytest.mark.parametrize("name", some(NAMES, NAMES[::4]))
def test_equals_the_live_program(name: str, level: str, tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved(name, level))
    snapshot = exir_viz.load(path)
    assert differences(snapshot, _live(path)) == []
    assert problem(snapshot.skeleton, snapshot.detail) is None
    # torch 2.15 keeps ranges that no value depends on
    assert {notice.code for notice in snapshot.notices} <= {"range"}


def test_example_inputs_within_a_deque(tmp_path: Path) -> None:
    inputs = collections.deque([torch.randn(2), {"b": torch.randn(3)}], maxlen=4)
    program = torch.export.export(Fn(lambda held: held[0].sum() + held[1]["b"]), (inputs,))
    torch.export.save(program, tmp_path / "program.pt2")
    snapshot = exir_viz.load(tmp_path / "program.pt2")
    assert [one.path for one in snapshot.method.detail.examples or ()] == ["args_0[0]", 'args_0[1]["b"]']
    assert differences(snapshot, _live(tmp_path / "program.pt2")) == []


@pytest.mark.parametrize("name", nightly(["llama32", "gpt2", "mobilenetv2"]))
def test_equals_a_large_live_program(name: str) -> None:
    archives.register_model_outputs()
    path = archive(name, "core")
    assert differences(exir_viz.load(path), _live(path)) == []


def test_differences_can_be_found(tmp_path: Path) -> None:
    """The comparison above is not blind: a change of any part of the file shows."""
    data = archives.saved("pytree_inputs")
    live = _live(archives.write(tmp_path, data))

    def change(path: str, value: object) -> Callable[[dict[str, object]], None]:
        def apply(program: dict[str, object]) -> None:
            *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
            functools.reduce(lambda here, step: here[step], steps, program)[last] = value  # type: ignore[index]

        return apply

    graph = "graph_module.graph"
    changes = {
        f"{graph}.nodes.0.target": "torch.ops.aten.other.default",
        f"{graph}.nodes.0.metadata.torch_fn": "x;y",
        f"{graph}.nodes.0.metadata.nn_module_stack": "a,b,c",
        f"{graph}.nodes.0.metadata.stack_trace": 'File "a", line 1, in b',
        f"{graph}.nodes.0.metadata.unknown": "x",
        "range_constraints.s0": {"min_val": 1, "max_val": 2},
        "guards_code": ["x"],
        "verifiers": ["EDGE"],
        "opset_version": {"aten": 1},
        "graph_module.module_call_graph.0.signature.forward_arg_names": ["p", "q"],
    }
    missed = [
        path
        for path, value in changes.items()
        if not differences(_loaded(tmp_path, with_program(unpack(data), change(path, value))), live)
    ]
    # A range of what no value has is left out, by torch and so by us, and said.
    assert missed == ["range_constraints.s0"]


def _loaded(folder: Path, data: bytes) -> Snapshot:
    return exir_viz.load(archives.write(folder, data))


def test_what_is_not_in_an_archive_is_listed() -> None:
    assert len(NOT_IN_ARCHIVE) <= 7
    assert all(reason for reason in NOT_IN_ARCHIVE.values())


def test_torch_is_not_imported(tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved("module_state"))
    script = (
        "import sys, exir_viz; snapshot = exir_viz.load(sys.argv[1]);"
        "snapshot.save(sys.argv[2], absolute_paths=True);"
        "assert exir_viz.load(sys.argv[2]) == snapshot;"
        "print([name for name in ('torch', 'sympy', 'numpy', 'pickle') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, path, tmp_path / "program.exirviz"],
        cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert set(json.loads(run.stdout.replace("'", '"'))) <= {"pickle"}  # imported, not used, by pickletools


def test_same_file_same_bytes(tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved("nested_cond", "core"))
    assert wire.encode(exir_viz.load(path)) == wire.encode(exir_viz.load(path))


def test_weights_are_not_read(tmp_path: Path) -> None:
    """Weights whose checksum is wrong do not matter, for they are never looked at."""
    data = bytearray(archives.saved("module_state"))
    members = unpack(bytes(data))
    weights = [name for name in members if "/data/weights/weight_" in name and len(members[name]) >= 8]
    assert weights
    for name in weights:
        at = bytes(data).find(members[name])
        data[at] ^= 0xFF
    snapshot = _loaded(tmp_path, bytes(data))
    assert {entry.kind for entry in snapshot.method.state} >= {StateKind.PARAMETER, StateKind.BUFFER}


def test_small_constants_are_read(tmp_path: Path) -> None:
    constant = torch.tensor([[1.5, -2.0], [0.0, float("inf")]]).t()
    program = torch.export.export(Fn(lambda x: x + constant), (torch.randn(2, 2),))
    path = tmp_path / "constant.pt2"
    torch.export.save(program, path)
    (entry,) = [entry for entry in exir_viz.load(path).method.state if entry.kind is StateKind.CONSTANT]
    assert entry.data == ("1.5", "0.0", "-2.0", "inf")


@pytest.mark.parametrize("beyond", [0, 1])
def test_metadata_is_kept_up_to_a_length(beyond: int, tmp_path: Path) -> None:
    text = "x" * (MAX_TEXT + beyond)

    def add(program: Any) -> None:
        program["graph_module"]["graph"]["nodes"][0]["metadata"]["mine"] = text

    snapshot = _loaded(tmp_path, with_program(unpack(archives.saved("named_dims")), add))
    first = next(node for node in snapshot.method.graph if node.op == "call_function")
    assert [extra.text for extra in first.extras] == [None if beyond else text]


@pytest.mark.parametrize(
    ("handle", "is_read"), [(0, True), (-1, False), (MAX_DIM, True), (MAX_DIM + 1, False)]
)
def test_a_debug_handle_is_from_0_to_the_largest_number(handle: int, is_read: bool, tmp_path: Path) -> None:
    def add(program: Any) -> None:
        program["graph_module"]["graph"]["nodes"][0]["metadata"]["debug_handle"] = str(handle)

    data = with_program(unpack(archives.saved("named_dims")), add)
    if not is_read:
        assert f"its debug_handle is {handle}" in archives.refused(tmp_path, data).reason
        return
    first = next(node for node in _loaded(tmp_path, data).method.graph if node.op == "call_function")
    assert first.debug_handle == handle


@pytest.mark.parametrize(("order", "form"), [(b"big", ">2f"), (b"little", "<2f"), (None, "<2f")])
def test_constants_are_read_in_the_archives_byte_order(
    order: bytes | None, form: str, tmp_path: Path
) -> None:
    constant = torch.tensor([1.0, 2.0])
    path = tmp_path / "constant.pt2"
    torch.export.save(torch.export.export(Fn(lambda x: x + constant), (torch.randn(2),)), path)
    members = {
        name: order if name.endswith("/byteorder") else data
        for name, data in unpack(path.read_bytes()).items()
        if order is not None or not name.endswith("/byteorder")
    }
    path.write_bytes(pack(members))
    (entry,) = [entry for entry in exir_viz.load(path).method.state if entry.kind is StateKind.CONSTANT]
    assert entry.data == tuple(map(repr, struct.unpack(form, struct.pack("<2f", 1.0, 2.0))))


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16,
        torch.uint32, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
        torch.complex128,
        torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
    ],
    ids=str,
)  # fmt: skip
def test_elements_of_every_dtype(dtype: torch.dtype) -> None:
    from exir_viz.readers.tensor_elements import Strided, elements

    raw = bytes(range(256)) * 2
    if dtype is torch.bool:
        raw = bytes(value & 1 for value in raw)
    tensor = torch.frombuffer(bytearray(raw), dtype=dtype)[:256]
    lies = Strided(str(dtype).removeprefix("torch."), (len(tensor),), (1,), 0)
    want = [repr(value) for value in tensor.tolist()]
    assert list(elements(raw, lies, "<") or ()) == want


# -- other layouts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["module_state", "nested_cond", *nightly(["pytree_inputs", "named_dims"])])
@pytest.mark.parametrize("layout", ["2.7", "2.8", "deflated"])
def test_older_layouts_equal_what_torch_loads(name: str, layout: str, tmp_path: Path) -> None:
    makers: dict[str, Callable[[str], bytes]] = {
        "2.7": archives.saved_as_in_2_7,
        "2.8": archives.saved_as_in_2_8,
        "deflated": lambda name: archives.packed(archives.saved(name)),
    }
    path = archives.write(tmp_path, makers[layout](name))
    snapshot = exir_viz.load(path)
    live = (
        _live(path)
        if layout != "deflated"
        else _live(archives.write(tmp_path, archives.saved(name), "b.pt2"))
    )
    assert differences(snapshot, live) == []


def test_several_programs_are_several_methods(tmp_path: Path) -> None:
    data = archives.saved_together(encode=exported("module_state"), decode=exported("named_dims"))
    snapshot = _loaded(tmp_path, data)
    assert list(snapshot.methods) == ["encode", "decode"]
    assert snapshot.methods["decode"].symbols
    assert not snapshot.methods["encode"].symbols


def test_programs_without_names_and_kinds(tmp_path: Path) -> None:
    """As torch 2.5 wrote them: names follow from the outputs, what goes by keyword is inferred, and said."""
    data = archives.saved("several_outputs")
    path = archives.write(tmp_path, archives.without(data, "name"))
    assert differences(exir_viz.load(path), _live(path)) == []
    snapshot = _loaded(tmp_path, archives.without(data, "name", "kind"))
    assert [notice.code for notice in snapshot.notices] == ["arguments"]
    assert "keyword" in snapshot.notices[0].text


def test_a_class_that_pytree_does_not_know(tmp_path: Path) -> None:
    """torch cannot load such a file; its Snapshot has the class by name, and the paths of its fields."""
    data = archives.saved("pytree_inputs")
    members = unpack(data)
    name = program_of(members)
    members[name] = members[name].replace(b"tests.corpus.concepts.Batch", b"elsewhere.Batch")
    path = archives.write(tmp_path, pack(members))
    paths = [spec.path for spec in exir_viz.load(path).method.signature.inputs]
    assert "batch.mask[0]" in paths
    assert "elsewhere.Batch" in str(exir_viz.load(path).method.detail.in_spec)


def test_dialects(tmp_path: Path) -> None:
    assert _loaded(tmp_path, archives.saved("named_dims")).method.dialect is Dialect.ATEN_TRAINING
    assert _loaded(tmp_path, archives.saved("named_dims", "core")).method.dialect is Dialect.ATEN


def test_an_unused_range_is_said_to_be_left_out(tmp_path: Path) -> None:
    def add(program: dict[str, dict[str, object]]) -> None:
        program["range_constraints"]["s99"] = {"min_val": 0, "max_val": None}

    snapshot = _loaded(tmp_path, with_program(unpack(archives.saved("named_dims")), add))
    assert [notice.code for notice in snapshot.notices] == ["range"]
    assert "s99" in snapshot.notices[0].text


def test_metadata_that_is_not_known_is_kept_by_name(tmp_path: Path) -> None:
    def add(program: dict[str, dict[str, dict[str, list[dict[str, dict[str, str]]]]]]) -> None:
        program["graph_module"]["graph"]["nodes"][0]["metadata"] |= {"mine": "1", "debug_handle": "7"}

    snapshot = _loaded(tmp_path, with_program(unpack(archives.saved("named_dims")), add))
    node = next(node for node in snapshot.method.graph if node.op == "call_function")
    assert [(extra.name, extra.text) for extra in node.extras] == [("mine", "1")]
    assert node.debug_handle == 7


def _calls(path: Path) -> int:
    """Python calls that loading a file takes."""
    count = 0

    def profile(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(profile)
    try:
        exir_viz.load(path)
    finally:
        sys.setprofile(None)
    return count


def test_cost_is_linear() -> None:
    small, large = archive("deep1k"), archive("deep10k")
    nodes = [len(exir_viz.load(path).method.graph) for path in (small, large)]
    calls = [_calls(path) for path in (small, large)]
    assert calls[1] / calls[0] <= 1.1 * nodes[1] / nodes[0]
    assert calls[1] / nodes[1] <= 400  # calls and returns, of Python and of C
