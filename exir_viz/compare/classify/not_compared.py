"""What is no difference but worth a sentence: what a file lacks, and what matches under another name.

Names that follow from a new module name are not repeated: if `body` is now `trunk`, `trunk.0` is not listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.delegates import is_within
from exir_viz.compare.normalize.emitted_programs import inputs_without_value, is_none, unclear_calls
from exir_viz.compare.normalize.methods import is_emitted_once, methods, named_as, paths_of
from exir_viz.compare.normalize.schemas import DELEGATE
from exir_viz.compare.normalize.side import Side, scope_key
from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import Dialect, InputKind
from exir_viz.snapshot.rollup import starred

from .signature import called

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
            yield from _control_flow(program, (b, a) if is_first else (a, b), name)
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


def _control_flow(program: Method, sides: tuple[Side, Side], name: str) -> Iterator[str]:
    """Ops that run nested graphs whose instructions were not found in the file."""
    side, _ = sides
    known, found = (Counter(one.inlined.calls.values()) for one in sides)
    holders = {
        (graph.number, ref.node)
        for graph in program.graphs()
        if not is_within(graph)
        for ref in graph.columns.subgraphs
        if side.snapshot.graphs[ref.graph].delegate is None
    }
    graphs = side.snapshot.graphs
    ops: dict[str, None] = {}
    for graph, position in sorted(holders):
        for user in graphs[graph][position].users:
            kind = side.inlined.calls.get(side.bases[graph] + user.position)
            if kind is None or found[kind] < known[kind]:
                ops[op_name(user.target)] = None
    for op in ops:
        yield f"`{op}` not compared: {name}, as a .pte file, has jumps and instructions in its place"


# More of them are counted, not named.
_MOST = 3
_WHOLE = "the whole model"


def other_names(a: Snapshot, b: Snapshot, pairing: Pairing) -> Iterator[str]:
    """A sentence on modules, and one on state; none if a side is emitted, which has no such names."""
    if a.is_pte or b.is_pte:
        return
    now = _modules(a, b, pairing)
    modules = ((old, new) for old, new in now.items() if new != _follows(old, now))
    yield from _sentences("module", "modules", modules)
    states = {
        old: new
        for ours, theirs in methods(a, b)
        for new, old in called(ours, theirs, pairing).states.items()
    }
    state = ((old, new) for old, new in states.items() if new != _follows(old, now))
    yield from _sentences("parameter or buffer", "parameters and buffers", state)


def _modules(a: Snapshot, b: Snapshot, pairing: Pairing) -> dict[str, str]:
    """By path in a: the path in b of its first matched call."""
    ours, theirs = pairing.scopes
    after = dict(zip(reversed(theirs), reversed([scope_key(scope)[1] for scope in b.scopes]), strict=True))
    found: dict[str, str] = {}
    for scope, number in zip(a.scopes, ours, strict=True):
        if number in after:
            found.setdefault(scope_key(scope)[1], after[number])
    return found


def _follows(name: str, now: dict[str, str]) -> str:
    """The names of nested modules if only the outer names changed."""
    outer = name
    while outer:
        outer = outer.rpartition(".")[0]
        if outer in now:
            return ".".join(filter(None, (now[outer], name.removeprefix(outer).removeprefix("."))))
    return name


def _sentences(one: str, several: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for old, new in pairs:
        alike.setdefault((starred(old), starred(new)), []).append((old, new))
    count = sum(map(len, alike.values()))
    if not count:
        return
    words = [_words(*found[0], len(found) - 1) for found in islice(alike.values(), _MOST)]
    left = len(alike) - len(words)
    words += [f"and {left:,} more"] if left else []
    matched = f"1 {one} is matched under another name"
    if count > 1:
        matched = f"{count:,} {several} are matched under other names"
    yield f"{matched}: {', '.join(words)}"


def _words(old: str, new: str, more: int) -> str:
    alike = f" (and {more:,} alike)" if more else ""
    return f"`{old or _WHOLE}` as `{new or _WHOLE}`{alike}"
