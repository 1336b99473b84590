"""Which passes the matcher needs: beginning with none, always add the pass that gains most.

A gain is right pairs less wrong ones, as a share of the true pairs, averaged over the groups of programs: so
a group of small programs counts like one of large programs. Only pairs of calls are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from exir_viz.compare.align.matcher import PASSES, Pass, match
from exir_viz.compare.normalize import Normalized, normalize
from tests.compare.dynamo import MODELS, dynamo_truth
from tests.compare.mutate import MUTATIONS, bare, mutate
from tests.compare.score import Score, count
from tests.compare.truth import Truth, truth
from tests.corpus.programs import SMALL

from .timing import table

PROGRAMS = ("bert", "vit")
# Programs of no other table.
HELD_OUT = ("gpt2", "mobilenetv2")
TITLE = "diff: the passes of the matcher, by what each adds (precision / recall in %)"


class Group(NamedTuple):
    """Programs that are counted together."""

    name: str
    truths: list[Truth]


def run() -> None:
    groups = _groups()
    table(TITLE, ["passes", *(group.name for group in groups), "gain"], _rows(groups))


def without(name: str) -> dict[str, Pass]:
    """The passes but for one."""
    return {one: run for one, run in PASSES.items() if one != name}


def _rows(groups: list[Group]) -> Iterator[list[str]]:
    matched = Matched(groups)
    chosen: list[str] = []
    before = 0.0
    for _ in PASSES:
        left = [name for name in PASSES if name not in chosen]
        best = max(left, key=lambda name: matched.gain(_only([*chosen, name])))
        chosen.append(best)
        gain = matched.gain(_only(chosen))
        yield [best, *matched.cells(_only(chosen)), f"{100 * (gain - before):+.3f}"]
        before = gain


def _only(names: Iterable[str]) -> dict[str, Pass]:
    """These passes, in the order of the matcher."""
    wanted = set(names)
    return {name: run for name, run in PASSES.items() if name in wanted}


class Matched:
    """The scores of all groups by the passes that were run; programs are normalized once."""

    def __init__(self, groups: list[Group]) -> None:
        self._groups: list[list[tuple[Truth, Normalized]]] = [
            [(one, normalize(one.a, one.b, (None, None))) for one in group.truths] for group in groups
        ]
        self._known: dict[tuple[str, ...], list[list[Score]]] = {}

    def gain(self, passes: Mapping[str, Pass]) -> float:
        """The mean over the groups."""
        shares = []
        for scores in self._scores(passes):
            found, right, true = _sums(scores)
            shares.append((2 * right - found) / max(1, true))
        return sum(shares) / len(shares)

    def cells(self, passes: Mapping[str, Pass]) -> list[str]:
        cells = []
        for scores in self._scores(passes):
            found, right, true = _sums(scores)
            cells.append(f"{100 * right / max(1, found):.2f} / {100 * right / max(1, true):.2f}")
        return cells

    def _scores(self, passes: Mapping[str, Pass]) -> list[list[Score]]:
        key = tuple(passes)
        if key not in self._known:
            self._known[key] = [
                [count(match(both.a, both.b, passes=passes), one) for one, both in group]
                for group in self._groups
            ]
        return self._known[key]


def _sums(scores: list[Score]) -> tuple[int, int, int]:
    found, right, true = (sum(getattr(one, name) for one in scores) for name in ("found", "right", "true"))
    return found, right, true


def _groups() -> list[Group]:
    decomposed = [truth(name, "aten", "core") for name in PROGRAMS]
    lowered = [truth("bert", "edge", "executorch")]
    held_out = [truth(name, "aten", "core") for name in HELD_OUT]
    small = [truth(name, "aten", "core") for name in SMALL]
    vit = decomposed[1].a
    return [
        Group("aten to core", decomposed),
        Group("aten to core, bare", [_bare(one) for one in decomposed]),
        Group("edge to executorch", lowered),
        Group("edge to executorch, bare", [_bare(one) for one in lowered]),
        Group("held out", held_out),
        Group("held out, bare", [_bare(one) for one in held_out]),
        Group("Dynamo", [dynamo_truth(name) for name in MODELS]),
        Group("small programs", [*small, *map(_bare, small)]),
        Group("mutants", [mutate(vit, mutation) for mutation in MUTATIONS]),
        Group("mutants, bare", [mutate(bare(vit), mutation) for mutation in MUTATIONS]),
    ]


def _bare(one: Truth) -> Truth:
    """The truth without modules, torch functions and source lines."""
    return Truth(bare(one.a), bare(one.b), one.pairs)
