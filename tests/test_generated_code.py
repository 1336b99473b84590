"""Tests of the shortcut for generated code: `tests/corpus/generated_code.py`."""

from __future__ import annotations

import copy
import linecache
import pickle
import traceback
from collections.abc import Callable

import pytest
import torch


def graph_of(add: float) -> torch.fx.GraphModule:
    def forward(x):
        return x.view(2, 2) + add

    return torch.fx.symbolic_trace(forward)


@pytest.mark.parametrize(
    "use",
    [
        lambda module: module(torch.ones(4)),
        lambda module: module.forward(torch.ones(4)),
        lambda module: type(module).forward,
        lambda module: module.code,
        str,
        pickle.dumps,
    ],
)
def test_code_is_generated_when_it_is_needed(use: Callable[[torch.fx.GraphModule], object]) -> None:
    module = graph_of(1.0)
    assert "_code" not in module.__dict__
    use(module)
    assert "view" in module.__dict__["_code"]


def test_every_graph_has_code_of_its_own() -> None:
    one, two, other = graph_of(1.0), graph_of(1.0), graph_of(2.0)
    assert one.code == two.code != other.code
    x = torch.ones(4)
    assert [each(x).sum().item() for each in (one, two, other)] == [8, 8, 12]
    codes = [each.forward.__func__.__code__ for each in (one, two)]
    assert codes[0] is not codes[1]
    names = [code.co_filename for code in codes]
    assert names[0] != names[1]
    assert all("view" in "".join(linecache.getlines(name)) for name in names)


def test_a_graph_that_changes_has_new_code_and_so_have_its_copies() -> None:
    module, x = graph_of(1.0), torch.ones(4)
    assert module(x).sum().item() == 8
    (node,) = (one for one in module.graph.nodes if one.name == "add")
    node.args = (node.args[0], 2.0)
    module.recompile()
    twin, again = copy.deepcopy(module), pickle.loads(pickle.dumps(module))
    assert [one(x).sum().item() for one in (module, twin, again)] == [12, 12, 12]
    assert "2.0" in module.recompile().src


def test_an_error_names_the_line_of_its_graph() -> None:
    graph_of(1.0)
    wrong = graph_of(1.0)
    with pytest.raises(RuntimeError) as raised:
        wrong.forward(torch.ones(3))
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert last.filename == wrong.forward.__func__.__code__.co_filename
    assert "view" in str(last.line)
