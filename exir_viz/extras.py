"""The extras of pyproject.toml: what each one installs, and the error where a verb needs one that is missing.

Nothing is imported to find that out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from exir_viz.errors import MissingExtra

# Extra → what each verb that needs it imports. ExecuTorch's own name is only a folder's: exir has its code.
EXTRAS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "torch": ("torch",),
        "executorch": ("torch", "executorch.exir"),
        "pandas": ("pandas",),
        "parquet": ("pandas", "pyarrow"),
        "charts": ("plotly",),
        "notebook": ("anywidget", "ipywidgets"),
    }
)


def needs_extra(verb: str, extra: str, *more: str) -> None:
    """Raise MissingExtra if an extra is not installed. `verb` needs it, as users write it: "load()".

    `more`: other packages of the extra that this verb imports.
    """
    absent = (*missing(extra), *(name for name in more if not _is_here(name)))
    if absent:
        raise MissingExtra(verb, absent, extra)


def is_installed(extra: str) -> bool:
    """Whether everything that an extra installs is here."""
    return not missing(extra)


def missing(extra: str) -> tuple[str, ...]:
    """The packages of an extra that are not installed."""
    return tuple(name.partition(".")[0] for name in EXTRAS[extra] if not _is_here(name))


def _is_here(name: str) -> bool:
    loaded = sys.modules.get(name)
    if loaded is not None:
        return True
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # the package that it is in is missing, or hidden
        return False
    # A folder of this name where Python was started is found too; it has no code of its own.
    return spec is not None and spec.origin is not None
