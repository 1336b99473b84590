"""Lineage as data: read in both directions, led over a stage in between, and refused where it lies."""

from __future__ import annotations

import pytest

from exir_viz import load
from exir_viz.snapshot.lineage import (
    Evidence,
    Lineage,
    LineageIndex,
    Orphan,
    compose,
    lineage_of,
    links_of,
    problems,
    weaker,
)
from exir_viz.snapshot.numbering import Numbering
from tests.corpus.programs import exported

EARLY = lineage_of(
    {(0, 0): Evidence.FROM_NODE, (1, 0): Evidence.NAME, (2, 1): Evidence.FROM_NODE}, {3: "made"}
)
LATE = lineage_of(
    {
        (0, 0): Evidence.IDENTITY,
        (0, 1): Evidence.DELEGATE_MAP,
        (1, 2): Evidence.STRUCTURE,
        (2, 3): Evidence.NAME,
    },
    {4: "memory"},
)


def test_both_directions() -> None:
    index = LineageIndex(EARLY)
    assert index.ancestors(1) == ((0, Evidence.NAME),)
    assert [one.node for one in index.descendants(0)] == [0, 1]
    assert [one.exact for one in index.descendants(0)] == [True, False]
    assert (index.reason(3), index.reason(0)) == ("made", "")


def test_composed_links_are_as_weak_as_their_weakest() -> None:
    composed = compose(LATE, EARLY)
    assert list(links_of(composed)) == [(0, 0, Evidence.IDENTITY), (1, 1, Evidence.STRUCTURE)]
    assert composed.orphans == (Orphan(2, "made"), Orphan(4, "memory"))
    assert weaker(Evidence.NAME, Evidence.STRUCTURE) is Evidence.STRUCTURE
    assert weaker(Evidence.FROM_NODE, Evidence.NAME) is Evidence.NAME


def test_composing_with_nothing_leaves_nothing() -> None:
    assert compose(LATE, Lineage()).nodes == ()


@pytest.mark.parametrize(
    ("lineage", "problem"),
    [
        (Lineage((0,), (0, 1), (0,), (Evidence.NAME,)), "differ in length"),
        (Lineage((5,), (0,), (0,), (Evidence.NAME,)), "a node that is not there"),
        (Lineage((0,), (-1,), (0,), (Evidence.NAME,)), "an ancestor that is not there"),
        (Lineage((0,), (0,), (1,), (Evidence.NAME,)), "kind of evidence that is not there"),
        (Lineage((1, 0), (0, 0), (0, 0), (Evidence.NAME,)), "not in order"),
        (Lineage(orphans=(Orphan(9, ""),)), "node without an ancestor that is not there"),
    ],
)
def test_a_lineage_that_lies_is_found_out(lineage: Lineage, problem: str) -> None:
    assert any(problem in one for one in problems(lineage, 5, 4))


def test_a_sound_lineage_has_no_problems() -> None:
    assert not list(problems(EARLY, 4, 2))
    assert not list(problems(LATE, 5, 4))


def test_numbers_run_through_all_graphs() -> None:
    snapshot = load(exported("nested_cond"))
    numbering = Numbering(snapshot)
    nodes = [node for graph in snapshot.graphs for node in graph]
    assert [numbering.node(number) for number in range(len(numbering))] == nodes
    assert [numbering.number(node) for node in nodes] == list(range(len(nodes)))
    with pytest.raises(IndexError, match="not one of number"):
        numbering.node(len(nodes))
