"""A diff as a whole: it is complete, a program does not differ from itself, and diff(b, a) mirrors diff(a,
b).
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.normalize.schemas import parameters
from exir_viz.compare.records import Comparison
from exir_viz.snapshot import Snapshot
from tests.corpus import programs
from tests.corpus.concepts import Fn
from tests.snapshot.sample import chain, hostile, sample

from .mutate import MUTATIONS, mutate

TURNED = {"added": "removed", "removed": "added"}
SMALL = (
    "several_outputs",
    "nested_cond",
    "buffer_mutation",
    "module_called_twice",
    "hostile_names",
    "unbacked",
    "unbacked_float",
    "deferred_asserts",
)


def told(diff: Diff, turned: bool = False) -> list[tuple[object, ...]]:
    """All statements of a diff about nodes, unordered; from the other side if `turned`."""
    found = []
    for one in diff:
        numbers, kind = diff.numbers(one.number), one.kind.value
        kind = TURNED.get(kind, kind) if turned else kind
        found.append((numbers[::-1] if turned else numbers, kind, one.fields, one.evidence.name))
    return sorted(found)


def mirrored(a: Snapshot, b: Snapshot) -> bool:
    return told(exir_viz.diff(a, b)) == told(exir_viz.diff(b, a), turned=True)


mutants = {
    "base": st.sampled_from([sample(), chain(40), chain(60, scoped=False), hostile()]),
    "mutation": st.sampled_from(sorted(MUTATIONS)),
    "share": st.sampled_from([0.05, 0.3]),
    "seed": st.integers(0, 1000),
}


@given(**mutants)
@settings(max_examples=60)
def test_every_node_is_in_one_match_and_b_first_mirrors_a_first(base, mutation, share, seed) -> None:
    a, b = mutate(base, mutation, share, seed)[:2]
    diff = exir_viz.diff(a, b)
    for side, which in ((a, 0), (b, 1)):
        numbers = sorted(number for one in diff for number in diff.numbers(one.number)[which])
        assert numbers == list(range(sum(map(len, side.graphs))))
    assert mirrored(a, b)
    assert exir_viz.diff(b, b).is_empty


@pytest.mark.parametrize("name", SMALL)
def test_a_program_and_its_reexport_and_its_file_are_the_same(name: str, tmp_path: Path) -> None:
    """With the same weights, because these are compared too."""
    program = programs.exported(name)
    first = exir_viz.load(program)
    again = exir_viz.load(programs.exported.__wrapped__(name))
    assert exir_viz.diff(first, first).is_empty
    assert exir_viz.diff(first, again).is_empty
    torch.export.save(program, tmp_path / "program.pt2")
    assert exir_viz.diff(first, exir_viz.load(tmp_path / "program.pt2")).is_empty
    assert exir_viz.diff(first, again).contents.left == ()


def test_a_file_has_the_schemas_of_the_program(tmp_path: Path) -> None:
    """An explicit default equals an omitted one, though no schema is recorded for the op."""
    loss = torch.nn.functional.multi_margin_loss
    program = torch.export.export(Fn(loss), (torch.ones(3, 8), torch.tensor([1, 2, 3])))
    torch.export.save(program, tmp_path / "loss.pt2")
    live, file = exir_viz.load(program), exir_viz.load(tmp_path / "loss.pt2")
    targets = [target for target in file.targets if target.name == "multi_margin_loss"]
    assert [parameters(target) for target in targets] == [None]
    assert exir_viz.diff(live, file).is_empty
    assert mirrored(live, file)
    other = torch.export.export(Fn(lambda x, y: loss(x, y, p=2)), (torch.ones(3, 8), torch.tensor([1, 2, 3])))
    (change,) = exir_viz.diff(exir_viz.load(other), file).changes
    assert change.reason == "`aten.multi_margin_loss`: p 2 → 1 (default)"


class Angles(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.cos(), x.sin()


class Rotary(torch.nn.Module):
    """As a decoder of `transformers` has it."""

    def __init__(self) -> None:
        super().__init__()
        self.angles, self.linear = Angles(), torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cos, sin = self.angles(x)
        return self.linear(x) * cos + sin


def test_a_strict_export_with_no_grad_and_its_file_are_the_same(tmp_path: Path) -> None:
    """Though a file does not keep the module of the items that the block returns."""
    program = torch.export.export(Rotary(), (torch.randn(2, 8),), strict=True)
    torch.export.save(program, tmp_path / "own.pt2")
    items = [node for node in exir_viz.load(program).method.graph if node.target.name == "getitem"]
    assert {node.scope.path for node in items} == {"angles"}
    diff = exir_viz.diff(program, tmp_path / "own.pt2")
    assert diff.is_empty, str(diff)


@pytest.mark.parametrize("name", ["several_outputs", "attention", "mutating_custom_op"])
def test_items_without_a_reader_are_no_difference(name: str, tmp_path: Path) -> None:
    """torch writes every output of an op into a file; a live program has only used ones."""
    program = programs.core(name)
    torch.export.save(program, tmp_path / "core.pt2")
    live, file = exir_viz.load(program), exir_viz.load(tmp_path / "core.pt2")
    diff = exir_viz.diff(live, file)
    assert diff.is_empty, diff
    assert mirrored(live, file)
    spare = len(file.method.graph) - len(live.method.graph)
    assert sum(len(one.b) - len(one.a) for one in diff) == spare
    assert (spare > 0) == (name != "attention")
    assert {row.kind for row in diff.text()} <= {"fold", "note", "same"}


def test_new_names_are_no_change() -> None:
    a, b = mutate(chain(200), "rename")[:2]
    assert {row.name for row in a.method.graph}.isdisjoint(row.name for row in b.method.graph)
    diff = exir_viz.diff(a, b)
    assert diff.counts.same == len(diff)


@pytest.mark.parametrize("name", SMALL)
def test_decomposed_mirrors_too_and_says_why(name: str) -> None:
    program = programs.exported(name)
    a, b = exir_viz.load(program), exir_viz.load(program.run_decompositions())
    assert mirrored(a, b)
    assert all(one.reason and one.rule for one in exir_viz.diff(a, b).changes)


def test_a_rewriting_names_its_ops_and_the_step() -> None:
    program = programs.exported("hostile_names")
    diff = exir_viz.diff(exir_viz.load(program), exir_viz.load(program.run_decompositions()))
    assert {one.text for one in diff.rules} == {
        "`aten.linear` became `aten.permute` + `aten.addmm` by decomposition"
    }
    assert [one.count for one in diff.rules] == [2]


def test_of_a_node_on_either_side() -> None:
    diff = exir_viz.diff(*mutate(chain(40), "insert")[:2])
    added = next(one for one in diff.changes if one.kind == "added")
    assert diff.of(added.b[0]).number == added.number
    assert diff.of(diff.a.method.graph["relu_7"]).a == (diff.a.method.graph["relu_7"],)
    with pytest.raises(KeyError, match="neither program"):
        diff.of(sample().method.graph["x"])


def test_what_was_put_between_is_reported_once() -> None:
    """An inserted node is the change; its users are not changed as well."""
    diff = exir_viz.diff(*mutate(chain(40), "insert", share=0.02)[:2])
    assert [(one.kind.value, one.b[0].target.name) for one in diff.changes] == [("added", "neg")]
    assert "added between" in diff.changes[0].reason


def test_modules_count_what_changed_in_them() -> None:
    a, b = mutate(chain(40), "retype", share=0.03, seed=4)[:2]
    diff = exir_viz.diff(a, b)
    scope = diff.changes[0].b[0].scope
    by_path = {one.path: one for one in diff.modules}
    assert by_path[scope.path].counts.changed == by_path[scope.path].own.changed == 1
    assert by_path[""].counts.changed == 1
    assert by_path[""].own.changed == 0
    assert sum(one.own.changed for one in diff.modules) == 1
    assert diff.changes[0].reason == "`aten.relu`: dtype float32 → float16"


def test_moved_is_the_same_elsewhere() -> None:
    """Two nodes that do not read each other, exchanged."""
    a = exir_viz.load(programs.exported("several_outputs"))
    for seed in range(20):
        b = mutate(a, "reorder", share=0.3, seed=seed).b
        diff = exir_viz.diff(a, b)
        assert diff.counts.moved + diff.counts.same == len(diff)
        if diff.counts.moved:
            assert {one.fields for one in diff.changes} == {("order",)}
            return
    raise AssertionError("no seed moved anything")


def test_json_and_frame_say_the_same() -> None:
    diff = exir_viz.diff(*mutate(sample(), "mixed", share=0.5)[:2])
    plain = json.loads(diff.to_json())
    frame = diff.frame
    assert len(plain["matches"]) == len(diff.changes) == (frame["kind"] != "same").sum()
    assert len(frame) == len(diff)
    assert list(frame.columns)[:5] == ["kind", "a", "b", "op_a", "op_b"]
    assert frame["confidence"].between(0, 1).all()


def test_the_record_survives_the_wire() -> None:
    diff = exir_viz.diff(*mutate(sample(), "mixed", share=0.5)[:2])
    wire = msgspec.json.encode(diff.comparison)
    assert msgspec.json.decode(wire, type=Comparison) == diff.comparison


@pytest.mark.nightly
def test_work_grows_as_the_program_does(call_count) -> None:
    def work(length: int) -> int:
        a, b = mutate(chain(length), "mixed", share=0.01)[:2]
        return call_count(lambda: exir_viz.diff(a, b))

    assert work(4_000) < 14 * work(400)


def test_two_of_one_name_are_before_and_after_unless_they_are_named() -> None:
    one, other = sample(), mutate(sample(), "retype", share=0.5)[1]
    found = exir_viz.diff(one, other).comparison
    assert (found.a, found.b) == ("sample, before (aten)", "sample, after (aten)")
    named = exir_viz.diff(one, other, names=("old", "new"))
    assert (named.comparison.a, named.comparison.b) == ("old", "new")
    assert str(named).startswith("old → new\n")
    live = torch.export.export(torch.nn.ReLU(), (torch.ones(2),))
    found = exir_viz.diff(live, live).comparison
    assert (found.a, found.b) == ("before (aten.training)", "after (aten.training)")
