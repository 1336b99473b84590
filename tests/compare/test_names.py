"""Modules and state under other names are no difference, but are reported."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.diff import Diff

X = torch.randn(2, 4)


class Net(nn.Module):
    """Modules, in a list and alone, under given names; a buffer of its own."""

    def __init__(self, blocks: str = "blocks", head: str = "head", buffer: str = "scale") -> None:
        super().__init__()
        self.names = blocks, head, buffer
        block = [nn.Sequential(nn.Linear(4, 4), nn.Sigmoid()) for _ in range(3)]
        self.add_module(blocks, nn.ModuleList(block))
        self.add_module(head, nn.Linear(4, 2))
        self.register_buffer(buffer, torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        blocks, head, scale = (getattr(self, name) for name in self.names)
        for block in blocks:
            x = block(x)
        return head(x * scale)


def names(**other: str) -> Diff:
    torch.manual_seed(0)
    before = torch.export.export(Net(), (X,))
    torch.manual_seed(0)
    return exir_viz.diff(before, torch.export.export(Net(**other), (X,)))


def test_modules_tell_their_new_names_once_and_no_difference() -> None:
    diff = names(blocks="layers", head="out")
    assert diff.is_empty
    assert diff.contents.left == (
        "4 modules are matched under other names: `blocks.0` as `layers.0` (and 2 alike), `head` as `out`",
    )


def test_state_tells_the_name_that_is_not_its_modules() -> None:
    diff = names(head="out", buffer="factor")
    assert diff.contents.left == (
        "1 module is matched under another name: `head` as `out`",
        "1 parameter or buffer is matched under another name: `scale` as `factor`",
    )


def test_one_name_is_reported_by_nobody() -> None:
    assert names().contents.left == ()


@pytest.mark.parametrize("strict", [False, True])
def test_another_way_of_exporting_is_no_other_name(strict: bool) -> None:
    module = Net()
    one, other = (torch.export.export(module, (X,), strict=way) for way in (False, strict))
    assert exir_viz.diff(one, other).contents.left == ()


def test_a_comment_quotes_the_names() -> None:
    assert "`head` as `out`" in names(head="out").to_markdown()


def test_a_long_sentence_has_as_many_lines_as_it_needs() -> None:
    diff = names(blocks="a_list_of_layers_with_a_long_name", head="the_head_of_it_all", buffer="a_factor")
    said = " ".join(line.strip() for line in str(diff).partition("Not compared\n")[2].splitlines()).strip()
    assert said == " ".join(diff.contents.left).replace("`", "")
    assert max(map(len, str(diff).splitlines())) <= 96
    assert len(said) > 100
