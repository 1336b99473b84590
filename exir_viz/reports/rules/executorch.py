"""Rules of a program for the runtime: out variants, and a memory plan in which live values do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.memory import Planned, planned_in, writer
from exir_viz.snapshot.opkind import ITEM, op_name

from .rule import EXECUTORCH, Break, Rule, Subject, exir, memory_planning

_COND: Final = "cond"
_LAST_USE: Final = "until when a value is used"
_PLAN: Final = "Run memory planning again: to_executorch plans memory after all passes."


def _out_variants(subject: Subject) -> Iterator[Break]:
    for node in subject.calls():
        facts = subject.facts_of(node)
        if facts.name and not (facts.writes or facts.is_runtime or facts.returns_nothing):
            yield Break(
                node,
                f"{node.name} calls {op_name(node.target)}, which is no out variant.",
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


def _branch_results(subject: Subject) -> Iterator[Break]:
    """The result of `cond` lies where the branch wrote it: the runtime moves a pointer."""
    for graph in subject.own_graphs:
        for call in subject.nodes_of(graph):
            if op_name(call.target) != _COND:
                continue
            until = max((user for one in (call, *call.users) for user in _uses(one)), default=call.position)
            results = _results(call)
            for other in subject.nodes_of(graph)[call.position + 1 : until + 1]:
                if hit := _overwritten(results, other):
                    result, written = hit
                    yield Break(
                        other,
                        f"{other.name} overwrites the result of {call.name} ({result.value}), in use "
                        f"until {graph[until].name}: both write to byte "
                        f"{max(result.offset, written.offset):,} of arena {result.arena}.",
                        "Copy the result where it is made: torch.cond(…).clone()",
                    )
                    break


def _uses(node: Node) -> Sequence[int]:
    return node.graph.user_positions(node.position)


def _bodies(call: Node) -> list[Graph]:
    """The branches and loop bodies that a call runs."""
    return [graph for one in call.inputs for graph in one.subgraphs if not graph.delegate]


def _results(call: Node) -> list[Planned]:
    """Where the results of a `cond` lie: in the memory of what its branches return."""
    found: list[Planned] = []
    for branch in _bodies(call):
        places = {one.node.position: one for one in planned_in(branch)}
        for node in branch[len(branch) - 1].inputs:
            source = node.inputs[0] if op_name(node.target) == ITEM else node
            if op_name(source.target) == _COND:
                found += _results(source)
            elif node.position in places:
                found.append(places[node.position])
    return found


def _overwritten(results: Sequence[Planned], call: Node) -> tuple[Planned, Planned] | None:
    """One of the results, and what the bodies of a call write to its bytes."""
    for body in _bodies(call):
        for written in planned_in(body):
            for one in results:
                begin = max(one.offset, written.offset)
                end = min(one.offset + one.bytes, written.offset + written.bytes)
                if one.arena == written.arena and begin < end:
                    return one, written
        for node in body:
            if found := _overwritten(results, node):
                return found
    return None


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
        "Operators are out variants: they write to memory passed to them",
        Outcome.ERROR,
        EXECUTORCH,
        exir("Using the Edge Dialect"),
        _out_variants,
    ),
    Rule(
        "plan-overlap",
        "Values that are alive at once do not share memory",
        Outcome.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _overlaps,
        lost_in_pte=_LAST_USE,
    ),
    Rule(
        "branch-results",
        "The result of a branch is not overwritten while it is in use",
        Outcome.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _branch_results,
        stricter="ExecuTorch's verifier looks at the plan of each graph alone.",
        lost_in_pte=_LAST_USE,
    ),
    Rule(
        "plan-lifetime",
        "A value is planned until its last use",
        Outcome.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _lifetimes,
        stricter="ExecuTorch's verifier trusts the lifetimes of the plan.",
        lost_in_pte=_LAST_USE,
    ),
    Rule(
        "plan-arena",
        "A value lies within its arena",
        Outcome.ERROR,
        EXECUTORCH,
        memory_planning("Memory planning"),
        _arenas,
        stricter="ExecuTorch's verifier does not compare offsets with the size of the arena.",
    ),
)
