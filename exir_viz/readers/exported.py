"""An ExportedProgram → one method of a Snapshot. The program is only read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from torch.export import ExportedProgram

from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.frames import is_users
from exir_viz.snapshot.program import (
    Arena,
    Dialect,
    Example,
    GuardLine,
    MethodDetail,
    MethodRecord,
    Tree,
)
from exir_viz.torch_internals.export import guard_lines, guards_of
from exir_viz.torch_internals.operators import opset_version
from exir_viz.torch_internals.pytrees import pytree

from .graphs import GraphReader, SharedReaders
from .signature import paths_of, read_calls, read_signature, read_tree
from .state import read_state
from .symbols import SymbolReader

_DIALECTS = {
    "TRAINING": Dialect.ATEN_TRAINING,
    "ATEN": Dialect.ATEN,
    "EDGE": Dialect.EDGE,
}


class Emission(NamedTuple):
    """Facts about a method that only the manager of an ExecuTorch program has; see MethodDetail."""

    arenas: tuple[Arena, ...] = ()
    edge_handles: tuple[int, ...] = ()


def read_program(
    builder: SnapshotBuilder,
    shared: SharedReaders,
    name: str,
    program: ExportedProgram,
    dialect: Dialect | None = None,
    emission: Emission | None = None,
    dims: Mapping[tuple[str, str], str] | None = None,
) -> None:
    """Add a method to the builder; `dialect` overrides what the program's verifiers promise.

    `dims` names dimensions (placeholder, path) that the user gave a Dim for; a program does not keep it.
    """
    emission = emission or Emission()
    symbols = SymbolReader(dims)
    reader = GraphReader(builder, shared, symbols)
    graph = reader.read(program.graph_module, name)
    calls = read_calls(program.module_call_graph)
    root = next((call.signature for call in calls if call.path == "" and call.signature), None)
    in_spec, out_spec = _specs(program)
    names = root.arg_names if root else None
    graph.signature = read_signature(
        program.graph_signature, program.graph, *paths_of(in_spec, out_spec, names)
    )
    examples = _examples(program, reader, in_spec, names)
    delegated = any(one.delegate for one in builder.graphs[graph.number :])
    state = read_state(program, reader.value, shared, only_named=delegated)
    for expr in symbols.unmet(program.range_constraints):
        builder.left_out_range(name, str(expr))
    found, ranges = symbols.finish(program.range_constraints)
    verifiers = _verifiers(program)
    record = MethodRecord(
        name=name,
        graph=graph.number,
        dialect=dialect or (Dialect.BACKEND if delegated else _dialect(verifiers)),
        verifiers=verifiers,
        symbols=found,
        ranges=ranges,
        state=state,
    )
    detail = MethodDetail(
        in_spec=in_spec,
        out_spec=out_spec,
        module_calls=calls,
        guards=guards_of(program),
        guard_lines=_guard_lines(program),
        opset=opset_version(),
        examples=examples,
        arenas=emission.arenas,
        edge_handles=emission.edge_handles,
    )
    builder.method(record, detail)


def _guard_lines(program: ExportedProgram) -> tuple[GuardLine, ...]:
    """The conditions that the user's lines caused, each once."""
    found = (GuardLine(expr, file, line) for file, line, expr in guard_lines(program) if is_users(file))
    return tuple(dict.fromkeys(found))


def dialect_of(program: ExportedProgram) -> Dialect:
    """The dialect of a program that is not read as a whole."""
    modules = program.graph_module.modules()
    if any(type(module).__name__ == "LoweredBackendModule" for module in modules):
        return Dialect.BACKEND
    return _dialect(_verifiers(program))


def _verifiers(program: ExportedProgram) -> tuple[str, ...]:
    return tuple(verifier.dialect for verifier in program.verifiers)


def _dialect(verifiers: tuple[str, ...]) -> Dialect:
    return next((_DIALECTS[one] for one in verifiers if one in _DIALECTS), Dialect.ATEN)


def _specs(program: ExportedProgram) -> tuple[Tree | None, Tree | None]:
    spec = program.call_spec
    return (
        None if spec.in_spec is None else read_tree(spec.in_spec),
        None if spec.out_spec is None else read_tree(spec.out_spec),
    )


def _examples(
    program: ExportedProgram, reader: GraphReader, in_spec: Tree | None, names: tuple[str, ...] | None
) -> tuple[Example, ...] | None:
    inputs: Any = program.example_inputs
    if inputs is None:
        return None
    paths, _ = paths_of(in_spec, None, names)
    leaves = pytree.tree_leaves(inputs)
    if paths is None or len(paths) != len(leaves):
        paths = tuple(f"[{number}]" for number in range(len(leaves)))
    return tuple(Example(path, reader.value(leaf)) for path, leaf in zip(paths, leaves, strict=True))
