"""Which of the lines that lead to a node is the user's. `labextension/src/snapshot/frames.ts` is its twin.

A line of torch, of the passes that follow it, or of code that they made up is not, as long as another leads
there. The wrappers that strict export and control flow put around a module are torch's too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .records import Frame

_LIBRARY = re.compile(
    # where it is installed; a path may be relative, as `redaction` writes it
    r"(?:^|[/\\])(?:site|dist)-packages[/\\](?:torch|torchao|executorch[/\\]exir)[/\\]"
    # where it was built
    r"|(?:^|[/\\])torch[/\\](?:_\w+|autograd|export|functional|fx|nn|utils)(?:[/\\]|\.py$)"
)
# "<eval_with_key>.7", "<string>", "<frozen runpy>"; what was typed at a prompt has such a name too.
_MADE_UP = re.compile(r"<(?!stdin>|console>|input>|ipython-input|python-input|doctest )")


def users_frame(frames: Sequence[Frame]) -> Frame | None:
    """The innermost frame of the user's code, else the innermost frame; None without frames."""
    mine = (frame for frame in reversed(frames) if is_users(frame.file))
    return next(mine, frames[-1] if frames else None)


def is_users(file: str) -> bool:
    """Is a file of a trace the user's own, or of a library that models are made of?"""
    return not (_LIBRARY.search(file) or _MADE_UP.match(file))
