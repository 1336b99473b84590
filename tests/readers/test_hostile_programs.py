"""Programs made to hurt: sizes, nesting, references and names that cannot be, each refused by name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exir_viz.errors import FileError, FileTooLarge, MalformedFile
from exir_viz.readers.archive import limits
from tests.nightly import some
from tests.readers import archives
from tests.readers.archives import loaded, member, refused
from tests.readers.mutations import pack, program_of, unpack, with_program

BAD, BIG = MalformedFile, FileTooLarge


def _graph(program: Any) -> Any:
    return program["graph_module"]["graph"]


def _graph(program: Any) -> Any:
    return program["graph_module"]["graph"]


def _set(*path: str | int) -> Callable[[object], Callable[[Any], None]]:
    def with_value(value: object) -> Callable[[Any], None]:
        def change(program: Any) -> None:
            here = _graph(program)
            for step in path[:-1]:
                here = here[step]
            here[path[-1]] = value

        return change

    return with_value


_size = _set("tensor_values", "args_0", "sizes", 0)
_argument = _set("nodes", 0, "inputs", 0, "arg")


def _metadata(field: str) -> Callable[[object], Callable[[Any], None]]:
    return _set("nodes", 0, "metadata", field)


def _nodes(program: Any) -> Any:
    return _graph(program)["nodes"]


def _expression(text: str) -> Any:
    return {"as_expr": {"expr_str": text, "hint": None}}


def _nested_argument(depth: int) -> Any:
    arg: Any = {"as_int": 1}
    for _ in range(depth):
        arg = {"as_string_to_argument": {"x": arg}}
    return {"name": "x", "arg": arg, "kind": 1}


def _nested_graph(program: Any, depth: int) -> Any:
    inner = {**_graph(program), "nodes": [], "outputs": []}
    for _ in range(depth):
        node = {
            "target": "torch.ops.higher_order.cond", "outputs": [], "metadata": {}, "name": "c",
            "inputs": [{"name": "", "arg": {"as_graph": {"name": "g", "graph": inner}}, "kind": 1}],
        }  # fmt: skip
        inner = {**_graph(program), "nodes": [node], "outputs": []}
    return inner["nodes"][0]


def _origins(depth: int) -> str:
    text = "[]"
    for _ in range(depth):
        text = f'[{{"name": "x", "target": "y", "graph_id": 1, "from_node": {text}}}]'
    return text


ABSURD: dict[str, tuple[Callable[[Any], Any], type[FileError], str]] = {
    "a size over 2^53": (_size({"as_int": 1 << 53}), BIG, "size"),
    "a negative size": (_size({"as_int": -1}), BIG, "size"),
    "a size of many digits": (_size({"as_int": 10**4000}), BIG, "size"),
    "a size of two kinds": (_size({}), BAD, "size"),
    "a thousand dimensions": (_set("tensor_values", "args_0", "sizes")([{"as_int": 1}] * 1000), BAD, "sizes"),
    "not the number of a dtype": (_set("tensor_values", "args_0", "dtype")(99), BAD, "dtype"),
    "an expression that is a call": (
        _size({"as_expr": {"expr_str": "open('x')", "hint": None}}),
        BAD, "expression",
    ),
    "an expression too deep": (
        _size(
            {"as_expr": {"expr_str": "Max(" * 200 + "Integer(1)" + ")" * 200, "hint": None}}
        ),
        BAD, "expression",
    ),
    "a dangling reference": (
        _argument({"as_tensor": {"name": "nobody"}}), BAD, "'nobody'",
    ),
    "a reference to itself": (
        lambda program: _argument(_nodes(program)[0]["outputs"][0])(program),
        BAD, "no earlier node",
    ),
    "a reference to a later node": (
        lambda program: _argument(_nodes(program)[-1]["outputs"][0])(program),
        BAD, "no earlier node",
    ),
    "two nodes of one name": (
        lambda program: _nodes(program).append(_nodes(program)[0]), BAD, "two nodes",
    ),
    "two inputs of one name": (
        lambda program: _graph(program)["inputs"].append(_graph(program)["inputs"][0]), BAD, "two nodes",
    ),
    "a value that is not described": (
        lambda program: _graph(program)["tensor_values"].clear(), BAD, "has no metadata",
    ),
    "an unknown kind of argument": (
        _argument({"as_code": "1"}), BAD, "'as_code'",
    ),
    "an argument of two kinds": (
        _argument({"as_int": 1, "as_none": True}), BAD, "one kind",
    ),
    "an argument too deep": (_set("nodes", 0, "inputs", 0)(_nested_argument(50)), BIG, "deep"),
    "an argument far too deep": (_set("nodes", 0, "inputs", 0)(_nested_argument(300)), BIG, "deep"),
    "graphs too deep": (
        lambda program: _nodes(program).insert(0, _nested_graph(program, 30)), BIG, "deep",
    ),
    "origins too deep": (_metadata("from_node")(_origins(150)), BIG, "deep"),
    "origins far too deep": (_metadata("from_node")("[" * 100_000), BAD, "schema"),
    "modules too deep": (
        _metadata("nn_module_stack")(";".join(f"k{number},p,c" for number in range(50_000))), BIG, "modules",
    ),
    "custom metadata too deep": (_metadata("custom")("[" * 200 + "]" * 200), BIG, "deep"),
    "custom metadata near the limit of recursion": (
        _metadata("custom")("[" * sys.getrecursionlimit() + "]" * sys.getrecursionlimit()), BAD, "schema",
    ),
    "a stack trace of 2 MB": (_metadata("stack_trace")("x" * (2 << 20)), BIG, "bytes"),
    "a module stack of one part": (
        _metadata("nn_module_stack")("x"), BAD, "nn_module_stack",
    ),
    "too many values": (
        _argument({"as_ints": [1] * (limits.MAX_SEPARATORS + 1)}), BIG, "values",
    ),
    "too long expressions": (
        lambda program: _graph(program).update(
            nodes=[], outputs=[],
            inputs=[{"as_sym_int": {"as_name": f"v{number}"}} for number in range(100)],
            sym_int_values={
                f"v{number}": {"as_expr": {"expr_str": f"Add({'Integer(1), ' * 4000}Integer({number}))"}}
                for number in range(100)
            },
        ),
        BIG, "expressions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", some(ABSURD, ABSURD.keys() - {"too long expressions"}))
def test_absurd_programs(case: str, tmp_path: Path) -> None:
    change, kind, word = ABSURD[case]
    members = unpack(archives.saved("several_outputs"))
    data = with_program(members, lambda program: change(program) and None)
    error = refused(tmp_path, data, kind)
    assert error.member == program_of(members)
    assert word in error.reason


def test_names_cannot_be_made_to_collide_in_squares(tmp_path: Path) -> None:
    """FX counts up to a free name; a file can have it count from the lowest each time."""
    count = 4000

    def change(program: Any) -> None:
        def node(target: str, name: str | None = None) -> dict[str, Any]:
            return {"target": target, "inputs": [], "outputs": [], "metadata": {}, "name": name}

        taken = [node("a", f"x_{number}") for number in range(count, 2 * count)]
        freed = [one for number in range(count - 1, 0, -1) for one in (node("a", f"x_{number}"), node("x"))]
        _graph(program)["nodes"] = taken + freed

    error = refused(tmp_path, with_program(unpack(archives.saved("named_dims")), change), FileTooLarge)
    assert "collide" in error.reason


# -- state and sample inputs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"path_name": "../../model"}, "does not have"),
        ({"tensor_meta": 1}, "schema"),
    ],
)
def test_weights_that_lie(change: dict[str, Any], word: str, tmp_path: Path) -> None:
    members = unpack(archives.saved("module_state"))
    name = member(members, "model_weights_config.json")
    config = json.loads(members[name])
    next(iter(config["config"].values())).update(change)
    error = refused(tmp_path, pack({**members, name: json.dumps(config).encode()}))
    assert error.member == name
    assert word in error.reason


def test_a_weight_that_reaches_beyond_its_storage(tmp_path: Path) -> None:
    members = unpack(archives.saved("module_state"))
    name = member(members, "model_weights_config.json")
    config = json.loads(members[name])
    meta = next(iter(config["config"].values()))["tensor_meta"]
    meta["storage_offset"] = {"as_int": 1_000_000}
    assert "reaches" in refused(tmp_path, pack({**members, name: json.dumps(config).encode()})).reason


def test_broken_sample_inputs_are_a_notice(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    name = member(members, "data/sample_inputs/model.pt")
    for broken in (b"x", b"PK\x03\x04", pack({"a/data.pkl": b"\x80\x02}"}), pack({"a/data.pkl": b"c" * 50})):
        snapshot = loaded(tmp_path, pack({**members, name: broken}))
        assert [notice.code for notice in snapshot.notices] == ["samples"]
        assert snapshot.method.detail.examples is None
