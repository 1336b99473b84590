"""The matcher against exact lineage that it does not see; `python -m tests.bench diff` prints all results."""

from __future__ import annotations

import functools

import pytest
import torch

import exir_viz
from exir_viz.compare.align.pairing import MatchEvidence

from .mutate import MUTATIONS, bare, mutate
from .score import Score, score
from .truth import Truth, exact_pairs, hidden, truth

PRECISION, RECALL = 0.98, 0.95


class Encoder(torch.nn.Module):
    """Two transformer layers: attention, layer norms, dropout, a residual."""

    def __init__(self) -> None:
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x):
        return torch.nn.functional.silu(self.layers(x)).mean(-1)


@functools.cache
def stages() -> Truth:
    before = torch.export.export(Encoder().train(), (torch.randn(2, 4, 16),))
    after = before.run_decompositions()
    pairs = exact_pairs(before, after)
    return Truth(hidden(exir_viz.load(before)), hidden(exir_viz.load(after)), frozenset(pairs))


def check(found: Score) -> None:
    assert found.true > 20
    assert found.precision >= PRECISION
    assert found.recall >= RECALL


def test_a_decomposition() -> None:
    assert len(stages().pairs) > len({i for i, _ in stages().pairs})  # one op became several
    check(score(stages()))


def test_a_decomposition_without_modules_functions_and_source_lines() -> None:
    found = score(Truth(bare(stages().a), bare(stages().b), stages().pairs))
    check(found)
    assert found.by_evidence[MatchEvidence.DECOMPOSED][0] >= found.true / 2


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("side", ["a", "b"])
def test_a_mutant(mutation: str, side: str) -> None:
    found = [score(mutate(getattr(stages(), side), mutation, seed=seed)) for seed in range(5)]
    right, whole, true = (sum(getattr(one, name) for one in found) for name in ("right", "found", "true"))
    assert right >= PRECISION * whole
    assert right >= RECALL * true


def test_nothing_of_the_lineage_is_left_to_see() -> None:
    for snapshot in stages()[:2]:
        assert not snapshot.detail.origins
        assert all(
            not node.origins and node.debug_handle is None for graph in snapshot.graphs for node in graph
        )


def test_the_measure_can_fail() -> None:
    """Pairs of another program are not right."""
    wrong = Truth(stages().a, stages().b, frozenset((i, j + 1) for i, j in stages().pairs))
    assert score(wrong).precision < 0.6


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["resnet50", "vit"])
@pytest.mark.parametrize("step", [("aten", "core"), ("core", "edge")])
def test_real_programs(name: str, step: tuple[str, str]) -> None:
    check(score(truth(name, *step)))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["resnet50", "vit"])
def test_real_programs_without_modules_functions_and_source_lines(name: str) -> None:
    stages = truth(name, "aten", "core")
    check(score(Truth(bare(stages.a), bare(stages.b), stages.pairs)))
