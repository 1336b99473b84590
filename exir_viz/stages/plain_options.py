"""Options of a step as plain data, as records keep and send them."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping
from typing import Any, Final

_DEEPEST: Final = 4
_MOST: Final = 1000
_LONGEST: Final = 300


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as JSON can hold them: an operator by its name, a pass by its class."""
    return {str(name): _plain(value, 0) for name, value in options.items()}


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        return [_plain(one, depth + 1) for one in list(value)[:_MOST]]
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(key): _plain(one, depth + 1) for key, one in list(value.items())[:_MOST]}
    return _text(value)


def _text(value: Any) -> str:
    while isinstance(value, functools.partial):
        value = value.func
    if "torch" in sys.modules:
        from exir_viz.torch_internals.operators import is_operator

        if is_operator(value):
            return str(value)
    if inspect.isroutine(value) or inspect.isclass(value):
        return str(value.__qualname__)[:_LONGEST]
    return type(value).__qualname__
