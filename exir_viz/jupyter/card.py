"""The card of a program: a few facts, a small picture, and a button that opens the explorer in its place.

What enters: a program and its Snapshot. The facts are those of `print(snapshot)`. Without a kernel, the saved
notebook shows the same card without its button.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import ipywidgets

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.printable import Html, html, html_joined, one_line
from exir_viz.snapshot.rollup import method_count
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.summary import input_rows, output_rows, symbol_rows
from exir_viz.snapshot.symbol_names import in_user_names
from exir_viz.widget.explore import explore
from exir_viz.widget.static_preview import draw

# Boxes of the picture, and rows of each list: more would not be read on a card.
_MOST_BOXES: Final = 12
_MOST_ROWS: Final = 6
# The explorer's stylesheet is not in the page yet: the card has its style in its elements.
_BORDER: Final = "1px solid var(--jp-border-color2, #c8c8c8)"
_FRAME: Final = (
    f"border: {_BORDER}; border-radius: 6px; padding: 10px 14px; display: flex; gap: 20px; "
    "align-items: center; max-width: 860px; font-size: 13px; line-height: 1.5"
)
_QUIET: Final = "color: var(--jp-ui-font-color2, #616161)"
_CELL: Final = "text-align: left; vertical-align: top; font-size: 12px"
_CODE: Final = "font-family: var(--jp-code-font-family, monospace)"
_PICTURE: Final = "max-height: 180px; max-width: 240px; background: #fff; border-radius: 4px; padding: 4px"
# The picture is drawn for a light page. On a dark one its lightness is inverted and its hues stay: white
# becomes the ground of JupyterLab's dark theme.
_DARK: Final = html(
    '<style>:is([data-jp-theme-light="false"], .vscode-dark) .exirviz-card img '
    "{{ filter: invert(0.933) hue-rotate(180deg) }}</style>"
)


class Card(ipywidgets.VBox):  # type: ignore[misc]
    """Shown by a cell that ends with a program, after `%load_ext exir_viz`."""

    def __init__(self, program: object, snapshot: Snapshot) -> None:
        self._program = program
        self._snapshot = snapshot
        self._html = card_html(snapshot)
        self._button = ipywidgets.Button(description="Explore", tooltip="Show the interactive graph here")
        self._button.on_click(self._explore)
        self._facts = ipywidgets.HTML(self._html)
        super().__init__([self._facts, self._button])

    def _explore(self, _button: object) -> None:
        """The explorer takes the place of the button: the card stays above it."""
        self._button.disabled = True
        try:
            explorer = explore(self._program)
        except Exception:
            self._button.disabled = False
            raise
        self.children = [self._facts, explorer]

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data = super()._repr_mimebundle_(**options)
        return {**data, "text/html": self._html, "text/plain": str(self._snapshot)}, {}


def card_html(snapshot: Snapshot) -> Html:
    """The card as HTML without scripts. Text of the program is escaped."""
    picture = draw(snapshot, _MOST_BOXES)
    image = html("")
    if picture is not None:
        source = base64.b64encode(picture).decode()
        image = html(
            '{}<img alt="Picture of the graph" style="{}" src="data:image/svg+xml;base64,{}">',
            _DARK, _PICTURE, source,
        )  # fmt: skip
    return html(
        '<div class="exirviz-fallback exirviz-card" style="{}"><div style="flex: 1; min-width: 0">{}'
        '<table style="margin: 6px 0 0">{}</table></div>{}</div>',
        _FRAME, _head(snapshot), html_joined(_rows(snapshot)), image,
    )  # fmt: skip


def _head(snapshot: Snapshot) -> Html:
    """What it is and how large."""
    method = snapshot.method
    count = method_count(method)
    kinds = {op for graph in method.graphs() for op in index_of(graph).ops}
    facts = [
        f"{plural(count.nodes, 'node')}",
        f"{plural(count.ops, 'op')} of {plural(len(kinds), 'kind')}",
        f"{plural(count.parameters, 'parameter')}",
        byte_text(count.bytes),
    ]
    facts += [f"{count} × {backend}" for backend, count in _delegates(method).items()]
    if len(snapshot.methods) > 1:
        facts.append(f"{plural(len(snapshot.methods), 'method')}, {_text(method.name)} shown")
    return html(
        '<div><b>{}</b> <span>{}</span></div><div style="{}">{}</div>',
        _text(snapshot.origin.name or snapshot.origin.type), method.dialect.value, _QUIET, " · ".join(facts),
    )  # fmt: skip


def _delegates(method: Method) -> Counter[str]:
    """How many delegates each backend has."""
    return Counter(
        one_line(graph.delegate.backend, 28) for graph in method.graphs() if graph.delegate is not None
    )


def _rows(snapshot: Snapshot) -> Iterator[Html]:
    """Inputs, outputs and symbols."""
    method = in_user_names(snapshot).method
    yield from _list("Inputs", [(name, value) for name, value, _ in input_rows(method)])
    yield from _list("Outputs", [(name, value) for name, value, _ in output_rows(method)])
    sizes = symbol_rows(snapshot.method)
    rows = [(name, ", ".join(filter(None, (bounds, hint)))) for name, bounds, hint, *_ in sizes]
    yield from _list("Sizes", rows)


def _list(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[Html]:
    for at, (name, value) in enumerate(rows[:_MOST_ROWS]):
        yield _row(title if at == 0 else "", html("{} <b>{}</b>", name, value))
    if len(rows) > _MOST_ROWS:
        yield _row("", f"… {len(rows) - _MOST_ROWS:,} more")


def _row(title: str, content: str) -> Html:
    return html(
        '<tr style="background: none"><td style="{}; {}; padding: 0 12px 0 0">{}</td>'
        '<td style="{}; {}; padding: 0">{}</td></tr>',
        _CELL, _QUIET, title, _CELL, _CODE, content,
    )  # fmt: skip


def _text(text: str) -> str:
    return one_line(text, 60)
