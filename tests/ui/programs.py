"""Snapshots of the corpus for the pages' tests, each read once, and their expected boxes."""

from __future__ import annotations

import base64
import functools
import json

import msgspec

import exir_viz
from exir_viz.snapshot import Graph, wire
from exir_viz.snapshot.program import InputKind
from exir_viz.types import Snapshot
from tests.corpus import eight_layers, programs
from tests.corpus.concepts import CONCEPTS
from tests.corpus.staged import WAYS, staged

FILES = (
    *(
        (name, "aten")
        for name in (*programs.SMALL, "resnet50", "bert", "gpt2", "vit", "mobilenetv2", "llama32")
    ),
    *((name, "core") for name in ("bert", "gpt2", "vit", "resnet50", "mobilenetv2", "llama32")),
    ("deep1k", "aten"),
    ("deep10k", "aten"),
)
# The versions that every page names.
TORCH, EXECUTORCH = "2.13.0+cpu", "1.4.1"
# Unread state: up to this much is opened with everything else.
MOST_IDLE = 40
STATE = {InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ}


@functools.cache
def snapshot(name: str) -> Snapshot:
    """`name`: a concept, "db:" and a name of exportdb, or a file of the corpus, such as "bert.core".

    "llama2:xnnpack" is a stage of a program that the corpus takes through stages; those of eight layers are
    saved.
    """
    program, _, title = name.partition(":")
    if program in eight_layers.MODELS:
        return _with_fixed_versions(exir_viz.load(eight_layers.saved(program, title)))
    if title and program in WAYS:
        return stage(program, title)
    if name in CONCEPTS or name.startswith("db:"):
        return _with_fixed_versions(exir_viz.load(programs.exported(name)))
    base, _, level = name.partition(".")
    return _with_fixed_versions(exir_viz.load(programs.archive(base, level or "aten")))


def _with_fixed_versions(snapshot: Snapshot) -> Snapshot:
    """The same where other versions are installed: a panel shows them, and a longer name takes two lines."""
    origin = snapshot.origin
    fixed = msgspec.structs.replace(
        origin, torch=origin.torch and TORCH, executorch=origin.executorch and EXECUTORCH
    )
    return Snapshot(msgspec.structs.replace(snapshot.skeleton, origin=fixed), snapshot.detail)


def stage(name: str, title: str) -> Snapshot:
    """A stage of `python -m tests.corpus NAME.stages`, by the name that it has there."""
    written = json.loads(staged(name).read_text())
    number = next(one["id"] for one in written["tree"]["stages"] if one["name"] == title)
    return wire.decode(base64.b64decode(written["files"][number]))


def leaves(graph: Graph, seen: set[int] | None = None) -> tuple[int, int]:
    """How many boxes of nodes there are when all is open, and how many groups of state stay closed.

    Every node has a box, save state, which is a chip on the op that reads it or, where nothing does and there
    is much of it, stays put away, and the get_attr that names the graph of a branch, drawn in the op that
    takes the branch.
    """
    seen = seen if seen is not None else set()
    seen.add(graph.number)
    kinds = {spec.arg.name: spec.kind for spec in graph.signature.inputs} if graph.signature else {}
    count, unread, idle = 0, 0, 0
    for node in graph:
        for held in node.subgraphs:
            if held.number not in seen and len(held):
                inner = leaves(held, seen)
                count, idle = count + inner[0], idle + inner[1]
        is_state = node.op == "get_attr" or (node.op == "placeholder" and kinds.get(node.name) in STATE)
        unread += is_state and not node.users
        count += not is_state
    return (count, idle + 1) if unread > MOST_IDLE else (count + unread, idle)
