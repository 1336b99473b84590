"""The values of a program's placeholders: state lifted out of the module, then the user's inputs.

`ExportedProgram.state_dict` aliases the user's module, and programs write to buffers and inputs. So what a
program may write to is copied before each run, with all that shares its memory: the program, the module and
the inputs are never changed, and every run starts from the same state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from .copies import copies
from .writes import written


class State:
    """The placeholders of a program, in order: which are state, which the user passes, which are written."""

    def __init__(self, program: ExportedProgram) -> None:
        specs = program.graph_signature.input_specs
        names = [node.name for node in program.graph.nodes if node.op == "placeholder"]
        marked = written(program.graph_module)
        self._values: list[Any] = [None] * len(specs)
        self._users: list[int] = []
        self._written: list[int] = [at for at, name in enumerate(names) if name in marked]
        for at, spec in enumerate(specs):
            if spec.kind is InputKind.USER_INPUT:
                self._users.append(at)
            else:
                self._values[at] = _lifted(program, spec)

    def values(self, inputs: Sequence[Any]) -> list[Any]:
        """The value of every placeholder for one run, with fresh copies of all that it may write to."""
        values = self._values.copy()
        for at, value in zip(self._users, inputs, strict=True):
            values[at] = value
        if self._written:
            for at, copied in copies(values, self._written).items():
                values[at] = copied
        return values

    @property
    def places(self) -> Iterator[int]:
        """The positions of the placeholders that are state."""
        return (at for at in range(len(self._values)) if at not in self._users)

    def tensors(self) -> Iterator[torch.Tensor]:
        """The state, as in the program."""
        return (value for value in self._values if isinstance(value, torch.Tensor))


def _lifted(program: ExportedProgram, spec: Any) -> Any:
    if spec.kind is InputKind.TOKEN:
        return torch.empty(0, device="cpu")
    if spec.target in program.state_dict:
        return program.state_dict[spec.target]
    return program.constants[spec.target]
