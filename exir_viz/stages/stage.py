"""Stage: one program of a session, the step that made it, and the verbs that take it further.

A stage never changes. A failed one has no program and no Snapshot, and says why; a loaded one has a Snapshot
and no program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exir_viz.errors import ExirVizError
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.lineage import Evidence, Lineage, LineageIndex
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import Live, NotPossible
from exir_viz.stages.records import Change, Failure, Finding, StageState, Step, StepKind
from exir_viz.stages.words import failure_text, stage_line

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from exir_viz.stages.run import Listener
    from exir_viz.stages.session import Session
    from exir_viz.stages.sight import Sight


@dataclass(frozen=True, slots=True)
class Link:
    """A node of another stage that a node came from, or became; and what says so."""

    stage: Stage
    node: Node
    evidence: Evidence

    def __repr__(self) -> str:
        return f"<{self.node.id} of {self.stage.name}, by {self.evidence.value}>"


@dataclass(frozen=True, slots=True)
class Content:
    """What a stage consists of; `state` says which of it is there."""

    step: Step
    state: StageState
    snapshot: Snapshot | None = None
    live: Live | None = None
    lineage: Lineage | None = None
    change: Change | None = None
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()


class StepFailed(ExirVizError):
    """The program of a failed stage was asked for: the reason, and where it went wrong."""


class Stage:
    """One stage of a session."""

    def __init__(
        self, session: Session, number: str, name: str, parent: Stage | None, content: Content
    ) -> None:
        self.session = session
        self.id = number
        self.name = name
        self.parent = parent
        self._content: Content | None = content

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def content(self) -> Content:
        if self._content is None:
            raise NotPossible(f"Stage {self.id!r} ({self.name}) was dropped: its memory is released.")
        return self._content

    @property
    def step(self) -> Step:
        return self.content.step

    @property
    def state(self) -> StageState:
        return self.content.state

    @property
    def failed(self) -> bool:
        return self.content.failure is not None

    @property
    def failure(self) -> Failure | None:
        return self.content.failure

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the step tells of nodes: why a backend left them, …"""
        return self.content.findings

    @property
    def lineage(self) -> Lineage | None:
        """The links to the parent; None for the first stage, a failed one, and where there is none saved."""
        return self.content.lineage

    @property
    def change(self) -> Change | None:
        return self.content.change

    @property
    def live(self) -> Live | None:
        """The programs, where there are some."""
        return self.content.live

    @property
    def snapshot(self) -> Snapshot:
        """The program as data. Raises StepFailed where the step made none."""
        snapshot = self.content.snapshot
        if snapshot is None:
            raise self._no_program()
        return snapshot

    @property
    def programs(self) -> Mapping[str, ExportedProgram]:
        """The programs by method. They are the session's: to change one, copy it."""
        live = self.content.live
        if live is None:
            raise self._no_program()
        return live.programs

    @property
    def program(self) -> ExportedProgram:
        """The only program, or `forward`, or the first."""
        programs = self.programs
        return programs.get("forward") or next(iter(programs.values()))

    @property
    def pte(self) -> bytes:
        """The bytes that ExecuTorch's runtime loads. Only the stage `executorch` has them."""
        live = self.content.live
        if live is None or live.pte is None:
            raise NotPossible(
                f"Stage {self.name!r} has no .pte: it is in the dialect "
                f"{self.dialect.value if self.dialect else 'none'}. stage.executorch() makes one."
            )
        return live.pte

    @property
    def dialect(self) -> Dialect | None:
        """Which rules the program promises to keep."""
        snapshot = self.content.snapshot
        return None if snapshot is None else snapshot.method.dialect

    @property
    def children(self) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.session.stages if stage.parent is self)

    @property
    def held(self) -> int:
        """Bytes that only this stage holds: what dropping it would give back."""
        return self.session.held(self)

    # -- the steps ----------------------------------------------------------------------------------------

    def decompose(self, ops: str | Iterable[Any] | None = None, *, but: Iterable[Any] = ()) -> Stage:
        """Write operators as simpler ones.

        ops: None or "core" for Core ATen, "functional" for no more than functionalisation, or a list of the
             operators to decompose ("aten.linear.default", "linear", or torch.ops.aten.linear.default).
        but: with "core", the operators to keep.
        """
        chosen: Any = "core" if ops is None else ops if isinstance(ops, str) else list(ops)
        return self.do(StepKind.DECOMPOSE, {"ops": chosen, **_given(but=list(but))})

    def edge(self, *, preserve: Iterable[Any] = (), check_ir: bool = True, dim_order: bool = True) -> Stage:
        """Lower to ExecuTorch's edge dialect (`to_edge`), all methods together.

        preserve: operators that are not decomposed. check_ir: hold the result to the dialect's rules.
        dim_order: write memory formats as dim orders.
        """
        options = _given(preserve=list(preserve))
        return self.do(StepKind.EDGE, {**options, "check_ir": check_ir, "dim_order": dim_order})

    def transform(self, *passes: Any, name: str = "") -> Stage:
        """Run passes of your own on a copy: each a PassBase, or a callable that takes a GraphModule."""
        stage = self.do(StepKind.TRANSFORM, {"passes": list(passes)})
        return stage.rename(name) if name else stage

    def backend(
        self, partitioner: Any = "xnnpack", *, check_ir: bool = True, dim_order: bool = True
    ) -> Stage:
        """Hand parts of the program to a backend: `to_backend` from edge, else `to_edge_transform_and_lower`.

        partitioner: "xnnpack", "vulkan", "coreml"; one of ExecuTorch's partitioners; several of these in
             order; or these by method. The findings say why each call that stays was not taken.
        check_ir, dim_order: as for edge, where the program is not lowered to it yet.
        """
        options = {"partitioner": partitioner, "check_ir": check_ir, "dim_order": dim_order}
        return self.do(StepKind.BACKEND, options)

    def executorch(self, **options: Any) -> Stage:
        """Make what the runtime runs (`to_executorch`).

        config: an ExecutorchBackendConfig of your own; or, each as ExecuTorch names it: algorithm ("greedy",
        "naive"), alloc_graph_input, alloc_graph_output, alloc_mutable_buffers, remove_view_copy,
        emit_stacktrace.
        """
        return self.do(StepKind.EXECUTORCH, options)

    def quantize(
        self,
        inputs: Any = None,
        *,
        per_channel: bool = True,
        dynamic: bool = False,
        quantizer: Any = None,
    ) -> Stage:
        """Compute in 8-bit integers where XNNPACK's quantizer, or one of your own, knows how (PT2E).

        inputs: calls to calibrate with, each a tensor, a tuple of arguments, or a dict of them by name; by
        method where there are several. Without them the example inputs are used, and a notice says so.
        """
        given = {"inputs": inputs, "quantizer": quantizer}
        options = {"per_channel": per_channel, "dynamic": dynamic}
        options |= {name: one for name, one in given.items() if one is not None}
        return self.do(StepKind.QUANTIZE, options)

    def reexport(
        self,
        dynamic_shapes: Any = None,
        *,
        dims: Mapping[str, Mapping[int, str]] | None = None,
        strict: bool | None = None,
    ) -> Stage:
        """Export the module again, with other dynamism of its inputs or in the other mode.

        dynamic_shapes: as torch.export takes them; or "static", "dynamic", "auto" for every dimension.
        dims: in words, by input and position: {"x": {0: "batch in 2..64"}, "y": {0: "2*batch + 1"}}.
        """
        given = {"dynamic_shapes": dynamic_shapes, "dims": dims, "strict": strict}
        return self.do(StepKind.REEXPORT, {name: one for name, one in given.items() if one is not None})

    def do(
        self, kind: StepKind | str, options: Mapping[str, Any] | None = None, listener: Listener | None = None
    ) -> Stage:
        """Do any step, by its kind and its options as a form gives them; `listener` is told how it goes."""
        return self.session.do(self, StepKind(kind), options or {}, listener)

    # -- what can be done with it -------------------------------------------------------------------------

    def rename(self, name: str) -> Stage:
        """Give it another name, one that no other stage of the session has."""
        self.session.rename(self, name)
        return self

    def drop(self) -> None:
        """Forget the stage and all that came of it, and release their memory."""
        self.session.drop(self)

    def save_pte(self, path: str | PathLike[str]) -> Path:
        """Write the `.pte` file."""
        path = Path(path)
        path.write_bytes(self.pte)
        return path

    def ancestors(self, node: str | Node) -> tuple[Link, ...]:
        """The nodes of the parent stage that a node came from."""
        if self.parent is None:
            return ()
        found = self.kin.ancestors(self.numbering.number(self.node(node)))
        return tuple(Link(self.parent, self.parent.numbering.node(at), by) for at, by in found)

    def descendants(self, node: str | Node) -> tuple[Link, ...]:
        """The nodes that a node became, in all stages made from this one."""
        number = self.numbering.number(self.node(node))
        return tuple(
            Link(child, child.numbering.node(at), by)
            for child in self.children
            for at, by in child.kin.descendants(number)
        )

    def trace(self, node: str | Node) -> Sight:
        """A node's story through all stages: the source line, then what it was and became in each."""
        from exir_viz.stages.sight import sight

        return sight(self, node)

    @cached_property
    def numbering(self) -> Numbering:
        """The nodes of the Snapshot by number, as lineages name them."""
        return Numbering(self.snapshot)

    @cached_property
    def kin(self) -> LineageIndex:
        """The links to the parent, in both directions; empty where there are none."""
        return LineageIndex(self.lineage or Lineage())

    def node(self, node: str | Node) -> Node:
        """A node of this stage by name: "forward/true_graph_0/sin", or "sin" of the method's own graph."""
        if isinstance(node, Node):
            if node.graph.snapshot is not self.snapshot:
                raise NotPossible(f"{node.id} is a node of another stage than {self.name!r}.")
            return node
        path, _, name = node.rpartition("/")
        for graph in self.snapshot.graphs if path else (self.snapshot.method.graph,):
            if (not path or graph.path == path) and name in graph:
                return graph[name]
        raise NotPossible(f"Stage {self.name!r} has no node {node!r}.")

    def release(self) -> None:
        """Let go of everything. The session calls it, once nothing refers to the stage any more."""
        self._content = None
        vars(self).pop("numbering", None)
        vars(self).pop("kin", None)

    def __repr__(self) -> str:
        if self._content is None:
            return f"<Stage {self.id}, dropped>"
        if self._content.failure is not None:
            return failure_text(self.step.title, self._content.failure)
        return f"<Stage {stage_line(self)}>"

    def _no_program(self) -> ExirVizError:
        failure = self.content.failure
        if failure is not None:
            return StepFailed(failure_text(self.step.title, failure))
        return NotPossible(
            f"Stage {self.name!r} was loaded from a file: it has a Snapshot and no program. To go on from "
            "it, start a session with the program."
        )


def _given(**options: Any) -> dict[str, Any]:
    """The options that say something."""
    return {name: value for name, value in options.items() if value}
