"""Stage: one program of a session, with the step that made it. `step_methods` defines the steps.

A stage never changes. A failed stage has no program and no Snapshot, but a reason; a loaded one has a
Snapshot and no program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exir_viz.errors import ExirVizError, StepFailed
from exir_viz.options import named_options, refuse
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.file_writing import write
from exir_viz.snapshot.lineage import Evidence, Lineage, LineageIndex
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.content import StageContent
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.records import Failure, Finding, OpRow, StageState, Step, StepKind
from exir_viz.stages.stage_text import failure_text, stage_line
from exir_viz.stages.step_methods import StepMethods

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from exir_viz.readers.live_state import LiveState
    from exir_viz.stages.node_trace import NodeTrace
    from exir_viz.stages.session import Session
    from exir_viz.stages.step_runner import Listener


@dataclass(frozen=True, slots=True)
class NodeLink:
    """An ancestor or descendant of a node, in another stage, with the evidence."""

    stage: Stage
    node: Node
    evidence: Evidence

    def __repr__(self) -> str:
        return f"<{self.node.id} of {self.stage.name}, by {self.evidence.value}>"


class Stage(StepMethods):
    """One program of a session, with the step that made it. A stage never changes.

    A failed stage has no program and says why. A stage loaded from a file has a Snapshot and no live program.

    Examples
    --------
    >>> session.root
    <Stage s0 export  aten.training  3 calls  ...>
    >>> session.decompose().dialect.value
    'aten.core'
    """

    def __init__(
        self, session: Session, number: str, name: str, parent: Stage | None, content: StageContent
    ) -> None:
        self.session = session
        self.id = number
        self.name = name
        self.parent = parent
        self._content: StageContent | None = content

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def content(self) -> StageContent:
        """The content of the stage. Raises NotPossible after the stage was dropped."""
        if self._content is None:
            raise NotPossible(f"Stage {self.id!r} ({self.name}) was dropped, and its memory was freed.")
        return self._content

    @property
    def step(self) -> Step:
        """The step that made the stage."""
        return self.content.step

    @property
    def state(self) -> StageState:
        """Whether the stage is ready, failed or loaded from a file."""
        return self.content.state

    @property
    def failed(self) -> bool:
        """Whether the step failed."""
        return self.content.failure is not None

    @property
    def shown(self) -> Stage:
        """The stage itself, or for a failed stage the nearest ancestor that has a program."""
        return self.parent.shown if self.failed and self.parent is not None else self

    @property
    def failure(self) -> Failure | None:
        """Why the step failed; None if it did not."""
        return self.content.failure

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the step reports about nodes, such as why a backend did not accept them."""
        return self.content.findings

    @property
    def lineage(self) -> Lineage | None:
        """The links to the parent; None for the first stage, for a failed one, and if a file has none."""
        return self.content.lineage

    @property
    def change(self) -> CallChange | None:
        """How many calls were kept, added and removed since the parent: `Diff.calls` of a diff of the two."""
        return self.content.change

    @property
    def live(self) -> LivePrograms | None:
        """The live programs; None for a failed or loaded stage."""
        return self.content.live

    @property
    def snapshot(self) -> Snapshot:
        """The program as data.

        Raises
        ------
        StepFailed
            If the step failed: there is no program.
        """
        snapshot = self.content.snapshot
        if snapshot is None:
            raise self._no_program()
        return snapshot

    @property
    def weights(self) -> LiveState | None:
        """The weights of the programs, to compare; None if there are none."""
        live = self.content.live
        if live is None:
            return None
        from exir_viz.readers.live_state import LiveState

        return LiveState(live.programs)

    @property
    def programs(self) -> Mapping[str, ExportedProgram]:
        """The programs by method. They belong to the session: to change one, copy it.

        Raises
        ------
        StepFailed
            If the step failed: there is no program.
        NotPossible
            If the stage was loaded from a file: it has no live program.
        """
        live = self.content.live
        if live is None:
            raise self._no_program()
        return live.programs

    @property
    def program(self) -> ExportedProgram:
        """The only program, or `forward`, or the first.

        Raises
        ------
        StepFailed
            If the step failed: there is no program.
        NotPossible
            If the stage was loaded from a file: it has no live program.
        """
        programs = self.programs
        return programs.get("forward") or next(iter(programs.values()))

    @property
    def pte(self) -> bytes:
        """The bytes for ExecuTorch's runtime. Only the stage `executorch` has them."""
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
    def edge_stage(self) -> Stage | None:
        """Of an ExecuTorch program: the nearest ancestor in the edge dialect, which it was made from."""
        if self.dialect is not Dialect.EXECUTORCH:
            return None
        stage = self.parent
        while stage is not None and stage.dialect is not Dialect.EDGE:
            stage = stage.parent
        return stage

    @property
    def unverified(self) -> bool:
        """Whether it, or a stage that it was made from, was lowered with `check_ir=False`. It may not run."""
        is_unchecked = self.step.options.get("check_ir") is False
        return is_unchecked or (self.parent is not None and self.parent.unverified)

    @property
    def children(self) -> tuple[Stage, ...]:
        """The stages made from this one."""
        return tuple(stage for stage in self.session.stages if stage.parent is self)

    @property
    def unshared_bytes(self) -> int:
        """Bytes that only this stage uses: what dropping it frees."""
        return self.session.unshared_bytes(self)

    # -- steps, and what else can be done with it ------------------------------------------------------------

    def do(
        self, kind: StepKind | str, options: Mapping[str, Any] | None = None, listener: Listener | None = None
    ) -> Stage:
        """Run any step from this stage.

        Parameters
        ----------
        kind
            The step: "decompose", "edge", "backend", …
        options
            The options of the step, as a form has them.
        listener
            Called with the progress of the step.

        Returns
        -------
        Stage
            The new stage. If torch or ExecuTorch failed, it is a failed stage, with `failure`: `do` does not
            raise StepFailed, which the methods of the steps do.

        Raises
        ------
        NotPossible
            If the step cannot run from this stage, or another step is running.

        Examples
        --------
        >>> session.root.do("decompose", {"ops": "functional"}).name
        'functional'
        """
        return self.session.do(self, kind, options, listener)

    def _do(self, kind: StepKind, options: Mapping[str, Any]) -> Stage:
        return self.do(kind, options)

    def ops(self) -> tuple[OpRow, ...]:
        """List the operators that the program calls, how often, and what decomposing would do to each.

        Returns
        -------
        tuple of OpRow
            The most frequent operator first.

        Examples
        --------
        >>> [(row.op, row.count) for row in session.root.ops()]
        [('aten.linear.default', 2), ('aten.relu.default', 1)]
        """
        from exir_viz.stages.decompositions import table

        return table(self)

    def preview(self, node: str | Node, table: str = "op") -> Snapshot:
        """Show what one call becomes when it is decomposed. The stage stays unchanged.

        Parameters
        ----------
        node
            A Node of this stage, or its name.
        table
            "op" decomposes this operator only; "core" decomposes down to Core ATen.

        Returns
        -------
        Snapshot
            The small graph that replaces the call.

        Raises
        ------
        NotPossible
            If torch has no decomposition of the call.

        Examples
        --------
        >>> graph = session.root.preview("linear").method.graph
        >>> [node.name for node in graph if node.op == "call_function"]
        ['t', 'addmm']
        """
        from exir_viz.stages.preview import preview

        return preview(self, node, table)

    def code(self) -> str:
        """Return the torch and ExecuTorch code that makes this stage, as a script that does not use exir_viz.

        Returns
        -------
        str
            The script. It lists at its top what you define first, such as the module and its inputs. The code
            of a stage that failed in torch or ExecuTorch fails in the same way.

        Raises
        ------
        NotPossible
            If there is no code: the session started with a Snapshot.

        Examples
        --------
        >>> print(session.edge().executorch().code())
        # Define these first:
        #   model: the Net to export
        #   args: the tuple of its example inputs
        import torch
        from executorch.exir import to_edge
        <BLANKLINE>
        program = torch.export.export(model, args)
        edge = to_edge(program)
        executorch = edge.to_executorch()
        executorch.save("model.pte")
        <BLANKLINE>
        """
        code = self.content.code
        if code is None:
            raise NotPossible(
                f"Stage {self.name!r} has no code: its session did not start with a module or a live program."
            )
        return code.text

    def rename(self, name: str) -> Stage:
        """Rename the stage.

        Parameters
        ----------
        name
            A name that no other stage of the session has.

        Returns
        -------
        Stage
            The stage itself.

        Raises
        ------
        NotPossible
            If the name is empty or belongs to another stage.

        Examples
        --------
        >>> session.root.rename("exported").name
        'exported'
        """
        self.session.rename(self, name)
        return self

    def drop(self) -> None:
        """Remove the stage and all stages made from it, and free their memory.

        Raises
        ------
        NotPossible
            If it is the first stage.

        Examples
        --------
        >>> session.decompose().drop()
        >>> len(session)
        1
        """
        self.session.drop(self)

    def save_pte(self, path: str | PathLike[str]) -> Path:
        """Write the `.pte` file.

        Parameters
        ----------
        path
            The file to write.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotPossible
            If the stage has no `.pte`: only stages made by `executorch()` have one.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> session.edge().executorch().save_pte(folder / "model.pte").name
        'model.pte'
        """
        return write(path, self.pte)

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page with the explorer and all stages of the session. It opens at this stage.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        sources, absolute_paths
            Whether to include source text, and absolute paths instead of those within your project.
            Names of files and line numbers are included anyway.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotPossible
            If the stage was dropped.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> session.edge().to_html(folder / "model.html").name
        'model.html'
        """
        from exir_viz.pages.html import write as write_page

        shown = self.session.stage("to_html", self)
        return write_page(
            self.session, path, title=title, stage=shown, sources=sources, absolute_paths=absolute_paths
        )

    def ancestors(self, node: str | Node) -> tuple[NodeLink, ...]:
        """Find the nodes of the parent stage that a node came from.

        Parameters
        ----------
        node
            A Node of this stage, or its name.

        Returns
        -------
        tuple of NodeLink
            Each with its evidence; empty for the first stage.

        Raises
        ------
        NotPossible
            If the stage has no such node.

        Examples
        --------
        >>> session.decompose().ancestors("addmm")
        (<forward/linear of export, by from_node>,)
        """
        if self.parent is None:
            return ()
        links = self.lineage_index.ancestors(self.numbering.number(self.node(node)))
        return tuple(
            NodeLink(self.parent, self.parent.numbering.node(ancestor), by) for ancestor, by in links
        )

    def descendants(self, node: str | Node) -> tuple[NodeLink, ...]:
        """Find the nodes that a node became, in all stages made from this one.

        Parameters
        ----------
        node
            A Node of this stage, or its name.

        Returns
        -------
        tuple of NodeLink
            Each with its stage and its evidence.

        Raises
        ------
        NotPossible
            If the stage has no such node.

        Examples
        --------
        >>> core = session.decompose()
        >>> [link.node.name for link in session.root.descendants("linear")]
        ['permute', 'addmm']
        """
        number = self.numbering.number(self.node(node))
        return tuple(
            NodeLink(child, child.numbering.node(descendant), by)
            for child in self.children
            for descendant, by in child.lineage_index.descendants(number)
        )

    def trace(self, node: str | Node) -> NodeTrace:
        """Trace a node through all stages: its source line, then what it was and became in each stage.

        Parameters
        ----------
        node
            A Node of this stage, or its name.

        Returns
        -------
        NodeTrace
            An entry per stage. Print it.

        Raises
        ------
        NotPossible
            If the stage has no such node.

        Examples
        --------
        >>> core = session.decompose()
        >>> [entry.ops for entry in core.trace("addmm").entries if entry.stage]
        [('aten.linear.default',), ('aten.addmm.default',)]
        """
        from exir_viz.stages.node_trace import trace_node

        return trace_node(self, node)

    @cached_property
    def numbering(self) -> Numbering:
        """The nodes of the Snapshot by number, as lineages name them."""
        return Numbering(self.snapshot)

    @cached_property
    def lineage_index(self) -> LineageIndex:
        """The links to the parent, in both directions; empty if there are none."""
        return LineageIndex(self.lineage or Lineage())

    def node(self, node: str | Node) -> Node:
        """Find a node of this stage.

        Parameters
        ----------
        node
            A Node, a name in the method's graph ("sin"), or a name with its graph
            ("forward/true_graph_0/sin").

        Returns
        -------
        Node
            The node.

        Raises
        ------
        NotPossible
            If the stage has no such node.

        Examples
        --------
        >>> session.root.node("relu").id
        'forward/relu'
        """
        if not isinstance(node, str | Node):
            refuse("node", "node", node, "a Node of this stage, or its name")
        if isinstance(node, Node):
            if node.graph.snapshot is not self.snapshot:
                raise NotPossible(f"{node.id} is not a node of stage {self.name!r}.")
            return node
        found = self.snapshot.find(node if "/" in node else f"{self.snapshot.method.graph.path}/{node}")
        if found is None:
            raise NotPossible(f"Stage {self.name!r} has no node {node!r}.")
        return found

    def release(self) -> None:
        """Free everything the stage holds. The session calls this when it drops the stage.

        Examples
        --------
        >>> core = session.decompose()
        >>> core.release()
        >>> core
        <Stage s1, dropped>
        """
        self._content = None
        vars(self).pop("numbering", None)
        vars(self).pop("lineage_index", None)

    def __repr__(self) -> str:
        if self._content is None:
            return f"<Stage {self.id}, dropped>"
        if self._content.failure is not None:
            return failure_text(self.step.title, self._content.failure)
        return f"<Stage {stage_line(self)}>"

    def _no_program(self) -> ExirVizError:
        if self.failed:
            return StepFailed(self)
        return NotPossible(
            f"Stage {self.name!r} was loaded from a file: it has a Snapshot and no live program. To "
            "run steps, start a session with the program."
        )
