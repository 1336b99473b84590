"""Changes of the memory plan: arenas, which inputs and outputs it includes, how many values have other
addresses.

Enters: two methods, and their matched nodes. If only one has a plan, its arenas are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.signatures import is_named, output_nodes
from exir_viz.compare.records import FactChange
from exir_viz.snapshot import Method, Node
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.opkind import does_work
from exir_viz.snapshot.records import MemorySpec

from .differences import differences

Place: TypeAlias = tuple[int, int] | None
_PLANNED, _LEFT = "planned", "not planned"
# More names than this are only counted.
_MOST = 6


class _Pair(NamedTuple):
    """Two matched nodes."""

    a: Node
    b: Node


def memory_changes(a: Method, b: Method, pairing: Pairing) -> Iterator[FactChange]:
    """All of them."""
    yield from differences("memory", _arenas(a), _arenas(b), lambda arena: f"arena {arena}")
    if not a.detail.arenas or not b.detail.arenas:
        return
    pairs = list(_pairs(a, pairing))
    inputs = [pair for pair in pairs if pair.a.op == pair.b.op == "placeholder" and _words(pair.a)]
    paths = _paths(a), _paths(b)
    yield from _planned("input", [(pair, _name(pair, paths)) for pair in inputs])
    ours, theirs = ({node: at for at, node in enumerate(output_nodes(one), 1)} for one in (a, b))
    outputs = {ours[pair.a]: pair for pair in pairs if pair.a in ours and pair.b in theirs}
    yield from _planned("output", [(outputs[place], f"{place}") for place in sorted(outputs)])
    yield from _elsewhere(pairs)


def _arenas(method: Method) -> dict[int, str]:
    return {arena.id: f"{arena.bytes:,} bytes on {arena.device}" for arena in method.detail.arenas}


def _pairs(a: Method, pairing: Pairing) -> Iterator[_Pair]:
    for graph in a.graphs():
        base = pairing.a.bases[graph.number]
        for node in graph:
            if base + node.position in pairing.a.unclear:
                continue  # its results are not compared
            partner = pairing.of_a[base + node.position]
            if node.op != "output" and partner != NONE and pairing.of_b[partner] == base + node.position:
                yield _Pair(node, pairing.b.node(partner))


def _paths(method: Method) -> dict[str, str]:
    """The user's path by name of an input."""
    specs = method.signature.inputs
    return {spec.arg.name: spec.path for spec in specs if spec.path is not None and is_named(spec.path)}


def _name(pair: _Pair, paths: tuple[dict[str, str], dict[str, str]]) -> str:
    """The name of an input, from the side that has one."""
    return paths[0].get(pair.a.name) or paths[1].get(pair.b.name) or pair.a.name


def _planned(what: str, pairs: Sequence[tuple[_Pair, str]]) -> Iterator[FactChange]:
    """The inputs, or outputs, whose memory is planned on one side only; one fact per direction."""
    for before, after in ((_PLANNED, _LEFT), (_LEFT, _PLANNED)):
        names = [f"`{name}`" for pair, name in pairs if (_words(pair.a), _words(pair.b)) == (before, after)]
        if names:
            shown = ", ".join(names) if len(names) <= _MOST else f"{len(names):,} of {len(pairs):,}"
            text = f"memory of {what}{'s' if len(names) > 1 else ''} {shown}: {before} → {after}"
            yield FactChange("memory", what, text, before, after)


def _words(node: Node) -> str | None:
    """Whether the memory of an input or output is planned. None if it needs none, such as a number."""
    places = _places(node)
    return None if not places else _LEFT if None in places else _PLANNED


def _elsewhere(pairs: Iterable[_Pair]) -> Iterator[FactChange]:
    """How many of the values in both plans have other addresses: one fact of the whole, not of a node."""
    placed = [
        (x, y)
        for pair in pairs
        if does_work(pair.a.target)  # the value of a node that does no work belongs to another call
        for x, y in zip(_places(pair.a), _places(pair.b), strict=False)
        if x is not None and y is not None
    ]
    if other := sum(x != y for x, y in placed):
        text = (
            f"memory: {other:,} of {plural(len(placed), 'value')} {'lies' if other == 1 else 'lie'} elsewhere"
        )
        yield FactChange("memory", "values", text)


def _places(node: Node) -> list[Place]:
    """Arena and offset of each of its values; None if the caller provides the memory."""
    return [_place(spec) for spec in node.specs if not spec.const]


def _place(spec: MemorySpec) -> Place:
    return None if spec.mem_id is None or spec.offset is None else (spec.mem_id, spec.offset)
