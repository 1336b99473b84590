"""The base of all widgets: it answers its pages, and has a static preview for viewers without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from .background_answers import Answer
from .messages import Message, question

APPEARANCES = ("auto", "light", "dark")
_STATIC = Path(__file__).parent / "static"


@cache
def _built(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


class PageWidget(anywidget.AnyWidget):
    """A widget with the built front end: `_answers` answers pages, `_still` is the static preview."""

    # Traits of our own: given a path or a text, anywidget watches it, and what it calls back keeps every
    # widget, with its program, as long as the process runs.
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)

    appearance = traitlets.Enum(APPEARANCES, "auto").tag(sync=True)
    # How JupyterLab's extension finds it again when the page is loaded once more.
    _explorer_id = traitlets.Unicode().tag(sync=True)
    _program = traitlets.List(traitlets.Bytes()).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(
            _esm=_built("widget.js"), _css=_built("explorer.css"), _explorer_id=uuid4().hex, **traits
        )
        self.on_msg(self._receive)

    @traitlets.observe("comm")
    def _connected(self, _change: object) -> None:
        """Handle a page's message in the subshell that the page names.

        ipykernel 7.4 handles it in the subshell of the request that this process handled when it sent its
        last message. That may be the subshell of a page that was closed or reloaded since: then every later
        message of every page is lost ("Unknown subshell_id").
        """
        if hasattr(self.comm, "_reply_subshell_for"):
            self.comm._reply_subshell_for = lambda _data, named: named

    @property
    def _answers(self) -> Mapping[str, Answer]:
        raise NotImplementedError

    def _still(self) -> Mapping[str, str]:
        """MIME type → content, with "text/plain" among them."""
        raise NotImplementedError

    def _receive(self, _widget: object, raw: object, _buffers: object) -> None:
        """Answer a page's question, in the view that asked."""
        received = question(raw)
        if received and received.problem:
            refused = Message({"kind": "refused", "reason": received.problem})
            self._send_message(received.answered(refused), received.view)
            return
        answer = self._answers.get(received.what) if received else None
        if received and answer:
            message = answer(received)
            if message is not None:  # None: the answer comes later
                self._send_message(received.answered(message), received.view)
            self._on_question(received.view)

    def _on_question(self, view: str) -> None:
        """A view has sent a question."""

    def _send_message(self, message: Message, view: str | None) -> None:
        self.send(message.to(view), list(message.buffers))

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget, with the static preview for viewers without widgets."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        still = self._still()
        return {**still, **data, "text/plain": still["text/plain"]}, metadata
