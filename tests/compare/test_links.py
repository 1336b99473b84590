"""Known links: the caller's, and the lineage between stages; they are trusted, and their evidence is
shown.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.compare.diff import Diff
from exir_viz.compare.records import MatchKind
from exir_viz.stages.stage import Stage
from tests.corpus import programs
from tests.corpus.concepts import Fn
from tests.snapshot.sample import chain


@functools.cache
def session() -> tuple[Stage, Stage, Stage]:
    """A program, its functional form, and the Core ATen of that."""
    session = Session(programs.exported("module_called_twice"))
    first = session.root
    functional = first.decompose("functional")
    return first, functional, functional.decompose()


def test_what_a_caller_knows_is_believed() -> None:
    a, b = chain(6), chain(8)
    names = (("relu_0", "relu_5"), ("relu_1", "relu_6"))
    links = [(a.method.graph[x], b.method.graph[y], "I know") for x, y in names]
    diff = exir_viz.diff(a, b, links=links)
    for x, y in names:
        match = diff.of(a.method.graph[x])
        assert match.b == (b.method.graph[y],)
        assert (match.evidence.name, match.evidence.confidence) == ("I know", 1.0)
    assert exir_viz.diff(a, b).of(a.method.graph["relu_0"]).b == (b.method.graph["relu_0"],)


def test_several_links_of_one_node_are_one_rewriting() -> None:
    a, b = chain(6), chain(8)
    graph = b.method.graph
    links = [(a.method.graph["relu_0"], graph[name], "split") for name in ("relu_0", "relu_1", "relu_2")]
    match = exir_viz.diff(a, b, links=links).of(a.method.graph["relu_0"])
    assert match.kind == "rewritten"
    assert [node.name for node in match.b] == ["relu_0", "relu_1", "relu_2"]


def test_stages_are_compared_by_their_lineage() -> None:
    first, _, core = session()
    diff = exir_viz.diff(first, core)
    linear = next(node for node in first.snapshot.method.graph if node.target.name == "linear")
    match = diff.of(linear)
    assert match.evidence.name == "from_node"
    assert [node.target.name for node in match.b] == ["permute", "addmm"]
    assert diff.comparison.b.startswith(core.name)


def test_the_same_from_the_later_stage() -> None:
    first, _, core = session()
    there, back = exir_viz.diff(first, core), exir_viz.diff(core, first)
    turned = sorted((back.numbers(one.number)[::-1], one.evidence.name) for one in back)
    assert turned == sorted((there.numbers(one.number), one.evidence.name) for one in there)


def test_items_of_tuples_meet_the_same_items() -> None:
    """torch says that an item came from the op that yields the tuple; the diff says from the item."""
    _, functional, core = session()
    diff = exir_viz.diff(functional, core)
    for node in core.snapshot.method.graph:
        if node.target.name == "getitem":
            assert [other.target.name for other in diff.of(node).a] in (["getitem"], ["dropout"])


def test_structure_alone_finds_what_lineage_does() -> None:
    first, _, core = session()
    by_lineage, by_structure = exir_viz.diff(first, core), exir_viz.diff(first.snapshot, core.snapshot)
    assert [one.text for one in by_lineage.rules] == [one.text for one in by_structure.rules]
    assert "from_node" not in {one.evidence.name for one in by_structure}


@functools.cache
def norm() -> Stage:
    """A layer norm that is exported with gradients on, as models mostly are."""
    layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.ReLU())
    return Session(layers.eval(), torch.randn(2, 4)).root


def norms(diff: Diff) -> list[MatchKind]:
    """The counterparts of layer norms."""
    return [one.kind for one in diff if one.a and "layer_norm" in one.a[0].target.name]


def test_edge_keeps_the_layer_norm_of_core() -> None:
    """It is `native_layer_norm` in both: its modules have no change."""
    core = norm().decompose()
    edge = core.edge()
    for diff in (exir_viz.diff(core, edge), exir_viz.diff(core.snapshot, edge.snapshot)):
        assert norms(diff) == ["same"]
        assert not any(one.cls.endswith("LayerNorm") and one.own.changed for one in diff.modules)
        assert "requires_grad" not in {field for one in diff.changes for field in one.fields}


def test_edge_decomposes_a_layer_norm_that_core_was_told_to_keep() -> None:
    core = norm().decompose(but=["layer_norm"])
    diff = exir_viz.diff(core, core.edge())
    assert norms(diff) == ["rewritten"]
    text = "`aten.layer_norm` became `aten.native_layer_norm` + `getitem` by edge lowering"
    assert text in {one.text for one in diff.rules}
    (module,) = (one for one in diff.modules if one.cls.endswith("LayerNorm"))
    assert module.own.rewritten == 1


def test_a_gradient_of_a_buffer_tells_how_it_was_traced() -> None:
    class Written(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)
            self.register_buffer("total", torch.zeros(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.total.add_(self.linear(x))

    torch.manual_seed(0)
    a = torch.export.export(Written(), (torch.randn(2),))
    torch.manual_seed(0)
    with torch.no_grad():
        b = torch.export.export(Written(), (torch.randn(2),))
    buffers = [next(one for one in exir_viz.load(x).method.graph if one.name == "b_total") for x in (a, b)]
    assert [one.value.requires_grad for one in buffers] == [True, False]
    assert exir_viz.diff(a, b).is_empty


def test_a_gradient_is_compared_of_inputs_alone() -> None:
    def program(grad: bool) -> torch.export.ExportedProgram:
        return torch.export.export(Fn(lambda x: x.sin()), (torch.randn(2, requires_grad=grad),))

    a, b = (exir_viz.load(program(grad)) for grad in (False, True))
    diff = exir_viz.diff(a, b)
    assert [(one.a[0].op, one.fields) for one in diff.changes] == [("placeholder", ("requires_grad",))]


@pytest.mark.parametrize(
    "link", [("relu_0", "relu_5", "I know"), (0,), (0, 1, 2), (0, 10**6, "I know"), None]
)
def test_what_is_no_link_is_said(link: Any) -> None:
    with pytest.raises(exir_viz.errors.ExirVizError, match=r"A link is \(node of a, node of b, evidence\)"):
        exir_viz.diff(chain(6), chain(8), links=[link])
