"""Check that a field of a node's meta has the form that torch gives it.

A user's pass may put any value into any field. A field of another form is no error: it is not interpreted,
but listed among the node's extras, by name and type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from torch.fx.traceback import NodeSource

# Numbers are exact in every language that a Snapshot is read in.
_MAX_HANDLE: Final = (1 << 53) - 1


def unexpected_fields(meta: Mapping[Any, Any]) -> list[str]:
    """The fields that are there and are not what their name promises; None is what any may be."""
    return [
        name
        for name, fits in _FORMS.items()
        if name in meta and (value := meta[name]) is not None and not fits(value)
    ]


# Every node of a program passes here: plain loops cost half of what generators do.


def _is_list_of(value: Any, kind: type) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    for item in value:  # noqa: SIM110
        if not isinstance(item, kind):
            return False
    return True


def _are_named(entries: Iterable[Any]) -> bool:
    """Pairs of a name and what it names."""
    for entry in entries:
        if not isinstance(entry, tuple) or len(entry) != 2 or not isinstance(entry[0], str):
            return False
    return True


def _is_stack(value: Any) -> bool:
    return isinstance(value, dict) and _is_list_of(list(value), str) and _are_named(value.values())


def _is_handle(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MAX_HANDLE


def _has_plan(value: Any) -> bool:
    return any(hasattr(leaf, "mem_id") for leaf in (value if isinstance(value, (list, tuple)) else [value]))


_FORMS: Final[dict[str, Callable[[Any], bool]]] = {
    "stack_trace": lambda value: isinstance(value, str),
    "nn_module_stack": _is_stack,
    "from_node": lambda value: _is_list_of(value, NodeSource),
    "torch_fn": lambda value: _is_list_of(value, str),
    "source_fn_stack": lambda value: isinstance(value, (list, tuple)) and _are_named(value),
    "debug_handle": _is_handle,
    "spec": _has_plan,
    "unbacked_bindings": lambda value: isinstance(value, dict) and _is_list_of([*value.values()], tuple),
}
