"""The backend step: real partitioners, from ATen and from edge, and why each call was taken or not."""

from __future__ import annotations

import sys
from tempfile import gettempdir

import pytest
import torch
from executorch.exir._serialize import _flatbuffer
from torch.export import export

from exir_viz import Session
from exir_viz.snapshot.format import percent
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import FindingTopic
from exir_viz.stages.stage import Stage
from exir_viz.stages.stage_record import record_of
from exir_viz.stages.steps import partitioners
from exir_viz.torch_internals.logs import captured_partitioner_logs
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.stages.failing import failing

from .unchanged import unchanged

X = torch.randn(1, 3, 8, 8)


class Mixed(torch.nn.Module):
    """XNNPACK takes some of it, and has a reason of its own for each of the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x):
        x = self.conv(x).relu().mean((2, 3))
        return self.linear(x).to(torch.int64) + 1, torch.cumsum(x, 0)


@pytest.fixture(scope="module")
def root() -> Stage:
    torch.manual_seed(0)
    return Session(Mixed().eval(), X).root


@pytest.fixture(scope="module")
def edge(root: Stage) -> Stage:
    return root.edge()


@pytest.fixture(scope="module", params=["aten", "edge"])
def lowered(request: pytest.FixtureRequest, root: Stage, edge: Stage) -> Stage:
    return (root if request.param == "aten" else edge).backend()


def delegated(stage: Stage) -> list[list[str]]:
    return [
        [node.name for node in graph if node.op == "call_function"]
        for graph in stage.snapshot.graphs
        if graph.delegate is not None
    ]


def outer(stage: Stage) -> list[str]:
    """The ops that stay."""
    return [node.name for node in stage.snapshot.method.graph if node.target.schema and node.target.namespace]


def direct(stage: Stage) -> torch.export.ExportedProgram:
    """What ExecuTorch makes of the same program without us."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge, to_edge_transform_and_lower

    if stage.dialect is Dialect.EDGE:
        return to_edge(stage.parent.program).to_backend(XnnpackPartitioner()).exported_program()
    return to_edge_transform_and_lower(stage.program, partitioner=[XnnpackPartitioner()]).exported_program()


def test_a_reason_about_dtypes_names_symbolic_sizes() -> None:
    class Flat(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.view(x.shape[0] * 2, -1)

    shapes = {"x": {0: torch.export.Dim("n", min=2, max=8)}}
    program = torch.export.export(Flat(), (torch.randn(4, 4),), dynamic_shapes=shapes)
    said = [one.text for one in Session(program).root.edge().backend("xnnpack").findings]
    assert any("XNNPACK: invalid dtype (from float32, SymInt to float32)" in text for text in said), said


def test_a_reason_names_a_type_as_users_write_it() -> None:
    class Cut(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:, 1:]

    shapes = {"x": {0: torch.export.Dim("n", min=2, max=8)}}
    program = torch.export.export(Cut(), (torch.randn(4, 4),), dynamic_shapes=shapes)
    said = [one.text for one in Session(program).root.edge().backend("xnnpack").findings]
    assert any("of type SymInt. Expecting" in text for text in said), said


def test_it_is_what_executorch_makes(lowered: Stage) -> None:
    assert str(lowered.program.graph) == str(direct(lowered.parent).graph)
    assert lowered.dialect is Dialect.BACKEND
    assert (lowered.name.split()[0], lowered.step.title) == ("xnnpack", "XNNPACK")


def test_the_summary_counts_what_is_there(lowered: Stage) -> None:
    taken = sum(map(len, delegated(lowered)))
    stay = [one for one in lowered.findings if one.topic is FindingTopic.NOT_DELEGATED]
    record, summary = record_of(lowered), lowered.findings[0]
    assert not summary.node
    assert record.delegated == sum(map(len, delegated(lowered)))
    assert record.share == f"{percent(taken, taken + len(stay))}% on XNNPACK"
    assert summary.text == f"XNNPACK runs {len(delegated(lowered))} delegates."


def test_every_call_that_stays_has_a_reason(lowered: Stage) -> None:
    stay = {one.node: one for one in lowered.findings if one.topic is FindingTopic.NOT_DELEGATED}
    calls = [
        node.id
        for node in lowered.snapshot.method.graph
        if node.op == "call_function" and node.target.name not in ("getitem", "executorch_call_delegate")
    ]
    assert list(stay) == calls
    said = {node.rpartition("/")[2]: one.text for node, one in stay.items()}
    assert said["aten_mean_dim"] == "XNNPACK: mean.dim only supports keepdim=True."
    assert said["aten_cumsum_default"] == "XNNPACK has no config for aten.cumsum.default."
    assert "invalid dtype (from int64 to int64)" in said["aten_add_tensor"]
    assert all(one.frame is not None and one.frame.file == __file__ for one in stay.values())
    assert not any("gives no reason" in one.text for one in stay.values())
    assert all(one.remedy for one in stay.values())
    remedies = {node.rpartition("/")[2]: one.remedy for node, one in stay.items()}
    assert remedies["aten_cumsum_default"] == "Rewrite the line with operators that XNNPACK supports."
    assert remedies["aten_add_tensor"] == "Convert to float32 before this line."


def test_every_kind_of_call_that_went_names_its_config(lowered: Stage) -> None:
    taken = [one for one in lowered.findings if one.text.startswith("Delegated to XnnpackBackend (")]
    assert sum(one.count for one in taken) == sum(map(len, delegated(lowered)))
    assert any(one.op == "aten.convolution.default" and "ConvolutionConfig" in one.text for one in taken)
    for one in taken:
        assert lowered.node(one.node).graph.delegate is not None


def test_what_it_starts_from_stays_unchanged(root: Stage, edge: Stage) -> None:
    for stage in (root, edge):
        with unchanged(stage):
            stage.backend().executorch()


def test_methods_are_lowered_together() -> None:
    programs = {
        "forward": export(Mixed().eval(), (X,)),
        "other": export(torch.nn.Linear(2, 2), (torch.ones(2),)),
    }
    stage = Session(programs).backend()
    assert [method.name for method in stage.snapshot.methods.values()] == ["forward", "other"]
    assert {one.node.split("/")[0] for one in stage.findings if one.node} == {"forward", "other"}
    only = Session(programs).backend({"other": "xnnpack"})
    assert {graph.path.split("/")[0] for graph in only.snapshot.graphs if graph.delegate} == {"other"}


def test_a_second_backend_gets_what_the_first_left(edge: Stage) -> None:
    from executorch.backends.xnnpack.partition.config.gemm_configs import ConvolutionConfig
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    first = XnnpackPartitioner(configs=[ConvolutionConfig])
    stage = edge.backend([first, "xnnpack"])
    assert stage.step.title == "XnnpackPartitioner, XNNPACK"
    assert [names[0] for names in delegated(stage)] == [
        "aten_convolution_default",
        "aten_permute_copy_default",
    ]
    mean = next(one for one in stage.findings if one.node == "forward/aten_mean_dim")
    assert "XnnpackPartitioner has no config for aten.mean.dim" in mean.text
    assert "XNNPACK: mean.dim only supports keepdim=True." in mean.text
    assert "partition" not in vars(first)


@pytest.mark.nightly
def test_vulkan_gives_its_own_reasons() -> None:
    stage = Session(exported("module_called_twice")).backend("vulkan")
    stay = [one for one in stage.findings if one.topic is FindingTopic.NOT_DELEGATED]
    assert {one.op for one in stay} == {"aten.native_dropout.default"}
    assert {one.text for one in stay} == {"Vulkan: no operator implementation."}


def test_branches_are_spoken_of() -> None:
    stage = Session(exported("nested_cond")).backend()
    inner = [one for one in stage.findings if one.node.count("/") > 1]
    assert inner
    assert all("does not support branches and loops" in one.text for one in inner)


def test_what_cannot_be_asked_for_is_refused_in_words(root: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    before = len(root.session)
    for asked, words in (
        ("nope", r"Unknown backend 'nope'.*Available: xnnpack.*stage.backend\(MyPartitioner\(\)\)"),
        (XnnpackPartitioner, r"Pass a partitioner, not its class: XnnpackPartitioner\(\)"),
        (3, "A int is not a partitioner"),
        ([], "No backend given"),
        ({"nope": "xnnpack"}, "Unknown method nope. Methods: forward"),
    ):
        with pytest.raises(NotPossible, match=words):
            root.backend(asked)
    monkeypatch.setattr(partitioners, "find_spec", lambda _name: None)
    assert partitioners.offered() == ("xnnpack", "vulkan")
    assert "Core ML needs pip install coremltools" in partitioners.about()
    with pytest.raises(NotPossible, match="pip install coremltools"):
        root.backend("coreml")
    assert len(root.session) == before


def test_a_backend_that_fails_is_a_stage_that_says_where() -> None:
    """XNNPACK cannot add a number that quantization made a tensor of no dimensions."""

    class Sum(torch.nn.Module):
        def forward(self, x):
            return x + x.sum()

    stage = failing(Session(Sum(), X).quantize().backend)
    assert stage.failure.findings[0].op.startswith("aten.add")
    assert stage.failure.findings[0].frame.file == __file__


def test_what_a_program_wrote_that_failed_is_the_reason(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """XNNPACK's graph is written as JSON, which has no infinity, and flatc refuses it."""
    # ExecuTorch 1.5 writes infinities as flatc reads them: not here
    monkeypatch.setattr(_flatbuffer, "_replace_non_finite_in_json", bytes, raising=False)
    failure = failing(Session(exported("argument_types")).backend).failure
    assert failure.reason.startswith("flatc failed: ")
    assert "Infinity" in failure.reason
    assert gettempdir() not in failure.reason
    assert {finding.op for finding in failure.findings} == {"aten.full.default", "aten.pad.default"}
    assert all("finite number" in finding.remedy for finding in failure.findings)
    assert "Infinity" not in "".join(capfd.readouterr())


def test_from_edge_nothing_is_asked_about_lowering_to_it(edge: Stage, root: Stage) -> None:
    def asked(stage: Stage) -> list[str]:
        offer = next(offer for offer in record_of(stage).offers if offer.kind == "backend")
        return [option.name for option in offer.options]

    assert asked(root) == ["partitioner", "check_ir", "dim_order"]
    assert asked(edge) == ["partitioner"]


def test_after_executorch_it_is_too_late(edge: Stage) -> None:
    done = edge.executorch()
    with pytest.raises(NotPossible, match="already an ExecuTorch program"):
        done.backend()


def test_listening_leaves_no_trace() -> None:
    from executorch.exir.backend.utils import WhyNoPartition, WhyNoPartitionReporter

    before = (WhyNoPartition.__call__, WhyNoPartitionReporter.report_reject)
    node = torch.fx.Graph().placeholder("x")

    def fail() -> None:
        with captured_partitioner_logs() as said:
            WhyNoPartitionReporter().report_reject(node, "first")
            WhyNoPartitionReporter().report_reject(node, "second")
            assert said.of(node, "") == "first"
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        fail()
    assert (WhyNoPartition.__call__, WhyNoPartitionReporter.report_reject) == before


def test_asking_what_can_be_done_imports_no_backend() -> None:
    import subprocess

    code = (
        "import sys; from exir_viz.stages.steps import table; table()\n"
        "print([name for name in sys.modules if name.startswith(('executorch', 'torch', 'coremltools'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_batched_product_that_stays_says_what_to_do() -> None:
    x = torch.ones(2, 3, 3, dtype=torch.bfloat16)
    lowered = Session(Fn(torch.bmm), x, x).root.backend()
    (left,) = [one for one in lowered.findings if one.topic is FindingTopic.NOT_DELEGATED]
    assert (left.op, left.remedy) == ("aten.bmm.default", "Convert to float32 before this line.")


def test_weights_that_a_delegate_keeps_count_as_memory_of_its_stage() -> None:
    layer = torch.nn.Linear(512, 512).eval()
    delegated = Session(layer, torch.ones(1, 512)).backend("xnnpack")
    assert delegated.unshared_bytes > layer.weight.nbytes
