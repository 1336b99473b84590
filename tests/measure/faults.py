"""Seeded faults: XNNPACK is given another program than eager torch runs, as by an error in a backend.

Faults look for an op by its shape, not by its name, so that they hit it also in a part of a delegate.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import torch

Fault = Callable[[Any], None]


class Net(torch.nn.Module):
    """A small CNN; each layer has another width."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.second = torch.nn.Conv2d(8, 12, 3, padding=1)
        self.third = torch.nn.Conv2d(12, 16, 3, padding=1)

    def forward(self, x):
        x = self.first(x).relu()
        x = self.second(x).relu()
        return self.third(x).relu()


@contextlib.contextmanager
def fault(change: Fault) -> Iterator[None]:
    """XNNPACK lowers what `change` makes of a program, until the end of the block."""
    from executorch.backends.xnnpack.xnnpack_preprocess import XnnpackBackend

    preprocess = XnnpackBackend.preprocess

    def faulty(program: Any, specs: Any) -> Any:
        changed = copy.deepcopy(program)  # eager torch runs the other one
        change(changed)
        return preprocess(changed, specs)

    XnnpackBackend.preprocess = staticmethod(faulty)
    try:
        yield
    finally:
        XnnpackBackend.preprocess = staticmethod(preprocess)


def changed_weight(*, out: int) -> Fault:
    """One element of each output channel is another number, in each weight with `out` of these."""

    def change(program: Any) -> None:
        for spec in program.graph_signature.input_specs:
            for table in (program.state_dict, program.constants):
                weight = table.get(spec.target)
                if isinstance(weight, torch.Tensor) and weight.dim() > 1 and weight.shape[0] == out:
                    table[spec.target] = _with_another(weight)

    return change


def _with_another(weight: torch.Tensor) -> torch.Tensor:
    changed = weight.detach().clone()
    changed.flatten(1)[:, 5] = 0.9 if changed.is_floating_point() else 120
    return torch.nn.Parameter(changed) if isinstance(weight, torch.nn.Parameter) else changed


def faulty_payload(manager: Any) -> None:
    """Replace the payload of the first delegate by one of a program with another weight."""
    from executorch.exir.backend.backend_api import to_backend

    lowered = manager.exported_program().graph_module.lowered_module_0
    with fault(changed_weight(out=16)):
        other = to_backend(lowered.backend_id, lowered.original_module, lowered.compile_specs)
    lowered._processed_bytes = other._processed_bytes
    lowered._named_data_store_output = other._named_data_store_output
