"""DiffExplorer: two programs side by side as an ipywidget.

What enters: a Diff, and what was measured of its programs. What goes to the page: the comparison and both
Snapshots, with the widget itself; the text side by side, and what was measured, when it is asked for. What
comes back are questions (see `messages`): one of them is to run both and compare their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from exir_viz.compare.diff import Diff
from exir_viz.compare.measured import Measured, measured
from exir_viz.errors import MeasureError
from exir_viz.pages.carried import packed
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .later import Answer, Told, begin, refusing
from .messages import Message, Question, question
from .profile import Measuring
from .values import asked_tolerances, compared

if TYPE_CHECKING:
    from exir_viz.compare.costs import CostChange
    from exir_viz.compare.values import Values

_STATIC = Path(__file__).parent / "static"
_NOT_LIVE = (
    "What is compared was read as data, and nothing of it is run. For values compare live programs: "
    "exir_viz.compare_values(a, b)."
)


class DiffExplorer(anywidget.AnyWidget):
    """A diff one can walk in: `.diff` is what it shows."""

    _esm = _STATIC / "widget.js"
    _css = _STATIC / "explorer.css"

    height = traitlets.Int(640, help="CSS pixels").tag(sync=True)
    appearance = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    _is_diff = traitlets.Bool(True).tag(sync=True)
    _why_not_run = traitlets.Unicode(help="why values cannot be compared; empty where they can").tag(
        sync=True
    )
    _program = traitlets.List(traitlets.Bytes()).tag(sync=True)

    def __init__(
        self, diff: Diff, *, values: Values | None = None, costs: CostChange | None = None, **options: Any
    ) -> None:
        self.diff = diff
        self.values = values
        self.costs = costs
        self._known()  # what is of another diff is refused here, and not on the page
        self._measuring = Measuring()
        why = "" if diff.live else _NOT_LIVE
        super().__init__(_program=self._parts, _why_not_run=why, **options)
        self.on_msg(self._hear)

    @cached_property
    def _parts(self) -> list[bytes]:
        """The comparison, then skeleton and detail of a and of b."""
        sides = (self.diff.a, self.diff.b)
        sections = [encode(side) for side in sides for encode in (encode_skeleton, encode_detail)]
        return [packed(self.diff.comparison), *sections]

    def _hear(self, _widget: object, raw: object, _buffers: object) -> None:
        """A page asks for what it needs, and is answered in the view that asked."""
        asked = question(raw)
        answer = self._answers.get(asked.what) if asked else None
        message = answer(asked) if asked and answer else None
        if asked and message is not None:  # else it comes later
            self._tell(asked.answered(message), asked.view)

    def _tell(self, message: Message, view: str | None) -> None:
        self.send(message.to(view), list(message.buffers))

    @cached_property
    def _answers(self) -> Mapping[str, Answer]:
        asked: Mapping[str, Answer] = {
            "diff": lambda _asked: Message({"kind": "diff"}, self._parts),
            "text": lambda _asked: Message({"kind": "text"}, [packed(self.diff.text())]),
            "measured": lambda _asked: Message({"kind": "measured"}, [packed(self._known())]),
            "values": self._compare_values,
            "stop": self._stop,
        }
        answers = {what: refusing(answer) for what, answer in asked.items()}
        return {"life": lambda _asked: Message({"kind": "life"}), **answers}

    def _known(self) -> Measured:
        return measured(self.diff, self.values, self.costs)

    def _compare_values(self, asked: Question) -> None:
        """Begin to run both; the answer is sent when they have."""
        tolerances = asked_tolerances(asked.fields.get("options"))
        live = self.diff.live
        if live is None:
            raise MeasureError(_NOT_LIVE)

        def keep(values: Values) -> None:
            self.values = values

        def work(tell: Told) -> Message:
            return compared(self._measuring, live, self.diff, tolerances, tell, keep)

        begin("values", asked, work, self._tell)

    def _stop(self, _asked: Question) -> Message:
        self._measuring.stop()
        return Message({"kind": "stop"})

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget where there is one to show it, and the summary where there is none."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        text = str(self.diff)
        page = f'<div class="exirviz-fallback"><pre>{escape(text)}</pre></div>'
        return {"text/html": page, **data, "text/plain": text}, metadata
