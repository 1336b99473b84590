"""In a program of several methods, changes name the method."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz

exir = pytest.importorskip("executorch.exir")


class Sub(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x - y


class Twice(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x - y).sin()


def manager(first: nn.Module, second: nn.Module) -> exir_viz.types.Snapshot:
    x = torch.randn(2, 8)
    return exir_viz.load(
        exir.to_edge({"one": torch.export.export(first, (x, x)), "two": torch.export.export(second, (x, x))})
    )


def test_a_fact_of_an_input_that_is_called_as_a_method_names_its_method() -> None:
    x, row = torch.randn(2, 8), torch.randn(1, 8)
    a, b = (
        exir_viz.load(
            exir.to_edge({"x": torch.export.export(Sub(), (one, x)), "y": torch.export.export(Sub(), (x, x))})
        )
        for one in (x, row)
    )
    facts = [fact.text for fact in exir_viz.diff(a, b).facts]
    assert facts == ["method `x`, input `x`: f32[2, 8] → f32[1, 8]"]


def test_a_fact_names_its_method() -> None:
    found = exir_viz.diff(manager(Sub(), Sub()), manager(Sub(), Twice()))
    assert [fact.text for fact in found.facts] == ["method `two`, nodes: 4 → 5", "method `two`, calls: 1 → 2"]
    assert "method two, calls: 1 → 2" in str(found)
