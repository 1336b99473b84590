"""Programs taken through stages, written as the JSON that the front end's tests read: `NAME.stages.json`.

The same parts that a page carries (see `exir_viz/pages/page_data.py`), the Snapshots as base64 by stage.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import torch

import exir_viz
from exir_viz.pages.page_data import session_data
from exir_viz.snapshot.wire import encode
from tests.stages.failing import failing

from .folder import FOLDER, discard_outdated
from .programs import exported


def _lowered(session: exir_viz.Session) -> None:
    """Core and edge, and a branch."""
    session.root.decompose("core").rename("core").edge().rename("edge")
    session.root.decompose("functional").rename("functional")


def _to_the_end(session: exir_viz.Session) -> None:
    """All the way down, and a branch beside the delegate."""
    edge = session.root.decompose("core").rename("core").edge().rename("edge")
    edge.backend("xnnpack").rename("xnnpack").executorch().rename("executorch")
    edge.executorch().rename("portable")


@torch.no_grad()
def _delegated(session: exir_viz.Session) -> None:
    """To the end without Core ATen on the way: what people do with a transformer."""
    session.root.edge().rename("edge").backend("xnnpack").rename("xnnpack").executorch().rename("executorch")


def _quantized(session: exir_viz.Session) -> None:
    """To the end in 8 bits, calibrated with the example inputs."""
    quantized = session.root.quantize().rename("quantized")
    quantized.edge().rename("edge").backend("xnnpack").rename("xnnpack").executorch().rename("executorch")


def _failing(session: exir_viz.Session) -> None:
    """Batch norm in training is not in Core ATen: edge refuses it."""
    failing(session.root.edge).rename("edge")


WAYS: dict[str, Callable[[exir_viz.Session], None]] = {
    "bert": _lowered,
    "resnet50": _lowered,
    "dynamic_batch": _to_the_end,
    **dict.fromkeys(("llama2", "llama2dynamic", "qwen2", "whisper2", "vit2", "mobilenetv2"), _delegated),
    "resnet11": _quantized,
    "training_mode": _failing,
}


def staged(name: str) -> Path:
    """The file of a program's stages, made when it is not there yet."""
    discard_outdated()
    file = FOLDER / f"{name}.stages.json"
    if not file.exists():
        session = exir_viz.Session(exported(name), name="exported")
        WAYS[name](session)
        files = {
            stage.id: base64.b64encode(encode(stage.snapshot)).decode()
            for stage in session
            if not stage.failed
        }
        file.write_text(json.dumps({**json.loads(session_data(session)), "files": files}))
        if WAYS[name] is _delegated:
            _as_file(name, session["executorch"])
    return file


def _as_file(name: str, stage: exir_viz.types.Stage) -> None:
    """The Snapshot of the stage's `.pte` alone, which has no modules: `NAME.pte.exirviz`."""
    pte = stage.save_pte(FOLDER / f"{name}.pte")
    exir_viz.load(pte).save(FOLDER / f"{name}.pte.exirviz")
    pte.unlink()
