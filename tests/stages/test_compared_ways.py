"""What people compare: passes, export modes, versions, partitioners; the calls of `docs/compare.md`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.records import MatchKind
from exir_viz.compare.values.records import Ran

X = torch.ones(2, 8) / 3


def model(hidden: int = 16) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, 4)).eval()


def gelu_for_relu(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    for node in list(module.graph.nodes):
        if node.target == torch.ops.aten.relu.default:
            node.target = torch.ops.aten.gelu.default
    module.recompile()
    return module


def test_before_and_after_a_pass(tmp_path) -> None:
    root = exir_viz.Session(model(), X).root
    after = root.transform(gelu_for_relu)
    values = exir_viz.diff(root, after).values()
    assert [match.kind for match in values.diff.changes] == [MatchKind.CHANGED]
    assert values.first is not None
    assert values.first.match.number == values.diff.changes[0].number
    costs = values.diff.costs(exir_viz.profile(root, repeats=2), exir_viz.profile(after, repeats=2))
    assert len(exir_viz.tables.costs(values.diff, costs)) > 0
    page = values.diff.to_html(tmp_path / "pass.html", values=values, costs=costs)
    assert "exirviz-diff-0-1-measured" in page.read_text()


def test_strict_and_non_strict_export() -> None:
    one, other = (torch.export.export(model(), (X,), strict=strict) for strict in (False, True))
    assert exir_viz.diff(one, other).is_empty
    values = exir_viz.diff(one, other).values()
    assert values.agree
    assert "= equal" in str(values)


def test_two_versions() -> None:
    old, new = (torch.export.export(model(hidden), (X,)) for hidden in (16, 32))
    diff = exir_viz.diff(old, new)
    assert {match.kind for match in diff.changes} == {MatchKind.CHANGED}
    assert any("16, 8" in fact.text and "32, 8" in fact.text for fact in diff.facts)
    values = exir_viz.diff(old, new).values()
    assert values.first is not None
    assert any("same shape" in values.reason(match) for match in diff.changes)


def test_two_partitioners() -> None:
    xnnpack = pytest.importorskip("executorch.backends.xnnpack.partition.xnnpack_partitioner")
    configs = pytest.importorskip("executorch.backends.xnnpack.partition.config.generic_node_configs")
    edge = exir_viz.Session(model(), X).root.edge()
    one, other = (
        edge.backend("xnnpack"),
        edge.backend(xnnpack.XnnpackPartitioner(configs=[configs.ReLUConfig])),
    )
    rules = " ".join(rule.text for rule in exir_viz.diff(edge, one).rules)
    assert "XnnpackBackend" in rules or "executorch_call_delegate" in rules
    between = exir_viz.diff(one, other)
    assert MatchKind.SAME in {match.kind for match in between}
    assert not between.is_empty
    values = exir_viz.diff(one, other).values()
    assert not values.diverged
    assert values.agree is None  # no backend ran
    assert any(compared.ran is Ran.EMULATED for compared in values)


def test_more_than_two_side_by_side_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs/compare.md").read_text(encoding="utf-8")
    block = re.search(r"\n## More than two\n.*?```python\n(.*?)```", text, re.DOTALL)
    assert block
    monkeypatch.chdir(tmp_path)
    told = {"exir_viz": exir_viz, "model": model(), "x": X}
    exec(block[1], told)
    assert [stage.name for stage in told["session"].stages] == ["export", "functional", "core"]
    assert (tmp_path / "page.html").is_file()
