"""Decompose a program without repeating what is the same for every program.

Why: whenever torch decomposes a program, it goes through the composite operators of all libraries, once for
each library, in case one was registered since; and it makes 22 kernels for each of 500 operators, for the
time of the decomposition. That takes half a second or more in every lowering, however small the program.

Here torch goes through the operators once for each list that it makes, and only if others are registered than
the last time. The kernels are made once; an operator that has other kernels than the last time gets new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from .features import Feature

_LOOKUP: Final = "_materialize_cpp_cia_ops"
_LIST: Final = "_collect_all_valid_cia_ops"
_IS_LISTED: Final = "_is_preservable_cia_op"
_OVERRIDE: Final = "_override_composite_implicit_decomp"
_COMPOSITE: Final = "CompositeImplicitAutograd"

FEATURE: Final = Feature(
    name="quick_decompositions",
    purpose="Lower programs faster: look up torch's operators and make their kernels once",
    without="Lowering takes longer.",
    uses=(
        f"torch._export.utils.{_LOOKUP}()",
        f"torch._export.utils.{_LIST}()",
        f"torch._export.utils.{_IS_LISTED}(op)",
        "torch._export.utils._is_cia_op(op)",
        f"torch.export.exported_program.{_OVERRIDE}(decompositions)",
        "torch._C._dispatch_get_registrations_for_dispatch_key",
        "torch._C._dispatch_has_kernel",
        "torch._subclasses.fake_impls.op_implementations_dict",
        "torch.ops.aten.reshape.default.py_kernels",
        "torch.ops.aten.reshape.default._dispatch_cache.clear()",
    ),
)


class Kernels(NamedTuple):
    """What torch registers for an operator while it decomposes a program."""

    # what it had, and has again afterwards
    before: dict[Any, Any]
    registered: dict[Any, Any]
    # its rule for fake tensors
    rule: Any


# The composite operators that were registered when torch last went through them, and the kernels it made.
_seen: Final[list[str]] = []
_made: Final[dict[Any, Kernels]] = {}


@contextmanager
def quick_decompositions() -> Iterator[None]:
    """While the block runs, torch uses known operators and kernels again. A block within a block changes
    nothing.
    """
    if not FEATURE.is_usable():
        yield
        return
    from torch._export import utils
    from torch._subclasses import fake_impls
    from torch.export import exported_program

    with ExitStack() as stack:
        if getattr(utils, _LOOKUP).__module__ != __name__:
            rules: Any = fake_impls.op_implementations_dict
            override = kernels_made_once(getattr(exported_program, _OVERRIDE), rules, _made)
            stack.enter_context(patch.object(exported_program, _OVERRIDE, override))
            stack.enter_context(operators_looked_up_once(_seen))
        yield


@contextmanager
def operators_looked_up_once(seen: list[str]) -> Iterator[None]:
    """While the block runs, torch goes through its composite operators only if others than `seen` are
    registered.
    """
    from torch import _C
    from torch._export import utils
    from torch.export import decomp_utils, exported_program

    look_up, operators = getattr(utils, _LOOKUP), getattr(utils, _LIST)
    is_listed, is_composite = getattr(utils, _IS_LISTED), utils._is_cia_op
    is_listing = False

    def look_up_where_new() -> None:
        if is_listing:
            return
        now = _C._dispatch_get_registrations_for_dispatch_key(_COMPOSITE)
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

    def is_listed_composite(op: Any) -> bool:  # whether it is composite is cheap to ask, and mostly false
        return _C._dispatch_has_kernel(op.name()) and is_composite(op) and is_listed(op)

    with ExitStack() as stack:
        stack.enter_context(patch.object(utils, _LOOKUP, look_up_where_new))
        stack.enter_context(patch.object(utils, _IS_LISTED, is_listed_composite))
        for module in (utils, exported_program, decomp_utils):
            if getattr(module, _LIST, None) is operators:
                stack.enter_context(patch.object(module, _LIST, list_operators))
        yield


def kernels_made_once(
    override: Callable[..., Any], rules: dict[Any, Any], made: dict[Any, Kernels]
) -> Callable[..., Any]:
    """torch's context of a decomposition, which keeps the kernels that it makes, and the rules, in `made`."""
    from torch import _C

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

    return registered_again
