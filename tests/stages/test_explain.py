"""Op cards against torch and ExecuTorch themselves: nothing on a card is written by hand."""

from __future__ import annotations

import operator
import subprocess
import sys
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.errors import ExirVizError
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.stages.explain import explain
from exir_viz.stages.explain.op_card import DecompositionKind, OpCard
from exir_viz.stages.explain.op_docs import first_sentence
from tests.corpus.programs import core, exported

aten = torch.ops.aten


def allowed(card: OpCard) -> dict[Dialect, bool | None]:
    return {rule.dialect: rule.allowed for rule in card.dialects}


def test_a_card_says_what_torch_says() -> None:
    card = explain(aten.add.Tensor)
    assert card.schema == str(aten.add.Tensor._schema)
    assert {tag.name for tag in card.tags} == {tag.name for tag in aten.add.Tensor.tags}
    assert all(tag.about for tag in card.tags)
    assert (card.sentence, card.source) == ("Adds other, scaled by alpha, to input.", "torch.add")
    assert card.out_variant == "aten.add.out"


def test_modules_that_are_none_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has None for a module that may not be imported; some packages put other objects there."""
    monkeypatch.setitem(sys.modules, "torchnowhere", None)
    monkeypatch.setitem(sys.modules, "torchless", object())
    snapshot = exir_viz.load(exported("custom_op"))
    (target,) = {node.target for graph in snapshot.graphs for node in graph if "scaled" in node.target.text}
    assert explain(target, snapshot, executorch=False).op.endswith("scaled.default")


@pytest.mark.parametrize("schema", ["gone::op(Tensor x) -> Tensor", None])
def test_an_op_that_is_not_here_has_the_schema_that_its_file_has(schema: str | None) -> None:
    target = Target(TargetType.OP, "torch.ops.gone.op.default", "gone", "op", "default", schema)
    assert explain(target).schema == (schema or "")


@pytest.mark.parametrize("text", [
    "aten.add.Tensor", "torch.ops.aten.add.Tensor", "aten::add.Tensor", "add.Tensor",
    "executorch.exir.dialects.edge._ops.aten.add.Tensor",
])  # fmt: skip
def test_an_op_is_found_by_any_of_its_names(text: str) -> None:
    assert explain(text).op == "aten.add.Tensor"


@pytest.mark.parametrize(
    "op", [torch.ops.higher_order.cond, operator.getitem, torch.sym_max, "cond", "getitem"]
)
def test_what_is_no_operator_has_a_card_too(op: object) -> None:
    card = explain(op, executorch=False)
    assert card.sentence
    assert allowed(card)[Dialect.ATEN] is True
    assert allowed(card)[Dialect.EDGE] is None


def test_kinds_of_decomposition() -> None:
    kinds = {name: explain(name).decomposition for name in ("linear", "reshape", "addmm", "convolution")}
    assert kinds == {
        "linear": DecompositionKind.TABLE,
        "reshape": DecompositionKind.IMPLICIT,
        "addmm": DecompositionKind.BY_NAME,
        "convolution": DecompositionKind.NONE,
    }


def test_decompositions_are_what_torch_does() -> None:
    """run_decompositions leaves no op that its card says it takes apart."""
    programs = [core(name) for name in ("training_mode", "module_called_twice", "argument_types")]
    left = [node for one in programs for node in one.graph.nodes if node.op == "call_function"]
    assert len(left) > 12
    gone = (DecompositionKind.TABLE, DecompositionKind.IMPLICIT)
    assert [node.name for node in left if explain(node.target).decomposition in gone] == []


def test_effects_and_functional_rule() -> None:
    card = explain(aten.add_.Tensor)
    assert card.effects == ("writes to self",)
    assert allowed(card)[Dialect.ATEN_TRAINING] is True
    assert allowed(card)[Dialect.ATEN] is False


@pytest.mark.parametrize(
    ("op", "args"),
    [
        (aten.view.default, ([24],)), (aten.permute.default, ([1, 0],)), (aten.unfold.default, (0, 2, 1)),
        (aten.reshape.default, ([24],)), (aten.flatten.using_ints, ()), (aten.ravel.default, ()),
        (aten.reshape_as.default, (torch.empty(24),)), (aten.contiguous.default, ()),
        (aten.to.dtype, (torch.float64,)), (aten.to.dtype, (torch.float32,)),
    ],
)  # fmt: skip
def test_a_view_is_promised_only_of_ops_that_never_copy(op: torch._ops.OpOverload, args: Any) -> None:
    (effect,) = explain(op).effects
    x = torch.zeros(4, 6)
    inputs = (x,) if op is aten.view.default else (x, x.T)
    copies = any(op(one, *args).data_ptr() != one.data_ptr() for one in inputs)
    assert effect.startswith("returns a view of self")
    assert not copies or effect.endswith(", or a copy")
    assert copies or op.overloadpacket == aten.to or effect == "returns a view of self"


def test_dtypes_are_those_of_edge() -> None:
    ops = pytest.importorskip("executorch.exir.dialects._ops").ops
    for name in ("add.Tensor", "convolution.default", "where.self"):
        edge = operator.attrgetter(name)(ops.edge.aten)
        rule = explain(f"aten.{name}").dtypes
        assert rule is not None
        held = edge._schema.dtype_constraint
        assert len(rule.combinations) == len(held.type_constraint)
        assert set(rule.arguments) == {argument for row in held.type_constraint for argument in row}


def test_executorch_s_rules() -> None:
    pytest.importorskip("executorch.exir")
    linear, add = explain("aten.linear.default"), explain("aten.add.Tensor")
    assert linear.executorch
    assert (allowed(linear)[Dialect.ATEN_CORE], allowed(linear)[Dialect.EDGE]) == (False, False)
    assert allowed(add)[Dialect.EDGE] is True
    assert allowed(explain("aten.add.out"))[Dialect.EXECUTORCH] is True
    assert next(rule for rule in add.dialects if rule.dialect is Dialect.EXECUTORCH).reason.startswith(
        "aten.add.out"
    )
    alloc = explain("executorch.exir.memory.alloc")
    assert (allowed(alloc)[Dialect.ATEN], allowed(alloc)[Dialect.EXECUTORCH]) == (False, True)


def test_uses_are_counted_in_nested_graphs_too() -> None:
    program = exported("nested_cond")
    snapshot = exir_viz.load(program)
    wanted = [
        node
        for graph in snapshot.method.graphs()
        for node in graph
        if node.target.text.endswith("aten.linear.default")
    ]
    card = explain("linear", snapshot)
    assert (card.uses, card.nodes) == (len(wanted), tuple(node.id for node in wanted))
    assert wanted
    assert any(node.count("/") > 1 for node in card.nodes)


def test_uses_in_a_session_are_those_of_its_current_stage() -> None:
    session = exir_viz.Session(exported("module_called_twice"))
    assert exir_viz.explain("linear", session).uses == exir_viz.explain("linear", session.root).uses > 0
    session.decompose()
    assert exir_viz.explain("addmm", session).uses == exir_viz.explain("linear", session.root).uses


def test_what_became_an_op_speaks_for_it() -> None:
    card = explain("aten.convolution.default", exir_viz.load(core("training_mode")))
    assert card.made_of == (f"aten.conv2d.default ({card.uses})",)
    assert card.source == "torch.conv2d, which became it here"


def test_every_op_of_the_corpus_has_a_sentence() -> None:
    for name in ("training_mode", "argument_types", "symbolic_scalars", "custom_op", "while_loop"):
        snapshot = exir_viz.load(exported(name))
        calls = {node.target for graph in snapshot.graphs for node in graph if node.op == "call_function"}
        assert [target.text for target in calls if not explain(target, snapshot).sentence] == []


def test_an_unknown_op_is_refused_by_name() -> None:
    with pytest.raises(ExirVizError, match=r"Unknown op 'aten\.ad\.Tensor'\. Did you mean aten\.add\.Tensor"):
        explain("aten.ad.Tensor", exir_viz.load(exported("dynamic_batch")))
    for text in ("", "os.system", "a.b.c.d", "__import__('os')", "\x1b[31m"):
        with pytest.raises(ExirVizError):
            explain(text)


def test_a_card_reads_as_text() -> None:
    text = str(explain("aten.addmm.default", exir_viz.load(core("module_called_twice"))))
    assert text.startswith("aten.addmm.default\nPerforms a matrix multiplication")
    assert max(map(len, text.splitlines())) <= 98
    for label in ("schema", "tags", "dialects", "decomposition", "out variant", "edge dtypes", "uses"):
        assert f"\n{label}" in text


def test_a_card_does_not_load_executorch() -> None:
    code = (
        "import sys, exir_viz; card = exir_viz.explain('aten.add.Tensor'); "
        "print('executorch.exir' in sys.modules, card.executorch, bool(card.dtypes))"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        ("f(x) -> Tensor\n\nReturns :attr:`x`. More.", "Returns x."),
        ("f(x,\n  y) -> Tensor\n\n.. note::\n    Not this.\n\nThis, a ``b``.", "This, a b."),
        ("**Case**:\n\nThe text of :func:`~torch.f` here.", "The text of torch.f here."),
        (None, ""),
        ("", ""),
    ],
)
def test_first_sentences(doc: str | None, said: str) -> None:
    assert first_sentence(doc) == said


def test_a_verifiers_words_are_quoted_without_its_slips() -> None:
    """ExecuTorch ends its sentence in a quotation mark that nothing opens."""
    card = exir_viz.explain("aten.batch_norm.default", executorch=True)
    said = next(rule.reason for rule in card.dialects if rule.dialect is Dialect.ATEN_CORE)
    assert "is not in Core ATen opset" in said
    assert '"' not in said
    assert '"' not in str(card)
