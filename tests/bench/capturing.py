"""Capture against Model Explorer's conversion of the same live program, in the same process and run."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Iterator
from typing import Any

import torch

import exir_viz
from exir_viz.snapshot import wire
from tests.corpus.programs import core

from .timing import in_process, in_turn, mb, measure, table


def convert_with_model_explorer(program: torch.export.ExportedProgram) -> bytes:
    """What Model Explorer sends to its page. Its adapter fails on inputs that are no tensors: mended here."""
    from model_explorer.consts import DEFAULT_SETTINGS
    from model_explorer.pytorch_exported_program_adapter_impl import PytorchExportedProgramAdapterImpl as Impl
    from model_explorer.utils import convert_adapter_response

    def print_tensor(self: Any, tensor: Any, size_limit: int = 16) -> str:
        return stock(self, tensor, size_limit) if isinstance(tensor, torch.Tensor) else json.dumps(tensor)

    stock = Impl.print_tensor
    Impl.print_tensor = print_tensor
    try:
        graphs = Impl(program, DEFAULT_SETTINGS).convert()
    finally:
        Impl.print_tensor = stock
    return json.dumps(convert_adapter_response(graphs)).encode()


def run() -> None:
    program = core("llama32")
    ours = wire.encode(exir_viz.load(program))
    skeleton = wire.encode_skeleton(exir_viz.load(program))
    count = len(program.graph.nodes)
    if importlib.util.find_spec("model_explorer"):
        mine, peer = in_turn(
            lambda: wire.encode(exir_viz.load(program)), lambda: convert_with_model_explorer(program), 7
        )
        theirs = convert_with_model_explorer(program)
        rows = [
            ["program → bytes to send", str(mine), str(peer), f"{mine.median / peer.median:.2f}"],
            [
                "bytes of the picture, compressed",
                mb(len(skeleton)),
                mb(len(gzip.compress(theirs, 6))),
                f"{len(skeleton) / len(gzip.compress(theirs, 6)):.2f}",
            ],
            ["bytes with all metadata, compressed", mb(len(ours)), "not kept", ""],
        ]
    else:
        times = measure(lambda: wire.encode(exir_viz.load(program)))
        rows = [
            ["program → bytes to send", str(times), "not installed", ""],
            ["bytes of the picture, compressed", mb(len(skeleton)), "not installed", ""],
            ["bytes with all metadata, compressed", mb(len(ours)), "not installed", ""],
        ]
    head = ["llama32.core", "exir_viz", "Model Explorer", "ratio"]
    table("capture, llama32.core", head, [["nodes", f"{count:,}", "", ""], *rows])


SETUP = """
import warnings; warnings.filterwarnings("ignore")
import torch, exir_viz
import exir_viz.readers.live
from exir_viz.snapshot import wire
from tests.corpus.programs import archive, exported
program = torch.export.load(archive({name!r}))
"""


def run_linear() -> None:
    """Cost by size: capture to bytes of programs of one kind, each in a fresh process."""
    head = ["program", "nodes", "capture", "a node", "file", "peak memory", "without capture"]
    table("capture by size", head, _by_size())


def _by_size() -> Iterator[list[str]]:
    for name in ("deep1k", "deep10k", "deep100k"):
        setup = SETUP.format(name=name)
        idle = in_process(setup, "None")
        done = in_process(
            setup, "exir_viz.load(program)", "[len(answer.method.graph), len(wire.encode(answer))]"
        )
        count, size = done.answer
        yield [
            name,
            f"{count:,}",
            f"{done.seconds:.2f} s",
            f"{done.seconds / count * 1e6:.1f} µs",
            mb(size),
            mb(done.peak_bytes),
            mb(idle.peak_bytes),
        ]
