"""The symbols of an expression, and what torch's naming says of each: s0 and zf0 carry a hint ("backed"),
u0 and zuf0 come from data and do not ("unbacked")."""

import re
from enum import Enum
from typing import Final

from exir_viz.snapshot.expr.tree import Apply, Expr, Symbol


class SymbolKind(Enum):
    """What a symbol's name says of it."""

    SIZE = "s"
    UNBACKED_INT = "u"
    FLOAT = "zf"
    UNBACKED_FLOAT = "zuf"
    OTHER = ""


_TORCH_NAME: Final = re.compile(r"(s|u|zf|zuf)[0-9]+")


def symbol_kind(name: str) -> SymbolKind:
    """The kind of a symbol, by torch's naming."""
    match = _TORCH_NAME.fullmatch(name)
    return SymbolKind(match[1]) if match else SymbolKind.OTHER


def is_unbacked(name: str) -> bool:
    """Whether a symbol comes from data, and has no hint."""
    return symbol_kind(name) in (SymbolKind.UNBACKED_INT, SymbolKind.UNBACKED_FLOAT)


def symbols(expr: Expr) -> dict[str, Symbol]:
    """Name to symbol (with its assumptions), in order of first appearance from the left."""
    found: dict[str, Symbol] = {}
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Symbol):
            found.setdefault(node.name, node)
        elif isinstance(node, Apply):
            stack.extend(reversed(node.args))
    return found
