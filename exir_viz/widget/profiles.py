"""Profiles in an explorer: kept by stage, sent to the pages, and measured at the request of a page.

An explorer without stages has one profile, under "". A page gets the JSON of each record without its
Snapshot, which the page already has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from exir_viz.errors import ExirVizError, MeasureError
from exir_viz.measure.files import encode_record
from exir_viz.options import described, wrong_argument
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import one_line

from .background_answers import ReportProgress
from .messages import Message

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile
    from exir_viz.measure.progress import Callback, Progress

T = TypeVar("T")
# Called with progress: a text, the fraction done if known, seconds.
_Listen: TypeAlias = Callable[[str, float | None, float], None]

ALONE = ""
_EXECUTORS = ("cpu", "executorch")
_MOST_THREADS, _MOST_REPEATS = 256, 10_000
# Seconds between two progress reports to the page.
_PAUSE = 0.15


class NoSuchProfile(ExirVizError):
    """Raised if there is no profile, or it belongs to another program."""


class Profiles(Mapping[str, "Profile"]):
    """The profiles of an explorer by the id of their stage."""

    def __init__(self) -> None:
        self._by_stage: dict[str, Profile] = {}
        self._listeners: list[Callable[[], None]] = []

    def __getitem__(self, stage: str) -> Profile:
        return self._by_stage[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_stage)

    def __len__(self) -> int:
        return len(self._by_stage)

    def put(self, stage: str, profile: Profile) -> None:
        """Set the profile of a stage."""
        self._by_stage[stage] = profile
        self._changed()

    def keep(self, stages: set[str]) -> None:
        """Remove the profiles of other stages."""
        if stages.issuperset(self._by_stage):
            return
        self._by_stage = {stage: kept for stage, kept in self._by_stage.items() if stage in stages}
        self._changed()

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when a profile is added or removed; call the result to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    def message(self, show: str | None) -> Message:
        """All profiles for the page; `show` is the stage whose profile is shown.

        A stage that was measured with several sizes is named once for each.
        """
        pairs = [
            (stage, profile)
            for stage, main in self._by_stage.items()
            for profile in (main, *main.other_sizes)
        ]
        content = {"kind": "profiles", "stages": [stage for stage, _ in pairs], "show": show}
        return Message(content, [encode_record(profile) for _, profile in pairs])


def is_of(profile: Profile, snapshot: Snapshot) -> bool:
    """Whether a profile fits a program: the same one, or one with all its nodes and its dialect."""
    if profile.snapshot is snapshot or profile.snapshot.skeleton == snapshot.skeleton:
        return True
    method = snapshot.methods.get(profile.record.method)
    is_alike = method is not None and method.dialect.value == profile.record.dialect
    return is_alike and next(_unknown(profile, snapshot), None) is None


def wrong_program(profile: Profile, snapshot: Snapshot) -> NoSuchProfile:
    """Why a profile cannot be shown."""
    name = next(_unknown(profile, snapshot), None)
    why = (
        f"its dialect is {profile.record.dialect!r}"
        if name is None
        else f"it has costs for {one_line(name, 80)!r}, which this program does not have"
    )
    return NoSuchProfile(
        f"This profile is of another program: {why}. Profile this program, or run exir_viz.explore(profile)."
    )


def _unknown(profile: Profile, snapshot: Snapshot) -> Iterator[str]:
    known = {f"{graph.path}/{name}" for graph in snapshot.graphs for name in graph.columns.names}
    return (name for name in profile.record.columns.nodes if name not in known)


def checked_options(raw: object) -> dict[str, Any]:
    """The options of a page's request, checked: executor, threads, repeats."""
    given = raw if isinstance(raw, dict) else {}
    executor = given.get("executor", "cpu")
    if executor not in _EXECUTORS:
        raise wrong_argument(f"Unknown executor {one_line(str(executor), 40)!r}.")
    options: dict[str, Any] = {"executor": executor}
    for name, most in (("threads", _MOST_THREADS), ("repeats", _MOST_REPEATS)):
        count = given.get(name)
        if count is None:
            continue
        if not isinstance(count, int) or not 1 <= count <= most:
            raise wrong_argument(
                f"{name} is {described(count)}. Expected: a whole number from 1 to {most:,}."
            )
        options[name] = count
    return options


class PageMeasurement:
    """One measurement for a page. It excludes steps of all sessions, and can be stopped between two runs."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._running = threading.Lock()

    def stop(self) -> bool:
        """Stop the running measurement, which keeps its results; False if none is running."""
        if not self._running.locked():
            return False
        self._stop.set()
        return True

    def perform(self, title: str, work: Callable[[Callback], T], report: ReportProgress, stage: str) -> T:
        """Measure in this thread and report progress; raises KeyboardInterrupt if it is stopped.

        `stage`: the stage named in progress reports.
        """
        from exir_viz.stages.step_runner import runner

        def listen(text: str, fraction: float | None, seconds: float) -> None:
            report(stage=stage, title=title, text=text, fraction=fraction, seconds=seconds)

        def listened(_report: object) -> T:
            self._stop.clear()
            listen("", None, 0.0)
            return work(self._listener(listen))

        with self._running:
            return runner.perform(title, listened, streams=False).value

    def measure(
        self,
        program: Any,
        method: str,
        options: Mapping[str, Any],
        report: ReportProgress,
        keep: Callable[[Profile], None],
        stage: str,
    ) -> Message:
        """Measure in this thread; the answer to the page. If it fails or is stopped, partial results are
        kept.
        """
        reason, node = "", ""

        def work(progress: Callback) -> Profile:
            from exir_viz.measure.live import profile  # imports torch, which takes seconds the first time

            return profile(program, method=method, progress=progress, **options)

        try:
            keep(self.perform("profile", work, report, stage))
        except MeasureError as error:
            reason, node = error.reason, error.node
            if error.profile is not None and len(error.profile):
                keep(error.profile)
        except KeyboardInterrupt:
            reason = "Stopped before anything was measured."
        if reason:
            raise MeasureError(reason, node=node)
        return Message({"kind": "profile"})

    def _listener(self, report: _Listen) -> Callback:
        last = 0.0

        def listen(progress: Progress) -> None:
            nonlocal last
            if self._stop.is_set():
                raise KeyboardInterrupt
            now = time.monotonic()
            if now - last > _PAUSE:
                last = now
                text = f"{progress.what}: {progress.done} of {progress.total}{progress.remaining}"
                report(text, progress.part, progress.elapsed)

        return listen
