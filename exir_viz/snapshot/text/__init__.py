"""A program as text, without torch: the FX text format and the readable Python form.

`lines` gives the text as lines tied to nodes; `render` joins them. Where torch has the form, the text equals
torch's, character by character (with `modules=False`, which leaves out what is ours: module headings,
graphs of delegates, and users' names of symbols).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.errors import ExirVizError
from exir_viz.options import described, text
from exir_viz.snapshot.symbol_names import in_user_names

from .body import heading
from .fx import graph_lines
from .program import class_lines, method_lines
from .text_line import LineKind, TextLine, join

if TYPE_CHECKING:
    from exir_viz.snapshot.snapshot import Method, Snapshot

FORMS = ("python", "fx")

__all__ = [
    "FORMS",
    "LineKind",
    "TextLine",
    "class_lines",
    "graph_lines",
    "heading",
    "join",
    "lines",
    "render",
]


def render(
    snapshot: Snapshot,
    form: str = "python",
    method: str | None = None,
    *,
    modules: bool = True,
    expanded: bool = False,
) -> str:
    """The text of a method, or of all: "python" as `print(program)`, "fx" as `print(program.graph)`.

    `modules` adds module headings, the graphs of delegates and users' names of symbols to the Python form;
    `expanded` gives each parameter of `forward` a line of its own, as torch's `expanded_def` does.
    """
    _check_form(form)
    if method is not None:
        text("text", "method", method)
    if method is not None or len(snapshot.methods) == 1:
        one = snapshot.method if method is None else _named(snapshot, method)
        return join(lines(one, form, modules=modules, expanded=expanded))
    parts = []
    for name, one in snapshot.methods.items():
        parts.append(f"# ══ method {name}\n" + join(lines(one, form, modules=modules, expanded=expanded)))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def lines(
    method: Method, form: str = "python", *, modules: bool = True, expanded: bool = False
) -> list[TextLine]:
    """The same as lines, each with the graph and node it shows."""
    if form == "fx":
        return list(graph_lines(method.graph))
    _check_form(form)
    if modules:
        method = in_user_names(method.snapshot).methods[method.name]
    return list(method_lines(method, modules, expanded))


def _check_form(form: object) -> None:
    if not isinstance(form, str) or form not in FORMS:
        names = " and ".join(map(repr, FORMS))
        raise ExirVizError(f"Unknown form {described(form)}. Forms: {names}.")


def _named(snapshot: Snapshot, name: str) -> Method:
    method = snapshot.methods.get(name)
    if method is None:
        raise ExirVizError(f"Unknown method {name!r}. Methods: {', '.join(snapshot.methods)}.")
    return method
