"""What a value promises, and so a diff may tell. The rest follows from how a program was traced or kept.

A file does not keep where in its storage a view begins, nor that a constant was once symbolic. The hint of a
symbol is an example. Whether the value of a call requires a gradient depends on the mode it was traced in
(torch.export says no, to_edge yes, of the same program), and so it does of a buffer that it writes; of what
the user passes, and of a parameter, it is a fact.
"""

from __future__ import annotations

from msgspec.structs import replace

from exir_viz.snapshot.records import Literal, SequenceValue, SymValue, TensorValue, Value


def promised(value: Value, is_fact: bool) -> Value:
    """The value without what it does not promise; is it a fact whether it requires a gradient?"""
    match value:
        case TensorValue():
            return replace(value, offset=0, requires_grad=is_fact and value.requires_grad)
        case SequenceValue():
            return replace(value, items=tuple(promised(one, is_fact) for one in value.items))
        case SymValue() if value.expr in ("True", "False") or value.expr.lstrip("-").isdecimal():
            return Literal(value.type, value.expr)
        case SymValue():
            return replace(value, hint=None)
    return value
