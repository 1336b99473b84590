"""A file → a live program: the one place where what a file brings can be executed, when asked for."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exir_viz.errors import MalformedFile, NotAllowed

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_NOT_REGISTERED: Final = re.compile(r"Deserializing (?P<cls>\S+) in pytree is not registered")
_NOT_AN_OP: Final = re.compile(r"failed to resolve (?P<op>\S+) to an operator")


def open_program(path: str | os.PathLike[str], *, trust: bool = False) -> ExportedProgram:
    """torch.export.load, which can execute code that the file brings; `trust=True` says that you know.

    Raises NotAllowed without trust, and MalformedFile, with what would help, where torch cannot load it.
    """
    path = Path(path)
    if trust is not True:
        raise NotAllowed(
            f"Will not make a live program of {path.name!r}: torch.export.load unpickles objects and "
            "evaluates expressions that the file brings, so whoever wrote the file can run anything on this "
            "machine with your rights. To look at the file, use exir_viz.load(path), which executes nothing. "
            "If you or someone you trust made it, pass trust=True."
        )
    import torch

    reasons = _Reasons()
    log = logging.getLogger("torch.export")
    log.addHandler(reasons)
    try:
        return torch.export.load(path)
    except OSError:
        raise
    except Exception as error:
        raise _explained(path.name, reasons.found or error) from error
    finally:
        log.removeHandler(reasons)


class _Reasons(logging.Handler):
    """torch.export.load logs why it failed, and then raises that it did."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.found = record.exc_info[1]


def _explained(file: str, error: BaseException) -> MalformedFile:
    """torch's error, and what to do about the two that a sound file can meet."""
    chain: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(chain) < 10:
        chain.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    text = "\n".join(chain)
    if found := _NOT_REGISTERED.search(text):
        return MalformedFile(
            file,
            f"the program takes or returns a {found['cls']}, which torch's pytree does not know here",
            hint=(
                f"Import the module that defines {found['cls'].rpartition('.')[2]} and registers it, or "
                "register it with torch.export.register_dataclass or "
                "torch.utils._pytree.register_pytree_node, then open the file again. exir_viz.load(path) "
                "reads the file without it."
            ),
        )
    if found := _NOT_AN_OP.search(text):
        return MalformedFile(
            file,
            f"the program calls {found['op']}, which is not registered here",
            hint="Import the package that defines this op, then open the file again.",
        )
    last = str(error).strip().splitlines()
    return MalformedFile(
        file, f"torch.export.load could not load it: {type(error).__name__}: {(last or [''])[-1][:500]}"
    )
