"""DiffExplorer: two programs side by side as an ipywidget.

What enters: a Diff. What goes to the page: the comparison and both Snapshots, with the widget itself, and the
text side by side when it is asked for. Nothing comes back but questions (see `messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from exir_viz.compare.diff import Diff
from exir_viz.pages.carried import packed
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .messages import Message, question

_STATIC = Path(__file__).parent / "static"


class DiffExplorer(anywidget.AnyWidget):
    """A diff one can walk in: `.diff` is what it shows."""

    _esm = _STATIC / "widget.js"
    _css = _STATIC / "explorer.css"

    height = traitlets.Int(640, help="CSS pixels").tag(sync=True)
    appearance = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    _is_diff = traitlets.Bool(True).tag(sync=True)
    _program = traitlets.List(traitlets.Bytes()).tag(sync=True)

    def __init__(self, diff: Diff, **options: Any) -> None:
        self.diff = diff
        super().__init__(_program=self._parts, **options)
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
        if asked and answer:
            message = asked.answered(answer())
            self.send(message.to(asked.view), list(message.buffers))

    @cached_property
    def _answers(self) -> Mapping[str, Callable[[], Message]]:
        return {
            "diff": lambda: Message({"kind": "diff"}, self._parts),
            "text": lambda: Message({"kind": "text"}, [packed(self.diff.text())]),
            "life": lambda: Message({"kind": "life"}),
        }

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget where there is one to show it, and the summary where there is none."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        text = str(self.diff)
        page = f'<div class="exirviz-fallback"><pre>{escape(text)}</pre></div>'
        return {"text/html": page, **data, "text/plain": text}, metadata
