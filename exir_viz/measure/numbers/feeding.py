"""Pair the inputs of two programs, so that both run on the same.

By the user's name if both have the same names, in any order; else by the slot in a call, its position or
keyword; else in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.check import check
from exir_viz.measure.cpu.inputs import Place, places
from exir_viz.measure.cpu.program import CpuProgram, Inputs
from exir_viz.measure.cpu.structure import examples
from exir_viz.snapshot.format import plural

_SYNTHESIZED = (
    "The inputs are random numbers of the right shapes and dtypes. Real data can show larger differences. "
    "Pass inputs=, or several as samples=."
)


def origin_of(given: Inputs) -> str:
    """Where inputs are from, as users read it."""
    return "synthesized" if given.source == "made" else given.source


def synthesized(given: Inputs) -> list[str]:
    """A note if inputs were synthesized."""
    return [_SYNTHESIZED] if given.source == "made" else []


class Fed(NamedTuple):
    """The inputs of b: `paths` are a's names for them, `note` says how they were paired unless that is
    obvious.
    """

    values: list[Any]
    paths: list[str]
    note: str


def shared(
    first: CpuProgram,
    second: ExportedProgram,
    args: Sequence[Any] | None,
    kwargs: Any,
    symbols: Any,
) -> tuple[Inputs, Fed]:
    """Inputs that fit both: given ones, the examples of a, else those of b, else generated ones.

    Raises MeasureError if the inputs of a do not fit b.
    """
    found = first.inputs(args, kwargs, symbols)
    takes = places(second)
    if len(takes) != len(found.places):
        raise MeasureError(
            f"The programs take {len(found.places)} and {plural(len(takes), 'input')}. "
            "Compare programs with the same inputs."
        )
    order, how = _order(found.places, takes)
    kept = examples(second) if found.source == "made" and not symbols else None
    if kept is not None and len(kept) == len(order):
        values = [kept[order.index(at)] for at in range(len(order))]
        bound, unread = check(first.program, found.places, values)
        found = Inputs(found.places, values, "example", bound, unread)
    fed = [found.values[at] for at in order]
    check(second, takes, fed)
    return found, Fed(fed, [found.places[at].path for at in order], _note(found.places, takes, order, how))


def _order(ours: Sequence[Place], theirs: Sequence[Place]) -> tuple[list[int], str]:
    """For each input of b the number of a's counterpart, and how it was found."""
    for how, names in (
        ("by name", [[place.path for place in side] for side in (ours, theirs)]),
        ("by position and keyword", [[place.slot for place in side] for side in (ours, theirs)]),
    ):
        at = {name: number for number, name in enumerate(names[0])}
        if len(at) == len(ours) and sorted(names[0]) == sorted(names[1]):
            return [at[name] for name in names[1]], how
    return [*range(len(ours))], "one after the other"


def _note(ours: Sequence[Place], theirs: Sequence[Place], order: Sequence[int], how: str) -> str:
    """Empty if each has the same position and name on both sides."""
    pairs = [(ours[at], place) for place, at in zip(theirs, order, strict=True)]
    named = [(one.path, other.path) for one, other in pairs if one.node.name != other.node.name]
    if how != "by name" and named:
        names_text = ", ".join(f"{one} → {other}" for one, other in named)
    elif [*order] != [*range(len(order))]:
        names_text = ", ".join(other.path for _, other in pairs)
        return f"b takes its inputs in another order ({names_text}): they were given {how}."
    else:
        return ""
    return f"The inputs of b have other names; they were given {how}: {names_text}."
