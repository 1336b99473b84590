"""A comparison as it is saved and sent: columns of small numbers, with tables of texts and records.

Frozen plain data, generated as TypeScript. Nodes are named by number: the total length of the graphs before
theirs, plus their position. Text of a program is stored unchanged; views escape it.
"""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.records import Record

SCHEMA = 1


class MatchKind(StrEnum):
    """What became of a node or group. `moved`: the same op and value at another position."""

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    REWRITTEN = "rewritten"
    ADDED = "added"
    REMOVED = "removed"


# MatchColumns.kinds, by number.
KINDS = tuple(kind.value for kind in MatchKind)
# Every kind has its own sign, so that color is never the only distinction.
SIGNS = ("=", "~", "↷", "⇄", "+", "−")


class MatchColumns(Record, frozen=True):
    """All matches in the order of b; removed nodes are at their position in a.

    `a_nodes` has the nodes of a, match by match, and `a_counts` how many each match has; so for b. The rest
    are indices: into KINDS, `Comparison.fields`, `.evidence`, `.reasons` and `.rules`; NONE (-1) if a match
    has no reason or rule.
    """

    kinds: tuple[int, ...]
    fields: tuple[int, ...]
    evidence: tuple[int, ...]
    reasons: tuple[int, ...]
    rules: tuple[int, ...]
    a_counts: tuple[int, ...]
    a_nodes: tuple[int, ...]
    b_counts: tuple[int, ...]
    b_nodes: tuple[int, ...]


class Ground(Record, frozen=True):
    """How nodes were matched: the evidence, its text, and the share of such matches that are correct."""

    name: str
    text: str
    confidence: float


class Counts(Record, frozen=True):
    """How many matches of each kind. An added or a removed one is a single node."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    rewritten: int = 0
    same: int = 0


class ChangeRule(Record, frozen=True):
    """Equal changes, as one: the ops before and after with how often each, and how many matches it has.

    `short` is `text` for narrow places: ops without their namespace, and no `step`. `step` is the part of
    `text` that names the step between the dialects (" by decomposition"), empty if there is none. A `minor`
    rule is about nodes that do no work (inputs and outputs of graphs, items of tuples, memory), or that only
    moved within their graph.
    """

    kind: MatchKind
    text: str
    short: str
    count: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    minor: bool = False
    step: str = ""


class OpChange(Record, frozen=True):
    """How often an op is called on either side."""

    op: str
    before: int
    after: int


class ModuleChange(Record, frozen=True):
    """One module call. `a` and `b` are scope numbers, NONE if that side lacks it.

    `counts` includes submodules, `own` does not. `before` and `after` are numbers of calls.
    """

    path: str
    cls: str
    depth: int
    a: int
    b: int
    before: int
    after: int
    counts: Counts
    own: Counts


class ModuleGroup(Record, frozen=True):
    """Module calls of equal classes with equal changes, as one; their paths differ only in numbers.

    `path` has `*` for a number that differs. `classes` are those before and after, once if they are equal.
    `counts` are the changes of one module, submodules excluded. `modules` are indices into
    `Comparison.modules`. `ops` counts the calls of one module before and after, submodules included; absent
    if the modules differ in it.
    """

    path: str
    classes: tuple[str, ...]
    counts: Counts
    modules: tuple[int, ...]
    ops: tuple[int, int] | None = None


class FactChange(Record, frozen=True):
    """One change of a whole method. `before` and `after` are absent if that side lacks it.

    `topic`: "input", "output", "state", "symbol", "range", "guard", "size", "memory", "dialect", "method".
    """

    topic: str
    name: str
    text: str
    before: str | None = None
    after: str | None = None


class FactGroup(Record, frozen=True):
    """Equal facts, as one: `name` and `text` have `*` for a number in which `count` names differ.

    `method` is their method, if a program has several.
    """

    topic: str
    name: str
    text: str
    count: int = 1
    method: str = ""
    before: str | None = None
    after: str | None = None


class MethodChange(Record, frozen=True):
    """One method on either side ("" if it is not there)."""

    a: str
    b: str
    facts: tuple[FactChange, ...] = ()


class Contents(Record, frozen=True):
    """The weights (parameters, buffers, constants) and delegates that both sides have: how many were compared
    by all their bytes, and how many of these differ. `texts` are sentences; `left` says what was not
    compared, and why, and which names changed.
    """

    weights: int = 0
    other_weights: int = 0
    delegates: int = 0
    other_delegates: int = 0
    texts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Comparison(Record, frozen=True):
    """A comparison of Snapshot `a` with Snapshot `b`; `a` and `b` are their titles."""

    schema: int
    a: str
    b: str
    matches: MatchColumns
    counts: Counts
    fields: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[Ground, ...] = ()
    reasons: tuple[str, ...] = ()
    rules: tuple[ChangeRule, ...] = ()
    ops: tuple[OpChange, ...] = ()
    calls: CallChange = CallChange()
    modules: tuple[ModuleChange, ...] = ()
    module_groups: tuple[ModuleGroup, ...] = ()
    methods: tuple[MethodChange, ...] = ()
    fact_groups: tuple[FactGroup, ...] = ()
    contents: Contents = Contents()


class TextCell(Record, frozen=True):
    """One line of a program's text: its number from 1, the node it shows (NONE if none), the marked spans."""

    line: int
    text: str
    node: int = -1
    marks: tuple[tuple[int, int], ...] = ()


class TextRow(Record, frozen=True):
    """One row of two texts side by side.

    `kind` is a match's, "note" for a line without a node, or "fold" for `hidden` rows that are the same.
    `match` is the number of the row's match (NONE if none).
    """

    kind: str
    a: TextCell | None = None
    b: TextCell | None = None
    match: int = -1
    hidden: int = 0
