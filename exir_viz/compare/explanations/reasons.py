"""A sentence for each change, and a shorter one for its rule.

Enters: a group of nodes and the fields in which they differ. Names of ops and nodes are in backticks, as in
Markdown. A step ("by decomposition") is named only if the dialects prove it; an uncertain rewrite says
"probably". Nodes among arguments are reported as inputs, not as arguments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, NamedTuple

from exir_viz.compare.align.pairing import MatchEvidence
from exir_viz.compare.classify.node_fields import PLACE_FIELDS, Inputs, changed_arguments
from exir_viz.compare.records import MatchKind
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.describe import dims, short
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.opkind import ASSERTS, NO_WORK, op_name
from exir_viz.snapshot.placement import backend_name
from exir_viz.snapshot.printable import one_line, sentence
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Arg, Literal, NodeArg, OpArg, SequenceValue, SymArg, TensorValue, Value
from exir_viz.snapshot.text.arguments import operator, python

if TYPE_CHECKING:
    from exir_viz.compare.diff import Match


# Longer arguments are cut, and more inputs counted.
_LONGEST = 60
_MOST_INPUTS = 3


class ChangeText(NamedTuple):
    """In full, and in the form of a rule about many calls."""

    text: str
    rule: str


# For arguments whose difference cannot be shown.
UNKNOWN_ARGUMENTS = ChangeText("args", "args")


def argument_changes(a: Node, b: Node, fields: Sequence[str] = ()) -> ChangeText:
    """The arguments that differ; a rule has each number and word. `fields`: reported by the value.

    What the value's change already says is not repeated.
    """
    full, short, is_in_fields = [], [], False
    for name, x, y, left_out in changed_arguments(a, b):
        before, after = _text(x, a, left_out[0]), _text(y, b, left_out[1])
        if before == after:
            continue
        is_field = name in fields
        if is_field and all(_is_value(*one) for one in ((before, a, name), (after, b, name))):
            is_in_fields = True
            continue
        label = f"argument {name}" if is_field else name
        full.append(f"{label} {before} → {after}")
        is_short = isinstance(x, _SHORT_ARGUMENTS) and isinstance(y, _SHORT_ARGUMENTS)
        short.append(full[-1] if is_short else label)
    return ChangeText(", ".join(full), ", ".join(short)) if full or is_in_fields else UNKNOWN_ARGUMENTS


def _is_value(text: str, node: Node, field: str) -> bool:
    """Whether an argument repeats the value, such as `torch.float16` and its dtype."""
    return text.removeprefix("torch.") == str(getattr(node.value, field, None))


def input_changes(inputs: Inputs, verb: str = "reads") -> ChangeText:
    """Changed inputs; for an output, what it returns."""
    before, after = _named_inputs(inputs.before), _named_inputs(inputs.after)
    if inputs.swapped:
        return ChangeText(f"inputs {after} swapped", "inputs swapped")
    if before and before == after:
        return ChangeText(f"reads a different {before}", "inputs")
    if before and after:
        return ChangeText(f"inputs {before} → {after}", "inputs")
    if before or after:
        return ChangeText(f"also {verb} {after}" if after else f"no longer {verb} {before}", "inputs")
    return ChangeText("inputs", "inputs")


_SHORT_ARGUMENTS = (Literal, SymArg, OpArg, NoneType)


def _text(arg: Arg | None, node: Node, default: Arg | None = None) -> str:
    if arg is None:
        return "(not given)" if default is None else f"{_text(default, node)} (default)"
    if isinstance(arg, NodeArg):
        return f"`{node.inputs[arg.at].name}`"
    return sentence(python(arg, [one.name for one in node.inputs], operator), _LONGEST)


def _named_inputs(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_INPUTS])
    more = len(names) - _MOST_INPUTS
    return f"{shown} and {more} more" if more > 0 else shown


_LEVELS = {
    Dialect.ATEN_TRAINING: 0,
    Dialect.ATEN: 1,
    Dialect.ATEN_CORE: 2,
    Dialect.EDGE: 3,
    Dialect.BACKEND: 3,
}
_PLACES = {"order": "moved elsewhere in the order", "scope": "moved to another module"}
_MINOR_OPS = NO_WORK | {"input", "output", "attribute"} | {f"aten.{name}" for name in ASSERTS}
_SHOWN_ELSEWHERE = frozenset({"op", *PLACE_FIELDS})
# Fields with equal changes in many nodes: a rule says them in full.
_SHORT = frozenset({"dtype", "device", "layout", "requires_grad", "content"})
_NAMESPACES = ("aten.", "dim_order_ops.", "edge.")
# From this confidence on, a rewrite is stated as a fact.
_SURE = 0.9
_FOLDING = " by folding the batch norm"
_IN_PLACE = re.compile(r"[a-z0-9]_$")
# Names of more ops than this are counted, not listed.
_MOST_OPS = 6
_LONGEST_VALUE = 60


class Reason(NamedTuple):
    """Why a match differs; `rule` leaves out what is specific to this match.

    `short` is the rule for narrow places, `short_text` the reason; `step` is the part of both that names the
    step between the dialects.
    """

    text: str
    rule: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    short_text: str
    short: str
    step: str = ""


class Reasons:
    """Writes the reasons for changes between two Snapshots."""

    def __init__(self, a: Snapshot, b: Snapshot) -> None:
        self._step = _step(a, b)

    def rewritten(
        self, a: Sequence[Node], b: Sequence[Node], confidence: float = 1.0, *, is_folded: bool = False
    ) -> Reason:
        before, after = ops(a), ops(b)
        backend = _backend(b) if _backend(a) != _backend(b) else ""
        by = f" by delegation to {backend}" if backend else self._step
        by = _FOLDING if is_folded else by
        became = _became(confidence, is_folded=is_folded)
        rule = f"{listed(before)} {became} {listed(after)}{by}"
        short = _short(before, after, is_likely=_is_likely(confidence, is_folded=is_folded))
        step = "" if is_folded or backend else self._step
        if not is_folded or a[0].op != "placeholder":
            return Reason(rule, rule, before, after, short, short, step)
        names = [", ".join(f"`{node.name}`" for node in nodes) for nodes in (a, b)]
        return Reason(f"{names[0]} {became} {names[1]}{by}", rule, before, after, short, short, step)

    def changed(
        self,
        a: Node,
        b: Node,
        fields: tuple[str, ...],
        confidence: float = 1.0,
        inputs: Inputs | None = None,
    ) -> Reason:
        before, after = ops([a]), ops([b])
        # dim_order follows from the strides: if both changed, one is enough
        shown = [
            one
            for one in fields
            if one not in _SHOWN_ELSEWHERE and not (one == "dim_order" and "strides" in fields)
        ]
        parts = [_field_change(a, b, field, shown, inputs) for field in shown]
        uninformative = [ChangeText("", "")]
        if inputs is not None:  # they cover changed arguments that are nodes
            uninformative.append(UNKNOWN_ARGUMENTS)
            if a.op == "output":  # and additional outputs
                uninformative.append(ChangeText("value", "value"))
        parts = [one for one in parts if one not in uninformative]
        became = f"`{before[0]}` {_became(confidence)} `{after[0]}`{self._step}"
        head = became if "op" in fields else f"`{after[0]}`"
        moved = _moves(a, b, fields)
        full, brief = [*(one.text for one in parts), *moved], [*(one.rule for one in parts), *moved]
        short = _short(before, after, is_likely="op" in fields and _is_likely(confidence, is_folded=False))
        return Reason(
            text=_joined(head, full),
            rule=_joined(head, brief),
            before=before,
            after=after,
            short_text=_joined(short, full).replace("`", ""),
            short=_joined(short, brief).replace("`", ""),
            step=self._step if "op" in fields else "",
        )

    def added(self, b: Node, why: str) -> Reason:
        """For an inserted call, its inputs and users."""
        text, op = f"{_named(b)} added{_between(b)}{_because(why)}", op_word(b)
        short = f"{short_op(op)} added"
        return Reason(text, f"`{op}` added", (), ops([b]), short, short)

    def removed(self, a: Node, why: str) -> Reason:
        text, op = f"{_named(a)} removed{_between(a)}{_because(why)}", op_word(a)
        short = f"{short_op(op)} removed"
        return Reason(text, f"`{op}` removed", ops([a]), (), short, short)


def _short(before: Sequence[str], after: Sequence[str], *, is_likely: bool) -> str:
    """ "linear → permute + addmm (probably)"; once if the ops are equal."""
    was, now = (" + ".join(map(short_op, names)) for names in (before, after))
    return f"{was if was == now else f'{was} → {now}'}{' (probably)' if is_likely else ''}"


def short_op(op: str) -> str:
    """An op without the most common namespaces."""
    return next((op.removeprefix(one) for one in _NAMESPACES if op.startswith(one)), op)


def _became(confidence: float, *, is_folded: bool = False) -> str:
    """The verb; uncertain rewrites say "probably"."""
    return "probably became" if _is_likely(confidence, is_folded=is_folded) else "became"


def is_probable(match: Match) -> bool:
    """Whether the match is uncertain. Its reason then says "probably"."""
    return _is_likely(match.evidence.confidence, is_folded=match.evidence.name == MatchEvidence.FOLDED)


def _is_likely(confidence: float, *, is_folded: bool) -> bool:
    return is_folded or confidence < _SURE


def ops(nodes: Iterable[Node]) -> tuple[str, ...]:
    """The ops in order, repeated ones as "op ×n"; inputs and attributes by their kind."""
    counts = Counter(op_word(node) for node in nodes)
    return tuple(f"{op} ×{count}" if count > 1 else op for op, count in counts.items())


def is_minor(kind: MatchKind, before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a rule is about nodes that do no work, and were added, removed or moved: a delegate's
    inputs.
    """
    return kind is not MatchKind.CHANGED and _MINOR_OPS.issuperset((*before, *after))


def op_word(node: Node) -> str:
    """A node in one word: its op, or that it is an input, an attribute or the output."""
    if node.op == "placeholder":
        return "input"
    return {"get_attr": "attribute", "output": "output"}.get(node.op) or op_name(node.target).removesuffix(
        ".default"
    )


def _named(node: Node) -> str:
    """The op of a call; for an input or attribute, also its name."""
    word = op_word(node)
    return f"{word} `{node.name}`" if node.op in ("placeholder", "get_attr") else f"`{word}`"


def listed(names: Sequence[str]) -> str:
    """ "`a` + `b ×2`"; if there are many, the first few and how many more."""
    shown = [f"`{name}`" for name in names[:_MOST_OPS]]
    if len(names) > _MOST_OPS:
        shown.append(f"{plural(len(names) - _MOST_OPS, 'more op')}")
    return " + ".join(shown)


def _step(a: Snapshot, b: Snapshot) -> str:
    """The step between two dialects, as far as they prove it."""
    before, after = a.method.dialect, b.method.dialect
    if before not in _LEVELS or after not in _LEVELS or _LEVELS[before] >= _LEVELS[after]:
        return ""
    if after is Dialect.ATEN_CORE or after is Dialect.ATEN:
        return " by decomposition"
    return " by decomposition and edge lowering" if before is Dialect.ATEN_TRAINING else " by edge lowering"


def _backend(nodes: Sequence[Node]) -> str:
    backends = {node.graph.delegate.backend if node.graph.delegate else "" for node in nodes}
    return backends.pop() if len(backends) == 1 else ""


def _moves(a: Node, b: Node, fields: Sequence[str]) -> list[str]:
    """How a node's position changed. Delegation changes the order of ops, so that is not repeated."""
    if "graph" in fields and a.graph.delegate is None and b.graph.delegate is not None:
        fields = [field for field in fields if field != "order"]
    return [_PLACES.get(field) or _other_graph(a, b) for field in fields if field in PLACE_FIELDS]


def _other_graph(a: Node, b: Node) -> str:
    """The graph that a node moved to: a backend's, a branch, or the method's own."""
    before, after = a.graph.delegate, b.graph.delegate
    if after is not None:
        origin = "" if before is None else f"from {backend_name(before.backend)} "
        return f"delegated {origin}to {backend_name(after.backend)}"
    left = "" if before is None else f"from {backend_name(before.backend)} "
    return f"moved {left}into `{b.graph.name}`"


def _field_change(a: Node, b: Node, field: str, shown: Sequence[str], inputs: Inputs | None) -> ChangeText:
    """The change in one field, in full and for a rule."""
    if field == "args":
        return argument_changes(a, b, shown)
    if field == "inputs" and inputs is not None:
        return input_changes(inputs, "returns" if a.op == "output" else "reads")
    part = _part(a, b, field)
    return ChangeText(part, part if field in _SHORT else field)


def _part(a: Node, b: Node, field: str) -> str:
    """The change in one field: "dtype float32 → float16"; only its name if it is too long."""
    x, y = a.value, b.value
    if field == "content":
        return "different values" if a.op in ("placeholder", "get_attr") else "different payload"
    if isinstance(x, SequenceValue) and isinstance(y, SequenceValue):
        parts = {_value_part(*pair, field) for pair in zip(x.items, y.items, strict=False)}
        if len(parts) != 1 or field in parts:
            return field
        return f"{parts.pop()} of each item" if len(x.items) > 1 else parts.pop()
    if field == "value":
        before, after = (one_line(short(one), _LONGEST_VALUE) for one in (x, y))
        return f"{before} → {after}" if before != after else field
    return _value_part(x, y, field)


def _value_part(x: Value | None, y: Value | None, field: str) -> str:
    """The change in one field of a tensor."""
    if isinstance(x, TensorValue) and isinstance(y, TensorValue):
        match field:
            case "shape":
                return f"shape [{dims(x.shape)}] → [{dims(y.shape)}]"
            case "dtype" | "device" | "layout" | "requires_grad":
                return f"{field} {getattr(x, field)} → {getattr(y, field)}"
            case "strides" if x.stride is not None and y.stride is not None:
                return f"strides ({dims(x.stride)}) → ({dims(y.stride)})"
    return field


def _joined(head: str, parts: Sequence[str]) -> str:
    return f"{head}: {', '.join(parts)}" if parts else head


def _because(why: str) -> str:
    return f": {why}" if why else ""


def _between(node: Node) -> str:
    """ " between `x` and `y`, `z`": its inputs and users, the first three of each."""
    reads, read = (
        ", ".join(f"`{one.name}`" for one in nodes[:3])
        for nodes in (tuple(dict.fromkeys(node.inputs)), node.users)
    )
    if reads and read:
        return f" between {reads} and {read}"
    if read:
        return f", used by {read}"
    if node.op == "output" or node.target.name in ASSERTS or not reads:
        return f" after {reads}" if reads else ""
    if _IN_PLACE.search(node.target.name):
        return f": it writes to `{node.inputs[0].name}`"
    return f" after {reads}, unused"
