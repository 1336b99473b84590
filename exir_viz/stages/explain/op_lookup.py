"""Find the live op, and its Target, from a text, a node or an operator. Nothing that is found is called."""

from __future__ import annotations

import builtins
import difflib
import math
import operator
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import fx

from exir_viz.errors import ExirVizError
from exir_viz.options import described
from exir_viz.readers.targets import target_of as fx_target
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.torch_internals.operators import (
    HigherOrderOperator,
    OpOverload,
    OpOverloadPacket,
    all_operator_names,
    aten_operator,
)
from exir_viz.torch_internals.operators import schema_of as live_schema_of

# Where functions live that a graph may call in addition to operators; any other dotted name is an operator.
_MODULES: dict[str, ModuleType] = {
    "operator": operator, "_operator": operator, "math": math, "builtins": builtins, "torch": torch,
}  # fmt: skip
_PREFIX = re.compile(r"^(?:torch\.ops\.|executorch\.exir\.dialects\.edge\._ops\.|edge\.)")
_CALLED = (TargetType.OP, TargetType.HIGHER_ORDER, TargetType.BUILTIN, TargetType.FUNCTION)


@dataclass(frozen=True)
class FoundOp:
    """An op: its name in a Snapshot, and the live op if this process has it."""

    target: Target
    live: Any = None

    @property
    def text(self) -> str:
        """The name people write: "aten.add.Tensor"."""
        return op_name(self.target)

    @property
    def op(self) -> OpOverload | None:
        """The operator, if it is one; for an edge op, the ATen operator that it specializes."""
        return aten_operator(self.live)


def find_op(op: object, snapshot: Snapshot | None = None) -> FoundOp:
    """Find an op by what the user passed. Raises ExirVizError if there is none."""
    if isinstance(op, (Node, Target)):
        return _of_target(op.target if isinstance(op, Node) else op)
    if isinstance(op, fx.Node):
        return FoundOp(fx_target(op), None if isinstance(op.target, str) else op.target)
    if isinstance(op, OpOverloadPacket):
        return _of_live(getattr(op, next(iter(op))))
    if callable(op) and hasattr(op, "__name__") and not isinstance(op, type):
        return _of_live(op)
    if not isinstance(op, str):
        raise ExirVizError(f"Cannot explain {described(op)}: pass an op, a node, or an op's name.")
    text = op.strip()
    used = _used(text, snapshot)
    if used is not None:
        return _of_target(used)
    live = _by_text(text)
    if live is None:
        raise ExirVizError(_unknown(text, snapshot))
    return _of_live(live)


def schema_of(found: FoundOp) -> str:
    """The schema, in torch's notation."""
    return str(live_schema_of(found.op) or "") if found.op is not None else (found.target.schema or "")


def _of_live(live: Any) -> FoundOp:
    return FoundOp(fx_target(fx.Graph().call_function(live)), live)


def _of_target(target: Target) -> FoundOp:
    return FoundOp(target, _by_text(op_name(target)) if target.type in _CALLED else None)


def _used(text: str, snapshot: Snapshot | None) -> Target | None:
    """The target in a program with this full name, or with this name and any overload."""
    targets = snapshot.targets if snapshot else ()
    wanted = _plain(text)
    for target in targets:
        if wanted in (op_name(target), target.text):
            return target
    short = [
        target
        for target in targets
        if wanted in (f"{target.namespace}.{target.name}", target.name) and target.type in _CALLED
    ]
    return short[0] if short else None


def _plain(text: str) -> str:
    return _PREFIX.sub("", text).replace("::", ".")


def _by_text(text: str) -> Any:
    """The live op with this name, or None. Attribute names are followed; nothing is called or imported."""
    parts = _plain(text).split(".")
    return next((found for look in _LOOKS if (found := look(parts)) is not None), None)


def _operator(parts: list[str]) -> Any:
    """Resolve ns.name.overload, or ns.name: then its default overload, else its first."""
    if len(parts) not in (2, 3):
        return None
    packet = getattr(getattr(torch.ops, parts[0], None), parts[1], None)
    if isinstance(packet, HigherOrderOperator):
        return packet if len(parts) == 2 else None
    if not isinstance(packet, OpOverloadPacket):
        return None
    # A name of a packet may belong to TorchScript only: then it has no overload in the dispatcher.
    names = parts[2:] or ("default", *packet)
    known = all_operator_names()
    found = (getattr(packet, name, None) for name in names)
    return next((one for one in found if one is not None and (not known or one.name() in known)), None)


def _bare(parts: list[str]) -> Any:
    """Resolve a name without namespace: an ATen op, a higher-order op, or one of Python's operators."""
    spaces = (("aten", _operator), ("higher_order", _operator), ("operator", _function))
    found = (look([space, *parts]) for space, look in spaces)
    return next((one for one in found if one is not None), None)


def _function(parts: list[str]) -> Callable[..., object] | None:
    """A function of Python, of torch, or of an imported module of ExecuTorch."""
    module = _MODULES.get(parts[0]) or sys.modules.get(".".join(parts[:-1]))
    loaded = parts[0] in _MODULES or parts[0] in ("executorch", "torch")
    if module is None or not loaded or len(parts) < 2:
        return None
    found = getattr(module, parts[-1], None)
    return found if callable(found) and not isinstance(found, type) else None


_LOOKS: tuple[Callable[[list[str]], Any], ...] = (_operator, _function, _bare)


def _unknown(text: str, snapshot: Snapshot | None) -> str:
    names = sorted(set(_names(snapshot)))
    near = difflib.get_close_matches(_plain(text), names, 3, 0.4)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    space = _plain(text).partition(".")[0]
    return (
        f"Unknown op '{text}'.{hint} Write it like 'aten.add.Tensor'. Ops of a library "
        f"{f'({space}) ' if '.' in text else ''}are known once the library is imported."
    )


def _names(snapshot: Snapshot | None) -> Iterator[str]:
    yield from (op_name(target) for target in (snapshot.targets if snapshot else ()))
    for name in all_operator_names():
        space, _, rest = name.partition("::")
        if space == "aten":
            yield f"aten.{rest}" if "." in rest else f"aten.{rest}.default"
