"""Rules of a program for the runtime: out variants, and a memory plan in which live values do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.memory import Planned, planned_in, writer
from exir_viz.snapshot.opkind import op_name

from .records import Severity
from .rule import EXECUTORCH, Break, Rule, Subject, exir, memory_planning

_LAST_USE: Final = "until when a value is used"
_PLAN: Final = "Run memory planning again: to_executorch plans memory after all passes."


def _out_variants(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        facts = subject.facts_of(node)
        if facts.name and not (facts.writes or facts.is_runtime or facts.returns_nothing):
            yield Break(
                node,
                f"{node.name} calls {op_name(node.target)}, which does not write to memory it is given.",
                "Register an out variant of the operator; to_executorch puts it in its place.",
            )


def _overlaps(subject: Subject) -> Iterator[Break]:
    for graph in subject.own_graphs:
        values = [one for one in planned_in(graph) if one.bytes]  # an empty value overwrites nothing
        for _, arena in groupby(sorted(values, key=_place), key=lambda one: one.arena):
            yield from _overlapping(list(arena))


def _place(one: Planned) -> tuple[int, int]:
    return one.arena, one.offset


def _overlapping(values: Sequence[Planned]) -> Iterator[Break]:
    """Values, in the order of their offsets, that share bytes while both are alive."""
    for at, one in enumerate(values):
        for other in values[at + 1 :]:
            if other.offset >= one.offset + one.bytes:
                break
            if one.first <= other.last and other.first <= one.last and not _shares(one, other):
                late, early = (one, other) if one.first >= other.first else (other, one)
                yield Break(
                    late.node,
                    f"{writer(late.node).name} ({late.value}) overwrites {writer(early.node).name} "
                    f"({early.value}), which is in use until {early.node.graph[early.last].name}: both lie "
                    f"at byte {max(one.offset, other.offset):,} of arena {one.arena}.",
                    _PLAN,
                )


def _shares(one: Planned, other: Planned) -> bool:
    """Whether two plan entries are one value on purpose: for an in-place operator, or a view."""
    return (
        one.offset == other.offset
        and one.object is not None
        and one.object == other.object
        and (one.node in other.node.inputs or other.node in one.node.inputs)
    )


def _lifetimes(subject: Subject) -> Iterator[Break]:
    for graph in subject.own_graphs:
        for one in planned_in(graph):
            last = max(graph.user_positions(one.node.position), default=one.node.position)
            if last > one.last:
                yield Break(
                    one.node,
                    f"{one.node.name} ({one.value}) is planned until {graph[one.last].name}, but "
                    f"{graph[last].name} uses it later.",
                    _PLAN,
                )


def _arenas(subject: Subject) -> Iterator[Break]:
    sizes = {arena.id: arena.bytes for arena in subject.method.detail.arenas}
    for graph in subject.own_graphs:
        for one in planned_in(graph):
            whole = sizes.get(one.arena)
            end = one.offset + one.bytes
            if one.offset < 0 or (whole is not None and end > whole):
                yield Break(
                    one.node,
                    f"{one.node.name} ({one.value}) ends at byte {end:,} of arena {one.arena}, which has "
                    f"{byte_text(whole)}.",
                    _PLAN,
                )


RULES: Final = (
    Rule(
        "out-variants",
        "Operators write to memory that they are given",
        Severity.ERROR,
        EXECUTORCH,
        exir("Using the Edge Dialect"),
        _out_variants,
    ),
    Rule(
        "plan-overlap",
        "Values that are alive at once do not share memory",
        Severity.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _overlaps,
        lost_in_pte=_LAST_USE,
    ),
    Rule(
        "plan-lifetime",
        "A value is planned until its last use",
        Severity.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _lifetimes,
        stricter="ExecuTorch's verifier trusts the lifetimes of the plan.",
        lost_in_pte=_LAST_USE,
    ),
    Rule(
        "plan-arena",
        "A value lies within its arena",
        Severity.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _arenas,
        stricter="ExecuTorch's verifier does not compare offsets with the size of the arena.",
    ),
)
