"""While a step runs, torch finds the operators and kernels that it finds otherwise, new ones too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import _C
from torch._export import utils
from torch._subclasses import fake_impls
from torch.export import decomp_utils, exported_program

from exir_viz.torch_internals import quick_decompositions as quick
from tests.corpus.shortcuts import without_shortcuts


@pytest.fixture(autouse=True)
def as_torch_is() -> Iterator[None]:
    with without_shortcuts():
        yield


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each time that torch goes through all operators."""
    found: list[int] = []
    monkeypatch.setattr(utils, "_materialize_cpp_cia_ops", lambda: found.append(1))
    return found


@contextmanager
def twice_registered() -> Iterator[None]:
    """While the block runs, there is one more composite operator."""
    library = torch.library.Library("exirviz_lookup", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
    try:
        yield
    finally:
        library._destroy()


def test_operators_are_looked_up_when_there_are_new_ones(calls: list[int]) -> None:
    seen: list[str] = []
    for _ in range(2):
        with quick.operators_looked_up_once(seen):
            utils._materialize_cpp_cia_ops()
            utils._materialize_cpp_cia_ops()
    assert len(calls) == 1
    with twice_registered(), quick.operators_looked_up_once(seen):
        utils._materialize_cpp_cia_ops()
        utils._materialize_cpp_cia_ops()
    assert len(calls) == 2


def test_new_operators_are_asked_for_once_for_a_list(
    calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """torch asks for each library of the list."""
    asked: list[str] = []
    registered = _C._dispatch_get_registrations_for_dispatch_key

    def counted(key: str) -> list[str]:
        asked.append(key)
        return registered(key)

    monkeypatch.setattr(_C, "_dispatch_get_registrations_for_dispatch_key", counted)
    with quick.operators_looked_up_once([]):
        utils._collect_all_valid_cia_ops()  # the first goes through them, and asks too
        for module in (utils, exported_program, decomp_utils):
            asked.clear()
            found = module._collect_all_valid_cia_ops()
            assert len(asked) == 1
            assert torch.ops.aten.linear.default in found
    assert len(calls) == 1


KEY = _C.DispatchKey.CompositeImplicitAutograd
# One without kernels in Python, and one with.
OPERATORS = (torch.ops.aten.linear.default, torch.ops.aten.upsample_nearest2d.vec)


def preserve(*args: object) -> object:
    return NotImplemented


def decompose(*args: object) -> object:
    return args


def name_of(kernel: Any) -> str:
    return getattr(getattr(kernel, "func", kernel), "__qualname__", "none")


def registered() -> list[object]:
    """The kernels of the operators, and their rules for fake tensors, by the functions that they are."""
    return [
        (
            {key: name_of(kernel) for key, kernel in one.py_kernels.items()},
            name_of(fake_impls.op_implementations_dict.get(one)),
        )
        for one in OPERATORS
    ]


@pytest.fixture
def overrides() -> tuple[Any, Any, list[list[Any]]]:
    """torch's context of a decomposition, that of a step, and the operators that were new to it."""
    made: list[list[Any]] = []
    torchs = exported_program._override_composite_implicit_decomp

    def counted(decompositions: dict[Any, Any]) -> Any:
        made.append(list(decompositions))
        return torchs(decompositions)

    rules: dict[Any, Any] = fake_impls.op_implementations_dict
    return torchs, quick.kernels_made_once(counted, rules, {}), made


def test_kernels_are_made_once_and_are_those_of_torch(overrides: tuple[Any, Any, list[list[Any]]]) -> None:
    torchs, again, made = overrides
    before = registered()
    for function in (preserve, decompose, preserve):
        decompositions = dict.fromkeys(OPERATORS, function)
        with torchs(decompositions):
            expected = registered()
        with again(decompositions):
            assert registered() == expected
            assert all(one.py_kernels[KEY] is function for one in OPERATORS)
            assert not any(one._dispatch_cache for one in OPERATORS)
        assert registered() == before
    assert made == [[*OPERATORS], [], []]


def test_operators_with_other_kernels_get_new_ones(overrides: tuple[Any, Any, list[list[Any]]]) -> None:
    _, again, made = overrides
    one, other = OPERATORS
    decompositions = dict.fromkeys(OPERATORS, preserve)
    with again(decompositions), again(decompositions):
        pass
    one.py_kernels[_C.DispatchKey.CPU] = decompose
    try:
        with again(decompositions):
            assert one.py_kernels[_C.DispatchKey.CPU] is decompose
    finally:
        del one.py_kernels[_C.DispatchKey.CPU]
    assert made == [[one, other], [one, other], [one]]


def test_kernels_are_as_before_after_an_error(overrides: tuple[Any, Any, list[list[Any]]]) -> None:
    _, again, _ = overrides
    before = registered()
    for _ in range(2):
        with pytest.raises(KeyError), again(dict.fromkeys(OPERATORS, preserve)):
            raise KeyError
        assert registered() == before


def test_a_composite_operator_that_is_new_is_found() -> None:
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    with quick.quick_decompositions():
        program.run_decompositions()
    with twice_registered(), quick.quick_decompositions():
        found = {operator.name() for operator in utils._collect_all_valid_cia_ops()}
        assert "exirviz_lookup::twice" in found
