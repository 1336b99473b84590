"""What goes over the comm besides the traits, each kind in one place.

From a page, `from` naming which of several views of one widget speaks:

| kind     | fields                   | asks for |
|----------|--------------------------|----------|
| `ask`    | `what`: "skeleton"       | the program, as the picture needs it |
| `ask`    | `what`: "detail"         | the rest of it, as the panels need it |
| `ask`    | `what`: "life"           | a sign of life |

From the kernel, `to` naming the view that is meant, or None for all:

| kind       | fields                                       | buffers |
|------------|----------------------------------------------|---------|
| `skeleton` |                                              | the packed skeleton; a small detail too |
| `detail`   |                                              | the packed detail |
| `life`     |                                              | |
| `series`   | `series`: label, unit, nodes, categories; `show`: a label or None | one a series: float64 |
| `do`       | `action`: "open", `paths`, `nodes`, `depth`  | |
| `do`       | `action`: "close", `paths`                   | |
| `do`       | `action`: "fit"                              | |
| `do`       | `action`: "look", `keys`                     | |
| `do`       | `action`: "search", `query`                  | |

The first question of a view is answered with what was painted, too, and that of the first view with what was
ordered before there was one. An answer has the kind that was asked for, so that a new question needs a row in
each table, an entry in the explorer's answers, and nothing else on the way. What a page sends is checked; the
rest gets no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Json: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """One message to the page: its fields as JSON, and bytes beside them."""

    content: Json
    buffers: Sequence[bytes] = field(default=())

    def to(self, view: str | None) -> Json:
        """The content, addressed."""
        return {**self.content, "to": view}


@dataclass(frozen=True, slots=True)
class Question:
    """What a view of the widget asks for."""

    what: str
    view: str


def question(raw: object) -> Question | None:
    """What a page sent, as a Question; None for what is none."""
    if not isinstance(raw, dict) or raw.get("kind") != "ask":
        return None
    what, view = raw.get("what"), raw.get("from")
    return Question(what, view) if isinstance(what, str) and isinstance(view, str) else None


def order(action: str, **fields: object) -> Message:
    """Something for the page to do."""
    return Message({"kind": "do", "action": action, **fields})
