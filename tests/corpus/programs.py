"""The corpus: every program that tests and benchmarks look at, built once and kept for the session.

Three sources: `concepts` (ours, small, one concept each), torch's own exportdb, and the large programs of the
folder `shared` beside the project (absent elsewhere: tests that need it say so and are skipped).
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.export import ExportedProgram, export

from .concepts import CONCEPTS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("EXIR_VIZ_CORPUS", ROOT / ".cache" / "corpus"))
SHARED = Path(os.environ.get("EXIR_VIZ_SHARED", ROOT.parent / "shared"))

SMALL = ("dynamic_batch", "related_dims", "control_flow", "unbacked", "buffer_mutation")
LARGE = ("bert", "gpt2", "llama32", "vit", "resnet50", "mobilenetv2")
DEEP = ("deep1k", "deep10k", "deep100k")
DEEP_STAGES = {"deep1k": 4, "deep10k": 36, "deep100k": 360}


@functools.cache
def maker() -> ModuleType:
    """The module that builds the large programs."""
    file = SHARED / "corpus" / "make_corpus.py"
    if not file.exists():
        pytest.skip(f"the corpus builder {file.name} is not here; set EXIR_VIZ_SHARED to its folder")
    spec = importlib.util.spec_from_file_location("make_corpus", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_corpus"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


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
        module = maker()
        torch.manual_seed(0)
        if name in DEEP_STAGES:
            return export(module._Deep(DEEP_STAGES[name]).eval(), (torch.randn(2, 8),))
        case = {**module.LARGE, **module.SMALL}[name]()
        model = case.model if name in SMALL else case.model.eval()
        with torch.no_grad():
            return export(model, case.args, case.kwargs, dynamic_shapes=case.dynamic_shapes)


@functools.cache
def core(name: str) -> ExportedProgram:
    """The program at Core ATen."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        return exported(name).run_decompositions()


def archive(name: str, level: str = "aten") -> Path:
    """The program saved as `.pt2`, built when it is not there yet."""
    file = FOLDER / (f"{name}.pt2" if level == "aten" else f"{name}.{level}.pt2").replace(":", "-")
    if not file.exists():
        program = exported(name) if level == "aten" else core(name)
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.part.pt2")
        torch.export.save(program, part)
        part.replace(file)
    return file


@functools.cache
def exportdb() -> dict[str, Any]:
    """torch's own examples that torch itself exports, by name."""
    from torch._export.db.examples import all_examples

    return {name: case for name, case in all_examples().items() if case.support_level.name == "SUPPORTED"}


def _exportdb(name: str) -> ExportedProgram:
    case = exportdb()[name]
    return export(case.model, case.example_args, case.example_kwargs, dynamic_shapes=case.dynamic_shapes)
