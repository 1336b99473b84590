"""A shortcut for the code that torch generates for a graph, after every pass of a lowering.

Most passes leave most graphs as they are, and the same source is compiled again: a tenth of the time of a
lowering to XNNPACK. Here equal sources are compiled once in a process, and every graph gets code of its own,
with its own file name. `tests/test_generated_code.py` checks that.
"""

from __future__ import annotations

import _imp
import functools
import marshal
from typing import Any

from torch.fx import graph_module

# Compiled sources that are kept.
_MOST = 4096


def compile_sources_once() -> bool:
    """Compile equal sources once in this process; False where this torch does it another way."""
    loader = getattr(graph_module, "_loader", None)
    if loader is None or not hasattr(graph_module, "_exec_with_source"):
        return False

    def execute(source: str, names: dict[str, Any], fields: dict[str, Any] | None = None) -> None:
        file = loader.cache(source, names, fields)
        code = marshal.loads(_compiled(source))
        _imp._fix_co_filename(code, file)
        exec(code, names)

    graph_module._exec_with_source = execute
    return True


@functools.lru_cache(maxsize=_MOST)
def _compiled(source: str) -> bytes:
    return marshal.dumps(compile(source, "<generated>", "exec", dont_inherit=True))
