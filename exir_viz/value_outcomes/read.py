"""Read what became of values: inputs and state from the signature, the rest from a watched export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exir_viz.readers.snapshots import snapshot_of
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.printable import one_line
from exir_viz.snapshot.program import MUTATIONS, InputKind, InputSpec, PythonValue, ValueOutcome, ValueRole
from exir_viz.snapshot.records import ObjectValue, SymValue, TensorValue, Value
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.state_use import state_use
from exir_viz.snapshot.symbol_names import in_user_names
from exir_viz.watched_export.export import watched_snapshot

from .python_values import PythonValues

_LONGEST = 60
_STATE = {
    InputKind.PARAMETER: "A parameter",
    InputKind.BUFFER: "A buffer",
    InputKind.CONSTANT_TENSOR: "A tensor that is no parameter or buffer: it cannot change",
    InputKind.CUSTOM_OBJ: "An object of C++: it cannot change",
}


def python_values(x: object, args: tuple[Any, ...], export: Mapping[str, Any]) -> PythonValues:
    """What became of the values of a module or a program; see `exir_viz.python_values`."""
    return python_values_of(snapshot_of("python_values", x, args, export, watched_snapshot))


def python_values_of(snapshot: Snapshot) -> PythonValues:
    """What became of the values of a Snapshot's methods."""
    shown = in_user_names(snapshot)
    own = (one for method in shown.methods.values() for one in _signature(method))
    order = list(ValueRole).index
    return PythonValues(
        snapshot, sorted((*own, *shown.detail.python_values), key=lambda one: order(one.role))
    )


def _signature(method: Method) -> Iterator[PythonValue]:
    uses = state_use(method)
    written = {spec.target for spec in method.signature.outputs if spec.kind in MUTATIONS}
    for spec in method.signature.inputs:
        is_known = spec.arg.name in method.graph
        node = method.graph[spec.arg.name] if is_known else None
        if spec.kind is InputKind.USER_INPUT:
            yield _input(spec, node, written)
        elif spec.kind in _STATE:
            yield _state(spec, node, written, uses)


def _input(spec: InputSpec, node: Node | None, written: set[str | None]) -> PythonValue:
    name = spec.path or spec.arg.name
    nodes = () if node is None else (node.id,)
    if spec.arg.value is not None:
        fixed = one_line(short(spec.arg.value), _LONGEST)
        note = f"The program takes {fixed} only: another value is an error"
        return PythonValue(
            ValueRole.INPUT, name, spec.arg.value.type.value, fixed, ValueOutcome.CONSTANT, note, nodes
        )
    value = None if node is None else node.value
    return PythonValue(
        ValueRole.INPUT, name, _type(value), one_line(short(value), _LONGEST), ValueOutcome.PLACEHOLDER,
        _varies(value, node, is_written=bool({spec.arg.name, spec.target} & written)), nodes,
    )  # fmt: skip


def _varies(value: Value | None, node: Node | None, *, is_written: bool) -> str:
    """What of an input may change from run to run."""
    if isinstance(value, SymValue):
        text = "It varies"
    elif isinstance(value, TensorValue):
        free = [str(at) for at, dim in enumerate(value.shape) if isinstance(dim, str)]
        plural = "s" if len(free) > 1 else ""
        rest = f"and dimension{plural} {', '.join(free)}" if free else "not its shape"
        text = f"Its data varies, {rest}"
    else:
        text = "It is passed at run time"
    used = "" if node is None or node.users else "; no op uses it"
    return text + used + ("; the program writes to it" if is_written else "")


def _state(
    spec: InputSpec, node: Node | None, written: set[str | None], uses: Mapping[str, Sequence[str]]
) -> PythonValue:
    name = spec.target or spec.arg.name
    value = None if node is None else node.value
    fixed = spec.kind in (InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ)
    note = _STATE[spec.kind]
    if spec.persistent is False:
        note += " that is not in the state dict"
    if spec.target in written:
        note += "; the program updates it"
    if node is not None and not node.users:
        others = uses.get(name, ())
        note += f"; ops use its memory as {', '.join(others)}" if others else "; no op uses it"
    return PythonValue(
        ValueRole.ATTRIBUTE, name, _type(value), one_line(short(value), _LONGEST),
        ValueOutcome.CONSTANT if fixed else ValueOutcome.PLACEHOLDER, note,
        () if node is None else (node.id,),
    )  # fmt: skip


def _type(value: Value | None) -> str:
    match value:
        case TensorValue():
            return "Tensor"
        case SymValue():
            return value.type.value
        case ObjectValue():
            return value.cls.rpartition(".")[2]
    return ""
