"""A rule, and what it is checked on: one method of a Snapshot in one dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.operators import OperatorFacts, facts_of
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Method

_ATEN: Final = (Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE)
_LOWERED: Final = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)

ALL: Final = frozenset(Dialect)
EXPORTED: Final = frozenset((*_ATEN, *_LOWERED))
ATEN: Final = frozenset(_ATEN)
FUNCTIONAL: Final = frozenset((Dialect.ATEN, Dialect.ATEN_CORE, Dialect.EDGE, Dialect.BACKEND))
CORE: Final = frozenset((Dialect.ATEN_CORE,))
EDGE: Final = frozenset((Dialect.EDGE, Dialect.BACKEND))
LOWERED: Final = frozenset(_LOWERED)
EXECUTORCH: Final = frozenset((Dialect.EXECUTORCH,))


class Section(NamedTuple):
    """Where a rule is stated."""

    document: str
    heading: str
    url: str

    def __str__(self) -> str:
        return f"{self.document}: {self.heading}"


_TORCH: Final = "https://docs.pytorch.org/docs/stable/"
_EXECUTORCH: Final = "https://docs.pytorch.org/executorch/stable/"


def export_ir(heading: str) -> Section:
    """A section of torch.export's IR specification."""
    return Section("Export IR", heading, f"{_TORCH}export/ir_spec.html")


def exir(heading: str) -> Section:
    """A section of ExecuTorch's document of the EXIR dialects."""
    return Section("EXIR", heading, f"{_EXECUTORCH}ir-exir.html")


def programming_model(heading: str) -> Section:
    """A section of torch.export's programming model."""
    return Section("Programming model", heading, f"{_TORCH}export/programming_model.html")


def overview(heading: str) -> Section:
    """A section of torch.export's overview."""
    return Section("torch.export", heading, f"{_TORCH}export.html")


def memory_planning(heading: str) -> Section:
    """A section of ExecuTorch's document of memory planning."""
    return Section("Memory planning", heading, f"{_EXECUTORCH}compiler-memory-planning.html")


class Break(NamedTuple):
    """One violation: the node (None: the whole method), what is wrong, what to do."""

    node: Node | None
    message: str
    remedy: str


class Subject:
    """One method of a Snapshot, and the dialect whose rules are checked."""

    def __init__(self, method: Method, dialect: Dialect) -> None:
        self.method = method
        self.dialect = dialect
        self.snapshot = method.snapshot
        self._nodes: dict[int, tuple[Node, ...]] = {}

    @cached_property
    def graphs(self) -> tuple[Graph, ...]:
        """Every graph of the method that has nodes; a file may lack the graphs of its delegates."""
        return tuple(graph for graph in self.method.graphs() if len(graph))

    @cached_property
    def own_graphs(self) -> tuple[Graph, ...]:
        """The graphs outside of delegates: a backend has its own rules."""
        return tuple(graph for graph in self.graphs if not is_delegated(graph))

    @cached_property
    def facts(self) -> tuple[OperatorFacts, ...]:
        """The facts about each target of the Snapshot."""
        return tuple(map(facts_of, self.snapshot.targets))

    def facts_of(self, node: Node) -> OperatorFacts:
        """The facts about the target of a node."""
        return self.facts[node.graph.columns.targets[node.position]]

    def nodes_of(self, graph: Graph) -> tuple[Node, ...]:
        """The nodes of a graph, made once for all rules."""
        if graph.number not in self._nodes:
            self._nodes[graph.number] = tuple(graph)
        return self._nodes[graph.number]

    def calls(self, *, delegated: bool = False) -> Iterator[Node]:
        """The nodes that call something, outside of delegates unless `delegated`."""
        for graph in self.graphs if delegated else self.own_graphs:
            for node in self.nodes_of(graph):
                if node.op in ("call_function", "instruction"):
                    yield node


def is_delegated(graph: Graph) -> bool:
    """Whether it is the graph of a delegate, or nested in one."""
    around: Graph | None = graph
    while around is not None:
        if around.delegate is not None:
            return True
        around = around.parent
    return False


def node_named(graph: Graph, name: str) -> Node | None:
    """The node with a name; None if no graph has it, because a signature may name any."""
    if name not in graph:
        return None
    return graph[name]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it demands, for which dialects, where it is stated, and how it is checked.

    stricter: why torch's and ExecuTorch's verifiers accept programs that break it; "" if they do not.
    lost_in_pte: what it reads that a `.pte` file does not hold; "" if the file holds everything.
    """

    name: str
    title: str
    severity: Outcome
    dialects: frozenset[Dialect]
    section: Section
    check: Callable[[Subject], Iterator[Break]]
    stricter: str = ""
    lost_in_pte: str = ""

    @property
    def why_unchecked(self) -> str:
        """Why a `.pte` file cannot be checked by this rule; "" if it can."""
        return f"A .pte does not say {self.lost_in_pte}." if self.lost_in_pte else ""
