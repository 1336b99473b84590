"""The corpus: every program that tests and benchmarks look at, built once and kept for the session.

Three sources: `concepts` (small, one concept each), `models` (real architectures, small and deep ones), and
torch's own exportdb.
"""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram, export

from exir_viz.torch_internals.fake_values import fake_mode_of

from .concepts import CONCEPTS
from .folder import FOLDER, ROOT, discard_outdated
from .models import DEEP, LARGE, SHALLOW, SMALL, case

__all__ = [
    "DEEP",
    "FOLDER",
    "LARGE",
    "ROOT",
    "SMALL",
    "archive",
    "case",
    "core",
    "exportdb",
    "exported",
    "fresh",
]


@functools.cache
def exported(name: str) -> ExportedProgram:
    """A program as torch.export gives it: of the corpus, of exportdb ("db:name") or a concept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in CONCEPTS:
            torch.manual_seed(0)
            return CONCEPTS[name]()
        if name.startswith("db:"):
            return _exportdb(name.removeprefix("db:"))
        model = case(name)
        with torch.no_grad():
            shapes, strict = model.dynamic_shapes, model.strict
            return export(model.model, model.args, model.kwargs, dynamic_shapes=shapes, strict=strict)


@functools.cache
def core(name: str) -> ExportedProgram:
    """The program at Core ATen."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        program = exported(name)
        return (exported.__wrapped__(name) if _has_pending_symbols(program) else program).run_decompositions()


def _has_pending_symbols(program: ExportedProgram) -> bool:
    """Whether a test lowered the shared program with ExecuTorch alone, after which torch refuses it."""
    mode = fake_mode_of(node.meta.get("val") for node in program.graph.nodes)
    return mode is not None and bool(mode.shape_env and mode.shape_env.pending_fresh_unbacked_symbols)


def fresh(name: str, level: str = "aten") -> ExportedProgram:
    """A program as no other test has changed it: a step leaves new symbols in the one that all tests share.

    The programs of real architectures have no symbols that only a run decides, and are shared.
    """
    if name in LARGE or name in SHALLOW or name in DEEP:
        return exported(name) if level == "aten" else core(name)
    program = exported.__wrapped__(name)
    if level == "aten":
        return program
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        return program.run_decompositions()


def archive(name: str, level: str = "aten") -> Path:
    """The program saved as `.pt2`, built when it is not there yet."""
    discard_outdated()
    file = FOLDER / (f"{name}.pt2" if level == "aten" else f"{name}.{level}.pt2").replace(":", "-")
    if not file.exists():
        part = file.with_suffix(f".{os.getpid()}.part.pt2")
        torch.export.save(fresh(name, level), part)
        part.replace(file)
    return file


@functools.cache
def exportdb() -> dict[str, Any]:
    """torch's own examples that torch itself exports, by name."""
    from torch._export.db.examples import all_examples

    return {name: one for name, one in all_examples().items() if one.support_level.name == "SUPPORTED"}


def _exportdb(name: str) -> ExportedProgram:
    example = exportdb()[name]
    return export(
        example.model, example.example_args, example.example_kwargs, dynamic_shapes=example.dynamic_shapes
    )
