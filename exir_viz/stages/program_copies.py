"""Copy a stage's programs for a step to work on, so that no step changes the stage it starts from.

A copy has its own graphs, state tables, fake values and symbols; it shares weights, example inputs and the
bytes of delegates. Node names stay the same.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from exir_viz.stages.live import LivePrograms
from exir_viz.torch_internals.edge import own_tables

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

_VALUES: Final = ("val", "example_value")


@dataclass(frozen=True)
class LiveCopy:
    """The copied programs; `originals` maps nodes of the fresh copy to those they were copied from."""

    live: LivePrograms
    originals: Mapping[fx.Node, fx.Node]


def copy_programs(live: LivePrograms) -> LiveCopy:
    """A copy of the programs of a stage."""
    from exir_viz.stages.lineage.live_graphs import LiveGraphs
    from exir_viz.torch_internals.fake_values import FakeCopies

    originals = LiveGraphs.of(live.programs)
    fakes = FakeCopies()
    values = [{key: fakes.of(node.meta.get(key)) for key in _VALUES} for node in originals.nodes]
    memo: dict[int, Any] = {}
    for program in live.programs.values():
        memo |= {id(one): fakes.of(one) for one in _shared(program)}
        for module in program.graph_module.modules():
            fakes.environment(vars(module).get("shape_env"))  # torch.export leaves it there
    made = _deep_copy(live, memo | fakes.memo())
    copies = LiveGraphs.of(made.programs)
    for copied, node, own in zip(copies.nodes, originals.nodes, values, strict=True):
        copied.name = node.name  # FX renames the copy of a node called `input`
        copied.meta = {key: own[key] if key in own else _own(value) for key, value in node.meta.items()}
    for place in copies.places:
        if place.lowered is not None and place.program is not None:
            own_tables(place.program)
    return LiveCopy(made, dict(zip(copies.nodes, originals.nodes, strict=True)))


def _deep_copy(live: LivePrograms, memo: dict[int, Any]) -> LivePrograms:
    if live.manager is None:
        programs = {name: copy.deepcopy(one, memo) for name, one in live.programs.items()}
        return replace(live, programs=programs)
    manager = copy.deepcopy(live.manager, memo)
    programs = {name: manager.exported_program(name) for name in live.programs}
    return replace(live, programs=programs, manager=manager)


def _shared(program: ExportedProgram) -> Iterator[Any]:
    """Objects that the copy shares: weights, constants and example inputs."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    yield from program.state_dict.values()
    yield from program.constants.values()
    yield from pytree.tree_leaves(program.example_inputs)
    for module in program.graph_module.modules():
        values: Iterable[Any] = (*vars(module).values(), *module.parameters(False), *module.buffers(False))
        yield from (one for one in values if isinstance(one, torch.Tensor | torch.ScriptObject))


def _own(value: Any) -> Any:
    """Copies of metadata that a pass may change in place, such as `custom`."""
    return copy.copy(value) if type(value) in (dict, list) else value
