"""Delegates: the call comes from its members, and its outputs from the members that compute them.

The members are nodes of the delegate's own graph and are linked like other nodes. A delegate that the parent
already had is recognized by its bytes object, which is shared.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from torch import fx

from exir_viz.snapshot.lineage import EXACT, Evidence, weaker

from .links import Links
from .live_graphs import LiveGraph


def kept(links: Links) -> None:
    """Link the calls of delegates that the parent already had."""
    before: dict[int, list[LiveGraph]] = {}
    for place in links.parent.places:
        if place.lowered is not None:
            before.setdefault(id(place.lowered.processed_bytes), []).append(place)
    for place in links.child.places:
        among = [] if place.lowered is None else before.get(id(place.lowered.processed_bytes), [])
        same = [one for one in among if one.path == place.path] or among
        if len(same) == 1:
            for holder, ancestor in zip(place.holders, same[0].holders, strict=False):
                links.add(holder, (ancestor,), Evidence.IDENTITY)
                for call, former in zip(_calls(holder), _calls(ancestor), strict=False):
                    links.add(call, (former,), Evidence.IDENTITY)


def link_delegated(links: Links) -> None:
    """Link delegate calls and their outputs to the delegated nodes."""
    for place in links.child.places:
        if place.lowered is None:
            continue
        members = [node for node in place.nodes if node.op == "call_function"]
        outputs = [node for node in place.nodes if node.op == "output"]
        for holder in place.holders:
            for call in _calls(holder):
                _add(links, call, members)
                for user in call.users:
                    if user.target is operator.getitem and outputs:
                        _add(links, user, _output(outputs[0], user.args[1]))
                given = [node for node in place.nodes if node.op == "placeholder"]
                _inputs(links, call, given, place)


def _inputs(links: Links, call: fx.Node, given: list[fx.Node], place: LiveGraph) -> None:
    """Link inputs: those that are not state of the delegate are the call's arguments, in order."""
    specs = place.program.graph_signature.input_specs if place.program is not None else []
    state = {spec.arg.name for spec in specs if spec.target is not None}
    inputs = [node for node in given if node.name not in state]
    passed = [arg for arg in call.args[1:] if isinstance(arg, fx.Node)]
    if len(inputs) == len(passed):
        for node, arg in zip(inputs, passed, strict=True):
            _add(links, node, [arg])


def _calls(holder: fx.Node) -> list[fx.Node]:
    return [user for user in holder.users if user.op == "call_function"]


def _output(node: fx.Node, index: object) -> list[fx.Node]:
    outputs = node.args[0]
    if not isinstance(outputs, (list, tuple)) or not isinstance(index, int) or index >= len(outputs):
        return []
    found = outputs[index]
    return [found] if isinstance(found, fx.Node) else []


def _add(links: Links, node: fx.Node, members: Iterable[fx.Node]) -> None:
    """Link a node to every ancestor of its members; inferred if one of those links is."""
    found = [(links.ancestors[one], links.evidence[one]) for one in members if one in links.ancestors]
    kinds = [kind for _, kind in found]
    inferred = [kind for kind in kinds if kind not in EXACT]
    evidence = Evidence.DELEGATE_MAP
    for kind in inferred:
        evidence = weaker(evidence, kind)
    links.add(node, (ancestor for ancestors, _ in found for ancestor in ancestors), evidence)
