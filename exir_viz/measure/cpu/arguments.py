"""Compile a node's arguments to a function from registers to the values that the op is called with.

As much as possible is decided before the run: constants are in registers, and a flat list of arguments is
fetched in one call into C.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from torch import fx

Registers: TypeAlias = list[Any]
Fetch: TypeAlias = Callable[[Registers], Any]


class ArgumentCompiler:
    """Compiles the arguments of one graph; `template` gets a register for each constant."""

    def __init__(self, slots: dict[fx.Node, int], template: Registers) -> None:
        self._slots = slots
        self._template = template
        self._constants: dict[tuple[type, Any], int] = {}

    def positional(self, args: Sequence[Any]) -> Fetch:
        """A function that returns the positional arguments."""
        if any(self._is_nested(arg) for arg in args):
            return _sequence_of(tuple, [self.one(arg) for arg in args])
        slots = [self._slot(arg) for arg in args]
        if len(slots) < 2:
            # itemgetter of one index returns the item; of a slice, a list with it
            return operator.itemgetter(slice(slots[0], slots[0] + 1)) if slots else _nothing
        return operator.itemgetter(*slots)

    def keywords(self, kwargs: dict[str, Any]) -> Fetch:
        """A function that returns the keyword arguments."""
        return _dict_of({name: self.one(arg) for name, arg in kwargs.items()})

    def one(self, arg: Any) -> Fetch:
        """A function that returns one argument."""
        if not self._is_nested(arg):
            return operator.itemgetter(self._slot(arg))
        if isinstance(arg, dict):
            return _dict_of({name: self.one(item) for name, item in arg.items()})
        if isinstance(arg, slice):
            return _slice_of(self.one(arg.start), self.one(arg.stop), self.one(arg.step))
        kind = type(arg) if hasattr(arg, "_fields") else tuple if isinstance(arg, tuple) else list
        return _sequence_of(kind, [self.one(item) for item in arg])

    def _is_nested(self, arg: Any) -> bool:
        return not isinstance(arg, fx.Node) and has_nodes(arg)

    def _slot(self, arg: Any) -> int:
        if isinstance(arg, fx.Node):
            return self._slots[arg]
        if type(arg) in (int, bool, float, str, type(None)):
            key = (type(arg), repr(arg))  # repr, because 0.0 and -0.0 are equal but not the same constant
            if key not in self._constants:
                self._constants[key] = self._constant(arg)
            return self._constants[key]
        return self._constant(plain(arg))

    def _constant(self, value: Any) -> int:
        self._template.append(value)
        return len(self._template) - 1


def has_nodes(arg: Any) -> bool:
    """Whether a structure of arguments contains a node."""
    if isinstance(arg, fx.Node):
        return True
    if isinstance(arg, dict):
        return any(map(has_nodes, arg.values()))
    if isinstance(arg, slice):
        return any(map(has_nodes, (arg.start, arg.stop, arg.step)))
    return isinstance(arg, (list, tuple)) and any(map(has_nodes, arg))


def plain(arg: Any) -> Any:
    """FX's immutable lists and dicts as plain ones."""
    if isinstance(arg, dict):
        return {name: plain(item) for name, item in arg.items()}
    if isinstance(arg, list):
        return [plain(item) for item in arg]
    if type(arg) is tuple:
        return tuple(map(plain, arg))
    return arg


def _nothing(_: Registers) -> tuple[()]:
    return ()


def _sequence_of(kind: type, fetches: list[Fetch]) -> Fetch:
    if hasattr(kind, "_fields"):
        return lambda registers: kind(*[fetch(registers) for fetch in fetches])
    return lambda registers: kind([fetch(registers) for fetch in fetches])


def _dict_of(fetches: dict[str, Fetch]) -> Fetch:
    return lambda registers: {name: fetch(registers) for name, fetch in fetches.items()}


def _slice_of(start: Fetch, stop: Fetch, step: Fetch) -> Fetch:
    return lambda registers: slice(start(registers), stop(registers), step(registers))
