"""The matcher's accuracy: precision and recall of its pairs of calls against true pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from exir_viz.compare.align.matcher import PASSES, Pass, match
from exir_viz.compare.align.pairing import MatchEvidence, Pairing
from exir_viz.compare.normalize import normalize

from .truth import Truth


class Score(NamedTuple):
    """Counts of pairs; `by_evidence` holds (right, all) for each kind of evidence."""

    found: int
    right: int
    true: int
    by_evidence: dict[MatchEvidence, tuple[int, int]]

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.true if self.true else 1.0


def score(truth: Truth, passes: Mapping[str, Pass] = PASSES) -> Score:
    """Match the two Snapshots of a truth, and count."""
    return count(paired(truth, passes), truth)


def paired(truth: Truth, passes: Mapping[str, Pass] = PASSES) -> Pairing:
    """Match the two Snapshots of a truth."""
    programs = normalize(truth.a, truth.b, (None, None))
    return match(programs.a, programs.b, passes=passes)


def count(pairing: Pairing, truth: Truth) -> Score:
    """Pairs of calls only: inputs and outputs are matched by name, which proves nothing."""
    calls = pairing.a.calls, pairing.b.calls
    found = {(i, j): evidence for i, j, evidence in pairing.links if calls[0][i] and calls[1][j]}
    whole, right = Counter(found.values()), Counter(found[pair] for pair in found.keys() & truth.pairs)
    return Score(
        len(found),
        right.total(),
        len(truth.pairs),
        {one: (right[one], whole[one]) for one in MatchEvidence if whole[one]},
    )
