"""Pytree specs as torch writes them, and the paths that a user would write."""

from __future__ import annotations

import collections
import enum
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils import _pytree as pytree

import exir_viz
from exir_viz.readers.pytrees import MAX_PATH, parse_treespec, user_paths
from exir_viz.snapshot.program import Tree
from tests.corpus.concepts import Batch, Pair


class Colour(enum.Enum):
    RED = 1


def _tree(value: object, fields: dict[str, list[str]] | None = None) -> Tree:
    return parse_treespec(pytree.treespec_dumps(pytree.tree_structure(value)), fields)


def test_inputs_begin_with_their_names() -> None:
    inputs = (({"mask": [0, 1], "a b": 2}, 3), {"scale": (4,), "flag": 5})
    paths = user_paths(_tree(inputs), ["batch", "x"])
    assert paths == ('batch["mask"][0]', 'batch["mask"][1]', 'batch["a b"]', "x", "scale[0]", "flag")
    assert user_paths(_tree(inputs), ())[3:5] == ("args[1]", "scale[0]")


@pytest.mark.parametrize("depth", [*range(80, 120, 20), *range(800, 1100, 20)])
def test_a_context_of_any_depth_is_read_or_refused(depth: int) -> None:
    for context in ("[" * depth + "]" * depth, json.dumps("[" * depth + "]" * depth)):
        text = f'[1, {{"type": "a.B", "context": {context}, "children_spec": []}}]'
        try:
            tree = parse_treespec(text)
        except ValueError:
            assert depth > 98
        else:
            assert depth < 102 or tree.context is not None


def test_outputs_begin_with_output() -> None:
    assert user_paths(_tree(1), None) == ("output",)
    assert user_paths(_tree((1, {"y": 2})), None) == ("output[0]", 'output[1]["y"]')


def test_containers_of_every_kind() -> None:
    value = [
        Batch(1, [2]),  # type: ignore[arg-type]
        Pair(3, 4),  # type: ignore[arg-type]
        collections.OrderedDict(k=5),
        collections.defaultdict(list, {"d": 6}),
        collections.deque([7]),
        {8: 8, True: 9, Colour.RED: 10},
        None,
    ]
    name = pytree.SUPPORTED_SERIALIZED_TYPES[Pair].serialized_type_name
    paths = user_paths(_tree(value, {name: ["left", "right"]}), None)
    assert paths == (
        "output[0].tokens", "output[0].mask[0]", "output[1].left", "output[1].right", 'output[2]["k"]',
        'output[3]["d"]', "output[4][0]", "output[5][8]", "output[5][True]", 'output[5]["Colour.RED"]',
        "output[6]",
    )  # fmt: skip
    assert len(paths) == len(pytree.tree_leaves(value))


def test_a_named_tuple_of_unknown_fields_is_indexed() -> None:
    assert user_paths(_tree(Pair(3, 4)), None) == ("output[0]", "output[1]")  # type: ignore[arg-type]


NESTED = st.recursive(
    st.none() | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(NESTED)
def test_a_path_leads_to_its_leaf(value: Any) -> None:
    paths = user_paths(_tree(value), None)
    leaves = pytree.tree_leaves(value)
    assert len(paths) == len(leaves)
    assert len(set(paths)) == len(paths)
    for path, leaf in zip(paths, leaves, strict=True):
        assert eval(path, {"output": value}) is leaf


@given(st.text(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_what_is_no_spec_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"pytree spec"):
        parse_treespec(text)


def test_limits() -> None:
    leaf = '{"type": null, "context": null, "children_spec": []}'
    deep = leaf
    for _ in range(101):
        deep = '{"type": "builtins.list", "context": "null", "children_spec": [' + deep + "]}"
    with pytest.raises(ValueError, match="deeper than 100"):
        parse_treespec(f"[1, {deep}]")
    with pytest.raises(ValueError, match="more than"):
        parse_treespec("[1, " + " " * (5 << 20) + f"{leaf}]")
    with pytest.raises(ValueError, match="version 2"):
        parse_treespec(f"[2, {leaf}]")
    (path,) = user_paths(_tree({"k" * 5000: 1}), None)
    assert len(path) == MAX_PATH
    assert path.endswith("…")


@dataclass
class Box:
    low: torch.Tensor
    high: torch.Tensor


class Unregistered(NamedTuple):
    first: torch.Tensor
    box: Box


class Boxes(torch.nn.Module):
    def forward(self, box, pair, table):
        return Box(box.low + pair.first, box.high + pair.box.low + table["k"][0])


def test_classes_that_torch_cannot_serialize_are_named_by_their_fields() -> None:
    """Also beside each other: one of them leaves the names of the others as they are."""
    if Box not in pytree.SUPPORTED_NODES:
        torch.export.register_dataclass(Box)
    x, table = torch.ones(3), collections.defaultdict(list)
    table["k"], table["j"] = [x.clone()], x.clone()
    box = Box(x.clone(), x.clone())
    snapshot = exir_viz.load(Boxes(), box, Unregistered(x, Box(x, x)), table)
    signature = snapshot.method.signature
    assert [one.path for one in signature.inputs] == [
        *("box.low", "box.high", "pair.first", "pair.box.low", "pair.box.high"),
        *('table["k"][0]', 'table["j"]'),
    ]
    assert [one.path for one in signature.outputs] == ["output.low", "output.high"]


class Several(torch.nn.Module):
    def forward(self, *xs):
        return xs[0]["k"] + xs[1]


class Numbered(torch.nn.Module):
    def forward(self, xs_0, xs_1):
        return xs_0["k"] + xs_1


@pytest.mark.parametrize("module", [Several(), Numbered()], ids=["*xs", "xs_0, xs_1"])
def test_arguments_of_one_star_have_the_names_that_torch_records(module: torch.nn.Module) -> None:
    """Nothing in a program says which of the two modules it was made from."""
    program = torch.export.export(module, ({"k": torch.ones(2)}, torch.ones(2)))
    assert [one.path for one in exir_viz.load(program).method.signature.inputs] == ['xs_0["k"]', "xs_1"]
    assert program.module_call_graph[0].signature.forward_arg_names == ["xs_0", "xs_1"]
