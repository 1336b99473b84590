"""Tests of the shortcut for generated code: `tests/corpus/generated_code.py`."""

from __future__ import annotations

import linecache
import traceback

import pytest
import torch
from torch.fx import graph_module

from tests.corpus import generated_code


def graph_of(add: float) -> torch.fx.GraphModule:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.view(2, 2) + add

    return torch.fx.symbolic_trace(forward)


def test_equal_sources_are_compiled_once() -> None:
    graph_of(0.125)
    before = generated_code._compiled.cache_info()
    graph_of(0.125)
    graph_of(0.375)
    now = generated_code._compiled.cache_info()
    assert (now.hits - before.hits, now.misses - before.misses) == (1, 1)


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


def test_an_error_names_the_line_of_its_graph() -> None:
    graph_of(1.0)
    wrong = graph_of(1.0)
    with pytest.raises(RuntimeError) as raised:
        wrong.forward(torch.ones(3))
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert last.filename == wrong.forward.__func__.__code__.co_filename
    assert "view" in str(last.line)


def test_another_torch_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(graph_module, "_exec_with_source")
    assert not generated_code.compile_sources_once()
    assert not hasattr(graph_module, "_exec_with_source")
