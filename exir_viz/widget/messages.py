"""What goes over the comm besides the traits, each kind in one place.

From a page, `from` naming which of several views of one widget speaks:

| kind     | fields                   | asks for |
|----------|--------------------------|----------|
| `ask`    | `what`: "skeleton"       | the program, as the picture needs it |
| `ask`    | `what`: "detail"         | the rest of it, as the panels need it |
| `ask`    | `what`: "life"           | a sign of life |
| `ask`    | `what`: "stages"         | the tree of a session's stages |
| `ask`    | `what`: "skeleton", "detail" or "lineage", `stage` | the same of one stage; its lineage |
| `ask`    | `what`: "ops", "inputs", `stage` | the operators of a stage, the dimensions of its inputs |
| `ask`    | `what`: "preview", `stage`, `node`, `table` | what a call would become |
| `ask`    | `what`: "explain", `stage`, `op` | what is known of an operator |
| `ask`    | `what`: "diff", `a`, `b` | stage b compared with stage a; a diff alone has no stages |
| `ask`    | `what`: "text", `a`, `b` | the text of both side by side |
| `ask`    | `what`: "measured", `a`, `b` | what was measured of both; a diff alone has no stages |
| `ask`    | `what`: "values", `a`, `b`, `options` | both run and compared; answered when that is done |
| `ask`    | `what`: "run", `stage`, `step`, `options` | a step to be made; answered when it is |
| `ask`    | `what`: "profile", `stage`, `options` | a measurement; of a diff alone `stage` is "a" or "b" |
| `ask`    | `what`: "stop"           | an end to the step or the measurement that runs |
| `ask`    | `what`: "rename", `stage`, `name`; "drop", `stage` | a change of the tree |
| `ask`    | `what`: "save", `stage`, `path`, `replace`, and in the field `of` "session" or "pte" | a file |

A question may carry a number, `n`: its answer carries it too.

From the kernel, `to` naming the view that is meant, or None for all:

| kind       | fields                                       | buffers |
|------------|----------------------------------------------|---------|
| `skeleton` |                                              | the packed skeleton; a small detail too |
| `detail`   |                                              | the packed detail |
| `life`     |                                              | |
| `stages`   | `tree`, `at`: the stage to look at           | also unasked, whenever the tree changes |
| `lineage`  |                                              | JSON |
| `ops`, `inputs` | `rows`; of inputs also `note`: what cannot be done | |
| `preview`  |                                              | a whole `.exirviz` file |
| `explain`  | `card`                                       | |
| `diff`     |                                              | a comparison, packed; alone: both programs too |
| `text`     |                                              | rows, packed |
| `measured` |                                              | values and costs, packed |
| `values`   |                                              | the values, packed |
| `run`      | `stage`: the one that was made               | |
| `stop`, `rename`, `drop`, `profile` |                     | |
| `save`     | `path`, `size` of the file that was written  | |
| `refused`  | `reason`: why a question has no other answer | |
| `progress` | `stage`, `title`, `text`, `fraction`, `seconds`; without `stage`: it is over | |
| `series`   | `series`: label, unit, nodes, categories; `show`: a label or None | one a series: float64 |
| `profiles` | `stages`: their ids; `show`: one of them or None | JSON of each record; also unasked |
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
from dataclasses import dataclass, field, replace
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
    """What a view of the widget asks for; `fields` are not looked into yet."""

    what: str
    view: str
    number: int | None = None
    fields: Json = field(default_factory=dict)

    def answered(self, message: Message) -> Message:
        """The answer, with the question's number."""
        if self.number is None:
            return message
        return replace(message, content={**message.content, "n": self.number})

    def text(self, name: str) -> str:
        """A field that must be text; "" where it is none."""
        found = self.fields.get(name)
        return found if isinstance(found, str) else ""


def question(raw: object) -> Question | None:
    """What a page sent, as a Question; None for what is none."""
    if not isinstance(raw, dict) or raw.get("kind") != "ask":
        return None
    what, view, number = raw.get("what"), raw.get("from"), raw.get("n")
    if not isinstance(what, str) or not isinstance(view, str):
        return None
    return Question(what, view, number if isinstance(number, int) else None, raw)


def order(action: str, **fields: object) -> Message:
    """Something for the page to do."""
    return Message({"kind": "do", "action": action, **fields})
