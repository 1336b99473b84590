"""Shortcuts for the many decompositions of a test run. They change no result, only the time it takes.

Whenever torch decomposes a program, it goes through the composite operators of all libraries once for each
library, in case one was registered since. That is the fixed price of every `run_decompositions` and every
lowering, however small the program: two or three times 76 times 2 ms, of 320 ms in all. Here it goes through
them once for each list of operators that it makes, and only when the registered operators are others than the
last time. Of each operator it asks first whether it is composite, which is cheap and mostly false.

It then makes and registers 22 kernels for each of 500 operators, for the time of one decomposition: a quarter
of the time of lowering a small program. Here it makes them once, and every decomposition registers the same
ones. An operator that has other kernels than the last time gets new ones from torch.

Most tests lower a small program of their own, which no cache of programs can spare them, and torch has no
option for any of this. `tests/test_operator_lookup.py` checks that new operators and kernels are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from torch import _C
from torch._export import utils
from torch._subclasses import fake_impls
from torch.export import decomp_utils, exported_program

_LOOKUP = "_materialize_cpp_cia_ops"
_LIST = "_collect_all_valid_cia_ops"
_IS_LISTED = "_is_preservable_cia_op"
_OVERRIDE = "_override_composite_implicit_decomp"
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
    is_composite = getattr(utils, "_is_cia_op", None)
    is_listed = getattr(utils, _IS_LISTED, None)
    if is_composite is not None and is_listed is not None:

        def is_listed_composite(operator: Any) -> bool:
            return _C._dispatch_has_kernel(operator.name()) and is_composite(operator) and is_listed(operator)

        setattr(utils, _IS_LISTED, is_listed_composite)
    return True


class Kernels(NamedTuple):
    """What torch registers for an operator while it decomposes a program."""

    # what it had, and has again afterwards
    before: dict[Any, Any]
    registered: dict[Any, Any]
    # its rule for fake tensors
    rule: Any


def register_kernels_again() -> bool:
    """Make the kernels of decompositions once in this process; False where this torch does it another way."""
    override = getattr(exported_program, _OVERRIDE, None)
    rules = getattr(fake_impls, "op_implementations_dict", None)
    if override is None or rules is None:
        return False
    if override.__name__ == _OVERRIDE:  # it is not the shortcut
        setattr(exported_program, _OVERRIDE, kernels_made_once(override, rules))
    return True


def kernels_made_once(override: Callable[..., Any], rules: dict[Any, Any]) -> Callable[..., Any]:
    """torch's context of a decomposition, which keeps the kernels that it makes, and the rules."""
    made: dict[Any, Kernels] = {}

    @contextmanager
    def registered_again(decompositions: Mapping[Any, Any]) -> Iterator[None]:
        changed: dict[Any, dict[Any, Any]] = {}
        new: dict[Any, dict[Any, Any]] = {}
        for operator, decomposition in decompositions.items():
            kernels = made.get(operator)
            if kernels is None or kernels.before != operator.py_kernels or operator in rules:
                new[operator] = operator.py_kernels.copy()
                continue
            changed[operator] = operator.py_kernels
            operator.py_kernels = {
                **kernels.registered,
                _C.DispatchKey.CompositeImplicitAutograd: decomposition,
            }
            operator._dispatch_cache.clear()
            rules[operator] = kernels.rule
        had_rule = rules.keys() & new.keys()
        try:
            with override({operator: decompositions[operator] for operator in new}):
                for operator in new.keys() - had_rule:
                    made[operator] = Kernels(new[operator], operator.py_kernels.copy(), rules[operator])
                yield
        finally:
            for operator, before in changed.items():
                operator.py_kernels = before
                operator._dispatch_cache.clear()
                rules.pop(operator, None)

    registered_again.__wrapped__ = override
    return registered_again
