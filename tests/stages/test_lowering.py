"""Lowering with the real ExecuTorch: what the steps give, what they leave alone, and how they fail."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.runtime import Runtime
from torch.export import export

import exir_viz
from exir_viz import Session
from exir_viz.snapshot.lineage import LineageIndex
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import StageState, StepKind
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps.failures import failure
from tests.corpus.programs import exported
from tests.nightly import nightly
from tests.stages.failing import failing

from .modules import ConvNorm, DoubleScale, ops, small, without_gelu
from .unchanged import unchanged


@pytest.fixture(scope="module")
def lowered() -> Session:
    """A session at export, edge and executorch."""
    module, x = small()
    session = Session(module, x)
    session.edge().executorch()
    return session


def share_linked(stage: Stage) -> float:
    """How much of the computing nodes has an ancestor by exact evidence."""
    numbering, kin = Numbering(stage.snapshot), LineageIndex(stage.lineage)
    calls = [node for node in stage.snapshot.method.graph if node.op == "call_function"]
    linked = [any(link.exact for link in kin.ancestors(numbering.number(node))) for node in calls]
    return sum(linked) / len(calls)


# -- what the steps give ----------------------------------------------------------------------------------


def test_from_export_to_bytes(lowered: Session) -> None:
    edge, done = lowered["edge"], lowered["executorch"]
    assert (edge.dialect, done.dialect) == (Dialect.EDGE, Dialect.EXECUTORCH)
    assert share_linked(edge) == 1
    assert done.snapshot.method.detail.arenas[0].bytes > 0
    assert any(node.specs for node in done.snapshot.method.graph)
    record = lowered.record().stages
    assert [one.parent for one in record] == [None, "s0", "s1"]
    offers = {one.kind: one.reason for one in record[2].offers}
    assert all(offers[kind] for kind in (StepKind.DECOMPOSE, StepKind.EDGE, StepKind.EXECUTORCH))


def test_the_bytes_run_and_give_what_torch_gives(lowered: Session, tmp_path) -> None:
    module, x = small()
    done = lowered["executorch"]
    path = done.save_pte(tmp_path / "small.pte")
    data = path.read_bytes()  # the runtime reads them where they are: they must live as long as it does
    method = Runtime.get().load_program(data).load_method("forward")
    torch.testing.assert_close(method.execute([x])[0], module(x))
    assert done.pte == data
    with pytest.raises(NotPossible, match=r"Stage 'edge' has no \.pte"):
        _ = lowered["edge"].pte


def test_memory_planning_options(lowered: Session) -> None:
    edge = lowered["edge"]
    greedy = lowered["executorch"].snapshot.method.detail.arenas[0].bytes
    naive = edge.executorch(algorithm="naive").snapshot.method.detail.arenas[0].bytes
    assert naive > greedy
    outside = edge.executorch(alloc_graph_input=False, alloc_graph_output=False)
    assert outside.snapshot.method.detail.arenas[0].bytes < greedy
    config = ExecutorchBackendConfig(remove_view_copy=False)
    copies = edge.executorch(config=config)
    assert ops(copies.snapshot) == ops(edge.executorch(remove_view_copy=False).snapshot)
    assert ops(copies.snapshot) != ops(lowered["executorch"].snapshot)
    with pytest.raises(NotPossible, match=r"algorithm .* Available: greedy, naive"):
        edge.executorch(algorithm="best")


def test_edge_options(lowered: Session) -> None:
    kept = lowered.root.edge(preserve=["aten.linear.default"])
    assert any("linear" in text for text in ops(kept.snapshot))
    assert not any("linear" in text for text in ops(lowered["edge"].snapshot))
    plain = lowered.root.edge(dim_order=False)
    assert not any("dim_order" in text for text in ops(plain.snapshot))
    assert any("dim_order" in text for text in ops(lowered["edge"].snapshot))


def test_methods_are_lowered_together() -> None:
    module, x = small()
    session = Session({"forward": export(module, (x,)), "gelu": export(torch.nn.GELU(), (x,))})
    done = session.edge().executorch()
    assert list(done.snapshot.methods) == ["forward", "gelu"]
    program = Runtime.get().load_program(done.pte)
    torch.testing.assert_close(program.load_method("gelu").execute([x])[0], torch.nn.functional.gelu(x))


def test_a_session_can_begin_with_a_manager() -> None:
    module, x = small()
    session = Session(to_edge(export(module, (x,))))
    assert session.root.name == "edge"
    assert not session.executorch().failed


# -- what they leave alone --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["transform", "executorch"])
def test_steps_from_edge_leave_it_alone(lowered: Session, kind: str) -> None:
    edge = lowered["edge"]
    with unchanged(edge):
        stage = edge.transform(without_gelu) if kind == "transform" else edge.executorch()
    assert not stage.failed
    weights = edge.program.state_dict
    assert all(stage.program.state_dict[name] is weight for name, weight in weights.items())


@pytest.mark.parametrize(
    "name",
    ["input_mutation", "map_op", *nightly(["module_state", "named_dims", "unbacked_item", "memory_layouts"])],
)
def test_lowering_leaves_the_program_alone(name: str) -> None:
    session = Session(exported(name))
    with unchanged(session.root):
        edge = session.edge()
    assert not edge.failed
    with unchanged(edge):
        edge.executorch()


def test_passes_on_edge(lowered: Session) -> None:
    stage = lowered["edge"].transform(without_gelu, DoubleScale())
    assert not any("gelu" in text for text in ops(stage.snapshot))
    assert stage.dialect is Dialect.EDGE
    assert share_linked(stage) == 1
    assert (stage.change.added, stage.change.removed) == (0, 1)
    assert not stage.executorch().failed


# -- how they fail ----------------------------------------------------------------------------------------


class Complexes(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.fft(x).abs()


class NotCore(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        triangle = torch.linalg.qr(x)[1]
        values = torch.linalg.svd(x)[1]
        return triangle.sum() + values.sum()


def test_edge_names_every_offending_node() -> None:
    session = Session(NotCore(), torch.randn(4, 4))
    with unchanged(session.root):
        failed = failing(session.edge)
    assert failed.state is StageState.FAILED
    assert failed.failure.type == "SpecViolationError"
    found = {finding.op: finding for finding in failed.failure.findings}
    assert set(found) == {"aten._linalg_svd.default", "aten.linalg_qr.default"}
    assert "2 calls break the rules of the edge dialect" in failed.failure.reason
    svd = found["aten._linalg_svd.default"]
    assert session.root.node(svd.node).target.text.startswith("torch.ops.aten.linalg_svd")
    assert svd.frame.code == "values = torch.linalg.svd(x)[1]"
    assert svd.frame.file == __file__
    assert svd.remedy
    assert "Traceback" not in repr(failed)
    (fix,) = failed.failure.fixes
    assert fix.skips_checks
    assert not session.root.do("edge", fix.options).failed


def test_what_was_lowered_without_verification_is_marked_everywhere(tmp_path: Path) -> None:
    session = Session(Complexes(), torch.randn(2, 4))
    failing(session.edge)
    done = session.root.edge(check_ir=False).executorch()
    assert done.unverified
    assert [one.unverified for one in session.record().stages] == [False, False, True, True]
    assert [line.count("unverified") for line in repr(session).splitlines()] == [0, 0, 0, 1, 1]
    assert exir_viz.tables.stages(session)["unverified"].tolist() == [False, False, True, True]
    file = done.save_pte(tmp_path / "complex.pte")
    for one in (done.parent, done, file):
        assert [row.name for row in exir_viz.check(one).rows("error")] == ["edge-dtypes"]
    report = exir_viz.reports.run("delegation", file)
    assert report.headline == "1 operator may fail in the runtime."
    (row,) = report.rows("error")
    assert "does not allow aten.abs.out" in row.reason


def test_training_mode_is_named_as_the_reason() -> None:
    session = Session(ConvNorm().train(), torch.randn(2, 3, 8, 8))
    failed = failing(session.edge)
    (finding,) = failed.failure.findings
    assert finding.node == "forward/batch_norm"
    assert finding.frame.code == "return torch.relu(self.norm(self.conv(x)))"
    assert "call .eval()" in finding.remedy
    without = failing(session.edge(check_ir=False).executorch)
    assert "has no out variant" in without.failure.reason
    assert "call .eval()" in without.failure.findings[0].remedy
    assert without.failure.findings[0].frame == finding.frame


class Float8(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + torch.sigmoid(x.float())


def test_dtypes_without_a_kernel_are_named() -> None:
    failed = failing(Session(Float8(), torch.randn(4).to(torch.float8_e5m2)).edge)
    texts = {finding.op: finding.text for finding in failed.failure.findings}
    assert "these dtypes: self float8_e5m2, result float8_e5m2" in texts["aten.relu.default"]
    assert failed.failure.findings[0].frame.code == "return torch.relu(x) + torch.sigmoid(x.float())"


class DataDependent(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nonzero(x).t().contiguous() + 1


def test_a_guard_on_data_is_reported_at_its_node() -> None:
    failed = failing(Session(DataDependent(), torch.randn(3, 4)).edge().executorch)
    assert failed.failure.type == "GuardOnDataDependentSymNode"
    (finding,) = failed.failure.findings
    assert "torch._check" in finding.remedy
    assert finding.frame.code == "return torch.nonzero(x).t().contiguous() + 1"


def test_an_output_that_is_no_tensor() -> None:
    failed = failing(Session(exported("db:scalar_output")).edge().executorch)
    assert "No output is a tensor" in failed.failure.reason
    assert failed.failure.findings[0].remedy


def test_traces_that_executorch_cannot_write(lowered: Session) -> None:
    failed = failing(lowered["edge"].executorch, emit_stacktrace=True)
    assert "emit_stacktrace" in failed.failure.reason
    (fix,) = failed.failure.fixes
    assert not lowered["edge"].do("executorch", fix.options).failed


def test_a_custom_op_has_no_out_variant() -> None:
    failed = failing(Session(exported("custom_op")).edge().executorch)
    (finding,) = failed.failure.findings
    assert finding.op == "exir_viz_tests.scaled.default"
    assert "out variant" in finding.remedy


def test_a_custom_op_that_writes_to_its_input_is_found() -> None:
    """ExecuTorch fails at the op, which the program calls through auto_functionalized."""
    failed = failing(Session(exported("mutating_custom_op")).edge().executorch)
    (finding,) = failed.failure.findings
    assert finding.node == "forward/auto_functionalized_v2"
    assert "report the error to" in finding.remedy


def test_a_preserved_signature_is_found_where_lowering_replaces_its_values() -> None:
    failed = failing(Session(exported("preserved_calls")).edge)
    assert "does not exist in the graph" in failed.failure.reason
    assert all(
        one.node and "without preserve_module_call_signature" in one.remedy for one in failed.failure.findings
    )
    assert failed.failure.findings


@pytest.mark.parametrize("kind", ["quantize", "reexport"])
def test_a_program_with_gradients_is_refused_in_words(kind: str) -> None:
    with pytest.raises(NotPossible, match=r"returns gradients.*program of the forward pass"):
        Session(exported("joint_graph")).root.do(kind)


def test_an_error_of_torch_at_a_node_has_a_remedy() -> None:
    failed = failing(Session(exported("symbolic_scalars")).edge)
    assert [one.node for one in failed.failure.findings] == ["forward/sym_float"]
    assert "ExecuTorch raised this error" in failed.failure.findings[0].remedy


def test_steps_in_the_wrong_order_say_what_to_do(lowered: Session) -> None:
    with pytest.raises(
        NotPossible, match=r"Cannot run 'To ExecuTorch' on stage 'export': .* Lower it to edge"
    ):
        lowered.root.executorch()
    with pytest.raises(NotPossible, match="it is in the edge dialect already"):
        lowered["edge"].edge()
    with pytest.raises(NotPossible, match="only ATen operators can be decomposed"):
        lowered["executorch"].decompose()


# -- a large one ------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_resnet50_goes_all_the_way() -> None:
    session = Session(exported("resnet50"))
    done = session.decompose("functional").decompose().edge().executorch()
    assert len(done.pte) > 90_000_000
    for name in ("functional", "core", "edge"):
        assert share_linked(session[name]) == 1
    graphs = sum(stage.unshared_bytes for stage in session if stage is not done)
    assert graphs < len(done.pte)


def test_the_reason_is_the_first_error_of_a_chain() -> None:
    """torch and ExecuTorch wrap what they meet; all that was said is there, the cause first."""
    try:
        try:
            raise ValueError("The kernel has no such layout. See its table.")
        except ValueError as cause:
            raise RuntimeError("An error occurred when running a pass.") from cause
    except RuntimeError as error:
        found = failure(error)
    assert (found.type, found.reason) == ("ValueError", "The kernel has no such layout.")
    assert found.message.index("kernel") < found.message.index("running a pass")


def test_what_torch_takes_apart_only_where_named_is_said_to_be_so() -> None:
    """And what is said to do, does."""
    session = Session(exported("several_outputs"))
    (finding,) = failing(session.edge).failure.findings
    assert finding.op == "aten.var_mean.correction"
    assert "decompose(['aten.var_mean.correction'])" in finding.remedy
    assert not session.decompose().decompose([finding.op]).edge().failed


class Running(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumprod(self.linear(x), -1)


def test_a_backend_step_blames_only_what_the_verifier_refuses() -> None:
    """XNNPACK keeps aten.linear, which is not Core ATen, and its verifier allows that."""
    session = Session(Running(), torch.randn(2, 3))
    (finding,) = failing(session.root.backend, "xnnpack").failure.findings
    (same,) = failing(session.root.edge).failure.findings
    assert (finding.op, finding.remedy) == (same.op, same.remedy)
    assert finding.op == "aten.cumprod.default"
    lowered = session.decompose().decompose([finding.op]).backend("xnnpack")
    assert lowered.dialect is Dialect.BACKEND


class Complex(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.complex(a, b).abs()


def test_a_decomposition_that_torch_refuses_is_no_remedy() -> None:
    session = Session(Complex(), torch.randn(3), torch.randn(3))
    (finding,) = failing(session.edge).failure.findings
    assert finding.op == "aten.complex.default"
    assert "decompose(" not in finding.remedy
    failed = failing(session.root.decompose, [finding.op])
    (writes,) = failed.failure.findings
    assert writes.node == "forward/complex_1"
    assert "writes in place" in writes.text
    assert "Remove aten.complex.default from the list" in writes.remedy
    assert "graph()" not in repr(failed)
    assert not session.root.decompose(["aten.abs.default"]).failed


class Unrolled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for step in range(3):
            x = x * 2 + step
        return x


def test_a_loop_that_the_runtime_cannot_run_has_a_remedy_that_helps() -> None:
    failed = failing(Session(exported("while_loop")).edge().executorch)
    (finding,) = failed.failure.findings
    assert failed.failure.reason == "Unsupported control flow operator: while_loop"
    assert repr(failed).count(failed.failure.reason) == 1
    assert "with scan. If the number of iterations is fixed, write a Python loop" in finding.remedy
    assert not Session(exported("scan_op")).edge().executorch().failed
    assert not Session(Unrolled(), torch.ones(3)).edge().executorch().failed
