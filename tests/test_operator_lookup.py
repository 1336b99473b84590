"""The shortcut of the tests through torch's operators finds what torch finds, new operators too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import _C
from torch._export import utils
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


def test_annotations_are_those_of_python() -> None:
    assert operator_lookup.annotate_once()
    made = torch._ops.Callable
    assert made[[int], str] == Callable[[int], str]
    assert made[..., str] == Callable[..., str]
    assert made[..., str] is made[..., str]
    assert isinstance(len, made)
    assert not isinstance(1, made)


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
