"""Find the user's line among the stack frames of a node. `labextension/src/snapshot/frames.ts` is its twin.

Lines of torch, of passes, and of code that they generated are skipped, unless there is no other. The wrappers
that strict export and control flow put around a module are torch's too.
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
_GENERATED = re.compile(r"<(?!stdin>|console>|input>|ipython-input|python-input|doctest )")
# How the files begin in which torch puts the code of a graph.
_GRAPH_CODE = "<eval_with_key>"
# The variable that a line of it assigns: "cos" of "cos: 'f32[3]' = torch.ops.aten.cos.default(x);".
_ASSIGNED = re.compile(r"\s*(\w+)(?:\s*:[^=]*)?\s=\s")


def users_frame(frames: Sequence[Frame]) -> Frame | None:
    """The innermost frame of the user's code, else the innermost frame; None without frames."""
    mine = (frame for frame in reversed(frames) if is_users(frame.file))
    return next(mine, frames[-1] if frames else None)


def is_users(file: str) -> bool:
    """Whether a file of a trace is the user's own, or of a library of models."""
    return not (_LIBRARY.search(file) or _GENERATED.match(file))


def is_graph_code(file: str) -> bool:
    """Whether a file of a trace is the code that torch generated for a graph."""
    return file.startswith(_GRAPH_CODE)


def assigned_variable(line: str) -> str:
    """The variable, and so the node, that a line of graph code assigns; "" if none."""
    found = _ASSIGNED.match(line)
    return found[1] if found else ""
