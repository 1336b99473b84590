"""Export the patterns of Vulkan once in a process.

Vulkan's partitioner looks for patterns, such as a rotary embedding, and exports all of them whenever it is
asked. They do not depend on the program. Exporting them takes seconds.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_MODULE: Final = "executorch.backends.vulkan.patterns"
_MAKE: Final = "all_fusable_graph_patterns"


@contextmanager
def vulkan_patterns() -> Iterator[None]:
    """While the block runs, Vulkan gets the patterns that it exported before."""
    module = sys.modules.get(_MODULE)
    make = getattr(module, _MAKE, None)
    if module is None or make is None:  # not imported, or renamed: asking takes longer
        yield
        return
    setattr(module, _MAKE, lambda: list(_patterns(make)))
    try:
        yield
    finally:
        setattr(module, _MAKE, make)


def keep_vulkan_patterns() -> None:
    """Let Vulkan export each pattern once, and not again for every delegate that it lowers.

    ExecuTorch caches the functions that export them too, but registers the ones without the cache.
    """
    for entry in getattr(sys.modules.get(_MODULE), "fusable_patterns", {}).values():
        make = getattr(entry, "get_graphs_fn", None)
        if make is not None and not hasattr(make, "cache_info"):
            entry.get_graphs_fn = functools.cache(make)


@functools.cache
def _patterns(make: Any) -> tuple[Any, ...]:
    return tuple(make())
