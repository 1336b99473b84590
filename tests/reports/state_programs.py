"""A decoder with a static cache at each stage, built once in a process."""

from __future__ import annotations

import functools

import torch
from executorch.exir import ExecutorchBackendConfig

from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from tests.corpus.programs import fresh

CACHES = ["key_cache_0", "value_cache_0", "key_cache_1", "value_cache_1"]


@functools.cache
@torch.no_grad()
def stages() -> dict[str, Stage]:
    """As exported, in Core ATen, edge, on XNNPACK, and planned: with and without XNNPACK and in place."""
    root = Session(fresh("qwen2")).root
    core = root.decompose()
    edge = core.edge()
    backend = edge.backend("xnnpack")
    in_place = ExecutorchBackendConfig(run_reinplace_pass=True)
    return {
        "exported": root,
        "core": core,
        "edge": edge,
        "backend": backend,
        "executorch": edge.executorch(),
        "delegated": backend.executorch(),
        "in place": edge.executorch(config=in_place),
    }
