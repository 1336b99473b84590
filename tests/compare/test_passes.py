"""Every pass of the matcher is needed: without it, true pairs are not found.

`python -m tests.bench ablation` shows what each adds on real programs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.align.matcher import PASSES, match
from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.side import Side, Tables
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from tests.bench.ablation import without
from tests.corpus.programs import core

from .mutate import bare, mutate
from .score import Score, score
from .test_accuracy import stages
from .test_scopes import trained
from .truth import Truth

X, Y, Z = torch.randn(2, 3), torch.randn(2, 3), torch.randn(2, 3)


def mutant(mutation: str, seed: int, share: float = 0.4, *, is_bare: bool = False) -> Truth:
    """A mutant of two transformer layers in Core ATen."""
    base = stages().b
    return mutate(bare(base) if is_bare else base, mutation, seed=seed, share=share)


def untold(truth: Truth) -> Truth:
    """The truth without modules, torch functions and source lines."""
    return Truth(bare(truth.a), bare(truth.b), truth.pairs)


class Each(nn.Module):
    """The same op of three inputs, with a number, in an order."""

    def __init__(self, number: float, order: range) -> None:
        super().__init__()
        self.number, self.order = number, order

    def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values = [x, y, z]
        for at in self.order:
            values[at] = values[at] + self.number
        return tuple(value * value for value in values)


def reversed_calls(number: float) -> Truth:
    """The calls are in the opposite order, with other numbers."""
    modules = Each(1, range(3)), Each(number, range(2, -1, -1))
    a, b = (exir_viz.load(torch.export.export(module, (X, Y, Z))) for module in modules)
    return Truth(a, b, frozenset(by_input(a, b)))


def by_input(a: Snapshot, b: Snapshot) -> list[tuple[int, int]]:
    """The pairs of calls of `Each`: those computed from the same input."""
    found = []
    for name in ("x", "y", "z"):
        left, right = (reached(one, name) for one in (a, b))
        found += zip(left, right, strict=True)
    return found


def reached(snapshot: Snapshot, name: str) -> list[int]:
    """The positions of the calls that an input leads to, in execution order."""
    graph, names = snapshot.method.graph, {name}
    for node in graph:
        if node.op == "call_function" and names & {one.name for one in node.inputs}:
            names.add(node.name)
    return [node.position for node in graph if node.name in names - {name}]


def moved_layers() -> Truth:
    """Six layers in the opposite order, each with its weights: a layer is matched by its state."""
    orders = range(6), range(5, -1, -1)
    a, b = (trained(order) for order in orders)
    places: list[dict[tuple[int, int], int]] = []
    for snapshot, order in zip((a, b), orders, strict=True):
        found: dict[tuple[int, int], int] = {}
        counts: dict[int, int] = {}
        for node in snapshot.method.graph:
            path = node.scope.path.split(".") if node.op == "call_function" and node.scope else []
            if "layers" in path:
                layer = order[int(path[path.index("layers") + 1])]
                counts[layer] = counts.get(layer, 0) + 1
                found[layer, counts[layer]] = node.position
        places.append(found)
    return Truth(a, b, frozenset((i, places[1][key]) for key, i in places[0].items()))


CASES: dict[str, Callable[[], Truth]] = {
    "interface": lambda: mutant("rescope", 3),
    "structure": lambda: mutant("retype", 2, is_bare=True),
    "neighbours": lambda: mutant("rescope", 6),
    "computed": lambda: mutant("rescope", 2, 0.05),
    "decompositions": lambda: untold(stages()),
    "source calls": lambda: mutant("retype", 7),
    "unique": moved_layers,
    "order": lambda: mutant("delete", 0, is_bare=True),
    "neighbours of one op": lambda: mutant("retype", 7, is_bare=True),
    "elsewhere": lambda: mutant("mixed", 4),
    "holes": lambda: untold(stages()),
}


def gain(found: Score) -> int:
    """Right pairs less wrong ones."""
    return 2 * found.right - found.found


@pytest.mark.parametrize("name", CASES)
def test_without_a_pass_less_is_found(name: str) -> None:
    truth = CASES[name]()
    assert gain(score(truth)) > gain(score(truth, without(name)))


def test_every_pass_has_a_case() -> None:
    assert {*CASES, "inputs", "unread items"} == PASSES.keys()


def test_pairs_are_landmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three inputs are alike; their pairs distinguish the calls that read them."""
    truth = reversed_calls(1)
    found = score(truth)
    assert found.right == found.true == 6
    monkeypatch.setattr(Pairing, "paired", lambda pairing: ([NONE] * pairing.a.size, [NONE] * pairing.b.size))
    assert score(truth).right < found.right


def left_over(a: Snapshot, b: Snapshot, name: str) -> tuple[int, int]:
    """How many nodes of a have no counterpart: with all passes, and without one."""
    tables = Tables()
    sides = Side(a, tables), Side(b, tables)
    return match(*sides).of_a.count(NONE), match(*sides, passes=without(name)).of_a.count(NONE)


class Spare(nn.Module):
    """Adds a parameter, and has an unused one."""

    def __init__(self) -> None:
        super().__init__()
        self.read, self.spare = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.read


def test_inputs_of_another_name_go_by_who_reads_them() -> None:
    """The spare parameter is the unused one."""
    a, b, _ = mutate(exir_viz.load(torch.export.export(Spare(), (X,))), "rename")
    assert not {entry.name for entry in a.method.state} & {entry.name for entry in b.method.state}
    assert left_over(a, b, "inputs") == (0, 1)


def test_items_without_a_reader_go_with_their_op(tmp_path: Path) -> None:
    """torch writes every output of an op into a file; a live program has only used ones."""
    torch.export.save(core("several_outputs"), tmp_path / "core.pt2")
    live, file = exir_viz.load(core("several_outputs")), exir_viz.load(tmp_path / "core.pt2")
    with_all, less = left_over(file, live, "unread items")
    assert with_all == 0 < less


def test_no_op_is_the_same_input(tmp_path: Path) -> None:
    """A result that nothing reads is matched because its op is, with the evidence of the op."""
    torch.export.save(core("several_outputs"), tmp_path / "core.pt2")
    found = exir_viz.diff(exir_viz.load(tmp_path / "core.pt2"), exir_viz.load(core("several_outputs")))
    inputs = [match for match in found if match.evidence.name == "interface"]
    assert {node.op for match in inputs for node in match.a + match.b} == {"placeholder", "output"}
