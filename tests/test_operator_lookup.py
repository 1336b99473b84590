"""The shortcuts of the tests find the operators and kernels that torch finds, new ones too."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import _C
from torch._export import utils
from torch._subclasses import fake_impls
from torch.export import decomp_utils, exported_program

from tests.corpus import operator_lookup


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test patches here is as before after it."""
    for module in (utils, exported_program, decomp_utils):
        monkeypatch.setattr(module, operator_lookup._LIST, getattr(module, operator_lookup._LIST))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each time that torch goes through all operators."""
    found: list[int] = []

    def _materialize_cpp_cia_ops() -> None:
        found.append(1)

    if not hasattr(utils, "_materialize_cpp_cia_ops"):
        pytest.skip("this torch looks operators up another way")
    monkeypatch.setattr(utils, "_materialize_cpp_cia_ops", _materialize_cpp_cia_ops)
    assert operator_lookup.look_up_new_operators_only()
    return found


def test_operators_are_looked_up_when_there_are_new_ones(calls: list[int]) -> None:
    for _ in range(3):
        utils._materialize_cpp_cia_ops()
    assert len(calls) == 1
    library = torch.library.Library("exirviz_lookup", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
    try:
        for _ in range(3):
            utils._materialize_cpp_cia_ops()
        assert len(calls) == 2
    finally:
        library._destroy()


def test_new_operators_are_asked_for_once_for_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch asks for each library of the list."""
    asked: list[str] = []
    registered = _C._dispatch_get_registrations_for_dispatch_key

    def counted(key: str) -> list[str]:
        asked.append(key)
        return registered(key)

    def _materialize_cpp_cia_ops() -> None:
        pass

    monkeypatch.setattr(_C, "_dispatch_get_registrations_for_dispatch_key", counted)
    monkeypatch.setattr(utils, "_materialize_cpp_cia_ops", _materialize_cpp_cia_ops)
    assert operator_lookup.look_up_new_operators_only()
    utils._collect_all_valid_cia_ops()  # the first goes through them, and asks too
    for module in (utils, exported_program, decomp_utils):
        asked.clear()
        found = module._collect_all_valid_cia_ops()
        assert len(asked) == 1
        assert torch.ops.aten.linear.default in found


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
    """torch's context of a decomposition, that with the shortcut, and the operators that were new to it."""
    assert operator_lookup.register_kernels_again()
    made: list[list[Any]] = []
    torchs = exported_program._override_composite_implicit_decomp.__wrapped__

    def counted(decompositions: dict[Any, Any]) -> Any:
        made.append(list(decompositions))
        return torchs(decompositions)

    rules: dict[Any, Any] = fake_impls.op_implementations_dict
    return torchs, operator_lookup.kernels_made_once(counted, rules), made


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
    operator_lookup.look_up_new_operators_only()
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    program.run_decompositions()
    library = torch.library.Library("exirviz_lookup", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
    try:
        found = {operator.name() for operator in utils._collect_all_valid_cia_ops()}
        assert "exirviz_lookup::twice" in found
    finally:
        library._destroy()
