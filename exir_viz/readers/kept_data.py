"""How much of a program's own data a Snapshot keeps: the same, whichever way the program came in.

Knows no torch. What a file may cost its reader is another matter: see the `limits` of each.
"""

from __future__ import annotations

from typing import Final

from exir_viz.snapshot.program import CompileSpec

# Elements of a constant up to which they are kept, so that a mask or a scale can be seen.
MAX_ELEMENTS: Final = 64
# Characters of a meta field, and bytes of a backend's option, up to which its text is kept.
MAX_TEXT: Final = 200
# The same of what a user put on nodes on purpose: `torch.fx.traceback.annotate`.
MAX_CUSTOM_TEXT: Final = 4000


def compile_spec(key: str, value: bytes | memoryview) -> CompileSpec:
    """An option handed to a backend: its size, and its text where it is some and short."""
    size = len(value)
    if size > MAX_TEXT:
        return CompileSpec(key, size)
    try:
        text = str(value, "utf-8")
    except UnicodeDecodeError:  # an option need not be text: its size is then all there is to say
        return CompileSpec(key, size)
    return CompileSpec(key, size, text if text.isprintable() else None)
