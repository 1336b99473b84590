"""What a `.pte` file lacks and is therefore not compared: one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exir_viz.compare.normalize.delegates import is_within
from exir_viz.compare.normalize.emitted_programs import is_emitted, is_none, untold_inputs
from exir_viz.compare.normalize.paired_methods import methods
from exir_viz.compare.normalize.signatures import is_emitted_once, named_as, paths_of
from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import InputKind


def unheld(a: Snapshot, b: Snapshot) -> Iterator[str]:
    """Values of inputs, and control flow; nothing unless exactly one side is emitted."""
    for ours, theirs in methods(a, b):
        if is_emitted_once(ours, theirs):
            file, program, name = (ours, theirs, "a") if is_emitted(a) else (theirs, ours, "b")
            yield from _inputs(file, program, name)
            yield from _control_flow(program, name)


def _inputs(file: Method, program: Method, name: str) -> Iterator[str]:
    number = Numbering(file.snapshot).number
    untold = set(untold_inputs(file.snapshot))
    paths = named_as(*(paths_of(one.signature.inputs) for one in (program, file)))
    for node, given, path in zip(_passed(file), _passed(program), paths, strict=False):
        if number(node) in untold and not is_none(given.value):
            yield f"input `{path}` not compared: {name}, as a .pte file, does not hold what is passed"


def _passed(method: Method) -> list[Node]:
    """The nodes of the user's inputs."""
    kind = InputKind.USER_INPUT
    names = [one.arg.name for one in method.signature.inputs if one.kind is kind]
    return [method.graph[one] for one in names if one in method.graph]


def _control_flow(program: Method, name: str) -> Iterator[str]:
    """Ops that run nested graphs."""
    holders = {
        (graph.number, ref.node)
        for graph in program.graphs()
        if not is_within(graph)
        for ref in graph.columns.subgraphs
        if program.snapshot.graphs[ref.graph].delegate is None
    }
    graphs = program.snapshot.graphs
    found = Counter(
        op_name(user.target)
        for graph, position in sorted(holders)
        for user in {node.position: node for node in graphs[graph][position].users}.values()
    )
    for op in found:
        yield f"`{op}` not compared: {name}, as a .pte file, has jumps and instructions in its place"
