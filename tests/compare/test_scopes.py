"""Which modules match: added and removed ones are listed one by one, shifted ones are the same."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.records import ModuleChange
from exir_viz.snapshot import Snapshot

from .test_diff import mirrored

replace = msgspec.structs.replace
X = torch.randn(2, 8)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return x + self.norm2(self.linear(self.norm1(x)).relu())


class Stack(nn.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(count))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Around(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x).tanh()


class Twice(nn.Module):
    """A norm of either kind under one name."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm, self.linear = norm, nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(self.norm(x))


def captured(module: nn.Module, *inputs: torch.Tensor) -> Snapshot:
    """Of a module whose weights are all equal."""
    for one in module.parameters():
        nn.init.ones_(one)
    return exir_viz.load(torch.export.export(module.eval(), inputs or (X,)))


def diff(a: nn.Module, b: nn.Module) -> Diff:
    before, after = captured(a), captured(b)
    assert mirrored(before, after)
    return exir_viz.diff(before, after)


def told(found: Diff) -> list[tuple[str, str]]:
    return [(one.kind.value, (one.b or one.a)[0].target.name or "input") for one in found.changes]


def modules(found: Diff) -> dict[str, ModuleChange]:
    return {one.path: one for one in found.modules}


def extended(count: int, at: int) -> Stack:
    module = Stack(count)
    module.layers.insert(at, nn.Sequential(nn.Linear(8, 8), nn.Tanh()))
    return module


def test_modules_of_one_side_are_reported_one_by_one() -> None:
    found = modules(diff(Stack(6), Stack(3)))
    for layer in ("layers.3", "layers.4", "layers.5"):
        assert (found[layer].before, found[layer].after) == (5, 0)
        for inner in ("norm1", "norm2", "linear"):
            one = found[f"{layer}.{inner}"]
            assert (one.before, one.after, one.counts.removed) == (1, 0, 3)  # with its weight and its bias
    assert found["layers.2"].counts.removed == 0


def test_a_module_put_into_a_counted_row_shifts_the_others() -> None:
    found = diff(Stack(5), extended(5, 2))
    assert found.counts.same == len(found) - 4
    assert sorted(told(found)) == [("added", name) for name in ("input", "input", "linear", "tanh")]
    after = modules(found)["layers.5"]
    assert (found.a.scopes[after.a].path, found.b.scopes[after.b].path) == ("layers.4", "layers.5")


def test_a_norm_before_a_row_is_no_other_weight_of_it() -> None:
    def row(*first: nn.Module) -> nn.Module:
        return nn.Sequential(*first, nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))

    found = diff(row(), row(nn.LayerNorm(8)))
    assert {kind for kind, _ in told(found)} == {"added"}
    assert len(found.changes) == 3


def test_of_equal_layers_the_last_is_the_one_that_came() -> None:
    found = modules(diff(Stack(2), Stack(3)))
    assert (found["layers.2"].before, found["layers.2"].after) == (0, 5)
    assert found["layers.1"].counts.added == 0


def test_a_module_of_another_class_takes_the_place_of_its_name() -> None:
    found = modules(diff(Twice(nn.LayerNorm(8)), Twice(nn.RMSNorm(8))))
    assert (found["norm"].before, found["norm"].after) == (1, 1)
    assert found["norm"].cls.endswith("RMSNorm")


def test_a_wrapped_model_is_found_within() -> None:
    found = diff(Stack(3), Around(Stack(3)))
    assert told(found) == [("added", "tanh")]
    one = modules(found)["inner.layers.1.norm2"]
    assert found.a.scopes[one.a].path == "layers.1.norm2"


def trained(order: Sequence[int], seed: int = 0, count: int = 6) -> Snapshot:
    """Layers in this order, each with weights of its own."""
    module = Stack(count)
    torch.manual_seed(seed)
    for one in module.parameters():
        nn.init.normal_(one)
    module.layers = nn.ModuleList(module.layers[at] for at in order)
    return exir_viz.load(torch.export.export(module.eval(), (X,)))


def counterparts(found: Diff) -> dict[str, str]:
    """By layer of a: that of b."""
    paths = ((found.a.scopes[one.a].path, found.b.scopes[one.b].path) for one in found.modules if one.after)
    return {a: b for a, b in paths if a.count(".") == 1}


def gone_layers(found: Diff) -> list[str]:
    return [one.path for one in found.modules if one.path.count(".") == 1 and one.before and not one.after]


@pytest.mark.parametrize("gone", [0, 2, 5])
def test_the_layer_whose_weights_were_removed_is_reported(gone: int) -> None:
    before, after = trained(range(6)), trained([at for at in range(6) if at != gone])
    assert mirrored(before, after)
    found = exir_viz.diff(before, after)
    assert (found.contents.weights, found.contents.other_weights) == (5 * 6 + 2, 0)
    assert gone_layers(found) == [f"layers.{gone}"]
    # its calls and its state; that the next layer reads the one before is no change of its own
    assert found.counts.removed == len(found.changes) == 5 + 6


def test_layers_that_changed_places_keep_their_weights() -> None:
    for order in ([0, 2, 1, 3, 4, 5], [5, 4, 3, 2, 1, 0]):
        before, after = trained(range(6)), trained(order)
        assert mirrored(before, after)
        found = exir_viz.diff(before, after)
        assert (found.contents.other_weights, found.counts.added, found.counts.removed) == (0, 0, 0)
        places = {f"layers.{at}": f"layers.{order.index(at)}" for at in range(6)}
        assert counterparts(found).items() <= places.items()


def test_a_model_trained_again_is_layer_by_layer_the_same() -> None:
    found = exir_viz.diff(trained(range(6)), trained(range(6), seed=1))
    assert (found.contents.other_weights, found.counts.added, found.counts.removed) == (38, 0, 0)
    assert counterparts(found) == {f"layers.{at}": f"layers.{at}" for at in range(6)}


def test_of_layers_trained_again_the_one_between_others_that_stayed_is_found() -> None:
    """Layer 1 was removed, layer 3 was trained again."""
    before, after = trained(range(6)), trained([0, 2, 6, 4, 5], count=7)
    found = exir_viz.diff(before, after)
    assert gone_layers(found) == ["layers.1"]
    assert counterparts(found)["layers.3"] == "layers.2"
    assert found.contents.other_weights == 6 + 2


def test_without_checksums_layers_go_by_their_order() -> None:
    before, after = trained(range(6)), without_checksums(trained([1, 2, 3, 4, 5]))
    assert mirrored(before, after)
    assert gone_layers(exir_viz.diff(before, after)) == ["layers.5"]


def without_checksums(snapshot: Snapshot) -> Snapshot:
    (method,) = snapshot.skeleton.methods
    state = tuple(replace(entry, crc32=None) for entry in method.state)
    return Snapshot(replace(snapshot.skeleton, methods=(replace(method, state=state),)), snapshot.detail)


class Written(nn.Module):
    """torch gives the op that writes to `count` a second key for the whole model."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 6))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.cache[1:3].add_(x[:2])
        self.count += 1
        return self.cache.sum(0), self.count + 1


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_second_key_of_the_whole_model_is_no_other_module(is_turned: bool) -> None:
    session = exir_viz.Session(Written(), torch.randn(4, 6))
    a, b = session.root, session.decompose()
    keys = {scope.key for scope in a.snapshot.scopes}
    assert len(keys) == 2
    diff = exir_viz.diff(b, a) if is_turned else exir_viz.diff(a, b)
    assert [(one.path, one.cls.rpartition(".")[2]) for one in diff.comparison.modules] == [("", "Written")]
    assert not any("scope" in match.fields for match in diff)
    assert "moved to another module" not in str(diff)
