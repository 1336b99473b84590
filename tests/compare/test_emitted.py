"""Against a `.pte` file: what it writes explicitly, and what it cannot contain, is no difference."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.explanations.reasons import ops
from exir_viz.snapshot import Snapshot
from tests.nightly import some
from tests.readers import pte_files

from .test_diff import mirrored

Call = Callable[[torch.Tensor], torch.Tensor | tuple[torch.Tensor, ...]]


class Lambda(nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, x: torch.Tensor) -> torch.Tensor | tuple[torch.Tensor, ...]:
        return self.call(x)


def lowered(model: nn.Module, x: torch.Tensor, is_delegated: bool, *more: object, dynamic: Any = None) -> Any:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return to_edge_transform_and_lower(
            torch.export.export(model, (x, *more), dynamic_shapes=dynamic),
            partitioner=[XnnpackPartitioner()] if is_delegated else [],
            compile_config=EdgeCompileConfig(_check_ir_validity=False),
        ).to_executorch()


@functools.cache
def sides(name: str, folder: Path) -> tuple[Snapshot, Snapshot]:
    """A lowered program, live and as its file."""
    lowered = pte_files.lowered(name)
    path = folder / f"{name}.pte"
    path.write_bytes(lowered.data)
    return exir_viz.load(lowered.manager), exir_viz.load(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pte")


@pytest.mark.parametrize("name", ["several", "methods", "delegated"])
def test_a_lowered_program_and_its_file_are_the_same(name: str, folder: Path) -> None:
    """Though only the live one has nodes for memory and delegate outputs, and omits defaults."""
    live, file = sides(name, folder)
    if name != "delegated":
        assert any(node.target.name == "alloc" for graph in live.graphs for node in graph)
    diff = exir_viz.diff(live, file)
    assert diff.is_empty, str(diff)
    assert mirrored(live, file)


QUERY = torch.ones(1, 2, 8, 8)


def several(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What a file writes differently: lists, enums as numbers, views, equal constants, ops without a
    kernel.
    """
    return (
        nn.functional.avg_pool2d(nn.functional.max_pool2d(x, 2), 2),
        x @ x.sin(),
        nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True),
        nn.functional.pad(x[0], (1, 1), mode="reflect"),
        torch.round(x, decimals=1),
        x.cumsum(0, dtype=torch.float64),
    )


def written_to(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


ORDINARY = {
    "an input that is written to": (Lambda(written_to), QUERY, False),
    "several": (Lambda(several), QUERY, False),
    "transformer": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), QUERY[0], False),
    "some of it to a backend": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), QUERY[0], True),
}


@pytest.mark.parametrize("name", some(ORDINARY, ("an input that is written to", "some of it to a backend")))
def test_an_ordinary_program_and_its_file_are_the_same(name: str, tmp_path: Path) -> None:
    model, x, is_delegated = ORDINARY[name]
    live = lowered(model.eval(), x, is_delegated)
    path = tmp_path / "own.pte"
    path.write_bytes(live.buffer)
    sides = exir_viz.load(live), exir_viz.load(path)
    diff = exir_viz.diff(*sides)
    assert diff.is_empty, str(diff)
    assert mirrored(*sides)


class Buffers(nn.Module):
    """One that is no part of the state dict, and one that is."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.arange(8.0), persistent=False)
        self.register_buffer("scale", torch.arange(8.0) + 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mask + self.scale


class EqualConstants(nn.Module):
    """A file stores them once, so it does not say which of them a view is of."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.ones(8))
        self.register_buffer("b", torch.ones(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.a.view(8, 1) + self.b.view(8, 1)


class FrozenNorm(EqualConstants):
    """As DETR has it: views of equal constants, which a file has in the order in which they are read."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale, variance = self.a.view(8, 1), self.b.view(8, 1)
        return x * (scale * (variance + 1e-5).rsqrt())


class EqualNorms(nn.Module):
    """As SegFormer has it: layer norms of equal weights and shapes in a row, between delegates."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = (nn.LayerNorm(8) for _ in range(3))
        self.patches, self.reduced = nn.Conv2d(3, 8, 2, 2), nn.Conv2d(8, 8, 2, 2)
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x)
        size = x.shape
        x = self.first(x.flatten(2).transpose(1, 2))
        y = self.second(x)
        key = self.key(self.third(self.reduced(y.transpose(1, 2).reshape(size)).flatten(2).transpose(1, 2)))
        return x + (self.query(y) @ key.transpose(1, 2)).softmax(-1) @ key


class Inferred(nn.Module):
    """A size that is inferred from the others."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).view(2, 8, -1, 4).transpose(1, 2)


class Twice(Inferred):
    """Weights of which each delegate has a copy."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.linear(x).cumsum(0))


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


pytree._register_namedtuple(Pair, serialized_type_name="tests.compare.test_emitted.Pair")


class Named(nn.Module):
    """Outputs with field names, for which a file has indices."""

    def forward(self, x: torch.Tensor) -> dict[str, Pair]:
        return {"pair": Pair(x + 1, x * 2)}


class Attention(nn.Module):
    """Two products of one shape but for the order of its dimensions, and a batch that varies."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (one(x).view(x.shape[0], -1, 2, 8).transpose(1, 2) for one in (self.q, self.k, self.v))
        return nn.functional.scaled_dot_product_attention(q, k, v)


class Shuffle(nn.Module):
    """A view of the first result of an op whose other results are empty, and lie at the same place."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(8).eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.pixel_shuffle(self.norm(x), 2)


VARYING = ({0: torch.export.Dim("batch", min=2, max=9)},)
UNUSUAL = {
    "equal constants": lambda: lowered(EqualConstants(), torch.ones(8, 8), False),
    "views of equal constants": lambda: lowered(FrozenNorm(), torch.ones(8, 8), False),
    "layer norms in a row": lambda: lowered(EqualNorms(), torch.ones(1, 3, 16, 16), True),
    "buffers": lambda: lowered(Buffers(), QUERY, False),
    "a size that follows": lambda: lowered(Inferred(), QUERY[0], False),
    "weights in two delegates": lambda: lowered(Twice(), QUERY[0], True),
    "a view of one of several results": lambda: lowered(Shuffle(), torch.ones(1, 8, 4, 4), False),
    "names of fields": lambda: lowered(Named(), QUERY, False),
    "a batch that varies": lambda: lowered(Attention(), torch.ones(4, 5, 16), False, dynamic=VARYING),
    "and delegates": lambda: lowered(Attention(), torch.ones(4, 5, 16), True, dynamic=VARYING),
}


@pytest.mark.parametrize("name", some(UNUSUAL, ("buffers", "weights in two delegates", "and delegates")))
def test_what_a_file_writes_otherwise_is_no_difference(name: str, tmp_path: Path) -> None:
    live = UNUSUAL[name]()
    path = tmp_path / "own.pte"
    path.write_bytes(live.buffer)
    sides = exir_viz.load(live), exir_viz.load(path)
    diff = exir_viz.diff(*sides)
    assert diff.is_empty, str(diff)
    assert mirrored(*sides)


def test_other_sizes_that_vary_differ(tmp_path: Path) -> None:
    """Though a file has only the largest size of each."""
    path = tmp_path / "other.pte"
    other = ({0: torch.export.Dim("batch", min=2, max=12)},)
    path.write_bytes(lowered(Attention(), torch.ones(4, 5, 16), False, dynamic=other).buffer)
    live = lowered(Attention(), torch.ones(4, 5, 16), False, dynamic=VARYING)
    diff = exir_viz.diff(exir_viz.load(live), exir_viz.load(path))
    assert not diff.is_empty


class Worded(nn.Module):
    def forward(self, x: torch.Tensor, how: str) -> torch.Tensor:
        return x.sum(0) if how == "sum" else x


def test_what_a_file_does_not_hold_is_said(tmp_path: Path) -> None:
    live = lowered(Worded(), QUERY, False, "sum")
    path = tmp_path / "own.pte"
    path.write_bytes(live.buffer)
    diff = exir_viz.diff(exir_viz.load(live), exir_viz.load(path))
    assert diff.is_empty, str(diff)
    assert diff.contents.left == (
        "input `how` not compared: b, as a .pte file, does not hold what is passed",
    )


def test_control_flow_that_is_not_found_in_a_file_is_said_to_be_jumps(tmp_path: Path) -> None:
    def branched(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    path = tmp_path / "own.pte"
    live = lowered(Lambda(branched), QUERY, False)
    path.write_bytes(live.buffer)
    diff = exir_viz.diff(exir_viz.load(live), exir_viz.load(path))
    said = "`cond` not compared: b, as a .pte file, has jumps and instructions in its place"
    assert diff.is_empty
    assert said not in diff.contents.left
    path.write_bytes(lowered(Lambda(lambda x: x + 1), QUERY, False).buffer)
    diff = exir_viz.diff(exir_viz.load(live), exir_viz.load(path))
    assert said in diff.contents.left


def test_another_program_is_no_file_of_it(tmp_path: Path) -> None:
    def one(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        pooled = nn.functional.avg_pool2d(x, 3)
        return pooled, x.cumsum(0, dtype=torch.float64), x.round(decimals=1), x.sin() @ x.cos()

    def other(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        pooled = nn.functional.avg_pool2d(x, 3, padding=1, ceil_mode=True)
        return pooled, x.cumsum(0, dtype=torch.float32), x.round(decimals=2), x.cos() @ x.sin()

    path = tmp_path / "other.pte"
    path.write_bytes(lowered(Lambda(other), QUERY, False).buffer)
    sides = exir_viz.load(lowered(Lambda(one), QUERY, False)), exir_viz.load(path)
    changed = {op.removesuffix(".out") for one in exir_viz.diff(*sides).changes for op in ops(one.b)}
    assert changed >= {"aten.avg_pool2d", "aten.cumsum", "aten.round.decimals_out", "aten.expand_copy"}
    assert mirrored(*sides)


def test_other_results_of_a_backend_differ(tmp_path: Path) -> None:
    """Though a single result represents its call."""
    path = tmp_path / "other.pte"
    path.write_bytes(lowered(Lambda(lambda x: (x + x).cumsum(0)), QUERY, True).buffer)
    sides = exir_viz.load(lowered(Lambda(lambda x: (x * x).cumsum(0)), QUERY, True)), exir_viz.load(path)
    (change,) = exir_viz.diff(*sides).changes
    assert change.fields == ("content",)
    assert mirrored(*sides)


def test_sizes_in_a_file_are_bounds(folder: Path) -> None:
    diff = exir_viz.diff(*sides("dynamic", folder))
    assert diff.is_empty, str(diff)


class Written(torch.nn.Module):
    """Defaults in the middle and at the end, by keyword and by place; a number for a float; several outs."""

    def forward(self, x):
        y = torch.nn.functional.gelu(x) + 1.0
        values, where = torch.topk(y.sub(x, alpha=2).clamp(0), 2)
        return values.softmax(-1), where.sum(0, keepdim=True)


@functools.cache
def written(folder: Path) -> tuple[Path, Path, Snapshot]:
    """As `torch.export` saves it, as ExecuTorch emits it, and at the edge between."""
    from executorch.exir import to_edge

    program = torch.export.export(Written(), (torch.randn(3, 4),))
    before, after = folder / "written.pt2", folder / "written.pte"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(program, before)
        edge = to_edge(program)
        at_edge = exir_viz.load(edge)
        after.write_bytes(edge.to_executorch().buffer)
    return before, after, at_edge


def told(diff: Diff) -> list[str]:
    return [one.reason for one in diff.changes if one.a and one.a[0].op == "call_function"]


def test_out_variants_take_what_their_ops_took(folder: Path) -> None:
    _, after, edge = written(folder)
    reasons = told(exir_viz.diff(edge, exir_viz.load(after)))
    assert "`aten.gelu` became `aten.gelu.out`" in reasons
    assert "`aten.topk` became `aten.topk.values`" in reasons
    assert not [text for text in reasons if "not given" in text or "memory" in text or "probably" in text]


def test_two_files_are_compared_by_recorded_schemas(folder: Path) -> None:
    before, after, _ = written(folder)
    reasons = told(exir_viz.diff(exir_viz.load(before), exir_viz.load(after)))
    assert "`aten.sub.Tensor` became `aten.sub.out`" in reasons
    assert not [text for text in reasons if "not given" in text or "memory" in text]


def test_another_argument_is_reported_under_its_name(folder: Path) -> None:
    class Other(Written):
        def forward(self, x):
            y = torch.nn.functional.gelu(x, approximate="tanh") + 1.0
            values, where = torch.topk(y.sub(x, alpha=3).clamp(0), 2, largest=False)
            return values.softmax(-1), where.sum(0, keepdim=True)

    path = folder / "other.pt2"
    torch.export.save(torch.export.export(Other(), (torch.randn(3, 4),)), path)
    reasons = told(exir_viz.diff(exir_viz.load(path), exir_viz.load(written(folder)[1])))
    assert "`aten.gelu` became `aten.gelu.out`: approximate 'tanh' → 'none' (default)" in reasons
    assert "`aten.sub.Tensor` became `aten.sub.out`: alpha 3 → 2" in reasons
    assert "`aten.topk` became `aten.topk.values`: largest False → True (default)" in reasons
