"""The shortcut of the tests through torch's operators finds what torch finds, new operators too."""

from __future__ import annotations

import pytest
import torch
from torch._export import utils

from tests.corpus import operator_lookup


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
