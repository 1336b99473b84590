"""Only values that are known to be the same diverge: of programs that agree bit for bit, none does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import export

import exir_viz
from exir_viz.compare.values.stale_views import stale_views
from exir_viz.compare.values.value_pairs import STALE, UNKNOWN
from exir_viz.stages.session import Session
from tests.nightly import nightly

Body = Callable[[nn.Module, Tensor], object]


def _unused_item(_: nn.Module, x: Tensor) -> object:
    return x.unbind(1)[1] + 1.0


def _some_items(_: nn.Module, x: Tensor) -> object:
    return torch.stack(x.unbind(0)[1:]).sum(0)


def _item_of_chunks(_: nn.Module, x: Tensor) -> object:
    return x.chunk(3, 1)[1].sigmoid(), x.tensor_split(2, 1)[1], x.split([1, 2], 1)[1].exp()


def _mean_alone(_: nn.Module, x: Tensor) -> object:
    return torch.std_mean(x, 1)[1]


def _std_and_mean(_: nn.Module, x: Tensor) -> object:
    std, mean = torch.std_mean(x, 1)
    return std + mean


def _var_and_mean(_: nn.Module, x: Tensor) -> object:
    var, mean = torch.var_mean(x, 1)
    return mean - var


def _lstm(self: nn.Module, x: Tensor) -> object:
    y, (h, c) = self.lstm(x)
    return y, h, c


def _last_state(self: nn.Module, x: Tensor) -> object:
    return self.lstm(x)[1][1].tanh()


def _gru(self: nn.Module, x: Tensor) -> object:
    return self.gru(x)


def _attention(self: nn.Module, x: Tensor) -> object:
    return self.attention(x, x, x)


def _view_then_write(_: nn.Module, x: Tensor) -> object:
    y = x.clone()
    z = y.t()
    y.zero_()
    return z + 1


def _two_views(_: nn.Module, x: Tensor) -> object:
    y = x.clone()
    row = y[0]
    row.mul_(3)
    turned = y.t()
    y.zero_()
    return turned + 1, row + 1


def _view_of_a_buffer(self: nn.Module, x: Tensor) -> object:
    first = self.state.view(-1)[:3]
    self.state.copy_(x)
    after = first + 1
    self.state.mul_(2)
    return first * 1.0, after


def _item_then_write(_: nn.Module, x: Tensor) -> object:
    y = x.clone()
    left, right = y.split([1, 2], 1)
    y.add_(1)
    return left * 2, right * 2


BODIES: tuple[Body, ...] = (
    _unused_item, _some_items, _item_of_chunks, _mean_alone, _std_and_mean, _var_and_mean, _lstm, _last_state,
    _gru, _attention, _view_then_write, _two_views, _view_of_a_buffer, _item_then_write,
)  # fmt: skip


class Model(nn.Module):
    """A body with what it may need."""

    def __init__(self, body: Body) -> None:
        super().__init__()
        self._body = body
        self.register_buffer("state", torch.zeros(3, 3))
        self.lstm, self.gru = nn.LSTM(3, 4), nn.GRU(3, 4, 2)
        self.attention = nn.MultiheadAttention(3, 1)

    def forward(self, x: Tensor) -> object:
        return self._body(self, x)


@pytest.mark.parametrize("step", ["core", *nightly(["functional"])])
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_nothing_diverges_where_the_outputs_are_equal(body: Body, step: str) -> None:
    """Whether nodes are matched by the lineage or by the structure."""
    torch.manual_seed(0)
    x = torch.randn(3, 3)
    session = Session(Model(body).eval(), x)
    root, stage = session.root, session.decompose() if step == "core" else session.decompose("functional")
    for a, b in ((root, stage), (root.program, stage.program)):
        values = exir_viz.diff(a, b).values((x,))
        assert values.agree
        assert values.diverged == ()
        assert (values.first, values.origins) == (None, ())


def test_a_view_written_to_later_is_not_compared_with_one_that_is_not() -> None:
    program = export(Model(_view_then_write), (torch.randn(3, 3),))
    values = exir_viz.diff(program, program.run_decompositions()).values()
    view = values.diff.a.method.graph["t"]
    assert stale_views(values.diff.a) == {view}
    assert values.reason(values.diff.of(view)) == STALE
    same = exir_viz.diff(program, program).values()
    assert same.of(same.diff.a.method.graph["t"]) is not None


def test_a_tuple_is_not_compared_with_that_of_another_op() -> None:
    program = export(Model(_std_and_mean), (torch.randn(3, 3),))
    values = exir_viz.diff(program, program.run_decompositions()).values()
    graph = values.diff.a.method.graph
    assert values.reason(values.diff.of(graph["std_mean"])) == UNKNOWN
    assert values.of(graph["getitem_1"]).b.name == "getitem_1"  # the mean, which the sum reads at one place


def test_a_rewritten_op_that_diverges_is_still_found() -> None:
    """The items of two ops with one reader each are known by it."""

    class Net(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            std, mean = torch.std_mean(x, 1)
            return std.sin() + mean.cos()

    program = export(Net(), (torch.randn(3, 3),))
    wrong = program.run_decompositions()
    (sqrt,) = (node for node in wrong.graph.nodes if "sqrt" in str(node.target))
    sqrt.target = torch.ops.aten.sigmoid.default
    values = exir_viz.diff(program, wrong).values()
    assert not values.agree
    assert values.first is not None
    assert values.first.b.name in ("sqrt", "sin")
