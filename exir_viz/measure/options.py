"""Check the options of a measurement before it starts: inputs are arguments, options whole numbers.

Nothing here imports torch before there are inputs: reading a saved Profile needs none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard

from exir_viz.errors import WrongArgument
from exir_viz.options import described, refuse, wrong_argument

# Threads per core: with more they wait for each other, and far more cannot be started.
_MOST_THREADS = 64


def arguments(inputs: Any) -> tuple[Any, ...] | None:
    """The positional arguments of a call, from a tensor or a sequence of them; None for None."""
    if inputs is None:
        return None
    import torch

    if isinstance(inputs, torch.Tensor):
        return (inputs,)
    if isinstance(inputs, Sequence) and not isinstance(inputs, str | bytes):
        return tuple(inputs)
    expected = "a tensor or a tuple of arguments, like (x,). Pass arguments with names as kwargs={…}"
    raise _wrong("inputs", inputs, expected)


def by_name(name: str, value: Any, example: str) -> dict[str, Any]:
    """An option with values by name; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(name, value, f"a dict, like {example}")
    return dict(value)


def several(name: str, values: Any) -> tuple[Any, ...]:
    """The values of a sweep, at least one."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        example = values if isinstance(values, str) and values.isdecimal() else described(values)
        raise _wrong(name, values, f"a list of values to measure, like [{example}]")
    found = tuple(values)
    if not found:
        raise wrong_argument(f"{name} is empty: there is nothing to measure.")
    return found


def check_callback(verb: str, progress: object) -> None:
    """Check that `progress` is callable, or None."""
    if progress is not None and not callable(progress):
        refuse(verb, "progress", progress, "a function that takes a Progress")


def count(name: str, value: object, least: int = 1) -> int:
    """Check an option that is a count."""
    if not is_whole(value) or value < least:
        raise _wrong(name, value, f"a whole number from {least} on")
    return int(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is an integer, numpy's included, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def amount(name: str, value: Any) -> float:
    """Check an option that is a number from 0 on."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not value >= 0:
        raise _wrong(name, value, "a number from 0 on")
    return float(value)


def thread_count(value: object) -> int:
    """Check a number of threads for this machine."""
    found, most = count("threads", value), _MOST_THREADS * (os.cpu_count() or 1)
    if found > most:
        raise _wrong("threads", found, f"at most {most:,} on this machine")
    return found


def _wrong(name: str, value: object, expected: str) -> WrongArgument:
    return wrong_argument(f"{name} is {described(value)}. Expected: {expected}.")
