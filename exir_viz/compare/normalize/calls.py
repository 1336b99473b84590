"""Calls in a comparable form: equal calls are equal however they are written.

A list is a tuple, since a file does not distinguish them. If the op's schema is known, a keyword argument
becomes positional, an explicit default is omitted, and so are `out` arguments: `.pte` files write all of
them, by position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exir_viz.snapshot.emitted_enums import emitted_literal
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Literal,
    LiteralType,
    NodeArg,
    SequenceArg,
    Target,
)

from .schemas import Parameter, parameters, spread

_SEQUENCES = ("list", "tuple", "immutable_list")
# A delegate call has only nodes as arguments, reported as inputs; a file omits the attribute that names the
# delegate.
DELEGATE = "executorch_call_delegate"
_VIEWS = frozenset({"executorch.exir.memory.view", "executorch_prim.et_view.default"})
_NUMBERS = (LiteralType.INT, LiteralType.FLOAT)


def comparable(call: Call, target: Target) -> Call:
    """The call in comparable form. A view's size is part of its value."""
    if target.name == DELEGATE or op_name(target) in _VIEWS:
        return Call()
    call = _with_lists(call)
    known = parameters(target)
    given = None if known is None else named(call, known)
    if known is None or given is None:
        return call
    by_place = [one for one in known if not one.by_name]
    last = max((at for at, one in enumerate(by_place, 1) if one.name in given), default=0)
    args = [given.get(one.name, one.default) for one in by_place[:last]]
    if None in args:
        return call
    names = tuple(one.name for one in known if one.by_name and one.name in given)
    return Call(tuple(arg for arg in args if arg is not None), names, tuple(given[name] for name in names))


def named(call: Call, known: Sequence[Parameter]) -> dict[str, Arg] | None:
    """By name: arguments that are neither defaults nor `out`; None if a name is unknown."""
    by_name = {one.name: one for one in known}
    if len(call.args) > len(known) or not by_name.keys() >= set(call.names):
        return None
    given: Mapping[str, Arg] = {
        **{one.name: arg for one, arg in zip(known, call.args, strict=False)},
        **dict(zip(call.names, call.values, strict=True)),
    }
    return {
        name: as_declared(arg, by_name[name])
        for name, arg in given.items()
        if not by_name[name].is_out and not _is_default(arg, by_name[name])
    }


def outs(call: Call, known: Sequence[Parameter]) -> list[int]:
    """The positions of `out` arguments among the inputs of a call."""
    by_name = {one.name: one for one in known}
    given = (
        *zip(known, call.args, strict=False),
        *((by_name.get(name), arg) for name, arg in zip(call.names, call.values, strict=True)),
    )
    return [at for one, arg in given if one is not None and one.is_out for at in _nodes(arg)]


def as_declared(arg: Arg, parameter: Parameter) -> Arg:
    """Converted to its parameter's type: 1 for a float is 1.0, 0 for two numbers [0, 0], 6 for a dtype
    float32.
    """
    if not isinstance(arg, Literal):
        return arg
    kind = parameter.type.rstrip("?")
    if arg.type is not LiteralType.INT:
        return spread(arg, kind)
    if kind == "float":
        return Literal(LiteralType.FLOAT, repr(float(arg.text)))
    return emitted_literal(kind, int(arg.text)) or spread(arg, kind)


def _is_default(arg: Arg, parameter: Parameter) -> bool:
    arg, default = as_declared(arg, parameter), parameter.default
    if isinstance(arg, Literal) and isinstance(default, Literal) and {arg.type, default.type} <= {*_NUMBERS}:
        return float(arg.text) == float(default.text)
    return arg == default


def _nodes(arg: Arg) -> list[int]:
    if isinstance(arg, NodeArg):
        return [arg.at]
    return [at for item in arg.items for at in _nodes(item)] if isinstance(arg, SequenceArg) else []


def _with_lists(call: Call) -> Call:
    """A call with every list and tuple in one form."""
    if not any(isinstance(arg, SequenceArg) for arg in (*call.args, *call.values)):
        return call
    return Call(tuple(map(_as_list, call.args)), call.names, tuple(map(_as_list, call.values)))


def _as_list(arg: Arg) -> Arg:
    if not isinstance(arg, SequenceArg):
        return arg
    kind = "list" if arg.type in _SEQUENCES else arg.type
    return SequenceArg(kind, tuple(map(_as_list, arg.items)))
