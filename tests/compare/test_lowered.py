"""From edge to ExecuTorch, without lineage: every op is matched, and no op becomes a memory allocation."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch._higher_order_ops import scan

import exir_viz
from exir_viz import Session
from exir_viz.compare.align.known_links import Link, to_items
from exir_viz.compare.align.matcher import match
from exir_viz.compare.normalize.side import Side, Tables
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.lineage import links_of
from exir_viz.snapshot.program import InputKind
from exir_viz.snapshot.records import SequenceValue, TensorValue
from exir_viz.stages.stage import Stage
from tests.corpus.programs import exported
from tests.nightly import nightly
from tests.stages.failing import outcome

from .test_diff import mirrored
from .truth import hidden


class Viewed(nn.Module):
    """A linear layer, whose last view is merged with the next."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).view(2, 3, -1, 4).transpose(1, 2)


class Cast(nn.Module):
    """A cast without effect, which lowering removes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(3, 3, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv((x * 2).to(torch.float32))


class Stacked(nn.Module):
    """A stack, which is a concatenation and two views, of which one is merged with the other."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack([x, x + 1], 1).flatten(0, 1).sin()


class Split(nn.Module):
    """Ops with several results: the out variant of a split returns nothing, that of a topk returns them."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = x.split(4, -1)
        c, d, e = x.chunk(3)
        return a * b, c + d * e, *torch.topk(x, 3), *x.max(-1), x.unbind(-1)[1].sin()


MODELS = {
    "viewed": lambda: (Viewed(), torch.randn(2, 3, 8)),
    "cast": lambda: (Cast(), torch.randn(1, 3, 8)),
    "split": lambda: (Split(), torch.randn(3, 8)),
    "stacked": lambda: (Stacked(), torch.randn(3, 4)),
}


@functools.cache
def stages(name: str) -> tuple[Stage, Stage, Stage]:
    """The stages: exported, edge, and ExecuTorch."""
    session = Session(*MODELS[name]())
    edge = session.root.edge()
    return session.root, edge, edge.executorch()


def sides(name: str, first: int) -> tuple[Snapshot, Snapshot]:
    return hidden(stages(name)[first].snapshot), hidden(stages(name)[2].snapshot)


@pytest.mark.parametrize("name", MODELS)
def test_pairs_are_those_of_the_lineage(name: str) -> None:
    tables = Tables()
    a, b = (Side(one, tables) for one in sides(name, 1))
    known = [Link(x, y, kind.value) for y, x, kind in links_of(stages(name)[2].lineage)]
    true = {(one.a, one.b) for one in to_items(known, a, b) if a.calls[one.a] and b.calls[one.b]}
    found = {(i, j) for i, j, _ in match(a, b).links if a.calls[i] and b.calls[j]}
    assert found == true


@pytest.mark.parametrize("name", ["viewed", "stacked"])
def test_an_op_that_stays_became_nothing_else(name: str) -> None:
    diff = exir_viz.diff(*sides(name, 1))
    assert not diff.counts.rewritten, str(diff)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", MODELS)
def test_nothing_becomes_memory(name: str, first: int) -> None:
    diff = exir_viz.diff(*sides(name, first))
    memory = [node for node in diff.b.method.graph if node.target.name == "alloc"]
    assert memory
    assert {diff.of(node).kind.value for node in memory} == {"added"}


@pytest.mark.parametrize("name", ["cast", "split"])
@pytest.mark.parametrize("is_by_lineage", [False, True])
@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (0, 2)])
def test_each_value_is_compared_as_often_as_it_was_made(
    one: int, other: int, is_by_lineage: bool, name: str
) -> None:
    pair = [stages(name)[at] for at in (one, other)]
    a, b = pair if is_by_lineage else (stage.program for stage in pair)
    values = exir_viz.diff(a, b).values(MODELS[name]()[1])
    assert values.agree
    assert "at least one side did not run" not in values.record.reasons
    assert not [note for note in values.record.notes if "different number of times" in note]


# Quick to lower, and each has something that a file lacks.
QUICK = ("static_values", "functional_state", "module_called_twice", "related_dims")
MORE = (
    "buffer_mutation",
    "deferred_asserts",
    "joint_graph",
    "memory_layouts",
    "module_state",
    "named_dims",
    "nested_cond",
    "pytree_inputs",
    "several_outputs",
    "strict_mode",
)
LOOPS = ("map_op", "db:dynamic_shape_map")


@pytest.mark.parametrize("is_delegated", [False, True])
@pytest.mark.parametrize("name", [*QUICK, *nightly(MORE)])
def test_a_stage_and_its_file_are_the_same(name: str, is_delegated: bool, tmp_path: Path) -> None:
    root = Session(exported(name)).root
    before = outcome(root.backend, "xnnpack") if is_delegated else outcome(root.edge)
    stage = before if before.failed else outcome(before.executorch)
    if stage.failed:
        assert name not in QUICK
        return
    diff = exir_viz.diff(stage, exir_viz.load(stage.save_pte(tmp_path / "own.pte")))
    assert diff.is_empty, str(diff)


class Shortcut(nn.Module):
    """Two paths that meet: a file has the items of their norms where they are read, after both norms."""

    def __init__(self) -> None:
        super().__init__()
        paths = (nn.Sequential(nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4)) for _ in range(3))
        self.a, self.b, self.c = paths

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.b(self.a(x).relu()) + self.c(x)).relu()


def test_items_in_a_file_are_those_of_their_op(tmp_path: Path) -> None:
    blocks = nn.Sequential(*(Shortcut() for _ in range(3))).eval()
    stage = Session(blocks, torch.randn(2, 4, 3, 3)).root.edge().executorch()
    diff = exir_viz.diff(stage, exir_viz.load(stage.save_pte(tmp_path / "own.pte")))
    assert diff.is_empty, str(diff)


@pytest.mark.parametrize("name", ["scan_op", *nightly(LOOPS)])
def test_the_body_of_a_loop_is_the_same_as_its_instructions_in_a_file(name: str, tmp_path: Path) -> None:
    stage = Session(exported(name)).root.edge().executorch()
    file = exir_viz.load(stage.save_pte(tmp_path / "own.pte"))
    forward, body = stage.snapshot.graphs
    there, back = exir_viz.diff(stage, file), exir_viz.diff(file, stage)
    for diff in (there, back):
        assert diff.is_empty, str(diff)
        assert diff.contents.left == ()
        assert diff.calls.text == "+0 −0"
    calls = [node for node in body if node.op == "call_function" and node.target.name != "alloc"]
    counterparts = [[one.target.text for one in there.of(node).b] for node in calls]
    assert counterparts == [[node.target.text] for node in calls]
    assert len(forward) > len(calls) > 0


class Loop(nn.Module):
    """A loop that carries two values, with views, an op with two results, and branches in its body."""

    def __init__(self, *, swaps: bool = False, nests: str = "sin") -> None:
        super().__init__()
        self.weight, self.swaps = nn.Parameter(torch.ones(4)), swaps
        self.nests = getattr(torch, nests)

    def forward(self, a: torch.Tensor, x: torch.Tensor) -> object:
        def step(carry: tuple[torch.Tensor, ...], turn: tuple[torch.Tensor, ...]) -> object:
            one, other = carry
            u, v = turn
            first = torch.tanh(one + u.view(2, 2).transpose(0, 1).reshape(4)).clone()
            top = (other * v).topk(2)[0].sum(-1, keepdim=True)
            branched = torch.cond(top.sum() > 0, self.nests, lambda x: x * self.weight, (other,))
            second = (branched + v).clone()
            return ((second, first) if self.swaps else (first, second)), (first * top, one - u)

        return scan(step, (a, a + 1), (x, x * 2))


@torch.no_grad()  # with gradients, loops take five times as long to lower
def looped(**options: Any) -> Stage:
    torch.manual_seed(0)
    return Session(Loop(**options), torch.ones(4), torch.ones(5, 4)).root.edge().executorch()


@pytest.mark.nightly
def test_another_body_than_in_the_file_is_a_difference(tmp_path: Path) -> None:
    stage = looped()
    file = exir_viz.load(stage.save_pte(tmp_path / "own.pte"))
    same = exir_viz.diff(stage, file)
    assert same.is_empty, str(same)
    assert same.contents.left == ()
    (change,) = exir_viz.diff(looped(nests="cos"), file).changes
    assert change.reason.startswith("`aten.cos.out`")
    assert not exir_viz.diff(looped(swaps=True), file).is_empty  # what is carried on is what comes out


class Weighted(nn.Module):
    """Views of an input and of a weight, and another weight with the same numbers in another shape."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.other = nn.Parameter(torch.ones(2, 6)), nn.Parameter(torch.ones(12))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.view(3, 4) + 1, self.weight.view(3, 4).sin(), x.view(2, 6) * self.weight, x + self.other


@pytest.mark.parametrize("is_planned", [True, False])
def test_views_of_weights_and_of_inputs_are_the_same_in_a_file(is_planned: bool, tmp_path: Path) -> None:
    """A view of a weight is a constant there; one of an input without planned memory is an instruction."""
    edge = Session(Weighted(), torch.randn(12)).root.edge()
    stage = edge.executorch(alloc_graph_input=is_planned)
    file = exir_viz.load(stage.save_pte(tmp_path / "own.pte"))
    for diff in (exir_viz.diff(stage, file), exir_viz.diff(file, stage)):
        assert diff.is_empty, str(diff)
    names = {node.target.name for node in file.method.graph}
    assert "view" in names
    assert ("et_view" in names) is not is_planned


class Branches(nn.Module):
    """Branches with linear layers, and another branch within."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def inner(x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x.mean() > 0, self.a, lambda x: self.b(x).sin() + 1, (x,))

        return torch.cond(x.sum() > 0, inner, self.c, (x,)) * 2


class OtherBranches(Branches):
    """The branches are exchanged, and one does something else."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: self.c(x).cos(), self.a, (x,)) * 2


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Snapshot]:
    stage = Session(Branches(), torch.randn(3, 4)).root.edge().executorch()
    return stage, exir_viz.load(stage.save_pte(tmp_path_factory.mktemp("branched") / "own.pte"))


def test_branches_are_the_same_as_their_instructions_in_a_file(branched: tuple[Stage, Snapshot]) -> None:
    stage, file = branched
    layers = [node for graph in stage.snapshot.graphs for node in graph if node.target.name == "addmm"]
    assert len(layers) == 3
    there = exir_viz.diff(stage, file)
    assert all(there.of(node).b for node in layers)
    for diff in (there, exir_viz.diff(file, stage)):
        assert diff.is_empty, str(diff)
        assert not diff.ops
        assert diff.calls.text == "+0 −0"
        assert not [text for text in diff.contents.left if "cond" in text]


def test_other_branches_than_in_the_file_are_a_difference(branched: tuple[Stage, Snapshot]) -> None:
    other = Session(OtherBranches(), torch.randn(3, 4)).root.edge().executorch()
    assert not exir_viz.diff(other, branched[1]).is_empty


def test_ops_that_change_only_the_overload_are_called_as_often() -> None:
    diff = exir_viz.diff(*sides("viewed", 1))
    assert diff.calls.added - diff.calls.removed == sum(one.after - one.before for one in diff.ops)
    assert "addmm" not in "".join(one.op for one in diff.ops)


@pytest.fixture(scope="module", params=["xnnpack", "vulkan"])
def overlapping(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Stage, Snapshot]:
    """A program whose delegate has a result with the memory of an unused input, and its file."""
    stage = Session(exported("pytree_inputs")).root.backend(request.param).executorch()
    path = tmp_path_factory.mktemp("overlapping") / "own.pte"
    return request.param, stage, exir_viz.load(stage.save_pte(path))


@pytest.mark.nightly
def test_only_a_payload_says_how_many_results_a_delegate_has(
    overlapping: tuple[str, Stage, Snapshot],
) -> None:
    """XNNPACK's payload can be read, Vulkan's cannot: there a result looks like a view of the input."""
    backend, stage, file = overlapping
    diff = exir_viz.diff(stage, file)
    assert diff.is_empty, str(diff)
    assert mirrored(stage.snapshot, file)
    (call,) = (node for node in file.method.graph if node.target.name == "executorch_call_delegate")
    if backend == "xnnpack":
        assert [type(call.value), diff.contents.left] == [SequenceValue, ()]
        return
    assert isinstance(call.value, TensorValue)
    (text,) = diff.contents.left
    assert text.startswith("results of `executorch_call_delegate` not compared: b, as a .pte file,")


class Fresh(nn.Module):
    """The first result of its delegate has memory of its own, the second that of an unused input."""

    def forward(self, x: torch.Tensor, unused: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        del unused
        product = x @ y
        return product, product * 2, x + 1, x - 1


@pytest.mark.nightly
def test_no_result_of_a_delegate_is_a_buffer(tmp_path: Path) -> None:
    inputs = torch.randn(2, 3), torch.randn(2, 3), torch.randn(3, 2)
    stage = Session(Fresh(), *inputs).root.backend("vulkan").executorch()
    file = exir_viz.load(stage.save_pte(tmp_path / "own.pte"))
    assert {spec.kind for spec in file.method.signature.inputs} == {InputKind.USER_INPUT}
    diff = exir_viz.diff(stage, file)
    assert diff.is_empty, str(diff)


def test_methods_that_executorch_adds_for_training_are_said_to_be_its_own(tmp_path: Path) -> None:
    """They say where gradients begin among the outputs; a program before ExecuTorch has no such methods."""
    edge = Session(exported("joint_graph")).root.edge()
    stage = edge.executorch()
    file = exir_viz.load(stage.save_pte(tmp_path / "own.pte"))
    added = [name for name in file.methods if name.startswith("__et_training_")]
    assert len(added) == 3
    assert set(stage.snapshot.methods) == {"forward", *added}
    assert exir_viz.diff(stage, file).is_empty
    reason = "ExecuTorch writes it for programs that return gradients"
    for diff in (exir_viz.diff(edge, stage), exir_viz.diff(edge, file)):
        told = {fact.text for fact in diff.facts if fact.topic == "method"}
        assert told == {f"method `{name}` added: {reason}" for name in added}
