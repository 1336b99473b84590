"""Ops without a separate time: timed together as one delegate, or only contained in the rest.

The ExecuTorch runtime times a delegate as one block, and ops outside of delegates only as a whole. A module
with such ops has no time of its own, and no ratio to another stage; only the modules around all of them have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import filterfalse
from typing import TYPE_CHECKING, NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.module_attribution import delegated, module_of
from exir_viz.snapshot.placement import delegate_names
from exir_viz.snapshot.records import Scope, TargetType

from .records import Executor
from .rollup import NONE, module_name

if TYPE_CHECKING:
    from .profile import Profile


class FusedTiming(NamedTuple):
    """A call whose time is that of several ops: a delegate that was timed as one block.

    `around` are the module calls that contain all of them: the time counts in these. `name` is what all views
    call the delegate: "XNNPACK 3".
    """

    call: Node
    ops: tuple[Node, ...]
    around: tuple[Scope, ...]
    name: str


def fused_timings(profile: Profile) -> tuple[FusedTiming, ...]:
    """The delegates of a profile that have one time."""
    names = delegate_names(profile.snapshot)
    found = []
    for cost in profile:
        outer = delegated(cost.node)
        graphs = (inner for graph in outer for inner in graph.walk())
        ops = tuple(node for graph in graphs for node in graph if _is_op(node))
        if ops and cost.time is not None and not any(node in profile for node in ops):
            found.append(FusedTiming(cost.node, ops, module_of(cost.node), str(names[outer[0].number])))
    return tuple(found)


def untimed_ops(profile: Profile) -> tuple[Node, ...]:
    """The ops that ran, and whose time is only in the rest."""
    lost = [cost.node for cost in profile if cost.time is None and cost.calls != 0]
    if profile.conditions.executor is not Executor.RUNTIME:
        return tuple(lost)
    nodes = (node for graph in profile.method.graphs() if delegate_around(graph) is None for node in graph)
    return (*lost, *(node for node in nodes if _is_op(node) and node not in profile))


@dataclass
class SharedTiming:
    """Per module: its ops that are timed together with others', by delegate; its ops whose time is in the
    rest.
    """

    shared: dict[str, int]
    untimed: int = 0

    def __str__(self) -> str:
        """ "in XNNPACK 1, which spans more; 2 ops not timed separately"."""
        names = list(self.shared)
        sentences = []
        if names:
            more = f" and {len(names) - 1} more" if names[1:] else ""
            sentences.append(f"in {names[0]}{more}, which {'span' if more else 'spans'} more")
        if self.untimed:
            sentences.append(f"{plural(self.untimed, 'op')} not timed separately")
        return "; ".join(sentences)


def mixed(profile: Profile) -> Mapping[str, SharedTiming]:
    """By name, the modules whose time is not theirs alone, or not complete."""
    found: dict[str, SharedTiming] = {}
    for one in profile.fused_timings:
        for name in _names(filterfalse(one.around.__contains__, node.scopes) for node in one.ops):
            shared = found.setdefault(name, SharedTiming({})).shared
            shared[one.name] = shared.get(one.name, 0) + 1
    for node in profile.untimed_ops:
        for name in [module_name(scope) for scope in module_of(node)] or [NONE]:
            found.setdefault(name, SharedTiming({})).untimed += 1
    return found


def _names(chains: Iterable[Iterable[Scope]]) -> Iterator[str]:
    return (module_name(scope) for chain in chains for scope in chain)


def _is_op(node: Node) -> bool:
    return node.op == "call_function" and node.target.type is TargetType.OP
