"""What each pass of the matcher adds: pairs found and seconds without it, over programs that are quick.

A pass that changes nothing here and in no test is taken out of the matcher.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from exir_viz.compare.align.matcher import PASSES, Pass
from tests.compare.mutate import MUTATIONS, bare, mutate
from tests.compare.score import Score, score
from tests.compare.truth import Truth, truth
from tests.corpus.programs import SMALL

from .timing import table

PROGRAMS = ("bert", "vit", "llama32")
TITLE = "diff: without one pass of the matcher (precision / recall in %)"
RUNS = 3


class Case(NamedTuple):
    """Truths that are counted together."""

    name: str
    truths: list[Truth]


def run() -> None:
    cases = _cases()
    head = ["without", *(case.name for case in cases), "wrong pairs", "right pairs", "CPU"]
    table(TITLE, head, _rows(cases))


def _rows(cases: list[Case]) -> Iterator[list[str]]:
    Scores(cases, PASSES)  # the first run fills caches, and no pass is to pay for that
    whole = Scores(cases, PASSES)
    yield ["nothing", *whole.cells, f"{whole.wrong:,}", f"{whole.right:,}", f"{whole.seconds:.2f} s"]
    for name in PASSES:
        left = Scores(cases, without(name))
        more = (f"{left.wrong - whole.wrong:+,}", f"{left.right - whole.right:+,}")
        yield [name, *left.cells, *more, f"{left.seconds - whole.seconds:+.2f} s"]


def without(name: str) -> dict[str, Pass]:
    """The passes but for one."""
    return {one: run for one, run in PASSES.items() if one != name}


class Scores:
    """The scores of all cases with some passes; seconds are of the fastest of a few runs."""

    def __init__(self, cases: list[Case], passes: Mapping[str, Pass]) -> None:
        self.seconds = float("inf")
        found: list[list[Score]] = []
        for _ in range(RUNS):
            begun = time.process_time()
            found = [[score(one, passes) for one in case.truths] for case in cases]
            self.seconds = min(self.seconds, time.process_time() - begun)
        self.right = sum(one.right for scores in found for one in scores)
        self.wrong = sum(one.found - one.right for scores in found for one in scores)
        self.cells = [_shares(scores) for scores in found]


def _shares(scores: list[Score]) -> str:
    found, right, true = (sum(getattr(one, name) for one in scores) for name in ("found", "right", "true"))
    return f"{100 * right / max(1, found):.2f} / {100 * right / max(1, true):.2f}"


def _cases() -> list[Case]:
    decomposed = [truth(name, "aten", "core") for name in PROGRAMS]
    lowered = [truth(name, "edge", "executorch") for name in PROGRAMS]
    small = [truth(name, "aten", "core") for name in SMALL]
    mutants = [mutate(one.b, mutation) for one in decomposed[:2] for mutation in MUTATIONS]
    return [
        Case("aten to core", decomposed),
        Case("aten to core, bare", [_bare(one) for one in decomposed]),
        Case("edge to executorch", lowered),
        Case("edge to executorch, bare", [_bare(one) for one in lowered]),
        Case("small programs", [*small, *map(_bare, small)]),
        Case("mutants", mutants),
    ]


def _bare(one: Truth) -> Truth:
    """The truth without modules, torch functions and source lines."""
    return Truth(bare(one.a), bare(one.b), one.pairs)
