"""DiffExplorer: two programs side by side as an ipywidget.

What enters: a Diff, and what was measured of its programs. What goes to the page: the comparison and both
Snapshots with the widget itself; the text side by side, and measurements, on request. What comes back are
questions (see `messages`), among them to compare values and to profile each side.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import traitlets

from exir_viz.compare.diff import Diff
from exir_viz.compare.measurements import Measured, measured
from exir_viz.errors import MeasureError
from exir_viz.options import instance, named_options, one_of, pixels, wrong_argument
from exir_viz.pages.page_data import packed_json, shared_diff
from exir_viz.snapshot.printable import html, one_line
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .background_answers import Answer, ReportProgress, answer_in_thread, with_refusal
from .messages import Message, Question
from .page_widget import APPEARANCES, PageWidget
from .profiles import PageMeasurement, Profiles, checked_options
from .value_comparison import Bisections, bisections_of, checked_value_options, compare_for_page

if TYPE_CHECKING:
    from exir_viz.compare.costs import CostChange
    from exir_viz.compare.values.values import Values
    from exir_viz.measure.profile import Profile

_SIDES = ("a", "b")
_NOT_LIVE = (
    "These programs were read as data and cannot be run. For values and costs, compare live "
    "programs: exir_viz.diff(a, b).values()."
)


class DiffExplorer(PageWidget):
    """The explorer of a diff: `.diff` is what it shows, `.values` and `.costs` what was measured."""

    height = traitlets.Int(640, help="CSS pixels").tag(sync=True)
    _is_diff = traitlets.Bool(True).tag(sync=True)
    _why_not_run = traitlets.Unicode(help="why neither is run; empty where both can be").tag(sync=True)

    @named_options
    def __init__(
        self,
        diff: Diff,
        *,
        values: Values | None = None,
        costs: CostChange | None = None,
        height: int = 640,
        appearance: str = "auto",
    ) -> None:
        instance("DiffExplorer", "diff", diff, Diff, "exir_viz.diff(a, b) makes one.")
        self.diff = diff
        self.values = values
        self.costs = costs
        self._known()  # measurements of another diff are refused here, not on the page
        self._measuring = PageMeasurement()
        self._profiles = Profiles()
        self._bisections: Bisections | None = None
        why = "" if diff.live else _NOT_LIVE
        super().__init__(
            _program=self._parts,
            _why_not_run=why,
            height=pixels("DiffExplorer", "height", height),
            appearance=one_of("DiffExplorer", "appearance", appearance, APPEARANCES),
        )

    @cached_property
    def _parts(self) -> list[bytes]:
        """The comparison, then skeleton and detail of a and of b."""
        written = self._written
        sides = (written.a, written.b)
        sections = [encode(side) for side in sides for encode in (encode_skeleton, encode_detail)]
        return [packed_json(written.comparison), *sections]

    @cached_property
    def _written(self) -> Diff:
        """The diff as it is written to the page and to a saved notebook: its paths are relative."""
        return shared_diff(self.diff, self._share)

    @cached_property
    def _share(self) -> Redaction:
        return Redaction([self.diff.a, self.diff.b])

    @cached_property
    def _answers(self) -> Mapping[str, Answer]:
        answers: Mapping[str, Answer] = {
            "diff": lambda _question: Message({"kind": "diff"}, self._parts),
            "text": lambda _question: Message({"kind": "text"}, [packed_json(self._written.text())]),
            "measured": lambda _question: Message({"kind": "measured"}, [packed_json(self._known())]),
            "values": self._compare_values,
            "bisect": self._bisect,
            "reproducer": self._reproduce,
            "profile": self._profile,
            "stop": self._stop,
        }
        safe = {what: with_refusal(answer) for what, answer in answers.items()}
        return {"life": lambda _question: Message({"kind": "life"}), **safe}

    def _known(self) -> Measured:
        return measured(self.diff, self.values, self.costs)

    def _compare_values(self, question: Question) -> None:
        """Start to run both; the answer is sent when they have run."""
        options = checked_value_options(question.fields.get("options"))
        live = self._live()

        def keep(values: Values) -> None:
            self.values = values

        def work(report: ReportProgress) -> Message:
            return compare_for_page(self._measuring, live, self.diff, options, report, keep)

        answer_in_thread("values", question, work, self._send_message)

    def _bisect(self, question: Question) -> None:
        """Start to bisect a delegate; the answer is sent when it is done or stopped."""
        kept = self._bisections = bisections_of(self._bisections, self.values)
        answer_in_thread(
            "bisect",
            question,
            lambda report: kept.bisect(question, self._measuring, self._share, report, ""),
            self._send_message,
        )

    def _reproduce(self, question: Question) -> None:
        """Start to write a reproducer; the answer is sent when it has run."""
        kept = self._bisections = bisections_of(self._bisections, self.values)
        answer_in_thread(
            "reproducer",
            question,
            lambda report: kept.write(question, self._measuring, report, ""),
            self._send_message,
        )

    def _profile(self, question: Question) -> None:
        """Start to profile a side; the answer is sent when it is done. Costs follow from both profiles."""
        options = checked_options(question.fields.get("options"))
        side = question.text("stage")
        if side not in _SIDES:
            raise wrong_argument(f"Unknown side {one_line(side, 40)!r}. A diff has the sides a and b.")
        at = _SIDES.index(side)
        program, snapshot = self._live()[at], (self.diff.a, self.diff.b)[at]

        def keep(profile: Profile) -> None:
            self._profiles.put(side, profile)
            before, after = map(self._profiles.get, _SIDES)
            if before is not None and after is not None:
                self.costs = self.diff.costs(before, after)

        def work(report: ReportProgress) -> Message:
            return self._measuring.measure(program, snapshot.method.name, options, report, keep, side)

        answer_in_thread("profile", question, work, self._send_message)

    def _live(self) -> tuple[Any, Any]:
        """The live programs or stages of both sides."""
        if self.diff.live is None:
            raise MeasureError(_NOT_LIVE)
        return self.diff.live

    def _stop(self, _question: Question) -> Message:
        self._measuring.stop()
        return Message({"kind": "stop"})

    def _still(self) -> Mapping[str, str]:
        text = str(self.diff)
        page = html('<div class="exirviz-fallback"><pre>{}</pre></div>', text)
        return {"text/html": page, "text/plain": text}
