"""Messages between a page and its kernel, besides the traits of the widget.

There are three unions. A page asks questions (`Asked`, told apart by `what`). The kernel answers and tells
what has changed (`KernelMessage`, by `kind`), and gives orders (`Order`, by `action`). Both ends check what
they receive: Python by these types, the page by what `python -m exir_viz.typescript` writes for it.

A widget may have several views: `from` and `to` name one, and a message without `to` is for all. A question
may have a number `n`; its answer has the same. After the first question of a view come the paintings and
profiles that there are; the first view of all is also sent the orders that were given before.

A new question needs a type here, an entry in the answers of an explorer, and nothing else on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

Json: TypeAlias = Mapping[str, object]


class _Asked(
    msgspec.Struct,
    frozen=True,
    tag_field="what",
    forbid_unknown_fields=True,
    rename={"view": "from"},
    kw_only=True,
):
    kind: Literal["ask"]
    view: str
    n: int | None = None


class AskSkeleton(_Asked, frozen=True, tag="skeleton"):
    """The program, as the picture needs it; of a session that of one stage."""

    stage: str = ""


class AskDetail(_Asked, frozen=True, tag="detail"):
    """The rest of the program, as the panels need it."""

    stage: str = ""


class AskLife(_Asked, frozen=True, tag="life"):
    """A sign of life."""


class AskStages(_Asked, frozen=True, tag="stages"):
    """The tree of a session's stages."""


class AskLineage(_Asked, frozen=True, tag="lineage"):
    """From which nodes of its parent a stage's nodes were made."""

    stage: str


class AskOps(_Asked, frozen=True, tag="ops"):
    """The operators of a stage."""

    stage: str


class AskInputs(_Asked, frozen=True, tag="inputs"):
    """The dimensions of a stage's inputs."""

    stage: str


class AskPreview(_Asked, frozen=True, tag="preview"):
    """What a call would become, by a table of decompositions."""

    stage: str
    node: str
    table: str = "op"


class AskExplain(_Asked, frozen=True, tag="explain"):
    """What is known of an operator."""

    stage: str
    op: str


class AskDiff(_Asked, frozen=True, tag="diff"):
    """Stage b compared with stage a; the widget of a diff names none."""

    a: str = ""
    b: str = ""


class AskText(_Asked, frozen=True, tag="text"):
    """The text of both side by side."""

    a: str = ""
    b: str = ""


class AskMeasured(_Asked, frozen=True, tag="measured"):
    """What was measured of both."""

    a: str = ""
    b: str = ""


class AskValues(_Asked, frozen=True, tag="values"):
    """Run both and compare their values; answered when that is done."""

    a: str = ""
    b: str = ""
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskRun(_Asked, frozen=True, tag="run"):
    """Make a step; answered when it is made."""

    stage: str
    step: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskProfile(_Asked, frozen=True, tag="profile"):
    """Measure a stage, or "a" or "b" of a diff; answered when that is done."""

    stage: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskStop(_Asked, frozen=True, tag="stop"):
    """End the step or the measurement that runs."""


class AskRename(_Asked, frozen=True, tag="rename"):
    """Give a stage another name."""

    stage: str
    name: str


class AskDrop(_Asked, frozen=True, tag="drop"):
    """Remove a stage and all that was made from it."""

    stage: str


class AskSave(_Asked, frozen=True, tag="save"):
    """Write the session, or a stage's .pte, to a file where the kernel runs."""

    of: Literal["session", "pte"]
    stage: str
    path: str
    replace: bool = False


Asked: TypeAlias = (
    AskSkeleton
    | AskDetail
    | AskLife
    | AskStages
    | AskLineage
    | AskOps
    | AskInputs
    | AskPreview
    | AskExplain
    | AskDiff
    | AskText
    | AskMeasured
    | AskValues
    | AskRun
    | AskProfile
    | AskStop
    | AskRename
    | AskDrop
    | AskSave
)


class _Sent(
    msgspec.Struct,
    frozen=True,
    tag_field="kind",
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
):
    n: int | None = None


class SkeletonMessage(_Sent, frozen=True, tag="skeleton"):
    """Buffers: the packed skeleton; a small detail too."""


class DetailMessage(_Sent, frozen=True, tag="detail"):
    """Buffer: the packed detail."""


class LifeMessage(_Sent, frozen=True, tag="life"):
    """The kernel is there."""


class StagesMessage(_Sent, frozen=True, tag="stages"):
    """A `StageTree`, and the stage to look at; also unasked, whenever the tree changes."""

    tree: Any
    at: str


class LineageMessage(_Sent, frozen=True, tag="lineage"):
    """Buffer: JSON of a `Lineage`."""


class OpsMessage(_Sent, frozen=True, tag="ops"):
    """Each an `OpRow`."""

    rows: list[Any]


class InputsMessage(_Sent, frozen=True, tag="inputs"):
    """Each row an `InputDim`; the note says what cannot be done."""

    rows: list[Any]
    note: str


class PreviewMessage(_Sent, frozen=True, tag="preview"):
    """Buffer: a whole `.exirviz` file."""


class ExplainMessage(_Sent, frozen=True, tag="explain"):
    """An `OpCard`."""

    card: Any


class DiffMessage(_Sent, frozen=True, tag="diff"):
    """Buffers: a packed comparison; from the widget of a diff both programs too."""


class TextMessage(_Sent, frozen=True, tag="text"):
    """Buffer: packed rows."""


class MeasuredMessage(_Sent, frozen=True, tag="measured"):
    """Buffer: packed values and costs."""


class ValuesMessage(_Sent, frozen=True, tag="values"):
    """Buffer: the packed values."""


class RunMessage(_Sent, frozen=True, tag="run"):
    """The stage that was made."""

    stage: str


class ProfileMessage(_Sent, frozen=True, tag="profile"):
    """The measurement is over; its profile comes with `profiles`."""


class StopMessage(_Sent, frozen=True, tag="stop"):
    """The end was asked for."""


class RenameMessage(_Sent, frozen=True, tag="rename"):
    """The stage has its new name."""


class DropMessage(_Sent, frozen=True, tag="drop"):
    """The stage is removed."""


class SaveMessage(_Sent, frozen=True, tag="save"):
    """The file that was written, and its bytes."""

    path: str
    size: int


class RefusedMessage(_Sent, frozen=True, tag="refused"):
    """Why a question has no other answer."""

    reason: str


class ProgressMessage(_Sent, frozen=True, tag="progress"):
    """How far a step or a measurement is; without a stage: it is over."""

    stage: str | None = None
    title: str = ""
    text: str = ""
    fraction: float | None = None
    seconds: float = 0.0


class SeriesHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is painted: nodes by name; with categories the numbers are positions in that list."""

    label: str
    unit: str
    nodes: list[str]
    categories: list[str] | None = None


class SeriesMessage(_Sent, frozen=True, tag="series"):
    """All paintings, and which of them to show. Buffers: float64 of each."""

    series: list[SeriesHead]
    show: str | None


class ProfilesMessage(_Sent, frozen=True, tag="profiles"):
    """All profiles by stage, and which of them to show; also unasked. Buffers: JSON of each record."""

    stages: list[str]
    show: str | None


KernelMessage: TypeAlias = (
    SkeletonMessage
    | DetailMessage
    | LifeMessage
    | StagesMessage
    | LineageMessage
    | OpsMessage
    | InputsMessage
    | PreviewMessage
    | ExplainMessage
    | DiffMessage
    | TextMessage
    | MeasuredMessage
    | ValuesMessage
    | RunMessage
    | ProfileMessage
    | StopMessage
    | RenameMessage
    | DropMessage
    | SaveMessage
    | RefusedMessage
    | ProgressMessage
    | SeriesMessage
    | ProfilesMessage
)


class _Order(msgspec.Struct, frozen=True, tag_field="action", forbid_unknown_fields=True):
    kind: Literal["do"]


class OpenOrder(_Order, frozen=True, tag="open"):
    """Open modules, graphs within nodes, and what is around nodes; to a depth; without any of these all."""

    paths: list[str]
    nodes: list[str]
    depth: int | None


class CloseOrder(_Order, frozen=True, tag="close"):
    """Close modules; of no paths, all."""

    paths: list[str]


class FitOrder(_Order, frozen=True, tag="fit"):
    """Show all that is open."""


class LookOrder(_Order, frozen=True, tag="look"):
    """Bring the first of what a view calls by these keys into view."""

    keys: list[str]


class SearchOrder(_Order, frozen=True, tag="search"):
    """Ask a query of the search box."""

    query: str


class ColorOrder(_Order, frozen=True, tag="color"):
    """Colour what a query finds; without a colour, by one that no other rule has."""

    query: str
    color: str | None


class UncolorOrder(_Order, frozen=True, tag="uncolor"):
    """Remove rules that colour ops; of no queries, all of them."""

    queries: list[str]


class CompareOrder(_Order, frozen=True, tag="compare"):
    """Show stages side by side, from left to right."""

    stages: list[str]


Order: TypeAlias = (
    OpenOrder | CloseOrder | FitOrder | LookOrder | SearchOrder | ColorOrder | UncolorOrder | CompareOrder
)

_ASKED: Final = tuple(str(member.__struct_config__.tag) for member in get_args(Asked))
_UNIONS: Final[Mapping[bool, Any]] = {False: KernelMessage, True: Order}


@dataclass(frozen=True, slots=True)
class Message:
    """One message to the page: its fields as JSON, and bytes beside them.

    Raises msgspec.ValidationError for what is neither a KernelMessage nor an Order.
    """

    content: Json
    buffers: Sequence[bytes] = field(default=())

    def __post_init__(self) -> None:
        checked = msgspec.convert(self.content, _UNIONS[self.content.get("kind") == "do"])
        object.__setattr__(self, "content", msgspec.to_builtins(checked))

    def to(self, view: str | None) -> Json:
        """The content, addressed."""
        return {**self.content, "to": view}


@dataclass(frozen=True, slots=True)
class Question:
    """What a view asks for. `fields` are those of its type in `Asked`; if not, `problem` says why."""

    what: str
    view: str
    number: int | None = None
    fields: Json = field(default_factory=dict)
    problem: str = ""

    def answered(self, message: Message) -> Message:
        """The answer, with the question's number."""
        if self.number is None:
            return message
        return replace(message, content={**message.content, "n": self.number})

    def text(self, name: str) -> str:
        """A field that is text; "" where the question has none of that name."""
        found = self.fields.get(name)
        return found if isinstance(found, str) else ""


def question(raw: object) -> Question | None:
    """What a page sent, as a Question; None for what is none."""
    if not isinstance(raw, dict) or raw.get("kind") != "ask" or raw.get("what") not in _ASKED:
        return None
    what, view, number = raw["what"], raw.get("from"), raw.get("n")
    if not isinstance(view, str):
        return None
    try:
        fields = msgspec.to_builtins(msgspec.convert(raw, Asked))
    except msgspec.ValidationError as wrong:
        numbered = number if isinstance(number, int) else None
        return Question(what, view, numbered, problem=f"The page asked for {what!r} wrongly: {wrong}")
    return Question(what, view, number, fields)


def order(action: str, **fields: object) -> Message:
    """Something for the page to do."""
    return Message({"kind": "do", "action": action, **fields})
