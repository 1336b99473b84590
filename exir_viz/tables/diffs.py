"""The frames of a diff: one row a match, a pair of values that was compared, a match with its costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from exir_viz.compare.costs import CostChange
from exir_viz.compare.diff import Diff, Match
from exir_viz.compare.numbers.values import Compared, Values
from exir_viz.compare.reading.homes import Homes
from exir_viz.options import instance, named_options
from exir_viz.snapshot.opkind import op_name
from exir_viz.table import Row, Table, table

if TYPE_CHECKING:
    import pandas as pd


@named_options
def matches(diff: Diff) -> pd.DataFrame:
    """One row a match of a diff, in reading order: that of b, with what was removed where it stood.

    kind ("same", "changed", "moved", "rewritten", "added", "removed"); a and b (ids, joined by ", ");
    op_a and op_b; fields (in what the two differ); module (its path, on b's side if there); evidence,
    confidence (0 to 1), reason and rule (both "" for what is the same).
    """
    instance("matches", "diff", diff, Diff, "exir_viz.diff(a, b) makes one.")
    return match_table(diff).frame()


def match_table(diff: Diff) -> Table:
    """See `matches`."""
    columns = (
        *("kind", "a", "b", "op_a", "op_b", "fields", "module", "evidence", "confidence", "reason", "rule"),
    )
    module = _modules(diff)
    rows = (_match(one, module) for one in diff)
    return table("tables.matches()", rows, columns, known_floats=("confidence",))


def _modules(diff: Diff) -> Callable[[Match], str | None]:
    """The path of the module that a match is told of in, by its first node on b's side if there."""
    homes = Homes(diff.a), Homes(diff.b)

    def path(match: Match) -> str | None:
        which, nodes = (1, match.b) if match.b else (0, match.a)
        found = homes[which].of(nodes[0])
        return nodes[0].graph.snapshot.scopes[found[0]].path if found else None

    return path


def _match(match: Match, module: Callable[[Match], str | None]) -> Row:
    sides = match.a, match.b
    ids = (", ".join(node.id for node in nodes) or None for nodes in sides)
    names = (", ".join(op_name(node.target) for node in nodes) or None for nodes in sides)
    rule = match.rule
    return (
        *(match.kind.value, *ids, *names, ", ".join(match.fields), module(match)),
        *(match.evidence.name, match.evidence.confidence, match.reason, "" if rule is None else rule.text),
    )


@named_options
def costs(diff: Diff, change: CostChange) -> pd.DataFrame:
    """One row a match that took time on a side (`diff.costs` tells it); the last row is what was in no node.

    kind, a, b, op_a, op_b, module and rule as in `matches`; before_us, after_us, change_us (after less
    before; all add up to the change of the whole), ratio (after to before; missing where before is 0);
    noise (do they differ by no more than two runs of one program do?); basis_before and basis_after (what of
    it was not measured itself: "emulated", "estimated"). "(untold)" is what one side has no time for alone:
    it is in a delegate that was timed as one, or in what is in no node.
    """
    instance("costs", "diff", diff, Diff, "exir_viz.diff(a, b) makes one.")
    instance("costs", "change", change, CostChange, "diff.costs(before, after) makes one.")
    return cost_table(diff, change).frame()


def cost_table(diff: Diff, change: CostChange) -> Table:
    """See `costs`."""
    named = ("kind", "a", "b", "op_a", "op_b", "module", "rule")
    notes = ("noise", "basis_before", "basis_after")
    floats = ("before_us", "after_us", "change_us", "ratio")
    kept = (0, 1, 2, 3, 4, 6, 10)
    rows: list[Row] = []
    module = _modules(diff)
    for one in change.matches:
        told = _match(diff[one.match], module)
        basis = one.basis or ("", "")
        rows.append(
            (*(told[at] for at in kept), *_times(one.before, one.after), one.ratio, one.noise, *basis)
        )
    if any(change.untold):
        rows.append(("(untold)", *[None] * 6, *_times(*change.untold), None, None, "", ""))
    before, after = change.overhead
    ratio = after / before if before else None
    rows.append(("(overhead)", *[None] * 6, *_times(before, after), ratio, None, "", ""))
    return table("tables.costs()", rows, (*named, *floats, *notes), floats=floats, booleans=("noise",))


def _times(before: float, after: float) -> Row:
    return before * 1e6, after * 1e6, (after - before) * 1e6


@named_options
def numbers(values: Values) -> pd.DataFrame:
    """One row a pair of values that was compared, in the order in which b computed them.

    a and b (ids), op_a and op_b, kind (of their match), elements; max_abs (the largest difference), relative
    (that as a share of the largest magnitude in a), cosine, snr (decibels; missing where equal), unlike
    (elements that are NaN or infinite on one side only), parted (beyond the tolerance), origin (and nothing
    before it did); nan_a, inf_a, nan_b, inf_b (elements), turns (how often it ran), emulated (by eager torch,
    for a backend), probable (that a and b are each other's is not known).
    """
    instance("numbers", "values", values, Values, "exir_viz.compare_values(a, b) makes one.")
    return number_table(values).frame()


def number_table(values: Values) -> Table:
    """See `numbers`."""
    floats = ("max_abs", "relative", "cosine", "snr")
    columns = (
        *("a", "b", "op_a", "op_b", "kind", "elements", *floats, "unlike", "parted", "origin"),
        *("nan_a", "inf_a", "nan_b", "inf_b", "turns", "emulated", "probable"),
    )
    integers = ("elements", "unlike", "nan_a", "inf_a", "nan_b", "inf_b", "turns")
    booleans = ("parted", "origin", "emulated", "probable")
    rows = map(_pair, values)
    return table("tables.numbers()", rows, columns, integers=integers, floats=floats, booleans=booleans)


def _pair(one: Compared) -> Row:
    found, row = one.numbers, one.row
    return (
        *(one.a.id, one.b.id, op_name(one.a.target), op_name(one.b.target), one.match.kind.value),
        *(found.elements, found.max_abs, found.relative, found.cosine, found.snr, found.unlike),
        *(found.parted, row.origin, row.health_a.nan, row.health_a.inf, row.health_b.nan, row.health_b.inf),
        *(row.turns, row.emulated, row.probable),
    )
