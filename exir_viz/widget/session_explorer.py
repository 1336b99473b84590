"""SessionExplorer: all stages of a session in one explorer, and the steps that make new ones.

What goes to the page: the tree of stages, and for the shown stage its Snapshot and its lineage. What comes
back: questions, and steps to run. A step runs in its own thread, so that the kernel keeps answering and the
step can be stopped; the page gets its progress and then the new tree.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import traitlets

from exir_viz.compare.diff import Diff, make_diff
from exir_viz.compare.measurements import Measured, known
from exir_viz.errors import ExirVizError
from exir_viz.options import instance, named_options, text
from exir_viz.pages.page_data import PagePart, packed_json, page_parts, shared_diff, snapshots_of
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import encode, encode_detail, encode_skeleton
from exir_viz.stages.comparable_stages import comparable_stages
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from exir_viz.stages.step import spec_of
from exir_viz.stages.step_runner import StepProgress, runner
from exir_viz.stages.steps import StepSpec

from .background_answers import Answer, ReportProgress, answer_in_thread, with_refusal
from .contributed_overlays import with_problems
from .explorer import Explorer
from .messages import Json, Message, Question, order
from .output_path import output_path
from .profiles import PageMeasurement, checked_options, is_of, wrong_program
from .value_comparison import Bisections, bisections_of, checked_value_options, compare_for_page

if TYPE_CHECKING:
    from plotly.graph_objects import FigureWidget

    from exir_viz.compare.values.values import Values
    from exir_viz.measure.profile import Profile

# Cached comparisons of neighbours: as many as columns fit on a screen.
_KEPT = 8
# How long deleted stages can be put back: their memory is in use meanwhile.
_UNDO_SECONDS = 60.0


class SessionExplorer(Explorer):
    """An explorer of a session. `stage` is the one that is shown, `go` shows another."""

    _is_session = traitlets.Bool(True).tag(sync=True)

    @named_options
    def __init__(
        self, session: Session, *, title: str = "", height: int = 600, appearance: str = "auto"
    ) -> None:
        instance("SessionExplorer", "session", session, Session)
        self.session = session
        self._wanted: str | None = None
        self._measuring = PageMeasurement()
        self._values: dict[tuple[str, str], Values] = {}
        self._bisections: dict[tuple[str, str], Bisections] = {}
        self._diffs: dict[tuple[str, str], Diff] = {}
        self._packs: dict[str, tuple[bytes, bytes]] = {}
        self._progress: tuple[Json, float] | None = None
        first = session.root.shown.snapshot.origin
        super().__init__(
            session.current.shown.snapshot,
            title=text("SessionExplorer", "title", title) or first.name or first.type,
            height=height,
            appearance=appearance,
        )
        self._unwatch = session.watch(lambda _session: self._send_message(self._stages(), None))

    # -- what is looked at --------------------------------------------------------------------------------

    @property
    def stage(self) -> Stage:
        """The stage that is shown."""
        wanted = self._wanted or str(self.view.get("stage", ""))
        known = {each.id: each for each in self.session.stages}
        return known.get(wanted, self.session.current)

    @property
    def snapshot(self) -> Snapshot:
        """The Snapshot of the stage that is shown; for a failed stage, that of its parent."""
        return self.stage.shown.snapshot

    def go(self, stage: Stage | str) -> None:
        """Show another stage; the session's own steps start from it."""
        wanted = self.session.stage("go", stage)
        self._wanted = wanted.id
        self.session.current = wanted

    def select(self, *nodes: Any) -> None:
        """Select nodes: by name in the stage that is shown, or as Nodes, whose stage is then shown."""
        first = next((node for node in nodes if isinstance(node, Node)), None)
        if first is not None and first.graph.snapshot is not self.snapshot:
            stage = next(
                (each for each in self.session if each.content.snapshot is first.graph.snapshot), None
            )
            if stage is not None:
                self.go(stage)
        super().select(*nodes)

    def compare(self, *stages: Stage | str) -> None:
        """Show stages side by side, from left to right, each compared with the one to its left.

        Without arguments, the stage that is shown and its parent.
        """
        here = self.stage.shown
        wanted = stages or tuple(one for one in (here.parent, here) if one is not None)
        self._do(order("compare", stages=[one.id for one in comparable_stages(self.session, wanted)]))

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        compare: Sequence[Stage | str] = (),
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page with all stages and what was measured of them here: profiles and compared values.

        `compare`: stages to show side by side first, with their values and costs. title, sources,
        absolute_paths: as for `Snapshot.to_html`.
        """
        from exir_viz.pages.html import write

        values = tuple(self._values.values())
        return write(
            self.session,
            path,
            title=title or self.title,
            compare=compare,
            profiles=self._profiles,
            look=None if compare else self._look,
            values=values,
            sources=sources,
            absolute_paths=absolute_paths,
        )

    def _saved_parts(self) -> Iterable[PagePart]:
        share = Redaction(snapshots_of(self.session))
        return page_parts(self.session, share, profiles=self._profiles, look=self._look)

    def close(self) -> None:
        """Close the widget; the session stays."""
        if self.comm is not None:
            self._unwatch()
        super().close()

    @traitlets.observe("view")
    def _arrived(self, _change: object) -> None:
        if self.view.get("stage") == self._wanted:
            self._wanted = None

    # -- costs --------------------------------------------------------------------------------------------

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """The profiles by the names of their stages, in the order of the tree."""
        there = [(stage.name, self._profiles.get(stage.id)) for stage in self.session.stages]
        return {name: profile for name, profile in there if profile is not None}

    @named_options
    def chart(self, what: str = "ops", *, top: int | None = None) -> FigureWidget:
        """As `Explorer.chart`, and "stages": the modules of all profiled stages, side by side."""
        if what != "stages":
            return super().chart(what, top=top)
        from exir_viz.figures import stages

        from .charts import TraceSource, linked_chart

        profiles = self.profiles
        figure = stages(list(profiles.values()), list(profiles), **({} if top is None else {"top": top}))
        named = [self.session[name] for name in profiles]
        drawn = [TraceSource(stage.id, stage.name, profiles[stage.name]) for stage in named]

        def select(trace: int, nodes: Sequence[str]) -> None:
            if self.stage is not named[trace]:
                self.go(named[trace])
            self.select(nodes)

        return linked_chart(
            figure, self, self._profiles, drawn, select, lambda trace: self.stage.shown is named[trace].shown
        )

    @property
    def _profile_key(self) -> str:
        return self.stage.shown.id

    @property
    def _stage_name(self) -> str:
        return self.stage.shown.name

    def _stage_of(self, profile: Profile) -> str:
        """The stage that a profile was measured at: the one that is shown, if it fits."""
        candidates = [self.stage.shown, *(stage for stage in self.session.stages if not stage.failed)]
        same = (stage for stage in candidates if stage.snapshot is profile.snapshot)
        alike = (stage for stage in candidates if is_of(profile, stage.snapshot))
        found = next(same, None) or next(alike, None)
        if found is None:
            raise wrong_program(profile, self.snapshot)
        return found.id

    # -- answers ------------------------------------------------------------------------------------------

    def _parts(self) -> list[bytes]:
        """The data that the first page gets with the widget: the tree, and the first stage."""
        skeleton, detail = self._packed_of(self.session.current.shown)
        return [msgspec.json.encode(self._tree_fields(), enc_hook=str), skeleton, detail]

    @cached_property
    def _answers(self) -> Mapping[str, Answer]:
        inherited = super()._answers
        answers: Mapping[str, Answer] = {
            "stages": lambda _question: self._stages(),
            "skeleton": lambda question: Message(
                {"kind": "skeleton"}, [self._packed_of(self._of(question))[0]]
            ),
            "detail": lambda question: Message({"kind": "detail"}, [self._packed_of(self._of(question))[1]]),
            "report": lambda question: self._report_of(question, self._of(question).snapshot),
            "lineage": lambda question: _json("lineage", self._of(question).lineage),
            "ops": lambda question: Message({"kind": "ops", "rows": self._ops(question)}),
            "inputs": self._inputs,
            "preview": self._preview,
            "explain": lambda question: Message({"kind": "explain", "card": self._explain(question)}),
            "diff": lambda question: Message(
                {"kind": "diff"}, [packed_json(self._compared(question).comparison)]
            ),
            "text": lambda question: Message({"kind": "text"}, [packed_json(self._written(question).text())]),
            "measured": lambda question: Message({"kind": "measured"}, [packed_json(self._known(question))]),
            "values": self._compare_values,
            "bisect": self._bisect,
            "reproducer": self._reproduce,
            "run": self._run,
            "profile": self._measure,
            "stop": self._stop,
            "rename": self._rename,
            "drop": self._drop,
            "restore": self._restore,
            "save": self._save,
        }
        return {**inherited, **{what: with_refusal(answer) for what, answer in answers.items()}}

    def _on_question(self, view: str) -> None:
        """The data sent with the widget may be older than the last steps, so send the tree first."""
        if view not in self._views:
            self._send_message(self._stages(), view)
        super()._on_question(view)

    def _standing(self) -> list[Message]:
        """A page that is opened or reloaded while a step runs learns of the step."""
        running = []
        if self._progress is not None:
            content, began = self._progress
            running.append(Message({**content, "seconds": time.monotonic() - began}))
        return [*super()._standing(), *running]

    def _report(self, message: Message, view: str | None) -> None:
        """Send an answer, or progress, which is kept for pages that come later."""
        content = message.content
        if content["kind"] == "progress":
            began = time.monotonic() - msgspec.convert(content.get("seconds", 0.0), float)
            self._progress = (content, began) if "stage" in content else None
        self._send_message(message, view)

    def _of(self, question: Question) -> Stage:
        return self.session[question.text("stage")]

    def _packed_of(self, stage: Stage) -> tuple[bytes, bytes]:
        if stage.id not in self._packs:
            there = {each.id for each in self.session.stages}
            self._packs = {one: packed for one, packed in self._packs.items() if one in there}
            written = with_problems(self._share.snapshot(stage.snapshot), self._problems)
            skeleton = encode_skeleton(written)
            self._packs[stage.id] = skeleton, encode_detail(written)
        return self._packs[stage.id]

    def _tree_fields(self) -> dict[str, Any]:
        tree = msgspec.to_builtins(self._share.record(self.session.record()), enc_hook=str)
        dropped = [one.name for one in self.session.dropped]
        return {"tree": tree, "at": self.session.current.id, "dropped": dropped}

    def _stages(self) -> Message:
        self._profiles.keep({each.id for each in (*self.session.stages, *self.session.dropped)})
        return Message({"kind": "stages", **self._tree_fields()})

    def _ops(self, question: Question) -> Any:
        from exir_viz.stages.decompositions import table

        return msgspec.to_builtins(table(self._of(question)))

    def _inputs(self, question: Question) -> Message:
        from exir_viz.stages.steps.reexport import form, limits

        live = self._of(question).live
        rows = () if live is None else form(live)
        note = "" if live is None else limits(live)
        return Message({"kind": "inputs", "rows": msgspec.to_builtins(rows), "note": note})

    def _preview(self, question: Question) -> Message:
        from exir_viz.stages.preview import preview

        made = preview(self._of(question), question.text("node"), question.text("table") or "op")
        return Message({"kind": "preview"}, [encode(self._share.snapshot(made))])

    def _explain(self, question: Question) -> Any:
        from exir_viz.stages.explain import explain

        if runner.running:
            raise ExirVizError(f"{runner.running!r} is running, and changes torch's operators meanwhile.")
        return msgspec.to_builtins(explain(question.text("op"), self._of(question).shown.snapshot))

    def _compared(self, question: Question) -> Diff:
        """Compare two stages. The last comparisons are cached, because their texts are requested later."""
        a, b = self.session[question.text("a")], self.session[question.text("b")]
        found = self._diffs.pop((a.id, b.id), None) or make_diff(a, b)
        there = {stage.id for stage in self.session.stages}
        kept = [(ids, one) for ids, one in self._diffs.items() if there.issuperset(ids)]
        self._diffs = {**dict(kept[1 - _KEPT :]), (a.id, b.id): found}
        return found

    def _written(self, question: Question) -> Diff:
        """The comparison of two stages as it is written to the page."""
        return shared_diff(self._compared(question), self._share)

    def _known(self, question: Question) -> Measured:
        """What was measured of two stages so far."""
        a, b = question.text("a"), question.text("b")
        return known(
            self._compared(question), self._values.get((a, b)), self._profiles.get(a), self._profiles.get(b)
        )

    def _compare_values(self, question: Question) -> None:
        """Start to run two stages; the answer is sent when both have run."""
        sides = a, b = self.session[question.text("a")], self.session[question.text("b")]
        found, options = self._compared(question), checked_value_options(question.fields.get("options"))

        def keep(values: Values) -> None:
            there = {stage.id for stage in self.session.stages}
            kept = {ids: one for ids, one in self._values.items() if there.issuperset(ids)}
            self._values = {**kept, (a.id, b.id): values}

        answer_in_thread(
            "values",
            question,
            lambda report: compare_for_page(self._measuring, sides, found, options, report, keep, b.id),
            self._report,
        )

    def _bisect(self, question: Question) -> None:
        """Start to bisect a delegate of b; the answer is sent when it is done or stopped."""
        kept, stage = self._bisected(question), question.text("b")
        answer_in_thread(
            "bisect",
            question,
            lambda report: kept.bisect(question, self._measuring, self._share, report, stage),
            self._report,
        )

    def _reproduce(self, question: Question) -> None:
        """Start to write a reproducer; the answer is sent when it has run."""
        kept, stage = self._bisected(question), question.text("b")
        answer_in_thread(
            "reproducer",
            question,
            lambda report: kept.write(question, self._measuring, report, stage),
            self._report,
        )

    def _bisected(self, question: Question) -> Bisections:
        """The bisections of two stages; those of removed stages are dropped."""
        ids = question.text("a"), question.text("b")
        self._bisections = {key: one for key, one in self._bisections.items() if key in self._values}
        found = self._bisections[ids] = bisections_of(self._bisections.get(ids), self._values.get(ids))
        return found

    # -- what changes the tree ----------------------------------------------------------------------------

    def _run(self, question: Question) -> None:
        """Start a step; the answer is sent when it is done."""
        stage = self._of(question)
        spec = spec_of(question.text("step"))
        options = question.fields.get("options")
        given = {str(name): value for name, value in options.items()} if isinstance(options, dict) else {}

        answer_in_thread(
            spec.kind, question, lambda listen: self._made(stage, spec, given, listen), self._report
        )

    def _made(self, stage: Stage, spec: StepSpec, options: dict[str, Any], report: ReportProgress) -> Message:
        where = {"stage": stage.id, "title": spec.title}

        def listen(step: StepProgress) -> None:
            report(**where, text=step.text, seconds=step.seconds)

        made = self.session.do(stage, spec.kind, options, listen)
        return Message({"kind": "run", "stage": made.id})

    def _measure(self, question: Question) -> None:
        """Start to measure; the answer is sent when it is done, stopped or failed."""
        stage = self._of(question).shown
        options = checked_options(question.fields.get("options"))
        answer_in_thread(
            "profile", question, lambda report: self._measured(stage, options, report), self._report
        )

    def _measured(self, stage: Stage, options: Mapping[str, Any], report: ReportProgress) -> Message:
        def keep(profile: Profile) -> None:
            self._profiles.put(stage.id, profile)
            # The page that asked decides what it shows: its user may look at another stage meanwhile.
            self._send_message(self._profiles.message(None), None)

        shown = stage.snapshot.method.name  # the page offers only this method
        return self._measuring.measure(stage, shown, options, report, keep, stage.id)

    def _stop(self, _question: Question) -> Message:
        if not self._measuring.stop():
            self.session.stop()
        return Message({"kind": "stop"})

    def _rename(self, question: Question) -> Message:
        self.session.rename(self._of(question), question.text("name"))
        return Message({"kind": "rename"})

    def _drop(self, question: Question) -> Message:
        """Remove stages; they can be put back for a while, and are then freed."""
        session = self.session
        session.drop(self._of(question), keep=True)
        dropped = session.dropped

        def forget() -> None:
            if session.dropped == dropped:  # not put back, and no others removed since
                session.forget_dropped()

        timer = threading.Timer(_UNDO_SECONDS, forget)
        timer.daemon = True
        timer.start()
        return Message({"kind": "drop"})

    def _restore(self, _question: Question) -> Message:
        self.session.restore()
        return Message({"kind": "restore"})

    def _save(self, question: Question) -> Message:
        """Write the session, or a stage's .pte; an existing file is replaced only on request."""
        stage = self._of(question)
        is_pte = question.text("of") == "pte"
        path = output_path(
            question.text("path"), ".pte" if is_pte else ".exirviz", question.fields.get("replace") is True
        )
        written = stage.save_pte(path) if is_pte else self.session.save(path)
        size = written.stat().st_size
        return Message({"kind": "save", "path": str(written.resolve()), "size": size})


def _json(kind: str, record: object) -> Message:
    return Message({"kind": kind}, [msgspec.json.encode(record)])
