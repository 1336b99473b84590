"""Every remedy that a finding suggests works: it is applied to a program that fails without it.

A remedy without a case here fails, and so does one that is written elsewhere than in `remedies`.
"""

from __future__ import annotations

import ast
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
from executorch.exir._serialize import _flatbuffer
from torch import nn
from torch.export import Dim
from torch.nn import functional
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, Quantizer

import exir_viz
from exir_viz import Session, reports
from exir_viz.snapshot.operators import known_operators
from exir_viz.stages.records import FindingTopic
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps.remedies import Remedy
from tests.corpus.concepts import Fn, Norms
from tests.corpus.programs import exported
from tests.stages.failing import failing, outcome

X = torch.randn(3, 4)
_BATCH = {"args": ({0: Dim("batch", min=2, max=16)},)}
IMAGE = torch.randn(1, 3, 8, 8)
Case = Callable[[], None]
CASES: dict[Remedy, Case] = {}


def case(remedy: Remedy) -> Callable[[Case], Case]:
    def add(run: Case) -> Case:
        CASES[remedy] = run
        return run

    return add


def root(call: Callable[..., Any] | nn.Module, *inputs: torch.Tensor, **options: Any) -> Stage:
    """A session's first stage. A function takes its inputs as a module does."""
    module = call if isinstance(call, nn.Module) else Fn(call)
    return Session(module, *(inputs or (X,)), **options).root


def suggests(stage: Stage, remedy: Remedy, /, **words: str) -> None:
    """The stage failed, and says the remedy once."""
    assert stage.failed
    text = remedy.format(**words)
    assert text in [one.remedy for one in stage.failure.findings] + [one.title for one in stage.failure.fixes]
    assert str(stage).count(stage.failure.reason) == 1


def blocks(stage: Stage, remedy: Remedy) -> None:
    """An operator of the stage cannot be lowered, or not be run, for which the remedy is suggested."""
    found = reports.run("delegation", stage, backends=()).rows("error")
    assert remedy in " ".join(row.remedy for row in found)


def stays(stage: Stage, op: str, remedy: Remedy, **words: str) -> None:
    """A backend did not take the op, for which the remedy is suggested."""
    left = {one.op: one for one in _left(stage)}
    assert remedy.format(**words) in left[op].remedy


def goes(stage: Stage, *ops: str) -> None:
    """A backend took all calls of these ops, or the program needs none."""
    assert not stage.failed
    assert {one.op for one in _left(stage)}.isdisjoint(ops)


def _left(stage: Stage) -> list[Any]:
    return [one for one in stage.findings if one.topic is FindingTopic.NOT_DELEGATED]


@case(Remedy.DATA_DEPENDENT)
def data_dependent() -> None:
    def checked(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        size = y.max().item()
        torch._check(size >= 0)
        torch._check(size <= x.shape[0])
        return x[:size]

    limit = torch.tensor([1, 2])
    suggests(failing(root(lambda x, y: x[: y.max().item()], X, limit).edge), Remedy.DATA_DEPENDENT)
    assert not root(checked, X, limit).edge().failed
    rows = torch.arange(3)[:, None]
    assert not root(lambda x, y: torch.where(rows < y.max(), x, 0.0), X, limit).edge().failed
    branches = root(lambda x, y: torch.cond(y.max() > 1, lambda x: x + 1, lambda x: x - 1, (x,)), X, limit)
    assert not branches.edge().failed


@case(Remedy.RAISED_AT_NODE)
def raised_at_node() -> None:
    failed = failing(root(lambda x: x + x.sum()).quantize().backend)
    suggests(failed, Remedy.RAISED_AT_NODE, library="ExecuTorch")
    assert not root(lambda x: x + x.sum().reshape(1)).quantize().backend().failed


class Breaking(xnnpack.XNNPACKQuantizer):
    """A quantizer with a mistake that shows where a program has a tanh."""

    def transform_for_annotation(self, model: torch.fx.GraphModule) -> Any:
        has_tanh = any("tanh" in str(node.target) for node in model.graph.nodes)
        return None if has_tanh else super().transform_for_annotation(model)


@case(Remedy.RAISED_SOMEWHERE)
def raised_somewhere() -> None:
    quantizer = Breaking().set_global(xnnpack.get_symmetric_quantization_config())
    whole = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    suggests(
        failing(root(whole).quantize, quantizer=quantizer), Remedy.RAISED_SOMEWHERE, library="ExecuTorch"
    )
    assert [outcome(root(part).quantize, quantizer=quantizer).failed for part in whole] == [False, True]


@case(Remedy.KEEP_OP)
def keep_op() -> None:
    stage = root(lambda a, b: torch.complex(a, b).abs(), X, X)
    ops = ["aten.complex.default", "aten.abs.default"]
    suggests(failing(stage.decompose, ops), Remedy.KEEP_OP, op=ops[0])
    assert not stage.decompose(ops[1:]).failed


@case(Remedy.NO_SIGNATURES)
def no_signatures() -> None:
    suggests(failing(Session(exported("preserved_calls")).edge), Remedy.NO_SIGNATURES)
    assert not Session(exported("module_called_twice")).edge().failed


@case(Remedy.EVAL)
def evaluate() -> None:
    training, evaluating = Session(Norms().train(), IMAGE), Session(Norms().eval(), IMAGE)
    suggests(failing(training.root.edge), Remedy.EVAL)
    suggests(failing(training.root.edge(check_ir=False).executorch), Remedy.EVAL)
    assert not evaluating.edge().executorch().failed


@case(Remedy.DECOMPOSE)
def decompose() -> None:
    stage = Session(exported("several_outputs")).root
    op = "aten.var_mean.correction"
    suggests(failing(stage.edge), Remedy.DECOMPOSE, op=op)
    assert not stage.decompose().decompose([op]).edge().failed


@case(Remedy.NOT_CORE)
def not_core() -> None:
    stage = root(lambda x: torch.linalg.qr(x)[1])
    suggests(failing(stage.edge), Remedy.NOT_CORE)
    assert not stage.edge(preserve=["aten.linalg_qr.default"]).failed
    assert not stage.edge(check_ir=False).failed


@case(Remedy.RUNTIME_HAS_IT)
def runtime_has_it() -> None:
    stage = root(lambda x: x.new_zeros(max(x.shape[0], 3)), dynamic_shapes=_BATCH)
    blocks(stage, Remedy.RUNTIME_HAS_IT)
    failing(stage.edge)
    assert not stage.edge(check_ir=False).executorch().failed


@case(Remedy.WITHOUT_IT)
def without_it() -> None:
    stage = root(lambda x: x.new_zeros(abs(x.shape[0] - 20)), dynamic_shapes=_BATCH)
    blocks(stage, Remedy.WITHOUT_IT)
    failing(stage.edge().executorch)
    assert not root(lambda x: x.new_zeros(x.shape[0] + 20), dynamic_shapes=_BATCH).edge().executorch().failed


@case(Remedy.KERNEL)
def kernel() -> None:
    stage = root(lambda x: torch.sort(x)[0])
    blocks(stage, Remedy.KERNEL)
    with pytest.raises(exir_viz.errors.ExirVizError, match="sort"):
        exir_viz.profile(stage.edge().executorch(), X, executor="executorch", repeats=1)
    rewritten = root(lambda x: torch.topk(x, x.shape[-1]).values)
    assert not list(reports.run("delegation", rewritten, backends=()).rows("error"))
    assert not rewritten.edge().executorch().failed


@case(Remedy.UNVERIFIED)
def unverified() -> None:
    stage = root(lambda x: torch.linalg.qr(x)[1])
    failed = failing(stage.edge)
    suggests(failed, Remedy.UNVERIFIED)
    assert not stage.do("edge", failed.failure.fixes[0].options).failed


def _one_of(op: str) -> str:
    rule = known_operators().dtypes_of(op)
    assert rule is not None
    return f"one of {', '.join(rule.allowed('self'))}"


@case(Remedy.DTYPE)
def dtype() -> None:
    small = X.to(torch.float8_e5m2)
    relu = _one_of("aten::relu")
    suggests(failing(root(torch.relu, small).edge), Remedy.DTYPE, argument="self", dtypes=relu)
    cast = failing(root(lambda x: torch.relu(x.float()), small).edge)
    some = "a supported dtype, such as float32"
    suggests(cast, Remedy.DTYPE, argument="self", dtypes=some)
    assert not root(torch.relu, small.float()).edge().failed
    integers = X.to(torch.int16)
    softmax = _one_of("aten::_softmax")
    assert "float32" in softmax
    assert "float32" in relu
    suggests(
        failing(root(lambda x: x.softmax(-1), integers).edge),
        Remedy.DTYPE,
        argument="self",
        dtypes=softmax,
    )
    assert not root(lambda x: x.float().softmax(-1), integers).edge().failed


@case(Remedy.COMPLEX)
def complex_numbers() -> None:
    def parts(x: torch.Tensor) -> torch.Tensor:
        return ((x @ angles.cos()).square() + (x @ angles.sin()).square()).sqrt()

    angles = torch.arange(4)[:, None] * torch.arange(3) * 2 * math.pi / 4
    suggests(failing(root(lambda x: torch.fft.rfft(x).abs()).edge), Remedy.COMPLEX)
    assert not root(parts).edge().executorch().failed
    torch.testing.assert_close(parts(X), torch.fft.rfft(X).abs())


class Masked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.linear = nn.MultiheadAttention(16, 4, batch_first=True), nn.Linear(16, 16)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        y, _ = self.attention(x, x, x, attn_mask=mask, need_weights=False)
        return self.linear(y).masked_fill(x < 0, 0.0)


@case(Remedy.BEFORE_EDGE)
def before_edge() -> None:
    stage = root(Masked(), torch.randn(2, 6, 16), torch.zeros(6, 6))
    suggests(failing(stage.edge().backend), Remedy.BEFORE_EDGE, stage=stage.name)
    assert not stage.backend().failed


@pytest.mark.nightly
def test_no_stage_is_suggested_that_would_undo_another_step() -> None:
    """The stage before a transform has another program, and an edge program alone has no earlier stage."""
    stage = root(Masked(), torch.randn(2, 6, 16), torch.zeros(6, 6))
    core = stage.decompose().transform(lambda module: None, name="passed")
    edge = stage.edge()
    passed = edge.transform(lambda module: None)
    for start in (core.edge(), passed, exir_viz.Session(edge.live.manager)):
        failed = failing(start.backend)
        assert "Run this step on the stage" not in str(failed)


class Reduced(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.max(dim=2).values + 1


def test_a_call_that_a_backend_refuses_either_way_has_no_advice_to_change_the_stage() -> None:
    stage = root(Reduced(), torch.randn(1, 4, 3, 3))
    for start in (stage.edge(), stage):
        failed = failing(start.backend)
        assert "Run this step on the stage" not in str(failed)
        assert not failed.failure.fixes


@case(Remedy.EDGE_FIRST)
def edge_first() -> None:
    """Where to_edge_transform_and_lower fails, and the two calls after each other do not."""
    for stage in (root(lambda x: functional.max_pool2d(x, 2), IMAGE), root(Branches(is_inside=True))):
        failed = failing(stage.backend)
        suggests(failed, Remedy.EDGE_FIRST)
        again = stage.do("backend", failed.failure.fixes[0].options)
        assert not again.failed
        assert again.snapshot.text() == stage.edge().backend().snapshot.text()
        assert not stage.backend(edge_first=True).failed


@case(Remedy.FINITE)
def finite() -> None:
    most = torch.finfo(torch.float32).max
    suggests(failing(root(lambda x: functional.pad(x, (1, 1), value=math.inf)).backend), Remedy.FINITE)
    assert not root(lambda x: functional.pad(x, (1, 1), value=most)).backend().failed


@case(Remedy.SUPPORTED_OPS)
def supported_ops() -> None:
    stays(root(lambda x: x.cumsum(1)).backend(), "aten.cumsum.default", Remedy.SUPPORTED_OPS, title="XNNPACK")
    sums = nn.Linear(4, 4, bias=False)
    sums.weight.data = torch.ones(4, 4).tril()
    torch.testing.assert_close(sums(X), X.cumsum(1))
    goes(root(sums).backend(), "aten.linear.default")


class Branches(nn.Module):
    def __init__(self, is_inside: bool) -> None:
        super().__init__()
        self.linear, self.is_inside = nn.Linear(4, 4), is_inside

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x if self.is_inside else self.linear(x)
        call = self.linear if self.is_inside else torch.clone
        return torch.cond(x.sum() > 0, call, lambda y: -call(y), (y,))


@case(Remedy.OUT_OF_BRANCH)
def out_of_branch() -> None:
    inside = root(Branches(is_inside=True))
    suggests(failing(inside.backend), Remedy.OUT_OF_BRANCH)
    stays(inside.edge().backend(), "aten.addmm.default", Remedy.OUT_OF_BRANCH)
    goes(root(Branches(is_inside=False)).backend(), "aten.linear.default", "aten.addmm.default")


class Picky(XnnpackPartitioner):
    """It leaves what would be a delegate of one call."""

    def generate_partitions(self, ep: torch.export.ExportedProgram) -> list[Any]:
        return [one for one in super().generate_partitions(ep) if len(one.nodes) > 1]


@case(Remedy.SECOND_BACKEND)
def second_backend() -> None:
    stage = root(torch.abs)
    stays(stage.backend(Picky()), "aten.abs.default", Remedy.SECOND_BACKEND)
    goes(stage.backend([Picky(), "xnnpack"]), "aten.abs.default")


@case(Remedy.COMPARE_LIMITS)
def compare_limits() -> None:
    every_second = root(lambda x: x[:, ::2].abs()).backend()
    stays(every_second, "aten.slice_copy.Tensor", Remedy.COMPARE_LIMITS, title="XNNPACK")
    goes(root(lambda x: x[:, :2].abs()).backend(), "aten.slice_copy.Tensor")


@case(Remedy.AS_STATED)
def as_stated() -> None:
    stays(root(lambda x: x.mean((2, 3)), IMAGE).backend(), "aten.mean.dim", Remedy.AS_STATED)
    goes(root(lambda x: x.mean((2, 3), keepdim=True), IMAGE).backend(), "aten.mean.dim")


@case(Remedy.PARAMETER)
def parameter() -> None:
    computed = root(lambda x: functional.linear(x, (x.T @ x) * 1.5)).backend()
    stays(computed, "aten.mm.default", Remedy.PARAMETER)
    goes(root(nn.Linear(4, 4)).backend(), "aten.linear.default", "aten.mm.default")


@case(Remedy.FLOAT)
def floats() -> None:
    half = torch.ones(2, 3, 3, dtype=torch.bfloat16)
    stays(root(torch.bmm, half, half).backend(), "aten.bmm.default", Remedy.FLOAT)
    goes(root(lambda a, b: torch.bmm(a.float(), b.float()), half, half).backend(), "aten.bmm.default")


@case(Remedy.PRECISION)
def precision() -> None:
    quantized = root(nn.Linear(4, 4)).quantize()
    only_floats = XnnpackPartitioner(config_precisions=ConfigPrecisionType.FP32)
    op = "quantized_decomposed.quantize_per_tensor.default"
    stays(quantized.backend(only_floats), op, Remedy.PRECISION)
    goes(quantized.backend(XnnpackPartitioner(config_precisions=ConfigPrecisionType.STATIC_QUANT)), op)


@case(Remedy.STATIC)
def static() -> None:
    upsample = nn.Upsample(scale_factor=2, mode="bilinear")
    varying = root(upsample, IMAGE, dynamic_shapes=({2: Dim("height", min=4, max=16)},))
    stays(varying.backend(), "aten.upsample_bilinear2d.vec", Remedy.STATIC)
    goes(root(upsample, IMAGE).backend(), "aten.upsample_bilinear2d.vec")


def without_traces(module: torch.fx.GraphModule) -> None:
    for node in module.graph.nodes:
        node.meta.pop("stack_trace", None)


@case(Remedy.NO_TRACES)
def no_traces() -> None:
    stage = root(lambda x: torch.relu(x) + 1).edge().transform(without_traces)
    failed = failing(stage.executorch, emit_stacktrace=True)
    suggests(failed, Remedy.NO_TRACES)
    assert not stage.do("executorch", failed.failure.fixes[0].options).failed


@case(Remedy.OUT_VARIANT)
def out_variant() -> None:
    twice = torch.library.Library("exir_viz_remedies", "DEF")
    twice.define("twice(Tensor x) -> Tensor")
    twice.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
    suggests(failing(root(torch.ops.exir_viz_remedies.twice).edge().executorch), Remedy.OUT_VARIANT)
    twice.define("twice.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    twice.impl("twice.out", lambda x, *, out: out.copy_(x * 2), "CompositeExplicitAutograd")
    assert not root(torch.ops.exir_viz_remedies.twice).edge().executorch().failed
    assert not root(lambda x: x * 2).edge().executorch().failed


@case(Remedy.QUANTIZED_KERNELS)
def quantized_kernels() -> None:
    """In a process of its own, as an import cannot be undone."""
    code = """if True:
        import torch
        from exir_viz import Session, reports
        from exir_viz.errors import StepFailed

        edge = Session(torch.nn.Linear(3, 4), torch.randn(2, 3)).quantize().edge()
        try:
            edge.executorch()
        except StepFailed as error:
            print(*{one.remedy for one in error.stage.failure.findings})
        import executorch.kernels.quantized
        print(edge.executorch().pte[4:8])
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [Remedy.QUANTIZED_KERNELS, "b'ET12'"]


@case(Remedy.TENSOR_OUTPUT)
def tensor_output() -> None:
    suggests(failing(Session(exported("db:scalar_output")).edge().executorch), Remedy.TENSOR_OUTPUT)
    assert not root(lambda x: torch.tensor(x.shape[1] + 1)).edge().executorch().failed


class Cache(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("cache", torch.zeros(1, 8, 4))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.cache[:, position] = self.linear(x)
        return self.cache * 1


@case(Remedy.NO_GRADIENTS)
def no_gradients() -> None:
    inputs = torch.randn(1, 1, 4), torch.tensor([3])
    edge = root(Cache(), *inputs).edge()
    suggests(failing(edge.executorch), Remedy.NO_GRADIENTS)
    with torch.no_grad():
        assert not root(Cache(), *inputs).edge().executorch().failed
    assert not root(Cache().requires_grad_(False), *inputs).edge().executorch().failed


@case(Remedy.LOOP)
def loop() -> None:
    def unrolled(x: torch.Tensor) -> torch.Tensor:
        for step in range(3):
            x = x * 2 + step
        return x

    suggests(failing(Session(exported("while_loop")).edge().executorch), Remedy.LOOP)
    assert not Session(exported("scan_op")).edge().executorch().failed
    assert not root(unrolled).edge().executorch().failed


class Lookup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.linear = nn.Embedding(16, 4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.embedding(torch.cat([x, x * 2 + 1], 0) % 16) * 0.5)


@case(Remedy.OBSERVE_FLOATS)
def observe_floats() -> None:
    own = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    stage = root(Lookup(), torch.tensor([1, 2, 3]))
    suggests(failing(stage.quantize, quantizer=own), Remedy.OBSERVE_FLOATS, dtype="int64")
    assert not stage.quantize().failed


@case(Remedy.KEEP_INTEGERS)
def keep_integers() -> None:
    own = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    weight = torch.ones(4, 4)
    positions = torch.tensor([1, 2, 3])
    stage = root(lambda x: functional.linear(weight[(x * 2).to(torch.long) % 4], weight), positions)
    failed = failing(stage.quantize, quantizer=own)
    suggests(failed, Remedy.KEEP_INTEGERS)
    assert "_assert_tensor_metadata" in failed.failure.findings[0].node
    assert failed.failure.findings[0].frame is not None
    assert not stage.quantize().failed


@case(Remedy.LIKE_EXAMPLES)
def like_examples() -> None:
    stage = root(nn.Linear(4, 4))
    for wrong in (X.long(), X[0], [(X, X)], [{"nope": X}]):
        suggests(failing(stage.quantize, wrong), Remedy.LIKE_EXAMPLES)
    assert not stage.quantize([X, torch.zeros_like(X)]).failed


@case(Remedy.QUANTIZE_EXPORTED)
def quantize_exported() -> None:
    stage = root(nn.Linear(4, 4))
    suggests(failing(stage.decompose().quantize), Remedy.QUANTIZE_EXPORTED)
    assert not stage.quantize().failed


class Sines(Quantizer):
    """Quantizes the inputs and outputs of sines."""

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        spec = xnnpack.get_symmetric_quantization_config().input_activation
        for node in model.graph.nodes:
            if node.target == torch.ops.aten.sin.default:
                node.meta["quantization_annotation"] = QuantizationAnnotation({node.args[0]: spec}, spec)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None: ...


@case(Remedy.DECOMPOSE_FIRST)
def decompose_first() -> None:
    stage = root(nn.RNN(4, 4))
    suggests(failing(stage.quantize), Remedy.DECOMPOSE_FIRST, op="aten.rnn_tanh.input")
    assert not stage.decompose().quantize().failed
    suggests(failing(stage.quantize, dynamic=True), Remedy.LEAVE_FLOAT)


@case(Remedy.LEAVE_FLOAT)
def leave_float() -> None:
    stage = root(torch.sin)
    suggests(failing(stage.quantize), Remedy.LEAVE_FLOAT)
    assert not stage.backend().executorch().failed
    assert not stage.quantize(quantizer=Sines()).failed


@pytest.mark.parametrize("remedy", Remedy, ids=lambda one: one.name.lower())
def test_a_remedy_works(
    remedy: Remedy, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And nothing is printed, neither by Python nor by C++ code."""
    # ExecuTorch 1.5 writes infinities as flatc reads them: not here
    monkeypatch.setattr(_flatbuffer, "_replace_non_finite_in_json", bytes, raising=False)
    assert remedy in CASES, f"add a case that applies {remedy.name}"
    CASES[remedy]()
    assert capfd.readouterr() == ("", "")


def test_remedies_are_written_in_one_place() -> None:
    folder = Path(exir_viz.__file__).parent / "stages" / "steps"
    found = [
        f"{file.name}:{one.lineno}"
        for file in sorted(folder.rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text()))
        if isinstance(call, ast.Call)
        for one in _remedies(call)
        if isinstance(one, ast.Constant | ast.JoinedStr) and ast.unparse(one) not in ("''", '""')
    ]
    assert found == []


def _remedies(call: ast.Call) -> list[ast.expr]:
    """What a call passes as a remedy, or as the title of a fix."""
    name = re.sub(r".*\.", "", ast.unparse(call.func))
    keywords = [one.value for one in call.keywords if one.arg == "remedy"]
    if name == "OptionsFix":
        return [*keywords, *call.args[:1]]
    return [*keywords, *(call.args[2:3] if name in ("finding", "explained") else ())]
