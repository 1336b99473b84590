"""Explorer: the picture of a Snapshot as an ipywidget, and the Python handle to it.

What enters: a Snapshot. What goes to the page: its skeleton and, when a node is looked at, its detail, both
as binary messages and never as synced state, so that a saved notebook does not hold them. What comes back:
`selection` and `view`, as synced traits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .fallback import fallback
from .messages import Series, series_of

_STATIC = Path(__file__).parent / "static"
_SMALL_DETAIL = 300_000


class Explorer(anywidget.AnyWidget):
    """A program one can walk in. `selection` holds names of nodes ("forward/mm"), `view` what is shown."""

    _esm = _STATIC / "widget.js"
    _css = _STATIC / "explorer.css"

    title = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(600, help="CSS pixels").tag(sync=True)
    appearance = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, snapshot: Snapshot, **options: Any) -> None:
        options.setdefault("title", snapshot.origin.name or snapshot.origin.type)
        super().__init__(**options)
        self.snapshot = snapshot
        self._series: dict[str, Series] = {}
        self.on_msg(self._answer)

    def select(self, *nodes: str | Node | Iterable[str | Node]) -> Explorer:
        """Select nodes, by name or as Nodes, open what is around the first and bring it into view."""
        self.selection = [self._id(node) for node in _flat(nodes)]
        return self

    def open(self, *modules: str, depth: int | None = None) -> Explorer:
        """Open modules by path ("model.layers.3"), or down to a depth; with neither, all of them."""
        if self.comm is None:
            # ipywidgets has an `open` of its own, which it calls once, to reach the page.
            super().open()
            return self
        self.send({"kind": "do", "action": "open", "paths": list(modules), "depth": depth})
        return self

    def fold(self, *modules: str) -> Explorer:
        """Close modules by path, or all of them. (`close` is ipywidgets': it ends the widget.)"""
        self.send({"kind": "do", "action": "close", "paths": list(modules)})
        return self

    def fit(self) -> Explorer:
        """Show everything that is open."""
        self.send({"kind": "do", "action": "fit"})
        return self

    def search(self, query: str) -> Explorer:
        """Ask a query of the search box's language."""
        self.send({"kind": "do", "action": "search", "query": query})
        return self

    def paint(self, values: Mapping[Any, float], label: str = "value", unit: str = "") -> Explorer:
        """Colour boxes by numbers: a pandas Series or a mapping, keyed by node name or Node."""
        named = {self._id(key): float(value) for key, value in dict(values).items()}
        self._series[label] = series_of(named, label, unit)
        self._send_series()
        return self

    @cached_property
    def _packed(self) -> tuple[bytes, bytes]:
        return encode_skeleton(self.snapshot), encode_detail(self.snapshot)

    def _id(self, node: str | Node) -> str:
        """A node's name within the whole Snapshot; a bare name is one of the method's graph."""
        if isinstance(node, Node):
            return node.id
        name = str(node)
        return name if "/" in name else f"{self.snapshot.method.graph.path}/{name}"

    def _send_series(self, to: object = None) -> None:
        head = [series.head for series in self._series.values()]
        self.send({"kind": "series", "to": to, "series": head}, [each.data for each in self._series.values()])

    def _answer(self, _widget: object, message: Any, _buffers: object) -> None:
        """The page asks for what it needs; `from` says which of several views of this widget asked."""
        if not isinstance(message, dict) or message.get("kind") != "ask":
            return
        to = message.get("from")
        if message.get("what") == "skeleton":
            skeleton, detail = self._packed
            # A small detail comes along: it makes the first picture better, at the cost of no round trip.
            small = [detail] if len(detail) < _SMALL_DETAIL else []
            self.send({"kind": "skeleton", "to": to}, [skeleton, *small])
            if self._series:
                self._send_series(to)
        elif message.get("what") == "detail":
            self.send({"kind": "detail", "to": to}, [self._packed[1]])

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget where there is one to show it, and a picture and text where there is none."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**fallback(self.snapshot), **data, "text/plain": str(self.snapshot)}, metadata


def _flat(nodes: Iterable[Any]) -> Iterable[str | Node]:
    for node in nodes:
        if isinstance(node, str | Node):
            yield node
        else:
            yield from _flat(node)
