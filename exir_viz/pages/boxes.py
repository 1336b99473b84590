"""Choose the boxes of a static picture, and the lines between them, for Graphviz to draw.

Enters: a graph, the wanted part of it, and a maximum of boxes. Modules are opened from the outside in, as
long as their contents fit; runs of equal modules become one box after the first of them; what still does not
fit is counted in a box. Parameters are folded into the nodes that use them. Linear in nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import StateEntry
from exir_viz.snapshot.rollup import ScopeCount, scope_tree

STATE = frozenset({"parameter", "buffer", "constant_tensor"})

# Fewer equal modules than this are drawn separately.
_LEAST_RUN = 3
# Deeper modules stay closed: no model needs more, and nested clusters are slow to lay out.
_MOST_DEPTH = 24


@dataclass(frozen=True, slots=True)
class NodeBox:
    """One node, with the positions of the state folded into it."""

    position: int
    folded: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleBox:
    """Closed module calls: one, or a run of equal ones from `first` to `last` (scope numbers)."""

    first: int
    last: int
    calls: int


@dataclass(frozen=True, slots=True)
class MoreBox:
    """Nodes that did not fit."""

    nodes: int


Box = NodeBox | ModuleBox | MoreBox


@dataclass(slots=True)
class Drawing:
    """Boxes by key, the open module around each (NONE: none), and lines with their source nodes.

    `clusters` are the open modules to draw; `outside` the boxes that are drawn only for their lines.
    """

    counts: dict[int, ScopeCount]
    clusters: set[int]
    boxes: dict[str, Box] = field(default_factory=dict)
    within: dict[str, int] = field(default_factory=dict)
    lines: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)

    def depth(self, scope: int) -> int:
        """How many open modules are drawn around an open module."""
        around = self.counts[scope].scope.parent
        return 1 + self.depth(around) if around in self.clusters else 0


class BoxChooser:
    """Opens modules of one graph until the picture is full."""

    def __init__(
        self, graph: Graph, wanted: Iterable[int], state: Iterable[StateEntry], most: int, fold: bool
    ) -> None:
        self.graph = graph
        self.index = index_of(graph)
        self.counts = scope_tree(graph, state)
        self.most = most
        roles = self.index.roles
        self.folds = {at for at, role in roles.items() if role in STATE} if fold else set()
        self.wanted = [at for at in wanted if at not in self.folds]
        self._own: dict[int, int] = {}
        self._prints: dict[int, int] = {}
        for at in self.wanted:
            scope = graph.columns.scopes[at]
            self._own[scope] = self._own.get(scope, 0) + 1
        self._take_prints()
        self.runs = self._find_runs()
        self.open: set[int] = set()
        self._around: set[int] = set()

    # -- equal modules ------------------------------------------------------------------------------------

    def _take_prints(self) -> None:
        """A number per module for its behaviour: equal for modules of equal ops and values in equal order."""
        columns, scopes = self.graph.columns, self.graph.snapshot.scopes
        for at in self.wanted:
            scope, seen = columns.scopes[at], (columns.targets[at], columns.values[at])
            while scope != NONE:
                self._prints[scope] = hash((self._prints.get(scope, 0), *seen))
                scope = scopes[scope].parent

    def _find_runs(self) -> dict[int, ModuleBox]:
        """By scope number: the run of equal siblings it is folded into; the first of a run stays separate."""
        runs: dict[int, ModuleBox] = {}
        roots = [number for number, count in self.counts.items() if count.scope.parent not in self.counts]
        for siblings in (roots, *(count.children for count in self.counts.values())):
            run: list[int] = []
            for number in (*siblings, NONE):
                if run and number != NONE and self._equal(run[0], number):
                    run.append(number)
                    continue
                if len(run) >= _LEAST_RUN:
                    box = ModuleBox(run[1], run[-1], len(run) - 1)
                    runs.update(dict.fromkeys(run[1:], box))
                run = [number]
        return runs

    def _equal(self, one: int, other: int) -> bool:
        first, second = self.counts[one], self.counts[other]
        prints = self._prints
        return first.scope.cls == second.scope.cls and one in prints and prints[one] == prints.get(other)

    # -- what fits ----------------------------------------------------------------------------------------

    def choose(self, within: int | None) -> None:
        """Open modules breadth first, as long as they fit: all modules, or those in one module."""
        if within is None:
            queue = [number for number, count in self.counts.items() if count.scope.parent == NONE]
        else:
            queue = [within]
            self._free(within)
        queue = [number for number in queue if number not in self.runs]
        shown = self._own.get(NONE, 0) + self._visible(queue)
        for _ in range(_MOST_DEPTH):
            deeper: list[int] = []
            for number in queue:
                inner = self._contents(number)
                cost = self._own.get(number, 0) + len(inner) - 1
                if number == within or shown + cost <= self.most:
                    shown += cost
                    self.open.add(number)
                    deeper += [one for one in inner if one not in self.runs]
            queue = deeper

    def open_all(self) -> None:
        """Open every module: few nodes are wanted."""
        self.open = {number for number, count in self.counts.items() if count.depth < _MOST_DEPTH}
        self.runs = {}

    def _free(self, scope: int) -> None:
        """A requested module is not part of a run, nor are the open modules around it."""
        requested = scope
        while scope != NONE:
            self.runs.pop(scope, None)
            self.open.add(scope)
            if scope != requested:
                self._around.add(scope)
            scope = self.graph.snapshot.scopes[scope].parent

    def _contents(self, number: int) -> list[int]:
        """The boxes that a module's contents need; a run counts once."""
        found: dict[object, int] = {}
        for child in self.counts[number].children:
            if child in self._prints:
                found.setdefault(self.runs.get(child, child), child)
        return list(found.values())

    def _visible(self, numbers: Iterable[int]) -> int:
        return len({self.runs.get(number, number) for number in numbers})

    # -- the picture --------------------------------------------------------------------------------------

    def draw(self, outside: bool) -> Drawing:
        """The boxes and lines; with `outside`, also the nodes that feed or use the wanted ones."""
        drawing = Drawing(self.counts, self.open - self._around)
        kept = self._kept()
        keys: dict[int, str] = {}
        for at in self.wanted:
            keys[at] = self._place(drawing, at, at in kept)
        for at in self.wanted:
            for source in self.index.inputs(at):
                if source not in self.folds:
                    self._line(drawing, keys, source, at, outside)
        if outside:
            wanted = set(self.wanted)
            for at in self.wanted:
                for user in self.graph.user_positions(at):
                    if user not in wanted:
                        self._line(drawing, keys, at, user, outside)
        return drawing

    def _line(self, drawing: Drawing, keys: dict[int, str], source: int, target: int, outside: bool) -> None:
        for end in (source, target):
            if end not in keys and outside and len(drawing.outside) < self.most:
                keys[end] = f"n{end}"
                drawing.boxes[keys[end]] = NodeBox(end)
                drawing.within[keys[end]] = NONE
                drawing.outside.add(keys[end])
        if source in keys and target in keys and keys[source] != keys[target]:
            values = drawing.lines.setdefault((keys[source], keys[target]), [])
            if source not in values:
                values.append(source)

    def _kept(self) -> set[int]:
        """The nodes to draw separately: all in open modules, or as many from both ends as fit."""
        scopes = self.graph.columns.scopes
        single = [at for at in self.wanted if self._closed(scopes[at]) == NONE]
        if len(single) <= max(self.most, 1):
            return set(single)
        half = max(self.most // 2, 1)
        return {*single[:half], *single[-half:]}

    def _closed(self, scope: int) -> int:
        """The outermost closed module around a scope; NONE if all are open."""
        found = NONE
        while scope != NONE:
            if scope not in self.open:
                found = scope
            scope = self.graph.snapshot.scopes[scope].parent
        return found

    def _place(self, drawing: Drawing, at: int, kept: bool) -> str:
        """Put a node's box into the drawing and return its key."""
        scope = self.graph.columns.scopes[at]
        closed = self._closed(scope)
        inside: int
        box: Box
        if closed != NONE:
            run = self.runs.get(closed)
            box = run or ModuleBox(closed, closed, 1)
            key, inside = f"m{box.first}", self.graph.snapshot.scopes[closed].parent
        elif kept:
            state = tuple(dict.fromkeys(one for one in self.index.inputs(at) if one in self.folds))
            key, inside, box = f"n{at}", scope, NodeBox(at, state)
        else:
            key, inside = "more", NONE
            before = drawing.boxes.get(key)
            box = MoreBox(1 + (before.nodes if isinstance(before, MoreBox) else 0))
        drawing.boxes[key] = box
        drawing.within.setdefault(key, inside)
        return key
