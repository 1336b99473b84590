"""The same position: entries of a signature, outputs of graphs, arguments and outputs of linked calls.

A step may rename a parameter's node but not the parameter, and may rewrite a branch but not its position.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from exir_viz.snapshot.lineage import Evidence

from .links import Links
from .live_graphs import LiveGraph


def link(links: Links) -> None:
    """Pair the methods, then, from the outermost inwards, the graphs that linked calls contain."""
    methods = {place.path: place for place in links.parent.places if not place.holders}
    for place in links.child.places:
        if not place.holders and place.path in methods:
            links.pairs[place] = methods[place.path]
    for place in links.child.places:
        if place not in links.pairs:
            _pair_submodules(links, place)
        if place in links.pairs:
            _ends(links, place, links.pairs[place])
        _arguments(links, place)


def getitems(links: Links) -> None:
    """Link output i of a call to output i of the call's ancestor."""
    for node in links.open("call_function"):
        of = _producer(node)
        before = links.only(of) if of is not None else None
        if before is not None:
            same = [
                user for user in before.users if _producer(user) is before and user.args[1] == node.args[1]
            ]
            links.add(node, same[:1], Evidence.IDENTITY)


def _producer(node: fx.Node) -> fx.Node | None:
    of = node.args[0] if node.target is operator.getitem else None
    return of if isinstance(of, fx.Node) else None


def _pair_submodules(links: Links, place: LiveGraph) -> None:
    """Pair the graphs of nodes that are linked."""
    for holder in place.holders:
        before = links.only(holder)
        if before is not None and before in links.parent.submodules:
            links.pairs[place] = links.parent.submodules[before]
            return


def _ends(links: Links, place: LiveGraph, before: LiveGraph) -> None:
    for node, ancestor in _inputs(place, before):
        links.add(node, (ancestor,), Evidence.IDENTITY)
    outputs = [[node for node in one.nodes if node.op == "output"] for one in (place, before)]
    for node, ancestor in zip(*outputs, strict=False):
        links.add(node, (ancestor,), Evidence.IDENTITY)


def _inputs(place: LiveGraph, before: LiveGraph) -> Iterator[tuple[fx.Node, fx.Node]]:
    """Link state by its name in the module, and the other inputs in order if both have as many."""
    now, then = _placeholders(place), _placeholders(before)
    state, old = _state(place.program), _state(before.program)
    by_target = {old[name]: node for name, node in then.items() if name in old}
    for name, node in now.items():
        if name in state and state[name] in by_target:
            yield node, by_target[state[name]]
    rest = [node for name, node in now.items() if name not in state]
    former = [node for name, node in then.items() if name not in old]
    if len(rest) == len(former):
        yield from zip(rest, former, strict=True)
    else:
        names = {node.name: node for node in former}
        yield from ((node, names[node.name]) for node in rest if node.name in names)


def _placeholders(place: LiveGraph) -> dict[str, fx.Node]:
    return {node.name: node for node in place.nodes if node.op == "placeholder"}


def _state(program: ExportedProgram | None) -> dict[str, str]:
    """The name of the state that each placeholder reads."""
    specs = () if program is None else program.graph_signature.input_specs
    return {
        spec.arg.name: spec.target
        for spec in specs
        if spec.target is not None and spec.kind != InputKind.USER_INPUT
    }


def _arguments(links: Links, place: LiveGraph) -> None:
    """Pair the branches of a linked call, argument by argument."""
    for node in place.nodes:
        submodules = [one for one in node.all_input_nodes if one in links.child.submodules]
        before = links.only(node) if submodules else None
        if before is None:
            continue
        former = [one for one in before.all_input_nodes if one in links.parent.submodules]
        if len(submodules) == len(former):
            for one, ancestor in zip(submodules, former, strict=True):
                links.add(one, (ancestor,), Evidence.IDENTITY)
