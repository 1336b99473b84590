"""Copies of programs that share the tensors: a step works on a copy, and no weight is copied for it.

The names of nodes are the same in the copy; `twins` says which node of it is which of the original.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

T = TypeVar("T")


def copied(x: T, programs: Iterable[ExportedProgram]) -> T:
    """A deep copy of a program or manager, but for the tensors and objects that `programs` hold as state."""
    memo: dict[int, Any] = {}
    for program in programs:
        for held in (*program.state_dict.values(), *program.constants.values()):
            memo[id(held)] = held
    return copy.deepcopy(x, memo)


def twins(
    copies: Mapping[str, ExportedProgram], originals: Mapping[str, ExportedProgram]
) -> dict[fx.Node, fx.Node]:
    """Each node of fresh copies → the node of the original that it is a copy of."""
    return {
        twin: node
        for name, program in originals.items()
        for twins, nodes in zip(_graphs(copies[name]), _graphs(program), strict=True)
        for twin, node in zip(twins.nodes, nodes.nodes, strict=True)
    }


def _graphs(program: ExportedProgram) -> Iterator[fx.Graph]:
    from torch import fx

    for module in program.graph_module.modules():
        if isinstance(module, fx.GraphModule):
            yield module.graph
