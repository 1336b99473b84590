"""The quantization report on real quantized programs: statuses, reasons, numbers, warnings."""

from __future__ import annotations

import json
import logging
import warnings
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import exir_viz
from exir_viz import Session, cli
from exir_viz.quantization_report.page import page_quantization
from exir_viz.quantization_report.records import OpStatus, number_text
from exir_viz.quantization_report.report import QuantizationReport
from exir_viz.snapshot.wire import decode, encode

for noisy in ("torchao", "torch.utils._pytree"):
    logging.getLogger(noisy).setLevel(logging.ERROR)

WILD = Path(__file__).parents[1] / "readers" / "wild"


class Net(nn.Module):
    """A convolution with its activation, a layer norm that quantizers leave in float, and a last softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(self.head(self.norm(torch.relu(self.conv(x)).mean((2, 3)))), -1)


@cache
def session(dynamic: bool = False) -> Session:
    """Quantized; the static one is lowered to XNNPACK and ExecuTorch too."""
    torch.manual_seed(0)
    inputs = (torch.randn(1, 3, 8, 8),)
    made = Session(Net().eval(), *inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.quantize([inputs], dynamic=dynamic)
        if not dynamic:
            made.backend("xnnpack")
            made.executorch()
    return made


def statuses(report: QuantizationReport) -> dict[str, str]:
    return {row.op.split(".")[1]: row.status.value for row in report}


def test_a_quantized_program() -> None:
    report = exir_viz.quantization(session()["quantized"])
    assert statuses(report) == {
        "conv2d": "quantized", "relu": "quantized", "mean": "quantized", "layer_norm": "between",
        "linear": "quantized", "softmax": "float",
    }  # fmt: skip
    reasons = {row.op: row.reason for row in report}
    assert "Quantizers do not support it" in reasons["aten.layer_norm.default"]
    assert reasons["aten.softmax.int"] == "Its result is not quantized and is an output of the program."
    assert report.warnings == ()
    assert report.is_quantized
    assert [row["quantized"] for row in report.modules().records() if row["module"] == "conv"] == [1]


class Shared(nn.Module):
    """A mean that a quantized linear and a top-k read: the top-k as it is, in float."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        rows = torch.softmax(x, -1).cumsum(1)
        return self.head(rows), torch.topk(rows, 2).values


class TwoActivations(nn.Module):
    """Its activations are in no module of their own, and have results of different scales."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.second(torch.relu(self.first(x)))).mean(-1)


def test_a_line_of_a_module_claims_no_result_that_only_one_of_its_ops_has() -> None:
    torch.manual_seed(0)
    inputs = (torch.randn(4, 8),)
    made = Session(TwoActivations().eval(), *inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = exir_viz.quantization(made.quantize([inputs]))
    lines = {line.split()[0]: line for line in str(report).splitlines() if line and line[0] != " "}
    by_module: dict[str, set[str]] = {}
    for row in report:
        by_module.setdefault(row.module, set()).update({number_text(row.output)} - {""})
    assert len(by_module[""]) == 2
    for module, texts in by_module.items():
        assert lines[module or "(no"].endswith("2 different" if len(texts) == 2 else min(texts))


def test_a_result_that_is_quantized_for_some_readers_is_not_called_unquantized() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stage = Session(Shared().eval(), torch.randn(2, 3, 8)).quantize([(torch.randn(2, 3, 8),)])
    reasons = {row.op.split(".")[1]: row.reason for row in exir_viz.quantization(stage)}
    assert reasons["cumsum"] == (
        "Not quantized: no input is dequantized, and topk reads its result in float."
    )


def test_scales_per_channel_are_those_of_the_program() -> None:
    """A stage has a program, whose state has the scales; a file has their number."""
    stage = session()["quantized"]
    conv = exir_viz.quantization(stage)[0]
    (weights,) = conv.weights
    assert (weights.dtype, weights.numbers.scheme, weights.numbers.axis) == ("int8", "per channel", 0)
    program = stage.program
    scales = next(held for name, held in program.state_dict.items() if "_scale_" in name and len(held) == 8)
    assert list(weights.numbers.scales) == pytest.approx(scales.tolist())
    assert set(weights.numbers.zero_points) == {0}
    assert (weights.low, weights.high) == (-127, 127)
    (recorded,) = exir_viz.quantization(decode(encode(stage.snapshot)))[0].weights
    assert (recorded.numbers.count, recorded.numbers.scales) == (8, ())
    inputs, output = conv.inputs[0].numbers, conv.output
    assert (inputs.scheme, inputs.count, len(inputs.scales), len(inputs.zero_points)) == (
        "per tensor",
        1,
        1,
        1,
    )
    assert output is not None  # the relu's: it is computed together with the convolution


def test_a_lowered_program_says_what_its_payloads_and_the_runtime_compute() -> None:
    lowered = next(
        stage for stage in session().stages if stage.step is not None and stage.step.kind == "backend"
    )
    report = exir_viz.quantization(lowered)
    assert statuses(report) == {
        "convolution": "integer", "relu": "integer", "mean": "between", "native_layer_norm": "between",
        "linear": "integer", "_softmax": "float",
    }  # fmt: skip
    mean = next(row for row in report if ".mean." in row.op)
    assert mean.reason.startswith("No backend accepted it")
    # in execution order: the ops of a delegate where it is called
    assert [row["module"] for row in report.modules().records()] == ["conv", "", "norm", "head"]
    executorch = exir_viz.quantization(session().current)
    assert list(statuses(executorch).values()) == list(statuses(report).values())
    assert not any("alloc" in row.reason for row in executorch)


def test_a_dynamic_quantization_has_scales_at_run_time() -> None:
    report = exir_viz.quantization(session(dynamic=True).current)
    assert statuses(report)["linear"] == "dynamic"
    assert statuses(report)["conv2d"] == "float"
    linear = next(row for row in report if ".linear." in row.op)
    assert [one.numbers.scheme for one in linear.inputs] == ["dynamic per tensor"]
    assert linear.weights[0].numbers.count == 4
    lowered = exir_viz.quantization(session(dynamic=True).current.backend("xnnpack"))
    assert statuses(lowered)["linear"] == "dynamic"


@pytest.mark.parametrize("release", sorted(path.name for path in WILD.glob("executorch-*")))
def test_a_pte_has_its_payloads_alone(release: str) -> None:
    report = exir_viz.quantization(WILD / release / "quantized.pte")
    (row,) = (one for one in report if one.op == "XNNPACK 1: FullyConnected")
    assert row.status == "integer"
    assert row.weights[0].dtype == "qint8"
    assert row.node in {f"forward/{node.name}" for node in report.snapshot.method.graph if node.subgraphs}
    assert row.output is not None
    assert row.output.numbers.count == 1


def test_a_program_that_is_not_quantized_says_so() -> None:
    report = exir_viz.quantization(session().root)
    assert not report.is_quantized
    assert report.warnings == ("The program is not quantized: it has no quantize op and no integer weights.",)
    assert page_quantization(session().root.snapshot) is None
    assert exir_viz.quantization(WILD / "executorch-1.5.1" / "linear.pte").warnings == report.warnings


class Pairs(nn.Module):
    """Quantize and dequantize ops that no op uses: each float op has floats on one side."""

    def forward(self, x: Tensor) -> Tensor:
        ops = torch.ops.quantized_decomposed
        q = ops.quantize_per_tensor(torch.exp(x), 1.0, 0, -128, 127, torch.int8)
        return torch.log(ops.dequantize_per_tensor(q, 1.0, 0, -128, 127, torch.int8))


def test_pairs_around_float_ops_are_not_counted_as_integers() -> None:
    import torch.ao.quantization.fx._decomposed  # it registers the ops

    report = exir_viz.quantization(torch.export.export(Pairs(), (torch.ones(2),)))
    assert set(statuses(report).values()) == {"float"}
    nothing, observers = report.warnings
    assert (
        nothing
        == "Quantization changed nothing: all 2 ops compute in float, and 1 quantize op costs time on top."
    )
    assert "scale 1 and zero point 0, as observers give without data" in observers


def test_observers_without_data_are_named() -> None:
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

    x = (torch.ones(1, 3, 8, 8),)
    quantizer = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(Net().eval(), x).module(), quantizer)
    before = exir_viz.quantization(prepared).warnings
    assert ["no data: run the prepared module" in text for text in before] == [True]
    prepared(*x)
    assert not any("no data" in text for text in exir_viz.quantization(prepared).warnings)


def test_signal_to_noise_comes_from_compared_values() -> None:
    made = session()
    values = exir_viz.compare_values(made.root, made["quantized"])
    report = exir_viz.quantization(made["quantized"], values)
    ratios = {row.op: row.snr for row in report}
    conv = ratios["aten.conv2d.default"]
    assert conv is not None
    assert conv > 10
    least = {row["module"]: row["snr"] for row in report.modules().records()}
    assert least[""] == min(row.snr for row in report if row.module == "" and row.snr is not None)
    (line,) = (line for line in str(report).splitlines() if line.startswith("conv "))
    assert f"{conv:.0f} dB" in line or f"{conv:.1f} dB" in line
    without = exir_viz.quantization(made["quantized"])
    assert without[0].snr is None
    assert "SNR" not in str(without)
    # of a lowered program: ops whose results leave their delegate, and those outside of delegates
    lowered = made["xnnpack"]
    found = exir_viz.compare_values(made.root, lowered, executor="executorch")
    known = {row.op.split(".")[1] for row in exir_viz.quantization(lowered, found) if row.snr is not None}
    assert known >= {"relu", "native_layer_norm", "_softmax"}


def test_the_ratio_is_that_of_plain_torch() -> None:
    """20·log10(|float| / |float - quantized|) of each op, both modules run in plain torch."""
    made = session()
    x = torch.linspace(-2, 2, 192).reshape(1, 3, 8, 8).sin()
    values = exir_viz.compare_values(made.root, made["quantized"], x)
    shown = {row.op: row.snr for row in exir_viz.quantization(made["quantized"], values)}
    there, ours = (_results(stage.program, x) for stage in (made.root, made["quantized"]))
    names = {row.op: row.node.rpartition("/")[2] for row in exir_viz.quantization(made["quantized"])}
    assert len(shown) == 6
    for op, name in names.items():
        (reference,) = (value for other, value in there.items() if other == name)
        error = (reference - ours[name]).double().norm()
        assert shown[op] == pytest.approx(20 * (reference.double().norm() / error).log10().item(), abs=0.01)


def _results(program: torch.export.ExportedProgram, x: Tensor) -> dict[str, Tensor]:
    """What each node of a program computes, by its name."""
    found: dict[str, Tensor] = {}

    class Keeping(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> object:
            value = super().run_node(n)
            if isinstance(value, Tensor):
                found[n.name] = value.clone()
            return value

    state = {**program.state_dict, **program.constants}
    given = (x if spec.target is None else state[spec.target] for spec in program.graph_signature.input_specs)
    with torch.no_grad():
        Keeping(program.graph_module).run(*given)
    return found


@pytest.fixture
def quantized_file(tmp_path: Path) -> Path:
    return session()["quantized"].snapshot.save(tmp_path / "quantized.exirviz")


def test_the_command(quantized_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["quantization", str(quantized_file)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("6 ops: 4 quantized, 1 float between integers, 1 float.")
    assert cli.main(["quantization", str(quantized_file), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 6


def test_what_a_page_shows() -> None:
    snapshot = session()["quantized"].snapshot
    found = page_quantization(snapshot)
    assert found is not None
    assert found.counts == (("quantized", 4), ("float between integers", 1), ("float", 1))
    assert [row.status for row in found.rows][:2] == ["between", "float"]
    assert sum(len(row.nodes) for row in found.rows) == found.ops == 6


def test_what_the_payload_computes_in_float_is_not_called_quantized() -> None:
    """Lowered by the steps edge and backend, XNNPACK computes these layers in float."""
    layer = nn.Linear(4, 4)
    inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    model = nn.Sequential(layer, inner, layer, inner)
    lowered = Session(model, torch.randn(2, 4)).quantize().edge().backend()
    delegates = [graph for graph in lowered.snapshot.graphs if graph.payload is not None]
    products = [
        {payload.tensors[at].dtype for at in (*op.inputs, *op.outputs)}
        for graph in delegates
        if (payload := graph.payload) is not None
        for op in payload.ops
        if op.type == "FullyConnected"
    ]
    assert products
    assert all("float32" in one for one in products)
    found = exir_viz.quantization(lowered)
    assert {row.status for row in found if row.op == "aten.addmm.default"} == {OpStatus.BETWEEN}
    assert OpStatus.QUANTIZED not in {row.status for row in found}
