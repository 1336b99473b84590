"""Rename symbols: two exports may call the same input size s77 and s12.

A symbol is the same where both programs read it at the same place of the same input.
"""

from __future__ import annotations

from collections.abc import Mapping

from exir_viz.snapshot import Method, Snapshot
from exir_viz.snapshot.symbol_names import renamed, symbols_of, user_names

from .paired_methods import methods


def in_the_same_words(a: Snapshot, b: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Both with a's names for the symbols that are the same, or with the user's where either knows them."""
    b = renamed(b, _names(a, b))
    names = user_names([*symbols_of(a), *symbols_of(b)])
    return renamed(a, names), renamed(b, names)


def _names(a: Snapshot, b: Snapshot) -> Mapping[str, str]:
    """By b's name: a's. Empty unless renaming keeps all symbols distinct."""
    found: dict[str, str] = {}
    for before, after in methods(a, b):
        ours = _places(before)
        for place, symbol in _places(after).items():
            if place in ours:
                found.setdefault(symbol, ours[place])
    kept = {symbol.name for method in b.methods.values() for symbol in method.symbols} - found.keys()
    distinct = len(set(found.values())) == len(found) and kept.isdisjoint(found.values())
    return found if distinct and any(old != new for old, new in found.items()) else {}


def _places(method: Method) -> dict[tuple[str, str], str]:
    """By input (its path, or its position) and path within its value: the symbol read there."""
    inputs = {spec.arg.name: spec.path or f"{at}" for at, spec in enumerate(method.signature.inputs)}
    return {
        (inputs[binding.node], binding.path): symbol.name
        for symbol in method.symbols
        for binding in symbol.bindings
        if binding.node in inputs
    }
