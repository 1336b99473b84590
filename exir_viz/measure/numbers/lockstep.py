"""Run two programs side by side, and pass on each pair of values as soon as both exist.

b leads, and a follows as far as b needs it. A value is kept only until its counterpart exists; in a program
that writes in place, as a copy. Each side draws random numbers as if it ran alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch

from exir_viz.compare.values.records import Health
from exir_viz.compare.values.value_pairs import places
from exir_viz.measure.cpu.failure import failure
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.survey import storage_bytes
from exir_viz.measure.cpu.timing import Stopped
from exir_viz.measure.cpu.writes import has_writes
from exir_viz.measure.distance import health, leaves
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.numbering import Numbering
from exir_viz.torch_internals.process_state import Interruption, undisturbed

# Ops whose result is uninitialized memory.
_UNWRITTEN = ("empty", "alloc")

Result = tuple[list[torch.Tensor], Health]
Meet = Callable[[int, Result, Result], None]
OnProgress = Callable[[str, int, int], None]


class Side:
    """One running program: its position, its values without a counterpart so far, and the first NaN and
    Inf.
    """

    def __init__(self, prepared: CpuProgram, snapshot: Snapshot, wanted: Sequence[int]) -> None:
        """`wanted`: the node number of this side, by number of pair."""
        self.prepared = prepared
        self.snapshot = snapshot
        self.numbering = Numbering(snapshot)
        self.outputs: list[Any] = []
        self.values: list[Any] = []  # of the placeholders; written state changes during the run
        self.healths: dict[int, Health] = {}
        self.waiting: dict[int, deque[Result]] = {}
        self.turns = [0] * len(wanted)
        self.order: dict[int, int] = {}  # by pair: how many values existed before its first
        self.is_done = False
        self._wanted: dict[int, list[int]] = {}
        for pair, number in enumerate(wanted):
            self._wanted.setdefault(number, []).append(pair)
        self._passed = [_top(self.numbering, number) for number in wanted]
        self._places = places(self.numbering)
        self._copies = has_writes(prepared.program.graph_module)
        self._at = -2
        self._arrived: list[tuple[int, Result]] = []
        self._rng = torch.Generator().manual_seed(0).get_state()

    def begin(self, inputs: Sequence[Any]) -> None:
        """Go to the first step, with own inputs and state."""
        self.values = self.prepared.state.values(inputs)
        self._steps = self.prepared.watched(self._visit, self.values)

    def advance(self) -> list[tuple[int, Result]]:
        """Run one step; returns the new values, by number of pair."""
        torch.set_rng_state(self._rng)
        try:
            self._at = next(self._steps)
        except StopIteration as done:
            self.is_done = True
            self.outputs = list(done.value)
        except Stopped as stopped:
            raise failure(stopped, self.prepared.planner.nodes, self.snapshot) from stopped.__cause__
        self._rng = torch.get_rng_state()
        arrived, self._arrived = self._arrived, []
        return arrived

    @property
    def passed(self) -> int:
        """How many nodes of the method's graph have run."""
        return self.total if self.is_done else max(0, self._at + 1)

    @property
    def total(self) -> int:
        """How many nodes the method's graph has."""
        return len(self.prepared.program.graph.nodes)

    def has_passed(self, pair: int) -> bool:
        """Whether no further value can come for this pair."""
        return self.is_done or self._at >= self._passed[pair]

    def _visit(self, path: str, slot: int, value: Any) -> None:
        base = self._places.get(path)
        if base is None:
            return  # inside a delegate
        number = base + slot
        pairs = self._wanted.get(number, ())
        name = self.numbering.node(number).target.name
        found = [] if any(word in name for word in _UNWRITTEN) else leaves(value)
        state = health(found)
        if state.nan or state.inf:
            self.healths.setdefault(number, state)
        if pairs and found:
            kept = [one.clone() for one in found] if self._copies else found
            for pair in pairs:
                self.turns[pair] += 1
                self.order.setdefault(pair, len(self.order))
                self._arrived.append((pair, (kept, state)))


def run(a: Side, b: Side, inputs: tuple[Sequence[Any], Sequence[Any]], meet: Meet, report: OnProgress) -> int:
    """Run both to their ends and call `meet` with each pair; returns the most bytes kept at once."""

    def run_both(_interruption: Interruption) -> int:
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            return _run(a, b, inputs, meet, report)

    return undisturbed(run_both)


def _run(
    a: Side, b: Side, inputs: tuple[Sequence[Any], Sequence[Any]], meet: Meet, report: OnProgress
) -> int:
    most = 0
    a.begin(inputs[0])
    b.begin(inputs[1])
    while not b.is_done:
        _arrive(b.advance(), b, a, meet, is_b=True)
        report("Comparing values", b.passed, b.total)
        while any(not a.has_passed(pair) for pair in b.waiting):
            _arrive(a.advance(), a, b, meet, is_b=False)
            most = max(most, _bytes(a, b))
        b.waiting.clear()  # a is past them: they have no counterpart
        for pair in [pair for pair in a.waiting if b.has_passed(pair)]:
            del a.waiting[pair]
    while not a.is_done:
        a.advance()
    return most


def _arrive(arrived: list[tuple[int, Result]], here: Side, there: Side, meet: Meet, *, is_b: bool) -> None:
    for pair, result in arrived:
        waiting = there.waiting.get(pair)
        if not waiting:
            here.waiting.setdefault(pair, deque()).append(result)
            continue
        other = waiting.popleft()
        if not waiting:
            del there.waiting[pair]
        meet(pair, *((other, result) if is_b else (result, other)))


def _bytes(*sides: Side) -> int:
    """The bytes of all kept values; shared memory counts once."""
    return storage_bytes(
        [one for side in sides for line in side.waiting.values() for result, _ in line for one in result]
    )


def _top(numbering: Numbering, number: int) -> int:
    """The position in the method's graph after which a node does not run again."""
    node = numbering.node(number)
    graph: Graph | None = node.graph
    position = -1 if node.op in ("placeholder", "get_attr") else node.position
    while graph is not None and graph.parent is not None:
        holder = next(ref.node for ref in graph.parent.columns.subgraphs if ref.graph == graph.number)
        graph = graph.parent
        position = max((user.position for user in graph[holder].users), default=holder)
    return position
