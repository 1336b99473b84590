"""Lower a program once more, for another backend, without repeating what cannot change it.

Why: a backend's partitioner sees a program that ExecuTorch decomposed up to three times. torch traces the
whole program each time, also if the table has none of its operators; it copies the origins of every node;
and Vulkan exports the patterns that it looks for, such as a rotary embedding, whenever it is asked.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="quick_lowering",
    purpose="Ask several backends about a program in half the time",
    without="Asking backends about a program takes twice as long.",
    uses=("torch.fx.traceback.NodeSource", "torch.export.ExportedProgram.run_decompositions"),
)


@contextmanager
def quick_lowering() -> Iterator[None]:
    """While the block runs, lowering in this thread leaves out what cannot change the program.

    The first decomposition of each program is always done: it says which node each node came from.
    """
    if not FEATURE.is_usable():
        yield
        return
    from torch.export import ExportedProgram
    from torch.fx.traceback import NodeSource

    original, thread = ExportedProgram.run_decompositions, threading.get_ident()
    made: list[ExportedProgram] = []

    @functools.wraps(original)
    def decomposed(self: Any, decomp_table: Any = None, *more: Any, **named: Any) -> Any:
        if threading.get_ident() != thread:
            return original(self, decomp_table, *more, **named)
        is_made = any(one is self for one in made)
        if is_made and decomp_table is not None and _is_decomposed(self, decomp_table):
            return self
        found = original(self, decomp_table, *more, **named)
        made.append(found)
        return found

    def itself(self: Any, _memo: Any) -> Any:  # nothing changes one after it is made
        return self

    ExportedProgram.run_decompositions = decomposed  # type: ignore[method-assign]
    try:
        with patch.object(NodeSource, "__deepcopy__", itself, create=True):
            yield
    finally:
        ExportedProgram.run_decompositions = original  # type: ignore[method-assign]


def _is_decomposed(program: ExportedProgram, table: Any) -> bool:
    """Whether a program is functional, and has no operator of a table."""
    if program.dialect == "TRAINING":
        return False
    import torch

    graphs = [one for one in program.graph_module.modules() if isinstance(one, torch.fx.GraphModule)]
    return not any(
        node.op == "call_function" and node.target in table for one in graphs for node in one.graph.nodes
    )


def keep_vulkan_patterns() -> None:
    """Let Vulkan export each pattern once, and not again for every program and every delegate.

    ExecuTorch caches the functions that export them too, but registers the ones without the cache.
    """
    module = sys.modules.get("executorch.backends.vulkan.patterns")
    for entry in getattr(module, "fusable_patterns", {}).values():
        export = getattr(entry, "get_graphs_fn", None)
        if export is not None and not hasattr(export, "cache_info"):
            entry.get_graphs_fn = functools.cache(export)
