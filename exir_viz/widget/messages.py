"""Messages between a page and its kernel, in addition to the widget's traits.

There are three unions. A page asks questions (`AnyQuestion`, tagged by `what`). The kernel answers and
reports changes (`KernelMessage`, by `kind`), and sends orders (`Order`, by `action`). Both ends validate
what they receive: Python by these types, the page by the code that `python -m exir_viz.typescript` writes.

A widget may have several views: `from` and `to` name one, and a message without `to` is for all. A question
may have a number `n`; its answer has the same. After the first question of a view it gets the current
paintings and profiles; the first view of all also gets the orders that were sent before.

A new question needs a type here and an entry in the answers of an explorer, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

Json: TypeAlias = Mapping[str, object]


class _PageQuestion(
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


class AskSkeleton(_PageQuestion, frozen=True, tag="skeleton"):
    """The program for the picture; for a session, that of one stage."""

    stage: str = ""


class AskDetail(_PageQuestion, frozen=True, tag="detail"):
    """The rest of the program, for the panels."""

    stage: str = ""


class AskReports(_PageQuestion, frozen=True, tag="reports"):
    """Which reports there are."""


class AskReport(_PageQuestion, frozen=True, tag="report"):
    """A report of the program; for a session, of one stage."""

    name: str
    stage: str = ""


class AskLife(_PageQuestion, frozen=True, tag="life"):
    """Check that the kernel is alive."""


class AskStages(_PageQuestion, frozen=True, tag="stages"):
    """The tree of a session's stages."""


class AskLineage(_PageQuestion, frozen=True, tag="lineage"):
    """The lineage between a stage and its parent."""

    stage: str


class AskOps(_PageQuestion, frozen=True, tag="ops"):
    """The operators of a stage."""

    stage: str


class AskInputs(_PageQuestion, frozen=True, tag="inputs"):
    """The dimensions of a stage's inputs."""

    stage: str


class AskPreview(_PageQuestion, frozen=True, tag="preview"):
    """What a call becomes, by a table of decompositions."""

    stage: str
    node: str
    table: str = "op"


class AskExplain(_PageQuestion, frozen=True, tag="explain"):
    """The card of an operator."""

    stage: str
    op: str


class AskDiff(_PageQuestion, frozen=True, tag="diff"):
    """Stage b compared with stage a; a diff's widget names no stages."""

    a: str = ""
    b: str = ""


class AskText(_PageQuestion, frozen=True, tag="text"):
    """The texts of both side by side."""

    a: str = ""
    b: str = ""


class AskMeasured(_PageQuestion, frozen=True, tag="measured"):
    """What was measured of both."""

    a: str = ""
    b: str = ""


class AskValues(_PageQuestion, frozen=True, tag="values"):
    """Run both and compare their values; answered when that is done."""

    a: str = ""
    b: str = ""
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskBisect(_PageQuestion, frozen=True, tag="bisect"):
    """Find the smallest region of a delegate of b that diverges; answered when that is done or stopped."""

    node: str
    a: str = ""
    b: str = ""


class AskReproducer(_PageQuestion, frozen=True, tag="reproducer"):
    """Write the region of a delegate that was bisected as a program of its own, in a folder where the kernel
    runs. `weights`: "random" or "real"; `names`: whether to keep the user's names.
    """

    node: str
    path: str
    a: str = ""
    b: str = ""
    replace: bool = False
    weights: str = "random"
    names: bool = False


class AskRun(_PageQuestion, frozen=True, tag="run"):
    """Run a step; answered when it is done."""

    stage: str
    step: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskProfile(_PageQuestion, frozen=True, tag="profile"):
    """Measure a stage, or "a" or "b" of a diff; answered when that is done."""

    stage: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class AskStop(_PageQuestion, frozen=True, tag="stop"):
    """Stop the running step or measurement."""


class AskRename(_PageQuestion, frozen=True, tag="rename"):
    """Rename a stage."""

    stage: str
    name: str


class AskDrop(_PageQuestion, frozen=True, tag="drop"):
    """Remove a stage and all stages made from it."""

    stage: str


class AskRestore(_PageQuestion, frozen=True, tag="restore"):
    """Put the stages back that were removed last."""


class AskSave(_PageQuestion, frozen=True, tag="save"):
    """Write the session, or a stage's .pte, to a file where the kernel runs."""

    of: Literal["session", "pte"]
    stage: str
    path: str
    replace: bool = False


AnyQuestion: TypeAlias = (
    AskSkeleton
    | AskDetail
    | AskReports
    | AskReport
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
    | AskBisect
    | AskReproducer
    | AskRun
    | AskProfile
    | AskStop
    | AskRename
    | AskDrop
    | AskRestore
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


class ListedReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A report that can be made, and the question that it answers."""

    name: str
    title: str
    about: str


class ReportsMessage(_Sent, frozen=True, tag="reports"):
    """The reports that there are, in the order in which they are listed."""

    reports: list[ListedReport]


class ReportMessage(_Sent, frozen=True, tag="report"):
    """Buffer: the packed report."""


class LifeMessage(_Sent, frozen=True, tag="life"):
    """The kernel is alive."""


class StagesMessage(_Sent, frozen=True, tag="stages"):
    """A `StageTree`, and the stage to show; also sent whenever the tree changes.

    `dropped` names the stages that can be put back.
    """

    tree: Any
    at: str
    dropped: list[str] = msgspec.field(default_factory=list)


class LineageMessage(_Sent, frozen=True, tag="lineage"):
    """Buffer: JSON of a `Lineage`."""


class OpsMessage(_Sent, frozen=True, tag="ops"):
    """Each an `OpRow`."""

    rows: list[Any]


class InputsMessage(_Sent, frozen=True, tag="inputs"):
    """Each row is an `InputDim`; the note says what cannot be done."""

    rows: list[Any]
    note: str


class PreviewMessage(_Sent, frozen=True, tag="preview"):
    """Buffer: a whole `.exirviz` file."""


class ExplainMessage(_Sent, frozen=True, tag="explain"):
    """An `OpCard`."""

    card: Any


class DiffMessage(_Sent, frozen=True, tag="diff"):
    """Buffers: a packed comparison; from a diff's widget also both programs."""


class TextMessage(_Sent, frozen=True, tag="text"):
    """Buffer: packed rows."""


class MeasuredMessage(_Sent, frozen=True, tag="measured"):
    """Buffer: packed values and costs."""


class ValuesMessage(_Sent, frozen=True, tag="values"):
    """Buffer: the packed values."""


class BisectMessage(_Sent, frozen=True, tag="bisect"):
    """Buffer: a packed `BisectionRecord`."""


class ReproducerMessage(_Sent, frozen=True, tag="reproducer"):
    """The files that were written, and whether they show the difference."""

    script: str
    program: str
    shows: bool


class RunMessage(_Sent, frozen=True, tag="run"):
    """The stage that was made."""

    stage: str


class ProfileMessage(_Sent, frozen=True, tag="profile"):
    """The measurement is over; its profile comes with `profiles`."""


class StopMessage(_Sent, frozen=True, tag="stop"):
    """The stop was requested."""


class RenameMessage(_Sent, frozen=True, tag="rename"):
    """The stage was renamed."""


class DropMessage(_Sent, frozen=True, tag="drop"):
    """The stage was removed."""


class RestoreMessage(_Sent, frozen=True, tag="restore"):
    """The stages were put back."""


class SaveMessage(_Sent, frozen=True, tag="save"):
    """The file that was written, and its bytes."""

    path: str
    size: int


class RefusedMessage(_Sent, frozen=True, tag="refused"):
    """Why a question has no other answer. `node` is the id of the node that the reason names."""

    reason: str
    node: str = ""


class ProgressMessage(_Sent, frozen=True, tag="progress"):
    """The progress of a step or a measurement; without a stage: it is over."""

    stage: str | None = None
    title: str = ""
    text: str = ""
    fraction: float | None = None
    seconds: float = 0.0


class SeriesHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The values painted on nodes, by name; with categories, the numbers are indices into that list."""

    label: str
    unit: str
    nodes: list[str]
    categories: list[str] | None = None


class SeriesMessage(_Sent, frozen=True, tag="series"):
    """All paintings, and which of them to show. Buffers: float64 of each."""

    series: list[SeriesHead]
    show: str | None


class ProfilesMessage(_Sent, frozen=True, tag="profiles"):
    """All profiles by stage, and which of them to show; also sent on changes. Buffers: JSON of each
    record.
    """

    stages: list[str]
    show: str | None


KernelMessage: TypeAlias = (
    SkeletonMessage
    | DetailMessage
    | ReportsMessage
    | ReportMessage
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
    | BisectMessage
    | ReproducerMessage
    | RunMessage
    | ProfileMessage
    | StopMessage
    | RenameMessage
    | DropMessage
    | RestoreMessage
    | SaveMessage
    | RefusedMessage
    | ProgressMessage
    | SeriesMessage
    | ProfilesMessage
)


class _Order(msgspec.Struct, frozen=True, tag_field="action", forbid_unknown_fields=True):
    kind: Literal["do"]


class OpenOrder(_Order, frozen=True, tag="open"):
    """Open modules, nested graphs, and the modules around nodes; to a depth; or all, if nothing is named."""

    paths: list[str]
    nodes: list[str]
    depth: int | None


class CloseOrder(_Order, frozen=True, tag="close"):
    """Close modules; all, if none is named."""

    paths: list[str]


class FitOrder(_Order, frozen=True, tag="fit"):
    """Fit all that is open into view."""


class LookOrder(_Order, frozen=True, tag="look"):
    """Bring the first item with one of these keys into view."""

    keys: list[str]


class SearchOrder(_Order, frozen=True, tag="search"):
    """Enter a query in the search box."""

    query: str


class ColorOrder(_Order, frozen=True, tag="color"):
    """Color what a query finds; by default in a color that no other rule has."""

    query: str
    color: str | None


class UncolorOrder(_Order, frozen=True, tag="uncolor"):
    """Remove color rules; all, if none is named."""

    queries: list[str]


class CompareOrder(_Order, frozen=True, tag="compare"):
    """Show stages side by side, from left to right."""

    stages: list[str]


Order: TypeAlias = (
    OpenOrder | CloseOrder | FitOrder | LookOrder | SearchOrder | ColorOrder | UncolorOrder | CompareOrder
)

_KINDS: Final = tuple(str(member.__struct_config__.tag) for member in get_args(AnyQuestion))
_UNIONS: Final[Mapping[bool, Any]] = {False: KernelMessage, True: Order}


@dataclass(frozen=True, slots=True)
class Message:
    """One message to the page: its fields as JSON, and binary buffers.

    Raises msgspec.ValidationError unless it is a KernelMessage or an Order.
    """

    content: Json
    buffers: Sequence[bytes] = field(default=())

    def __post_init__(self) -> None:
        checked = msgspec.convert(self.content, _UNIONS[self.content.get("kind") == "do"])
        object.__setattr__(self, "content", msgspec.to_builtins(checked))

    def to(self, view: str | None) -> Json:
        """The message content, with its address."""
        return {**self.content, "to": view}


@dataclass(frozen=True, slots=True)
class Question:
    """A view's question. `fields` are those of its type in `AnyQuestion`; if they are invalid, `problem` says
    why.
    """

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
        """A text field; "" if the question does not have it."""
        found = self.fields.get(name)
        return found if isinstance(found, str) else ""


def question(raw: object) -> Question | None:
    """A page's message as a Question; None if it is none."""
    if not isinstance(raw, dict) or raw.get("kind") != "ask" or raw.get("what") not in _KINDS:
        return None
    what, view, number = raw["what"], raw.get("from"), raw.get("n")
    if not isinstance(view, str):
        return None
    try:
        fields = msgspec.to_builtins(msgspec.convert(raw, AnyQuestion))
    except msgspec.ValidationError as wrong:
        numbered = number if isinstance(number, int) else None
        return Question(what, view, numbered, problem=f"The page sent an invalid message {what!r}: {wrong}")
    return Question(what, view, number, fields)


def order(action: str, **fields: object) -> Message:
    """An order to the page."""
    return Message({"kind": "do", "action": action, **fields})
