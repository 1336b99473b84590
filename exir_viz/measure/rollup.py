"""Costs by group: by node, module, op, kind, dialect, source line or dtype. Plain Python from a Profile.

The groups of every rollup, with the overhead, add up to the total; only modules are nested, and have a
`total` in addition to their own time. The module of a node: see `snapshot.module_attribution`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from exir_viz.compare.noise import NOTHING, Span, span, total
from exir_viz.options import one_of
from exir_viz.snapshot import Node
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.module_attribution import module_of
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import Scope, SequenceValue, TensorValue
from exir_viz.snapshot.rollup import module_path

from .records import Basis, Executor, Times

if TYPE_CHECKING:
    from .profile import Cost, Profile

By: TypeAlias = Literal["node", "module", "op", "kind", "dialect", "line", "dtype"]

OVERHEAD = "(overhead)"
REST = "(rest)"
ROOT = "(root)"
NONE = "(none)"


@dataclass(slots=True)
class Share:
    """A group of nodes. Times in seconds per run; `total` includes submodules (modules only).

    `share`, `total_share` and `cumulative` are of the total run, the overhead included: see `Profile.share`.
    `span` is the total with its spread, `bases` how its parts were found. Times and counts are None if none
    of its nodes was timed or counted; nodes that did not run are in no group. `untimed` nodes, its own or
    nested, ran and have no time: if there are any, `time` and `total` are lower bounds.
    """

    key: str
    time: float | None = 0.0
    total: float | None = 0.0
    share: float | None = 0.0
    total_share: float | None = 0.0
    cumulative: float = 0.0
    nodes: int = 0
    within: int = 0
    untimed: int = 0
    calls: int = 0
    flops: int | None = None
    bytes_moved: int | None = None
    allocated_bytes: int | None = None
    cls: str = ""
    span: Span = NOTHING
    bases: frozenset[Basis] = frozenset()

    def add(self, cost: Cost) -> None:
        """Add a node's own numbers."""
        self.time = _sum(self.time if self.nodes else None, cost.time)
        self.nodes += 1
        self.calls += cost.calls or 0
        self.flops = _sum(self.flops, cost.flops)
        self.bytes_moved = _sum(self.bytes_moved, cost.bytes_moved)
        self.allocated_bytes = _sum(self.allocated_bytes, cost.allocated_bytes)
        self.hold(cost)

    def hold(self, cost: Cost) -> None:
        """Count a node that is its own, or a submodule's."""
        self.total = _sum(self.total if self.within else None, cost.time)
        self.within += 1
        if cost.time is None:
            self.untimed += 1
            return
        self.span = total((self.span, cost.span))
        self.bases |= {cost.basis}


def rollup(profile: Profile, by: By) -> list[Share]:
    """The groups, the one with the most own time first; the overhead is one of them."""
    groups: dict[str, Share] = {}
    key = _KEYS[one_of("rollup", "by", by, tuple(_KEYS))]
    for cost in profile:
        if cost.calls == 0:
            continue
        name, cls, around = key(profile, cost.node)
        groups.setdefault(name, Share(name, cls=cls)).add(cost)
        for outer, outer_cls in around:
            groups.setdefault(outer, Share(outer, cls=outer_cls)).hold(cost)
    if profile.overhead is not None:
        rest, name = span_of(profile.overhead), rest_of(profile)
        groups[name] = Share(name, time=rest.time, total=rest.time, span=rest)
    return _ranked(profile, list(groups.values()))


def ordered(bases: Collection[Basis]) -> tuple[Basis, ...]:
    """Measured before estimated."""
    return tuple(basis for basis in Basis if basis in bases)


def rest_of(profile: Profile) -> str:
    """The name of the time outside nodes: the rest, if it contains ops, else the overhead."""
    return REST if profile.conditions.executor is Executor.RUNTIME else OVERHEAD


def span_of(times: Times) -> Span:
    """The spread of the total, or of the overhead."""
    return span(times.time / 1e9, times.p25 / 1e9, times.p75 / 1e9, times.n)


_Number = TypeVar("_Number", int, float)


def _sum(known: _Number | None, more: _Number | None) -> _Number | None:
    if known is None or more is None:
        return known if more is None else more
    return known + more


def _ranked(profile: Profile, groups: list[Share]) -> list[Share]:
    groups.sort(key=lambda group: (-(group.time or 0.0), group.key))
    running = 0.0
    for group in groups:
        running += group.time or 0.0
        group.share, group.total_share = (
            None if time is None else profile.share(time) for time in (group.time, group.total)
        )
        group.cumulative = profile.share(running)
    return groups


# The group of a node, a class to show with it, and (modules only) the outer groups.
_Key: TypeAlias = tuple[str, str, list[tuple[str, str]]]


def module_name(scope: Scope) -> str:
    """The name of a module call in rollups: "layers.0", and "layers.0@1" for its second call."""
    path = module_path(scope.path) or ROOT
    return f"{path}@{scope.call}" if scope.call else path


def _by_module(_: Profile, node: Node) -> _Key:
    names = [(module_name(scope), scope.cls) for scope in module_of(node)]
    if not names:
        return NONE, "", []
    return (*names[-1], names[:-1])


def _by_node(_: Profile, node: Node) -> _Key:
    return node.id, op_name(node.target), []


def _by_op(_: Profile, node: Node) -> _Key:
    return op_name(node.target), "", []


def _by_kind(_: Profile, node: Node) -> _Key:
    return index_of(node.graph).kinds[node.position].value, "", []


def _by_dialect(profile: Profile, node: Node) -> _Key:
    return dialect_of(profile, node), "", []


def dialect_of(profile: Profile, node: Node) -> str:
    """The dialect of a node; for a delegated node, the backend's name."""
    graph: Graph | None = node.graph
    while graph is not None:
        if graph.delegate is not None:
            return graph.delegate.backend
        graph = graph.parent
    return profile.record.dialect


def _by_line(_: Profile, node: Node) -> _Key:
    frame = users_frame(node.frames)
    return (NONE, "", []) if frame is None else (f"{frame.file}:{frame.line}", frame.code, [])


def _by_dtype(_: Profile, node: Node) -> _Key:
    return dtype_of(node), "", []


def dtype_of(node: Node) -> str:
    """The dtype of a node's output; of the first tensor, if there are several."""
    value = node.value
    while isinstance(value, SequenceValue) and value.items:
        value = value.items[0]
    return value.dtype if isinstance(value, TensorValue) else NONE


_KEYS: dict[str, Callable[[Profile, Node], _Key]] = {
    "node": _by_node,
    "module": _by_module,
    "op": _by_op,
    "kind": _by_kind,
    "dialect": _by_dialect,
    "line": _by_line,
    "dtype": _by_dtype,
}
