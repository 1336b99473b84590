"""Two shortcuts for the many decompositions of a test run. They change no result, only the time it takes.

Whenever torch decomposes a program, it goes through the composite operators of all libraries once for each
library, in case one was registered since. That is the fixed price of every `run_decompositions` and every
lowering, however small the program: two or three times 76 times 2 ms, of 320 ms in all. Here it goes through
them once for each list of operators that it makes, and only when the registered operators are others than the
last time.

It then registers thousands of kernels for one decomposition, and evaluates the annotation `Callable[_P, _T]`
twice for each: a fourteenth of the time of the tests of stages. Here equal annotations are made once.

Most tests lower a small program of their own, which no cache of programs can spare them, and torch has no
option for either. `tests/test_operator_lookup.py` checks that new operators are found.
"""

from __future__ import annotations

import collections.abc
import functools
from typing import Any

import torch
from torch import _C
from torch._export import utils
from torch.export import decomp_utils, exported_program

_LOOKUP = "_materialize_cpp_cia_ops"
_LIST = "_collect_all_valid_cia_ops"
_KEY = "CompositeImplicitAutograd"


def look_up_new_operators_only() -> bool:
    """Shorten torch's lookup in this process; False where this torch does it another way."""
    look_up = getattr(utils, _LOOKUP, None)
    registered = getattr(_C, "_dispatch_get_registrations_for_dispatch_key", None)
    if look_up is None or registered is None:
        return False
    seen: list[str] = []
    is_listing = False

    def look_up_where_new() -> None:
        if is_listing:
            return
        now = registered(_KEY)
        if now != seen:
            look_up()
            seen[:] = now

    def list_operators() -> Any:
        nonlocal is_listing
        look_up_where_new()
        is_listing = True
        try:
            return operators()
        finally:
            is_listing = False

    if look_up.__name__ != _LOOKUP:  # it is the shortcut
        return True
    setattr(utils, _LOOKUP, look_up_where_new)
    operators = getattr(utils, _LIST, None)
    for module in (utils, exported_program, decomp_utils):
        if operators is not None and getattr(module, _LIST, None) is operators:
            setattr(module, _LIST, list_operators)
    return True


class _AnyCallable(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return callable(instance)


class Callable(metaclass=_AnyCallable):
    """`collections.abc.Callable`, which makes equal annotations once."""

    def __class_getitem__(cls, arguments: Any) -> Any:
        try:
            return _annotation(arguments)
        except TypeError:  # a list of arguments has no hash
            return collections.abc.Callable[arguments]


@functools.cache
def _annotation(arguments: Any) -> Any:
    return collections.abc.Callable[arguments]


def annotate_once() -> bool:
    """Make equal annotations of kernels once in this process; False where this torch makes none."""
    if getattr(torch._ops, "Callable", None) is collections.abc.Callable:
        torch._ops.Callable = Callable
    return getattr(torch._ops, "Callable", None) is Callable
