"""Llamas of eight layers, lowered and saved: lowering them takes minutes, showing them does not.

`python -m tests.corpus.eight_layers` writes the files again. Tests read them like files of users: where each
op is drawn is derived when they are read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch.export import Dim, export

import exir_viz

from .models import Case, _by_name, _llama

FOLDER = Path(__file__).parents[1] / "ui" / "lowered"


def _static() -> Case:
    return _llama(8)()


def _dynamic() -> Case:
    case = _static()
    seq = Dim("seq", min=2, max=64)
    return replace(case, dynamic_shapes={"input_ids": {1: seq}, "use_cache": None}, **_by_name(case))


MODELS = {"llama8": _static, "llama8dynamic": _dynamic}


def saved(name: str, stage: str) -> Path:
    """The file of a stage: edge, xnnpack or executorch."""
    return FOLDER / f"{name}.{stage}.exirviz"


def write() -> None:
    """Export and lower both, and save every stage."""
    for name, make in MODELS.items():
        torch.manual_seed(0)
        case = make()
        with torch.no_grad():
            program = export(case.model, case.args, case.kwargs, dynamic_shapes=case.dynamic_shapes)
            edge = exir_viz.Session(program, name="exported").root.edge()
            delegated = edge.backend("xnnpack")
            lowered = {"edge": edge, "xnnpack": delegated, "executorch": delegated.executorch()}
        for stage, one in lowered.items():
            one.snapshot.save(saved(name, stage))


if __name__ == "__main__":
    write()
