"""Changes in the arguments of one call: "p 0.1 → 0.5", "inputs `x`, `y` swapped".

Enters: two matched nodes. Nodes among arguments are reported as inputs, not as arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import NamedTuple

from exir_viz.compare.classify.arguments import Inputs, changed_arguments
from exir_viz.snapshot import Node
from exir_viz.snapshot.printable import sentence
from exir_viz.snapshot.records import Arg, Literal, NodeArg, OpArg, SymArg
from exir_viz.snapshot.text.arguments import operator, python

# Longer arguments are cut, and more inputs counted.
_LONGEST = 60
_MOST_INPUTS = 3


class ChangeText(NamedTuple):
    """In full, and in the form of a rule about many calls."""

    text: str
    rule: str


# For arguments whose difference cannot be shown.
UNKNOWN_ARGUMENTS = ChangeText("args", "args")


def argument_changes(a: Node, b: Node, fields: Sequence[str] = ()) -> ChangeText:
    """The arguments that differ; a rule has each number and word. `fields`: reported by the value.

    What the value's change already says is not repeated.
    """
    full, short, is_in_fields = [], [], False
    for name, x, y, left_out in changed_arguments(a, b):
        before, after = _text(x, a, left_out[0]), _text(y, b, left_out[1])
        if before == after:
            continue
        is_field = name in fields
        if is_field and all(_is_value(*one) for one in ((before, a, name), (after, b, name))):
            is_in_fields = True
            continue
        label = f"argument {name}" if is_field else name
        full.append(f"{label} {before} → {after}")
        is_short = isinstance(x, _SHORT) and isinstance(y, _SHORT)
        short.append(full[-1] if is_short else label)
    return ChangeText(", ".join(full), ", ".join(short)) if full or is_in_fields else UNKNOWN_ARGUMENTS


def _is_value(text: str, node: Node, field: str) -> bool:
    """Whether an argument repeats the value, such as `torch.float16` and its dtype."""
    return text.removeprefix("torch.") == str(getattr(node.value, field, None))


def input_changes(inputs: Inputs, verb: str = "reads") -> ChangeText:
    """Changed inputs; for an output, what it returns."""
    before, after = _listed(inputs.before), _listed(inputs.after)
    if inputs.swapped:
        return ChangeText(f"inputs {after} swapped", "inputs swapped")
    if before and before == after:
        return ChangeText(f"reads a different {before}", "inputs")
    if before and after:
        return ChangeText(f"inputs {before} → {after}", "inputs")
    if before or after:
        return ChangeText(f"also {verb} {after}" if after else f"no longer {verb} {before}", "inputs")
    return ChangeText("inputs", "inputs")


_SHORT = (Literal, SymArg, OpArg, NoneType)


def _text(arg: Arg | None, node: Node, default: Arg | None = None) -> str:
    if arg is None:
        return "(not given)" if default is None else f"{_text(default, node)} (default)"
    if isinstance(arg, NodeArg):
        return f"`{node.inputs[arg.at].name}`"
    return sentence(python(arg, [one.name for one in node.inputs], operator), _LONGEST)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_INPUTS])
    more = len(names) - _MOST_INPUTS
    return f"{shown} and {more} more" if more > 0 else shown
