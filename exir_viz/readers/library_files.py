"""Whether a file belongs to torch, ExecuTorch or exir_viz, by the folders that these are installed in.

Names of folders are no evidence: a checkout may be called exir_viz, and a user's project torch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import exir_viz

_OWN: Final = Path(exir_viz.__file__).resolve().parent
_NAMES: Final = ("torch", "functorch", "torchgen", "executorch", "torchao")


def is_library(file: str) -> bool:
    """Whether a file belongs to one of these packages. Only imported packages count."""
    parents = Path(file).resolve().parents
    return _OWN in parents or bool(library_of(file))


def library_of(file: str) -> str:
    """The name of the package that a file is of, such as "torch"; "" for all other code, ours too."""
    parents = Path(file).resolve().parents
    return next((name for name, folder in _folders() if folder in parents), "")


def _folders() -> Iterator[tuple[str, Path]]:
    for name in _NAMES:
        for folder in getattr(sys.modules.get(name), "__path__", ()):
            yield name, Path(folder).resolve()
