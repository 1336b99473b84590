"""Session: a program and everything made from it step by step, as a tree of stages.

What enters: a live program (or a saved session). The result of a step becomes a child of its stage; existing
stages never change. Watchers are called when the tree changes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from exir_viz.extras import needs_extra
from exir_viz.options import all_of, flag, instance, named_options, refuse, text
from exir_viz.options import path as path_of
from exir_viz.progress_display import progress_display
from exir_viz.readers.accepted_inputs import check_inputs_unused, is_path
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import one_line
from exir_viz.stages import available_steps, step
from exir_viz.stages.content import StageContent
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.memory_usage import MemoryBlocks, memory_blocks, unshared
from exir_viz.stages.plain_options import plain_options
from exir_viz.stages.records import StageRecord, StageState, StageTree, Step, StepKind
from exir_viz.stages.stage import Stage
from exir_viz.stages.stage_record import first_name, record_of
from exir_viz.stages.stage_text import tree_text
from exir_viz.stages.step_methods import StepMethods
from exir_viz.stages.step_runner import Listener, StepProgress, runner
from exir_viz.stages.steps import PhaseCallback
from exir_viz.torch_internals.export import forget_last_trace

if TYPE_CHECKING:
    from exir_viz.compare.values.values import Values
    from exir_viz.measure.profile import Profile

Watcher = Callable[["Session"], None]
_LONGEST_NAME: Final = 80
_LONGEST_PROGRESS: Final = 78
_SECOND: Final = 1.0


class Session(StepMethods):
    """A program and everything made from it step by step: a tree of stages.

    Parameters
    ----------
    x
        An nn.Module with its example inputs, an ExportedProgram, a dict of them by method, an
        EdgeProgramManager, a Snapshot (view only), or the path of a saved session.
    args, kwargs, dynamic_shapes, strict
        How to export an nn.Module.
    name
        The name of the first stage.

    Raises
    ------
    ExportFailed
        If an nn.Module cannot be exported.
    CaptureError
        If a session cannot start with `x`.

    Examples
    --------
    >>> session = exir_viz.Session(model, x)
    >>> stage = session.decompose()
    >>> [stage.name for stage in session]
    ['export', 'core']
    """

    @named_options
    def __init__(
        self,
        x: object,
        *args: Any,
        kwargs: Mapping[str, Any] | None = None,
        dynamic_shapes: Any = None,
        strict: bool = False,
        name: str = "",
    ) -> None:
        flag("Session", "strict", strict)
        text("Session", "name", name)
        given = {"args": args, "kwargs": kwargs, "dynamic_shapes": dynamic_shapes, "strict": strict}
        if isinstance(x, Snapshot) or is_path(x):
            check_inputs_unused("Session", x, given)
        self._lock = threading.RLock()
        self._stages: dict[str, Stage] = {}
        self._blocks: dict[str, MemoryBlocks] = {}
        self._made = 0
        self._dropped: _Dropped | None = None
        self._watchers: list[Watcher] = []
        if is_path(x):
            self._restore(path_of("Session", x))
            return
        if isinstance(x, Snapshot):
            content = StageContent(Step(StepKind.START, "Snapshot"), StageState.LOADED, x)
        else:
            content = self._start(x, args, kwargs, dynamic_shapes, strict)
        dialect = "" if content.snapshot is None else content.snapshot.method.dialect.value
        self._current = self._add(None, name or first_name(dialect), content)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Session:
        """Open a saved session: its stages as Snapshots, with their lineage. The file holds no live program.

        Parameters
        ----------
        path
            A `.exirviz` file.

        Returns
        -------
        Session
            The session. Its stages are view-only.

        Raises
        ------
        FileError
            If the file cannot be read.

        Examples
        --------
        >>> path = session.save(folder / "model.exirviz")
        >>> exir_viz.Session.load(path).root.state.value
        'loaded'
        """
        return cls(path_of("load", path, "For a live program, use Session(program)."))

    # -- the tree -----------------------------------------------------------------------------------------

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All stages in the order in which they were made: a parent before its children."""
        return tuple(self._stages.values())

    @property
    def root(self) -> Stage:
        """The first stage."""
        return next(iter(self._stages.values()))

    @property
    def current(self) -> Stage:
        """The stage that the session's own steps start from: the newest one, unless it was set."""
        return self._current

    @current.setter
    def current(self, stage: Stage | str) -> None:
        self._current = self.stage("current", stage)
        self._changed()

    def __getitem__(self, key: str) -> Stage:
        if not isinstance(key, str):
            refuse("session[…]", "the key", key, "the id or the name of a stage")
        stage = self._stages.get(key) or next((stage for stage in self.stages if stage.name == key), None)
        if stage is None:
            have = ", ".join(f"{stage.id} ({stage.name})" for stage in self.stages)
            raise NotPossible(f"No stage {key!r}. Stages: {have}.")
        return stage

    def stage(self, verb: str, stage: Stage | str) -> Stage:
        """Find a stage of this session.

        Parameters
        ----------
        verb
            The name of the caller, for error messages.
        stage
            The stage itself, its id or its name.

        Returns
        -------
        Stage
            The stage.

        Raises
        ------
        NotPossible
            If the session has no such stage.

        Examples
        --------
        >>> session.stage("compare", "export") is session.root
        True
        """
        if isinstance(stage, str):
            return self[stage]
        return self[instance(verb, "stage", stage, Stage, "Or its id or name, as text.").id]

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self._stages)

    def record(self) -> StageTree:
        """Return the tree as plain data, as views and files use it.

        Returns
        -------
        StageTree
            A record per stage.

        Examples
        --------
        >>> session.record().stages[0].name
        'export'
        """
        return StageTree(tuple(record_of(stage) for stage in self.stages))

    def stage_record(self, stage: Stage) -> StageRecord:
        """Return one stage as plain data.

        Parameters
        ----------
        stage
            A stage of this session.

        Returns
        -------
        StageRecord
            The record of the stage.

        Examples
        --------
        >>> session.stage_record(session.root).calls
        3
        """
        return record_of(stage)

    @property
    def made(self) -> int:
        """How many stages were ever made. Ids are not reused."""
        return self._made

    def unshared_bytes(self, stage: Stage) -> int:
        """Count the memory that no other stage uses: what dropping this stage frees.

        Parameters
        ----------
        stage
            A stage of this session.

        Returns
        -------
        int
            Bytes: exact for tensors, delegates and `.pte` files, an estimate for graphs.

        Examples
        --------
        >>> session.unshared_bytes(session.root) > 0
        True
        """
        others = (blocks for number, blocks in self._blocks.items() if number != stage.id)
        content = stage.content
        return unshared(self._blocks.get(stage.id, {}), others, content.snapshot, content.live)

    # -- steps -----------------------------------------------------------------------------------------------

    def _do(self, kind: StepKind, options: Mapping[str, Any]) -> Stage:
        """Run a step from the current stage."""
        return self.do(self.current, kind, options)

    def do(
        self,
        parent: Stage | str,
        kind: StepKind | str,
        options: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
    ) -> Stage:
        """Run a step and return the new stage.

        Parameters
        ----------
        parent
            The stage to start from, its id or its name.
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
        KeyboardInterrupt
            If the step is interrupted. The session stays unchanged.

        Examples
        --------
        >>> session.do("export", "decompose", {"ops": "core"})
        <Stage s1 core  aten.core  5 calls  +4 −2  ...>
        """
        spec = step.spec_of(kind)
        if not isinstance(parent, Stage):
            parent = self.stage(spec.kind.value, parent)
        options = step.check_options(spec, {} if options is None else options)
        available_steps.check_available(spec, parent)
        ran = self._perform(
            spec.title,
            lambda report: step.attempt(spec, parent, options, report),
            listener,
            streams=spec.quiet,
        )
        content = step.completed(ran.value, spec, plain_options(options), ran.notices)
        stage = self._add(parent, ran.value.name or spec.kind.value, content)
        if not stage.failed:
            self._current = stage
        self._changed()
        return stage

    def code(self) -> str:
        """Return the torch and ExecuTorch code that makes the current stage: see `Stage.code`.

        Returns
        -------
        str
            The script.

        Raises
        ------
        NotPossible
            If there is no code: the session started with a Snapshot.

        Examples
        --------
        >>> core = session.decompose()
        >>> session.code().splitlines()[-1]
        'program = program.run_decompositions()'
        """
        return self.current.code()

    # -- changing the tree --------------------------------------------------------------------------------

    def rename(self, stage: Stage, name: str) -> None:
        """Rename a stage.

        Parameters
        ----------
        stage
            A stage of this session.
        name
            A name that no other stage has.

        Raises
        ------
        NotPossible
            If the name is empty or belongs to another stage.

        Examples
        --------
        >>> session.rename(session.root, "exported")
        >>> session["exported"].id
        's0'
        """
        text("rename", "name", name)
        name = name.strip()[:_LONGEST_NAME]
        with self._lock:
            if not name or any(name in (other.name, other.id) for other in self.stages if other is not stage):
                raise NotPossible(
                    f"Cannot rename {stage.id!r} to {name!r}: the name is empty, or another stage has it."
                )
            stage.name = name
        self._changed()

    @named_options
    def drop(self, stage: Stage | str, *, keep: bool = False) -> None:
        """Remove a stage and all stages made from it, and free their memory.

        Parameters
        ----------
        stage
            The stage, its id or its name.
        keep
            Keep what is removed, with its memory, until the next `drop` or `forget_dropped`: `restore` puts
            it back.

        Raises
        ------
        NotPossible
            If it is the first stage.

        Examples
        --------
        >>> core = session.decompose()
        >>> session.drop(core, keep=True)
        >>> len(session)
        1
        >>> session.restore()
        >>> session["core"] is core
        True
        """
        flag("drop", "keep", keep)
        stage = self.stage("drop", stage)
        if stage.parent is None:
            raise NotPossible(f"Cannot drop {stage.name!r}: it is the first stage of the session.")
        with self._lock:
            removed = {stage.id}
            for child in self.stages:
                if child.parent is not None and child.parent.id in removed:
                    removed.add(child.id)
            self._free_dropped()
            self._dropped = _Dropped(self._stages, self._blocks, self._current, removed)
            if self._current.id in removed:
                self._current = stage.parent
            self._stages = {number: kept for number, kept in self._stages.items() if number not in removed}
            self._blocks = {
                number: blocks for number, blocks in self._blocks.items() if number not in removed
            }
            if not keep:
                self._free_dropped()
        self._changed()

    @property
    def dropped(self) -> tuple[Stage, ...]:
        """The stages that `restore` would put back."""
        return () if self._dropped is None else self._dropped.removed

    def restore(self) -> None:
        """Undo the last `drop(stage, keep=True)`.

        A stage whose name was given to another one meanwhile gets a number behind its name.

        Raises
        ------
        NotPossible
            If no stages were kept.

        Examples
        --------
        >>> core = session.decompose()
        >>> session.drop(core, keep=True)
        >>> session.restore()
        >>> len(session)
        2
        """
        with self._lock:
            if self._dropped is None:
                raise NotPossible("Cannot restore: no deleted stages are kept. Run their steps again.")
            kept, self._dropped = self._dropped, None
            for stage in kept.removed:
                stage.name = self._free(stage.name)
            # the order in which they were made: later ones come last
            self._stages = {**kept.stages, **self._stages}
            self._blocks = {**kept.blocks, **self._blocks}
            self._current = kept.current
        self._changed()

    def forget_dropped(self) -> None:
        """Free the stages that `drop(stage, keep=True)` kept.

        Examples
        --------
        >>> session.drop(session.decompose(), keep=True)
        >>> session.forget_dropped()
        >>> session.dropped
        ()
        """
        with self._lock:
            self._free_dropped()
        self._changed()

    def _free_dropped(self) -> None:
        dropped, self._dropped = self.dropped, None
        if any(stage.live is not None for stage in dropped):
            forget_last_trace()
        for stage in dropped:
            stage.release()

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call a function whenever the tree changes.

        Parameters
        ----------
        watcher
            Called with the session.

        Returns
        -------
        Callable
            Call it to stop watching.

        Examples
        --------
        >>> seen = []
        >>> stop_watching = session.watch(lambda session: seen.append(len(session)))
        >>> core = session.decompose()
        >>> seen
        [2]
        >>> stop_watching()
        """
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def stop(self) -> bool:
        """Interrupt the running step. The session stays unchanged.

        Returns
        -------
        bool
            False if no step is running.

        Examples
        --------
        >>> session.stop()
        False
        """
        return runner.stop()

    @named_options
    def save(self, path: str | PathLike[str], *, sources: bool = True, absolute_paths: bool = False) -> Path:
        """Write one `.exirviz` file: all Snapshots, their lineage and the steps, without weights.

        Parameters
        ----------
        path
            The file to write.
        sources, absolute_paths
            Whether to include source text and absolute paths of this machine: see
            `exir_viz.snapshot.redaction`.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> session.save(folder / "model.exirviz").name
        'model.exirviz'
        """
        from exir_viz.stages.session_file import write

        return write(self, path_of("save", path), sources=sources, absolute_paths=absolute_paths)

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        compare: Sequence[Stage | str] = (),
        values: Sequence[Values] = (),
        profiles: Sequence[Profile] = (),
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page with the explorer and all stages: one file that needs no server and no network.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        compare
            Stages to show side by side first.
        values
            Results of `diff(a, b).values()` for pairs of these stages.
        profiles
            Profiles of stages. They color each stage and show cost differences.
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
            If a profile belongs to no stage, or stages cannot be compared.
        NotBuilt
            If this installation has no front end.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> session.to_html(folder / "model.html").name
        'model.html'
        """
        from exir_viz.pages.html import write

        measured: tuple[Any, ...] = all_of("to_html", "profiles", profiles, object)
        compared: tuple[Any, ...] = all_of("to_html", "values", values, object)
        for item in compared:
            if type(item).__name__ != "Values":
                refuse("to_html", "values", item, "several Values", "exir_viz.diff(a, b).values() makes one.")
        return write(
            self,
            path,
            title=title,
            compare=compare,
            values=compared,
            profiles={self._measured(each).id: each for each in measured},
            sources=sources,
            absolute_paths=absolute_paths,
        )

    def _measured(self, profile: Any) -> Stage:
        """The stage that a profile belongs to."""
        if type(profile).__name__ != "Profile":
            refuse("to_html", "a profile", profile, "a Profile", "exir_viz.profile(stage) makes one.")
        there = [stage for stage in self.stages if stage.content.snapshot is not None]
        same = (stage for stage in there if stage.snapshot is profile.snapshot)
        equal = (stage for stage in there if stage.snapshot == profile.snapshot)
        found = next(same, None) or next(equal, None)
        if found is None:
            raise NotPossible(
                f"{profile!r} belongs to no stage of this session. Make one with exir_viz.profile(stage)."
            )
        return found

    def _repr_mimebundle_(self, **options: Any) -> object:
        """The explorer, as the output of a notebook cell that ends with a session."""
        from exir_viz.widget.explore import mime_bundle

        return mime_bundle(self, options)

    def __repr__(self) -> str:
        return f"Session\n{tree_text(self.record(), self._current.id)}"

    # -- within -------------------------------------------------------------------------------------------

    def _start(
        self, x: object, args: tuple[Any, ...], kwargs: Any, dynamic_shapes: Any, strict: bool
    ) -> StageContent:
        needs_extra("Session()", "torch")

        def work(report: PhaseCallback) -> step.Attempt:
            return step.begin(
                lambda: LivePrograms.of(x, args, kwargs=kwargs, dynamic_shapes=dynamic_shapes, strict=strict),
                report,
            )

        # The module's own code runs during export: its output is for the module's author, so it is not
        # captured.
        ran = self._perform("export", work, None, streams=False)
        return step.started(ran.value, ran.notices)

    def _perform(
        self,
        title: str,
        work: Callable[[PhaseCallback], step.Attempt],
        listener: Listener | None,
        *,
        streams: bool,
    ) -> Any:
        if listener is not None:
            return runner.perform(title, work, listener, streams=streams)
        with _displayed(title) as display:
            return runner.perform(title, work, display, streams=streams)

    def _add(self, parent: Stage | None, name: str, content: StageContent) -> Stage:
        blocks = memory_blocks(content.live) if content.live is not None else {}
        with self._lock:
            if parent is not None and self._stages.get(parent.id) is not parent:
                raise NotPossible(f"Stage {parent.id!r} was dropped while a step ran on it.")
            stage = Stage(self, f"s{self._made}", self._free(name), parent, content)
            self._made += 1
            self._blocks = {**self._blocks, stage.id: blocks}
            self._stages = {**self._stages, stage.id: stage}
        return stage

    def _free(self, name: str) -> str:
        """The name, with a number added if another stage has it already."""
        name = name[:_LONGEST_NAME]
        used = {stage.name for stage in self.stages} | set(self._stages)
        number, free = 1, name
        while free in used:
            number += 1
            free = f"{name} {number}"
        return free

    def _restore(self, path: Path) -> None:
        from exir_viz.stages.session_file import read

        loaded = read(path)
        for record, content in loaded.stages:
            parent = None if record.parent is None else self._stages[record.parent]
            self._stages[record.id] = Stage(self, record.id, record.name, parent, content)
        self._made = loaded.made
        self._current = self._stages[loaded.at]

    def _changed(self) -> None:
        for watcher in tuple(self._watchers):
            watcher(self)


class _Dropped:
    """Stages that were removed, with the tree as it was before."""

    def __init__(
        self,
        stages: dict[str, Stage],
        blocks: dict[str, MemoryBlocks],
        current: Stage,
        removed: Collection[str],
    ) -> None:
        self.stages, self.blocks, self.current = stages, blocks, current
        self.removed = tuple(stage for number, stage in stages.items() if number in removed)


@contextmanager
def _displayed(title: str) -> Iterator[Listener | None]:
    """A listener that displays the phase of a step and counts its seconds; None where none is visible."""
    with progress_display() as show:
        if show is None:
            yield None
            return
        began, drawing, done = time.perf_counter(), threading.Lock(), threading.Event()
        phase = ""

        def draw() -> None:
            seconds = time.perf_counter() - began
            with drawing:
                show(one_line(f"{title}: {phase}, {seconds:.0f} s", _LONGEST_PROGRESS), None, seconds)

        def listen(now: StepProgress) -> None:
            nonlocal phase
            phase = now.text
            draw()

        def count() -> None:
            while not done.wait(_SECOND):
                if phase:
                    draw()

        counting = threading.Thread(target=count, name="exir_viz progress", daemon=True)
        counting.start()
        try:
            yield listen
        finally:
            done.set()
            counting.join()
