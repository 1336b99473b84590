"""Pickles followed as data: what torch.save writes is understood; nothing that one names is called."""

from __future__ import annotations

import collections
import io
import pickle
import sys
from contextlib import suppress
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.fx.graph import _Namespace

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.context import Budget
from exir_viz.readers.archive.names import Namespace
from exir_viz.readers.archive.pickles import Built, Mapping, Name, PickleError
from exir_viz.readers.archive.pickles import load as follow
from exir_viz.readers.archive.sample_inputs import sample_leaves
from exir_viz.readers.archive.tensors import Saved, mapping_of, tensor_of, value_of
from exir_viz.snapshot.arguments import python_value
from exir_viz.snapshot.program import Tree
from exir_viz.snapshot.records import Literal


def load(data: bytes) -> object:
    return follow(data, Budget())


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def _plain(value: object) -> Any:
    """Inert data as Python has it; bytes of old protocols are a call of a codec."""
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.pairs}
    if isinstance(value, Built):
        assert isinstance(value.args, tuple)
        if value.fn == Name("builtins.bytes") or value.fn == Name("__builtin__.bytes"):
            return bytes(*value.args)
        assert value.fn == Name("_codecs.encode")
        return value.args[0].encode(value.args[1])
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value


@given(PLAIN, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_data_of_every_protocol(value: Any, protocol: int) -> None:
    assert _plain(load(pickle.dumps(value, protocol))) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_pickle_error(data: bytes) -> None:
    with suppress(PickleError):
        load(data)


class Reduced:
    def __reduce__(self) -> tuple[Any, ...]:
        return sys.exit, (3,), {"state": 1}, iter([4]), iter([("k", 5)])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_call_is_remembered_and_not_made(protocol: int) -> None:
    built = load(pickle.dumps(Reduced(), protocol))
    assert isinstance(built, Built)
    assert built.fn == Name("sys.exit")
    assert built.args == (3,)
    assert _plain(built.state) == {"state": 1}
    assert (built.items, built.pairs) == ([4], [("k", 5)])


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "pickle exhausted"),
        (b"\x80\x02.", "more values than it pushed"),
        (b"\x80\x02N", "pickle exhausted"),
        (b"\x80\x02t.", "no mark"),
        (b"\x80\x02Nh\x07.", "broken"),
        (b"\x80\x02}Na.", "not a list"),
        (b"\x80\x02NNNs.", "not a dict"),
        (b"\x80\x02(N}Nd.", "without a value"),
        (b"\x80\x02NNb.", "did not build"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"p99999999999999999999\n.", "PUT"),
        (b"\x80\x02" + b"N0" * limits.MAX_PICKLE_STEPS + b"N.", "instructions"),
        (b"\x80\x02" + b"N" * (limits.MAX_PICKLE_BYTES + 1), "bytes"),
    ],
)
def test_broken_pickles(data: bytes, word: str) -> None:
    with pytest.raises(PickleError, match=word) as caught:
        load(data)
    assert len(str(caught.value)) < 500


def _saved(value: object) -> Saved:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return Saved(Container("memory", buffer), Budget())


TENSORS = {
    "float": torch.zeros(2, 3),
    "transposed": torch.zeros(2, 3, dtype=torch.int64).t(),
    "part": torch.zeros(10, dtype=torch.bfloat16)[2:8:2],
    "scalar": torch.tensor(True),
    "complex": torch.zeros(1, dtype=torch.complex64),
    "float8": torch.zeros(4, dtype=torch.float8_e4m3fn),
    "unsigned": torch.zeros(4, dtype=torch.uint16),
    "learned": torch.zeros(2, requires_grad=True),
    "parameter": torch.nn.Parameter(torch.zeros(2)),
    "meta": torch.zeros(2, 2, device="meta"),
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_that_torch_saved(name: str) -> None:
    tensor = TENSORS[name]
    found = tensor_of(_saved(tensor).data)
    assert found is not None
    value = found.value
    assert value.dtype == str(tensor.dtype).removeprefix("torch.")
    assert (value.shape, value.stride) == (tuple(tensor.shape), tensor.stride())
    assert (value.offset, value.device) == (tensor.storage_offset(), str(tensor.device))
    assert value.requires_grad == tensor.requires_grad
    assert found.parameter == isinstance(tensor, torch.nn.Parameter)


def test_a_storage_is_shared_by_key() -> None:
    whole = torch.arange(6.0)
    pairs = mapping_of(_saved(collections.OrderedDict(a=whole, b=whole[3:], c=torch.zeros(1))).data) or []
    keys = [tensor.storage for _, held in pairs if (tensor := tensor_of(held))]
    assert keys[0] == keys[1] != keys[2]


def test_constants_that_torch_saved() -> None:
    for value in (None, True, 3, -2.5, "text", 1j):
        found = value_of(load(pickle.dumps(value)))
        assert isinstance(found, Literal)
        assert python_value(found) == value
    for value in (torch.float16, torch.device("cpu"), torch.device("cuda", 1)):
        found = value_of(_saved(value).data)
        assert isinstance(found, Literal)
        assert found.text == str(value)
    assert value_of(load(pickle.dumps(1 << 5000))) is None
    assert value_of(load(pickle.dumps(object()))) is None


def test_tensors_in_tensors_without_end() -> None:
    held: object = None
    for _ in range(100_000):
        held = Built(Name("torch._utils._rebuild_parameter"), (held, True))
    assert tensor_of(held) is None


def test_a_list_that_holds_itself() -> None:
    loop: list[object] = []
    loop.append(loop)
    saved = load(pickle.dumps(loop))
    tree = Tree("list", (Tree("list", (Tree("leaf"),)),))
    unread: list[str] = []
    assert list(sample_leaves(tree, saved, unread.append)) == [None]
    assert unread == ["a container"]


def test_every_leaf_has_its_place_whatever_is_missing() -> None:
    tree = Tree("tuple", (Tree("m.C", (Tree("leaf"), Tree("leaf"))), Tree("leaf")))
    unread: list[str] = []
    found = list(sample_leaves(tree, (Built(Name("m.C"), (1,)), 7), unread.append))
    assert [value and python_value(value) for value in found] == [None, None, 7]  # type: ignore[arg-type]
    assert unread == ["m.C"]


NAMES = st.text(alphabet="ab_01.", max_size=5) | st.sampled_from(
    ["input", "getitem", "x_1", "for", "torch", "2", "é"]
)


@given(st.lists(NAMES, max_size=40))
def test_names_are_those_that_fx_gives(wanted: list[str]) -> None:
    ours, theirs = Namespace(lambda: None), _Namespace()
    assert [ours.take(name) for name in wanted] == [theirs.create_name(name, None) for name in wanted]


def test_the_pickles_of_a_file_share_a_limit() -> None:
    budget = Budget(pickle_steps=60)
    data = pickle.dumps(list(range(20)))
    follow(data, budget)
    follow(data, budget)
    with pytest.raises(PickleError, match="the file's pickles have over"):
        follow(data, budget)
