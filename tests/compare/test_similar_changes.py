"""What every view lists: equal changes of modules and facts as one, and rules in short."""

from __future__ import annotations

import torch
from torch import nn

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.explanations.reasons import Reasons
from exir_viz.compare.explanations.similar_changes import fact_groups, module_groups, module_title
from exir_viz.compare.records import Counts, FactChange, MethodChange, ModuleChange
from exir_viz.snapshot.columns import NONE
from tests.snapshot.sample import sample

X = torch.randn(2, 8)


class Layer(nn.Module):
    def __init__(self, op: str) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.op = op

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return getattr(torch, self.op)(self.linear(x))


class Layers(nn.Module):
    def __init__(self, *ops: str) -> None:
        super().__init__()
        torch.manual_seed(0)  # equal weights on both sides
        self.layers = nn.ModuleList(Layer(op) for op in ops)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def diff(a: nn.Module, b: nn.Module) -> Diff:
    return exir_viz.diff(*(exir_viz.load(torch.export.export(one, (X,))) for one in (a, b)))


def module(
    path: str, own: Counts, a: int = NONE, b: int = NONE, calls: tuple[int, int] = (1, 1)
) -> ModuleChange:
    return ModuleChange(path, "Layer", 0, a, b, *calls, own, own)


def test_layers_with_the_same_changes_are_one_row_and_another_its_own() -> None:
    found = diff(Layers("sin", "sin", "sin"), Layers("cos", "cos", "sin")).comparison
    (group,) = found.module_groups
    assert (group.path, len(group.modules), group.ops) == ("layers.*", 2, (2, 2))
    assert [found.modules[at].path for at in group.modules] == ["layers.0", "layers.1"]
    assert module_title(group) == "layers.* (Layer)"


def test_a_module_that_changed_only_inside_its_submodules_is_not_listed() -> None:
    paths = {one.path for one in diff(Layers("sin"), Layers("cos")).comparison.module_groups}
    assert paths == {"layers.0"}


def test_modules_of_other_classes_or_other_counts_are_apart() -> None:
    side = sample()
    classes = [scope.cls for scope in side.scopes]
    assert len(set(classes)) > 1
    other = next(at for at, cls in enumerate(classes) if cls != classes[0])
    one = Counts(added=1)
    rows = [
        module("layers.0", one, a=0),
        module("layers.1", one, a=other),
        module("layers.2", Counts(added=2)),
    ]
    assert len(module_groups(side, side, rows)) == 3
    (group,) = module_groups(side, side, [module("layers.0", one, a=0), module("layers.1", one, a=0)])
    assert group.classes == (classes[0],)


def test_the_ops_of_modules_that_differ_in_them_are_not_said() -> None:
    own = Counts(added=1)
    rows = [module("layers.0", own, calls=(1, 2)), module("layers.1", own, calls=(2, 3))]
    (group,) = module_groups(sample(), sample(), rows)
    assert (len(group.modules), group.ops) == (2, None)


def fact(name: str, before: str = "f32[8]") -> FactChange:
    return FactChange("state", name, f"state `{name}`: {before} → f16[8]", before, "f16[8]")


def test_facts_of_equal_layers_are_one_in_each_method() -> None:
    facts = (fact("layers.0.w"), fact("layers.1.w"), fact("layers.2.w", "f64[8]"), fact("last.w"))
    one = fact_groups((MethodChange("forward", "forward", facts),))
    assert [(each.name, each.count, each.before) for each in one] == [
        ("layers.*.w", 2, "f32[8]"),
        ("layers.2.w", 1, "f64[8]"),
        ("last.w", 1, "f32[8]"),
    ]
    two = fact_groups((MethodChange("f", "f", facts[:1]), MethodChange("g", "g", facts[:1])))
    assert [(each.method, each.count) for each in two] == [("f", 1), ("g", 1)]


def test_a_rule_in_short_has_no_namespace_no_backticks_and_no_step() -> None:
    x, y = sample().method.graph, sample().method.graph
    before, after = (next(node for node in graph if node.op == "call_function") for graph in (x, y))
    reasons = Reasons(sample(), sample())
    op = reasons.removed(before, "").rule.split("`")[1]
    assert op.startswith("aten.")
    bare = op.removeprefix("aten.")
    assert reasons.removed(before, "").short == f"{bare} removed"
    assert reasons.added(after, "").short == f"{bare} added"
    assert reasons.rewritten([before], [after, after]).short == f"{bare} → {bare} ×2"
    assert reasons.rewritten([before], [after, after], 0.5).short == f"{bare} → {bare} ×2 (probably)"
    assert reasons.changed(before, after, ("dtype",)).short.startswith(f"{bare}: dtype")


def test_the_step_is_named_by_the_rule_and_left_out_in_short() -> None:
    session = exir_viz.Session(nn.Linear(8, 8), X)
    found = exir_viz.diff(session.root, session.root.decompose())
    stepped = [rule for rule in found.rules if rule.step]
    assert stepped
    assert all(rule.step in rule.text and rule.step not in rule.short for rule in stepped)
    assert all(rule.step not in str(found) for rule in stepped)
