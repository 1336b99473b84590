"""How much of a program's own data a Snapshot keeps: the same, whichever way the program came in.

Knows no torch. What a file may cost its reader is another matter: see the `limits` of each.
"""

from __future__ import annotations

import json
from typing import Final

from exir_viz.snapshot.program import CompileSpec

# Elements of a constant up to which they are kept, so that a mask or a scale can be seen.
MAX_ELEMENTS: Final = 64
# Characters of a meta field, and bytes of a backend's option, up to which its text is kept.
MAX_TEXT: Final = 200
# The same for the user's own annotations: `torch.fx.traceback.annotate`.
MAX_CUSTOM_TEXT: Final = 4000


# Lists in lists of such data: far fewer than Python's own functions can follow.
MAX_JSON_DEPTH: Final = 100


def json_text(value: object) -> str:
    """JSON of decoded JSON; raises ValueError where it is nested too deeply."""
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [
            child
            for one in level
            if isinstance(one, (dict, list, tuple))
            for child in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return json.dumps(value, sort_keys=True)
    raise ValueError(f"is nested more than {MAX_JSON_DEPTH} deep")


def compile_spec(key: str, value: bytes | memoryview) -> CompileSpec:
    """A backend's option: its size, and its text if it is short and printable."""
    size = len(value)
    if size > MAX_TEXT:
        return CompileSpec(key, size)
    try:
        text = str(value, "utf-8")
    except UnicodeDecodeError:  # not text: only its size is kept
        return CompileSpec(key, size)
    return CompileSpec(key, size, text if text.isprintable() else None)
