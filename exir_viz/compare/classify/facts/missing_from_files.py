"""What a `.pte` or `.pt2` file lacks and is therefore not compared: one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.compare.normalize.calls import DELEGATE
from exir_viz.compare.normalize.delegate_results import unclear_calls
from exir_viz.compare.normalize.delegates import is_within
from exir_viz.compare.normalize.emitted_programs import inputs_without_value, is_none
from exir_viz.compare.normalize.paired_methods import methods
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.normalize.signatures import is_emitted_once, named_as, paths_of
from exir_viz.snapshot import Method, Node
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import Dialect, InputKind

_ARCHIVE = "pt2"


def missing_from_files(a: Side, b: Side) -> Iterator[str]:
    """A sentence for each fact that a file lacks: a `.pt2` the dialect, a `.pte` inputs and some control
    flow.
    """
    for ours, theirs in methods(a.snapshot, b.snapshot):
        if lacks_core(ours, theirs):
            name = "a" if ours.dialect is Dialect.ATEN else "b"
            yield f"dialect not compared: {name}, as a .pt2 file, does not say whether it is Core ATen"
        if is_emitted_once(ours, theirs):
            is_first = a.snapshot.is_pte
            file, program, name = (ours, theirs, "a") if is_first else (theirs, ours, "b")
            yield from _inputs(file, program, name)
            yield from _control_flow(program, name)
            yield from _delegate_results(file, program, name)


def lacks_core(a: Method, b: Method) -> bool:
    """Whether one method is Core ATen, and the other is of a `.pt2` file: torch writes "ATen" for both."""
    of_core = {Dialect.ATEN, Dialect.ATEN_CORE}
    return {a.dialect, b.dialect} == of_core and any(
        one.dialect is Dialect.ATEN and one.snapshot.origin.type == _ARCHIVE for one in (a, b)
    )


def _inputs(file: Method, program: Method, name: str) -> Iterator[str]:
    number = Numbering(file.snapshot).number
    without_value = set(inputs_without_value(file.snapshot))
    paths = named_as(*(paths_of(one.signature.inputs) for one in (program, file)))
    for node, given, path in zip(_passed(file), _passed(program), paths, strict=False):
        if number(node) in without_value and not is_none(given.value):
            yield f"input `{path}` not compared: {name}, as a .pte file, does not hold what is passed"


def _passed(method: Method) -> list[Node]:
    """The nodes of the user's inputs."""
    kind = InputKind.USER_INPUT
    names = [one.arg.name for one in method.signature.inputs if one.kind is kind]
    return [method.graph[one] for one in names if one in method.graph]


def _delegate_results(file: Method, program: Method, name: str) -> Iterator[str]:
    if any(unclear_calls(file, program)):
        yield (
            f"results of `{DELEGATE}` not compared: {name}, as a .pte file, does not say which "
            "arguments of a delegate are results"
        )


def _control_flow(program: Method, name: str) -> Iterator[str]:
    """Ops that run nested graphs: a file has their instructions in place, with jumps."""
    graphs = program.snapshot.graphs
    holders = (
        graph[ref.node]
        for graph in program.graphs()
        if not is_within(graph)
        for ref in graph.columns.subgraphs
        if graphs[ref.graph].delegate is None
    )
    for op in dict.fromkeys(op_name(user.target) for holder in holders for user in holder.users):
        yield f"`{op}` not compared: {name}, as a .pte file, has jumps and instructions in its place"
