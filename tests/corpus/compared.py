"""Two programs and what is between them, written as the JSON that the gallery shows: `NAME.diff.json`."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import msgspec

import exir_viz
from exir_viz.snapshot.wire import decode, encode
from exir_viz.types import Snapshot
from tests.compare.mutate import mutate

from .folder import FOLDER, discard_outdated
from .programs import archive, exported
from .staged import staged


def _without_dropout() -> tuple[Snapshot, Snapshot]:
    """A pass that takes the dropouts of a module out."""
    before = exported("module_called_twice")
    after = deepcopy(before)
    for node in list(after.graph.nodes):
        if "dropout" in str(node.target):
            node.replace_all_uses_with(node.args[0])
            after.graph.erase_node(node)
    after.graph_module.recompile()
    return exir_viz.load(before), exir_viz.load(after)


def _to_core() -> tuple[Snapshot, Snapshot]:
    return exir_viz.load(archive("bert", "aten")), exir_viz.load(archive("bert", "core"))


def _same() -> tuple[Snapshot, Snapshot]:
    snapshot = exir_viz.load(archive("bert", "core"))
    return snapshot, snapshot


def _mutant() -> tuple[Snapshot, Snapshot]:
    """Modules that hold nothing any more, and state that nobody reads."""
    before, _ = _to_core()
    return before, mutate(mutate(before, "inline", 0.3).b, "delete", 0.8).b


def _emitted() -> tuple[Snapshot, Snapshot]:
    """What a backend took, and what ExecuTorch makes of it."""
    files = json.loads(staged("dynamic_batch").read_text())["files"]
    first, *_, last = (decode(base64.b64decode(file)) for file in files.values())
    return first, last


PAIRS: dict[str, Callable[[], tuple[Snapshot, Snapshot]]] = {
    "dropout": _without_dropout,
    "core": _to_core,
    "same": _same,
    "mutant": _mutant,
    "emitted": _emitted,
}


def compared(name: str) -> Path:
    """The file of a comparison, made when it is not there yet."""
    discard_outdated()
    file = FOLDER / f"{name}.diff.json"
    if not file.exists():
        diff = exir_viz.diff(*PAIRS[name]())
        sides = [base64.b64encode(encode(side)).decode() for side in (diff.a, diff.b)]
        parts = {"sides": sides, "comparison": diff.comparison, "text": diff.text()}
        file.write_bytes(msgspec.json.encode(parts))
    return file
