"""The frames of a diff: one row per match, per compared pair of values, or per match with its costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from exir_viz.compare.costs import CostChange
from exir_viz.compare.diff import Diff, Match
from exir_viz.compare.normalize.module_attribution import ModuleAttribution
from exir_viz.compare.values.values import Compared, Values
from exir_viz.options import instance, named_options
from exir_viz.snapshot.opkind import op_name
from exir_viz.table import Row, Table, table

if TYPE_CHECKING:
    import pandas as pd


@named_options
def matches(diff: Diff) -> pd.DataFrame:
    """List the matches of a diff.

    Parameters
    ----------
    diff
        The comparison.

    Returns
    -------
    pandas.DataFrame
        A row per match, in the order of `b`; removed nodes keep their place.

        Columns: kind ("same", "changed", "moved", "rewritten", "added", "removed"); a and b (ids, joined by
        ", "); op_a and op_b; fields (how the two differ); module (its path, in `b` if it is there); evidence,
        confidence (0 to 1), reason and rule (both "" for unchanged nodes).

    Raises
    ------
    WrongArgument
        If it is not a Diff.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.matches(exir_viz.diff(snapshot, snapshot))
    >>> set(frame["kind"])
    {'same'}
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
    """The path of the module that a match is listed under: that of its first node in b, else in a."""
    owners = ModuleAttribution(diff.a), ModuleAttribution(diff.b)

    def path(match: Match) -> str | None:
        which, nodes = (1, match.b) if match.b else (0, match.a)
        found = owners[which].of(nodes[0])
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
    """List the costs of the matches of a diff.

    Parameters
    ----------
    diff
        The comparison.
    change
        The result of `diff.costs(before, after)`.

    Returns
    -------
    pandas.DataFrame
        A row per match that took time; the last row is the time in no node.

        Columns: kind, a, b, op_a, op_b, module and rule as in `matches`; before_us, after_us, change_us
        (after minus before; they add up to the change of the whole), ratio (after to before; missing if
        before is 0); noise (whether two runs of one program differ as much); basis_before and basis_after
        (what was not measured directly: "emulated", "estimated"). The row "(untimed)" is time that one side
        does not attribute to single nodes, such as a delegate that is timed as a whole.

    Raises
    ------
    WrongArgument
        If it is not a Diff and its CostChange.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> diff = exir_viz.diff(snapshot, snapshot)
    >>> frame = exir_viz.tables.costs(diff, diff.costs(profile, profile))
    >>> frame["kind"].iloc[-1]
    '(overhead)'
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
        cells = _match(diff[one.match], module)
        basis = one.basis or ("", "")
        rows.append(
            (*(cells[at] for at in kept), *_times(one.before, one.after), one.ratio, one.noise, *basis)
        )
    if any(change.untimed):
        rows.append(("(untimed)", *[None] * 6, *_times(*change.untimed), None, None, "", ""))
    before, after = change.overhead
    ratio = after / before if before else None
    rows.append(("(overhead)", *[None] * 6, *_times(before, after), ratio, None, "", ""))
    return table("tables.costs()", rows, (*named, *floats, *notes), floats=floats, booleans=("noise",))


def _times(before: float, after: float) -> Row:
    return before * 1e6, after * 1e6, (after - before) * 1e6


@named_options
def numbers(values: Values) -> pd.DataFrame:
    """List the compared values of two programs.

    Parameters
    ----------
    values
        The result of `diff(a, b).values()`.

    Returns
    -------
    pandas.DataFrame
        A row per compared pair, in the order in which `b` computed them.

        Columns: a and b (ids), op_a and op_b, kind (of their match), elements; max_abs (the largest
        difference), relative (the same as a share of the largest magnitude in a), cosine, snr (decibels;
        missing if equal), unlike (elements that are NaN or infinite on one side only), diverged (beyond the
        tolerance), origin (diverges, and nothing before it does); nan_a, inf_a, nan_b, inf_b (elements),
        turns (how often it ran), ran (what computed b's value: "eager", "runtime", "emulated", "not run" or
        "input"), probable (whether a and b match is not certain).

    Raises
    ------
    WrongArgument
        If it is not a Values.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> values = exir_viz.diff(program, program).values(x)
    >>> bool(exir_viz.tables.numbers(values)["diverged"].any())
    False
    """
    instance("numbers", "values", values, Values, "exir_viz.diff(a, b).values() makes one.")
    return number_table(values).frame()


def number_table(values: Values) -> Table:
    """See `numbers`."""
    floats = ("max_abs", "relative", "cosine", "snr")
    columns = (
        *("a", "b", "op_a", "op_b", "kind", "elements", *floats, "unlike", "diverged", "origin"),
        *("nan_a", "inf_a", "nan_b", "inf_b", "turns", "ran", "probable"),
    )
    integers = ("elements", "unlike", "nan_a", "inf_a", "nan_b", "inf_b", "turns")
    booleans = ("diverged", "origin", "probable")
    rows = map(_pair, values)
    return table("tables.numbers()", rows, columns, integers=integers, floats=floats, booleans=booleans)


def _pair(one: Compared) -> Row:
    found, row = one.numbers, one.row
    return (
        *(one.a.id, one.b.id, op_name(one.a.target), op_name(one.b.target), one.match.kind.value),
        *(found.elements, found.max_abs, found.relative, found.cosine, found.snr, found.unlike),
        *(found.diverged, row.origin, row.health_a.nan, row.health_a.inf, row.health_b.nan, row.health_b.inf),
        *(row.turns, row.ran.value, row.probable),
    )
