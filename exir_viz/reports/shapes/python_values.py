"""What became of values of Python: inputs and state from the signature, the rest from a watched export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.printable import one_line
from exir_viz.snapshot.program import MUTATIONS, InputKind, InputSpec, PythonValue, ValueOutcome, ValueRole
from exir_viz.snapshot.records import ObjectValue, SymValue, TensorValue, Value
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.state_use import state_use

_LONGEST: Final = 60
_STATE: Final = {
    InputKind.PARAMETER: "A parameter",
    InputKind.BUFFER: "A buffer",
    InputKind.CONSTANT_TENSOR: "A tensor that is no parameter or buffer: it cannot change",
    InputKind.CUSTOM_OBJ: "An object of C++: it cannot change",
}


def python_values(snapshot: Snapshot) -> list[PythonValue]:
    """Inputs, then attributes, then variables, of all methods."""
    own = (one for method in snapshot.methods.values() for one in _signature(method))
    order = list(ValueRole).index
    return sorted((*own, *snapshot.detail.python_values), key=lambda one: order(one.role))


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
    name, nodes = spec.path or spec.arg.name, () if node is None else (node.id,)
    if spec.arg.value is not None:
        fixed = one_line(short(spec.arg.value), _LONGEST)
        note = f"The program takes {fixed} only: another value is an error"
        kind = spec.arg.value.type.value
        return PythonValue(ValueRole.INPUT, name, kind, fixed, ValueOutcome.CONSTANT, note, nodes)
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
    name, value = spec.target or spec.arg.name, None if node is None else node.value
    note = _STATE[spec.kind]
    if spec.persistent is False:
        note += " that is not in the state dict"
    if spec.target in written:
        note += "; the program updates it"
    if node is not None and not node.users:
        others = uses.get(name, ())
        note += f"; ops use its memory as {', '.join(others)}" if others else "; no op uses it"
    is_fixed = spec.kind in (InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ)
    outcome = ValueOutcome.CONSTANT if is_fixed else ValueOutcome.PLACEHOLDER
    text, nodes = one_line(short(value), _LONGEST), () if node is None else (node.id,)
    return PythonValue(ValueRole.ATTRIBUTE, name, _type(value), text, outcome, note, nodes)


def _type(value: Value | None) -> str:
    match value:
        case TensorValue():
            return "Tensor"
        case SymValue():
            return value.type.value
        case ObjectValue():
            return value.cls.rpartition(".")[2]
    return ""
