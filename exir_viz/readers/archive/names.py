"""Names of nodes that the file does not name, as FX generates them when torch rebuilds the graph.

FX counts up from a base until a name is free, and what is free depends on every node before: so every name
of a graph is registered with `Namespace`, in torch's order.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable
from typing import Final

_NAME: Final = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_([0-9]{1,18}))?")
_ILLEGAL: Final = re.compile(r"[^0-9a-zA-Z_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])([A-Z])")
# What FX must not shadow in the Python that it generates.
_RESERVED: Final = {
    *keyword.kwlist,
    *dir(builtins),
    "inf",
    "nan",
    "NoneType",
    "torch",
    "device",
    "fx_pytree",
    "pytree",
}


def snake(name: str) -> str:
    """FX's variable name for an op's or an input's name; `Namespace.take` makes it legal."""
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return _CAMEL.sub(r"_\1", name).lower()


class Namespace:
    """The names of one graph that are taken."""

    def __init__(self, step: Callable[[], None]) -> None:
        """`step` is called for every name that is taken: a file can make the search quadratic."""
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}
        self._step = step

    def take(self, wanted: str) -> str:
        """The name that FX gives to a node that asks for `wanted`."""
        match = _NAME.fullmatch(wanted)
        if match is None:
            wanted = _legal(wanted)
            match = _NAME.fullmatch(wanted)
        base, digits = match.group(1, 2) if match else (wanted, None)
        if digits is None or wanted in self._used:
            count = self._counts.get(base, 0)
            if wanted in _RESERVED:
                count += 1
                wanted = f"{base}_{count}"
        else:
            count = int(digits)
        while wanted in self._used:
            count += 1
            wanted = f"{base}_{count}"
            self._step()
        self._used.add(wanted)
        self._counts[base] = count
        return wanted


def _legal(wanted: str) -> str:
    wanted = _ILLEGAL.sub("_", wanted) or "_unnamed"
    return f"_{wanted}" if wanted[0].isdigit() else wanted
