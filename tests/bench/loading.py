"""Opening a .pt2 as data, without torch, against torch.export.load."""

from __future__ import annotations

from collections.abc import Iterator

from .timing import in_process, mb, table

FRESH = "import warnings; warnings.filterwarnings('ignore')\nfrom tests.bench.paths import archive_path"
OURS = f"{FRESH}\nimport exir_viz.readers.files\nimport exir_viz\npath = archive_path({{name!r}})"
TORCH = f"""{FRESH}
import logging; logging.disable(logging.CRITICAL)
import torch
try:
    import transformers.modeling_outputs  # torch cannot load a file whose pytree classes are not registered
except ImportError:
    pass
path = archive_path({{name!r}})"""


def run() -> None:
    head = ["file", "nodes", "exir_viz.load", "a node", "peak memory", "torch.export.load", "faster by"]
    table("load a .pt2 without torch, each in a fresh process", head, _rows())


def _rows() -> Iterator[list[str]]:
    for name, against in (("llama32.core", True), ("deep1k", False), ("deep10k", True), ("deep100k", False)):
        runs = [
            in_process(
                OURS.format(name=name),
                "exir_viz.load(path)",
                "[len(answer.method.graph), 'torch' in sys.modules]",
            )
            for _ in range(3)
        ]
        ours = sorted(runs, key=lambda one: one.seconds)[1]
        count, torch_loaded = ours.answer
        assert not torch_loaded
        theirs = in_process(TORCH.format(name=name), "torch.export.load(path)") if against else None
        yield [
            name,
            f"{count:,}",
            f"{ours.seconds:.3f} s",
            f"{ours.seconds / count * 1e6:.1f} µs",
            mb(ours.peak_bytes),
            f"{theirs.seconds:.2f} s" if theirs else "not run",
            f"{theirs.seconds / ours.seconds:.0f}x" if theirs else "",
        ]
