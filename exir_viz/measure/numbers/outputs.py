"""Compare what two programs return and write: outputs, gradients, and updated state and inputs.

Everything has a row; if the two cannot be compared, the row says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from exir_viz.compare.values.precision import coarser, shared_precision
from exir_viz.compare.values.records import Numbers, OutputRow
from exir_viz.measure.cpu.inputs import places
from exir_viz.measure.cpu.writes import written
from exir_viz.measure.distance import Tolerance, badness, leaves, misfit, numbers
from exir_viz.snapshot.format import plural
from exir_viz.torch_internals.pytrees import pytree

from .lockstep import Side

Dtypes: TypeAlias = Sequence[str]
_USERS = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
_GRADIENTS = (OutputKind.GRADIENT_TO_PARAMETER, OutputKind.GRADIENT_TO_USER_INPUT)


@dataclass(slots=True)
class _Returned:
    """By name: outputs and gradients; state and inputs after the run. `written`: which of them were written.

    `dtypes`: the coarsest dtype that each was computed through.
    """

    outputs: dict[str, Any] = field(default_factory=dict)
    mutations: dict[str, Any] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    dtypes: dict[str, str] = field(default_factory=dict)


def outputs(
    a: Side,
    b: Side,
    paths_b: Sequence[str],
    dtypes: tuple[Dtypes, Dtypes],
    tolerance_by: Callable[[str], Tolerance],
) -> list[OutputRow]:
    """Compare the outputs and the updated state and inputs; `paths_b`: a's names for the inputs of b.

    dtypes: by position of a node, the coarsest dtype that it was computed through, which sets the tolerance.
    """
    ours = _returned(a, [place.path for place in places(a.prepared.program)], _names(a, b), dtypes[0])
    theirs = _returned(b, paths_b, _names(b, a), dtypes[1])

    def tolerance(name: str) -> Tolerance:
        return tolerance_by(shared_precision(ours.dtypes.get(name, ""), theirs.dtypes.get(name, "")))

    returned = dict.fromkeys((*ours.outputs, *theirs.outputs))
    writes = dict.fromkeys((*ours.written, *theirs.written))
    return [
        *(_row(name, ours.outputs, theirs.outputs, tolerance(name)) for name in returned),
        *(_row(name, ours.mutations, theirs.mutations, tolerance(name)) for name in writes),
    ]


def returned(side: Side) -> list[Any]:
    """The user's outputs of a side, in order."""
    return [side.outputs[at] for at in user_positions(side.prepared.program, len(side.outputs))]


def user_positions(program: ExportedProgram, count: int) -> list[int]:
    """Where the user's outputs are among the values that a program returns."""
    return [at for at, spec in enumerate(_specs(program, count)) if spec.kind in _USERS]


def runtime_outputs(
    program: ExportedProgram,
    ours: Sequence[Any],
    theirs: Sequence[Any],
    tolerances: Sequence[Tolerance],
) -> list[OutputRow]:
    """Compare the user's outputs of a program with those of a `.pte`, which has no names, by position.

    ours: all that the program returns; tolerances: one for each of these.
    """
    users = user_positions(program, len(ours))
    names = [f"output {key}" for key in _keys(program)]
    if len(theirs) < len(users):
        return [OutputRow(name, None, f"b returns {plural(len(theirs), 'value')} only") for name in names]
    found = theirs[len(theirs) - len(users) :]  # the runtime may return updated state first
    return [
        _row(name, {name: ours[at]}, {name: value}, tolerances[at])
        for name, at, value in zip(names, users, found, strict=True)
    ]


def replace_outputs(side: Side, found: Sequence[Any] | None) -> None:
    """Put the user's outputs of another run in the place of a side's; None keeps them."""
    at = user_positions(side.prepared.program, len(side.outputs))
    if found is not None and len(found) >= len(at):
        for number, value in zip(at, found[len(found) - len(at) :], strict=True):
            side.outputs[number] = value


def worse_output(row: OutputRow, former: OutputRow) -> OutputRow:
    """The worse of two results for one output: not compared, else with the larger difference."""
    if row.numbers is None or former.numbers is None:
        return row if row.numbers is None else former
    return row if badness(row.numbers) > badness(former.numbers) else former


def _row(name: str, ours: dict[str, Any], theirs: dict[str, Any], tolerance: Tolerance) -> OutputRow:
    if name not in ours or name not in theirs:
        return OutputRow(name, None, f"only {'a' if name in ours else 'b'} has it")
    one, other = leaves(ours[name]), leaves(theirs[name])
    if not one and not other:
        if _is_plain(ours[name]) and _is_plain(theirs[name]):
            is_same = type(ours[name]) is type(theirs[name]) and ours[name] == theirs[name]
            return OutputRow(name, Numbers(0, diverged=not is_same))
        return OutputRow(name, None, "a kind of value that is not compared")
    why = misfit(one, other)
    return OutputRow(name, None, why) if why else OutputRow(name, numbers(one, other, tolerance))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _returned(side: Side, paths: Sequence[str], names: Sequence[str], dtypes: Dtypes) -> _Returned:
    program = side.prepared.program
    signature = program.graph_signature
    by_node = dict(zip(program.graph.nodes, dtypes, strict=True))
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    marked = written(program.graph_module)
    found, users = _Returned(), iter(paths)
    inputs: dict[str, str] = {}
    for node, spec, value in zip(nodes, signature.input_specs, side.values, strict=True):
        is_input = spec.kind is InputKind.USER_INPUT
        if is_input or isinstance(spec.target, str):
            name = f"input {next(users)}" if is_input else f"state {spec.target}"
            inputs[node.name] = name
            found.mutations[name] = value
            if node.name in marked:
                found.written.append(name)
                found.dtypes[name] = reduce(coarser, (by_node[user] for user in node.users), "")
    outs, last = iter(names), program.graph.output_node()
    ends = pytree.tree_leaves(last.args)
    for spec, value, end in zip(_specs(program, len(side.outputs)), side.outputs, ends, strict=True):
        dtype = by_node[end] if isinstance(end, torch.fx.Node) else ""
        if spec.kind in _USERS:
            found.outputs[name := next(outs)] = value
        elif spec.kind in _GRADIENTS:
            found.outputs[name := f"gradient of {spec.target}"] = value
        elif spec.kind is not OutputKind.TOKEN:
            target = spec.target or ""
            name = inputs[target] if spec.kind is OutputKind.USER_INPUT_MUTATION else f"state {target}"
            found.mutations[name] = value
            found.written.append(name)
        else:
            continue
        found.dtypes[name] = dtype
    return found


def _specs(program: ExportedProgram, count: int) -> list[Any]:
    """The output specs of the graph; ExecuTorch writes state back itself, so it is no output any more."""
    specs = [*program.graph_signature.output_specs]
    if len(specs) == count:
        return specs
    return [spec for spec in specs if spec.kind is not OutputKind.BUFFER_MUTATION]


def _names(side: Side, other: Side) -> list[str]:
    """The names of the user's outputs: by key if both have the same keys, else by position."""
    ours, theirs = (_keys(one.prepared.program) for one in (side, other))
    if Counter(ours) == Counter(theirs):
        return [f"output {key}" for key in ours]
    return [f"output {at}" for at in range(len(ours))]


def _keys(program: ExportedProgram) -> list[str]:
    specs = program.graph_signature.output_specs
    count = sum(spec.kind in _USERS for spec in specs)
    tree = program.call_spec.out_spec
    if tree is None or tree.num_leaves != count:
        return [str(at) for at in range(count)]
    value = pytree.tree_unflatten([*range(count)], tree)
    found = []
    for at, (path, _) in enumerate(pytree.tree_leaves_with_path(value)):
        found.append(_key(path) or str(at))
    return found


def _key(path: Any) -> str:
    """ "0" for the first of a tuple, "['logits']" for an entry of a dict."""
    if path and isinstance(path[0], pytree.SequenceKey):
        return f"{path[0].idx}{pytree.keystr(path[1:])}"
    return str(pytree.keystr(path))
