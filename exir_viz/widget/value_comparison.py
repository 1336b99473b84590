"""Compares values at the request of a page: runs two live programs or stages on the same inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from exir_viz.errors import MeasureError
from exir_viz.options import described, wrong_argument
from exir_viz.pages.page_data import packed_json
from exir_viz.snapshot.redaction import Redaction

from .background_answers import ReportProgress
from .messages import Message, Question
from .output_path import output_folder
from .profiles import PageMeasurement

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.compare.values.bisection import Bisection
    from exir_viz.compare.values.values import Values

TITLE = "compare values"
BISECT, REPRODUCER = "bisect", "write reproducer"
_NOT_COMPARED = "Compare values in the ExecuTorch runtime first, then bisect a delegate that diverges."


class ValueOptions(TypedDict, total=False):
    """The options of `diff(a, b).values()` that a page may set; missing ones have their defaults."""

    rtol: float
    atol: float
    executor: str


def checked_value_options(raw: object) -> ValueOptions:
    """The options of a page's request, checked."""
    given: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    found = ValueOptions()
    if given.get("rtol") is not None:
        found["rtol"] = _number("rtol", given["rtol"])
    if given.get("atol") is not None:
        found["atol"] = _number("atol", given["atol"])
    if given.get("executor") is not None:
        found["executor"] = str(given["executor"])
    return found


def _number(name: str, raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw < math.inf:
        raise wrong_argument(f"{name} is {described(raw)}. Expected: a number from 0 on.")
    return float(raw)


def compare_for_page(
    measuring: PageMeasurement,
    sides: tuple[Any, Any],
    diff: Diff,
    options: ValueOptions,
    report: ReportProgress,
    keep: Callable[[Values], None],
    stage: str = "",
) -> Message:
    """Run both, in this thread; the answer to the page. `stage`: the stage named in progress reports."""

    def work(progress: Any) -> Values:
        # imports torch, which takes seconds the first time
        from exir_viz.measure.numbers.values import compare_values

        return compare_values(diff, *sides, progress=progress, **options)

    values = measuring.perform(TITLE, work, report, stage)
    keep(values)
    return Message({"kind": "values"}, [packed_json(values.record)])


class Bisections:
    """The bisections of compared values that a page asked for, by the name of the delegate."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._found: dict[str, Bisection] = {}

    def is_of(self, values: Values) -> bool:
        """Whether these are bisections of exactly these values."""
        return self._values is values

    def bisect(
        self,
        question: Question,
        measuring: PageMeasurement,
        share: Redaction,
        report: ReportProgress,
        stage: str,
    ) -> Message:
        """Bisect a delegate in this thread; the answer to the page. If it is stopped, the smallest region so
        far is kept.
        """
        node = question.text("node")

        def work(progress: Any) -> Bisection:
            return self._values.bisect(node, progress=progress)

        found = self._found[node] = measuring.perform(BISECT, work, report, stage)
        return Message({"kind": "bisect"}, [packed_json(share.record(found.record))])

    def write(
        self, question: Question, measuring: PageMeasurement, report: ReportProgress, stage: str
    ) -> Message:
        """Write the reproducer of a bisected delegate in this thread; the answer to the page."""
        found = self._found.get(question.text("node"))
        if found is None:
            raise MeasureError("Bisect the delegate first.")
        files = ("reproduce.py", "region.pt2", "region.pte")
        folder = output_folder(question.text("path"), files, question.fields.get("replace") is True)
        weights, names = question.text("weights") or "random", question.fields.get("names") is True
        made = measuring.perform(
            REPRODUCER,
            lambda _progress: found.reproducer(folder, weights=weights, names=names),
            report,
            stage,
        )
        script, program = (str(path.resolve()) for path in (made.script, made.program))
        return Message({"kind": "reproducer", "script": script, "program": program, "shows": made.shows})


def bisections_of(kept: Bisections | None, values: Values | None) -> Bisections:
    """The bisections of these values: those that are kept, or new ones if others were compared since."""
    if values is None:
        raise MeasureError(_NOT_COMPARED)
    return kept if kept is not None and kept.is_of(values) else Bisections(values)
