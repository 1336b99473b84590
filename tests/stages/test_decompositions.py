"""The table of operators, and previews held against what decomposing really gives."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch.export import Dim

import exir_viz
from exir_viz import Session
from exir_viz.stages.decompositions import table
from exir_viz.stages.live import NotPossible
from exir_viz.stages.preview import preview

from .modules import ops, small
from .unchanged import unchanged


class Many(torch.nn.Module):
    """Operators of each kind: composite, in Core ATen's table, core, in place, without tensor arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)
        self.drop = torch.nn.Dropout()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = self.drop(self.norm(self.linear(x))).reshape(-1, 4, 8)
        x = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        y = torch.matmul(x, x.mT).softmax(-1)
        y.add_(1)
        return torch.nn.functional.hardswish(y), torch.full((3,), 2.0) + torch.arange(3), x.std()


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(Many().eval(), torch.randn(4, 4, 8), dynamic_shapes=({0: Dim("b", min=2, max=9)},))


def test_the_table_says_of_each_op_what_torch_says(session: Session) -> None:
    rows = {row.op: row for row in table(session.root)}
    assert sum(row.count for row in rows.values()) == sum(
        count for text, count in ops(session.root.snapshot).items() if text.startswith("torch.ops.aten")
    )
    linear, gone = rows["aten.linear.default"], rows["aten.reshape.default"]
    assert (linear.decomposes, linear.in_core_table, linear.core, linear.implicit) == (
        True,
        True,
        False,
        False,
    )
    assert (gone.in_core_table, gone.implicit) == (False, True)
    assert rows["aten.add_.Tensor"].implicit
    assert rows["aten.full.default"].core
    assert not rows["aten.full.default"].in_core_table
    assert linear.nodes == ("forward/linear",)
    counts = [row.count for row in table(session.root)]
    assert counts == sorted(counts, reverse=True)


def test_what_is_implicit_is_what_functionalisation_takes_away(session: Session) -> None:
    left = ops(session.root.decompose("functional").snapshot)
    for row in table(session.root):
        assert row.implicit == (f"torch.ops.{row.op}" not in left), row


class Resized(torch.nn.Module):
    """Composite operators that torch keeps, and sizes, which are in its table and stay."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.nn.functional.interpolate(x, scale_factor=2)
        x = torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear")
        return torch.nn.functional.gelu(x).reshape(x.shape[0], -1)


def test_a_card_says_what_run_decompositions_does() -> None:
    shapes = ({0: Dim("n", min=2, max=9)},)
    root = Session(Resized(), torch.randn(3, 2, 4, 4), dynamic_shapes=shapes).root
    left = {row.op for row in root.decompose().ops()}
    rows = root.ops()
    assert {row.op for row in rows} >= {
        *("aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec"),
        *("aten.sym_size.int", "aten.gelu.default", "aten.reshape.default"),
    }
    for row in rows:
        by_default = exir_viz.explain(row.op).decomposition in ("table", "implicit")
        assert by_default == (row.implicit or row.in_core_table) == (row.op not in left), row


def test_a_preview_is_what_decomposing_gives(session: Session) -> None:
    """For every operator that is called once and can be ticked: the same operators, equally often."""
    functional = session.root.decompose("functional")
    before = Counter(ops(functional.snapshot))
    compared = 0
    for row in table(functional):
        if row.count > 1 or not row.in_core_table:
            continue
        with unchanged(functional):
            shown = Counter(ops(preview(functional, row.nodes[0])))
        real = Counter(ops(functional.decompose([row.op]).snapshot))
        assert shown == real - before, row.op
        compared += 1
    assert compared >= 6


def test_previews_of_what_always_goes_add_up_to_functionalisation(session: Session) -> None:
    """Each call of what functionalisation takes away shows what stands there afterwards."""
    expected = Counter(ops(session.root.snapshot))
    rows = [row for row in table(session.root) if row.implicit]
    assert {row.op for row in rows} >= {"aten.reshape.default", "aten.add_.Tensor"}
    for row in rows:
        del expected[f"torch.ops.{row.op}"]
        assert len(row.nodes) == row.count
        for node in row.nodes:
            expected += ops(preview(session.root, node))
    assert expected == Counter(ops(session.root.decompose("functional").snapshot))


def test_a_preview_can_go_all_the_way(session: Session) -> None:
    one = ops(preview(session.root, "scaled_dot_product_attention"))
    whole = ops(preview(session.root, "scaled_dot_product_attention", "core"))
    # one step leads to the kernel that torch chooses: 2.13 a plain one (_math), 2.15 a fast one
    assert any("._scaled_dot_product" in text for text in one)
    assert not any("scaled_dot_product" in text for text in whole)
    assert sum(whole.values()) > sum(one.values())


def test_a_preview_keeps_shapes_symbols_and_names(session: Session) -> None:
    shown = preview(session.root, "linear")
    inputs = [node.name for node in shown.method.graph if node.op == "placeholder"]
    assert inputs == ["x", "p_linear_weight", "p_linear_bias"]
    symbol = session.root.node("x").value.shape[0]
    assert isinstance(symbol, str)
    assert shown.method.graph["x"].value.shape == (symbol, 4, 8)


def test_an_op_without_tensors_is_previewed_in_the_graphs_own_mode(session: Session) -> None:
    (call,) = [node for node in session.root.snapshot.method.graph if node.name == "arange"]
    assert "torch.ops.aten.arange.start_step" in ops(preview(session.root, call))


def test_what_cannot_be_previewed_says_why(session: Session) -> None:
    core = session.root.decompose()
    whole = next(row.nodes[0] for row in table(core) if not row.decomposes)
    with pytest.raises(NotPossible, match="torch has no decomposition of it"):
        preview(core, whole)
    with pytest.raises(NotPossible, match="has no node 'nothing'"):
        preview(session.root, "nothing")
    module, x = small()
    import exir_viz

    looked_at = Session(exir_viz.load(module, x))
    with pytest.raises(NotPossible, match="has no live program"):
        table(looked_at.root)
