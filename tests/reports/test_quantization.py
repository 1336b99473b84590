"""The report on quantization, of real quantized programs: how ops compute, reasons, numbers, warnings."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import exir_viz
from exir_viz import Session
from exir_viz.reports import Outcome, Report, Row, Section, run
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


# Sections whose rows are ops.
STATUSES = ("float between integers", "float", "weights only", "dynamic", "quantized", "integer")


def quantization(x: object, values: object = None) -> Report:
    return run("quantization", x) if values is None else run("quantization", x, values=values)


def section(report: Report, title: str) -> Section:
    return next(one for one in report.sections if one.title == title)


def op_rows(report: Report) -> Iterator[tuple[str, Row]]:
    """Each row of ops with how they compute."""
    for one in report.sections:
        if one.title in STATUSES:
            yield from ((one.title, row) for row in one.rows)


def statuses(report: Report) -> dict[str, str]:
    return {row.title.split(".")[1]: status for status, row in op_rows(report)}


def row_of(report: Report, op: str) -> Row:
    return next(row for _, row in op_rows(report) if f".{op}." in row.title)


def texts(row: Row) -> dict[str, str]:
    """How the first op of a row is quantized: "←", "weights", "→" and "SNR" with the rest."""
    return dict(part.split(" ", 1) for part in row.texts[0].split("; ") if part)


def warned(report: Report) -> list[Row]:
    return list(report.rows("warning"))


def by_module(report: Report) -> dict[str, dict[str, object]]:
    found = section(report, "modules")
    names = [column.name for column in found.columns]
    return {row.title: dict(zip(names, row.values, strict=True)) for row in found.rows}


def test_a_quantized_program() -> None:
    report = quantization(session()["quantized"])
    assert statuses(report) == {
        "conv2d": "quantized", "relu": "quantized", "mean": "quantized", "linear": "quantized",
        "layer_norm": "float between integers", "softmax": "float",
    }  # fmt: skip
    assert "Quantizers do not support it" in row_of(report, "layer_norm").reason
    assert row_of(report, "softmax").reason == "Its result is not quantized and is an output of the program."
    assert warned(report) == []
    assert report.outcome is Outcome.NOTE
    assert report.headline == "6 ops: 4 quantized, 1 float between integers, 1 float"
    assert by_module(report)["conv"]["quantized"] == 1


def test_facts_and_colours_have_the_nodes_of_each_status_once() -> None:
    report = quantization(session()["quantized"])
    assert {fact.label: (fact.text, len(fact.nodes)) for fact in report.facts} == {
        "quantized": ("4 ops", 4), "float between integers": ("1 op", 1), "float": ("1 op", 1),
    }  # fmt: skip
    colored = [node for category in report.overlay for node in category.nodes]
    listed = [node for _, row in op_rows(report) for node in row.nodes]
    assert sorted(colored) == sorted(set(listed)) == sorted(listed)
    titles = [one.title for one in report.sections]
    assert titles == ["float between integers", "float", "quantized", "modules"]


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
        report = quantization(made.quantize([inputs]))
    results = {
        title: {text.rpartition("→ ")[2].partition(";")[0] for text in row.texts if "→" in text}
        for title, row in ((row.title, row) for _, row in op_rows(report))
    }
    modules = by_module(report)
    assert modules["(no module)"]["result"] == "2 different"
    assert {modules["first"]["result"], modules["second"]["result"]} == results["aten.linear.default"]


def test_a_result_that_is_quantized_for_some_readers_is_not_called_unquantized() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stage = Session(Shared().eval(), torch.randn(2, 3, 8)).quantize([(torch.randn(2, 3, 8),)])
    assert row_of(quantization(stage), "cumsum").reason == (
        "Not quantized: no input is dequantized, and topk reads its result in float."
    )


def test_scales_per_channel_are_those_of_the_program() -> None:
    """A stage has a program, whose state has the scales; a file has their number."""
    stage = session()["quantized"]
    conv = texts(row_of(quantization(stage), "conv2d"))
    scales = next(
        held for name, held in stage.program.state_dict.items() if "_scale_" in name and len(held) == 8
    )
    low, high = scales.min().item(), scales.max().item()
    assert conv["weights"] == (
        f"int8 per channel, 8 scales from {low:.4g} to {high:.4g}, zero point 0, axis 0"
    )
    recorded = texts(row_of(quantization(decode(encode(stage.snapshot))), "conv2d"))
    assert recorded["weights"] == "int8 per channel, 8 scales, axis 0"
    assert conv["←"].startswith("int8 per tensor, scale ")
    assert conv["→"].startswith("int8 per tensor, scale ")  # the relu's: both are computed together


def test_a_lowered_program_says_what_its_payloads_and_the_runtime_compute() -> None:
    lowered = next(
        stage for stage in session().stages if stage.step is not None and stage.step.kind == "backend"
    )
    report = quantization(lowered)
    assert statuses(report) == {
        "convolution": "integer", "relu": "integer", "linear": "integer",
        "mean": "float between integers", "native_layer_norm": "float between integers", "_softmax": "float",
    }  # fmt: skip
    assert row_of(report, "mean").reason.startswith("No backend accepted it")
    # in execution order: the ops of a delegate where it is called
    assert list(by_module(report)) == ["conv", "(no module)", "norm", "head"]
    executorch = quantization(session().current)
    assert list(statuses(executorch).values()) == list(statuses(report).values())
    assert not any("alloc" in row.reason for row in executorch.rows())


def test_a_dynamic_quantization_has_scales_at_run_time() -> None:
    report = quantization(session(dynamic=True).current)
    assert statuses(report)["linear"] == "dynamic"
    assert statuses(report)["conv2d"] == "float"
    linear = texts(row_of(report, "linear"))
    assert linear["←"] == "int8 dynamic per tensor"
    assert ", 4 scales from " in linear["weights"]
    lowered = quantization(session(dynamic=True).current.backend("xnnpack"))
    assert statuses(lowered)["linear"] == "dynamic"


@pytest.mark.parametrize("release", sorted(path.name for path in WILD.glob("executorch-*")))
def test_a_pte_has_its_payloads_alone(release: str) -> None:
    report = quantization(WILD / release / "quantized.pte")
    (row,) = section(report, "integer").rows
    assert row.title == "XNNPACK 1: FullyConnected"
    assert "weights qint8 " in row.texts[0]
    snapshot = exir_viz.load(WILD / release / "quantized.pte")
    assert set(row.nodes) <= {node.id for node in snapshot.method.graph if node.subgraphs}
    assert ", scale " in texts(row)["→"]
    assert ["a .pte has only payloads" in text for text in report.unexamined] == [True]


def test_a_program_that_is_not_quantized_says_so() -> None:
    for program in (session().root, WILD / "executorch-1.5.1" / "linear.pte"):
        report = quantization(program)
        assert report.headline == "Not quantized: no quantize op and no integer weights"
        assert (report.outcome, report.sections, report.overlay) == (Outcome.FINE, (), ())


class Pairs(nn.Module):
    """Quantize and dequantize ops that no op uses: each float op has floats on one side."""

    def forward(self, x: Tensor) -> Tensor:
        ops = torch.ops.quantized_decomposed
        q = ops.quantize_per_tensor(torch.exp(x), 1.0, 0, -128, 127, torch.int8)
        return torch.log(ops.dequantize_per_tensor(q, 1.0, 0, -128, 127, torch.int8))


def test_pairs_around_float_ops_are_not_counted_as_integers() -> None:
    import torch.ao.quantization.fx._decomposed  # it registers the ops

    report = quantization(torch.export.export(Pairs(), (torch.ones(2),)))
    assert set(statuses(report).values()) == {"float"}
    assert report.outcome is Outcome.WARNING
    nothing, observers = warned(report)
    assert nothing.title == "Quantization changed nothing"
    assert nothing.reason == "All 2 ops compute in float, and 1 quantize op costs time on top."
    assert observers.title == "Scale 1 and zero point 0"
    assert [node.rpartition("/")[2] for node in observers.nodes] == ["quantize_per_tensor"]


def test_observers_without_data_are_named() -> None:
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

    x = (torch.ones(1, 3, 8, 8),)
    quantizer = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(Net().eval(), x).module(), quantizer)
    before = quantization(prepared)
    assert [row.title.endswith("observers without data") for row in warned(before)] == [True]
    assert before.outcome is Outcome.WARNING
    prepared(*x)
    assert warned(quantization(prepared)) == []


def test_signal_to_noise_comes_from_compared_values() -> None:
    made = session()
    values = exir_viz.diff(made.root, made["quantized"]).values()
    report = quantization(made["quantized"], values)
    (conv,) = row_of(report, "conv2d").values
    assert isinstance(conv, float)
    assert conv > 10
    assert f"{conv:.0f} dB" in texts(row_of(report, "conv2d"))["SNR"]
    assert by_module(report)["conv"]["least SNR"] == conv
    outside = {"relu", "mean", "softmax"}  # the others are in modules
    known = [row_of(report, op).values[0] for op in outside]
    assert by_module(report)["(no module)"]["least SNR"] == min(known)  # type: ignore[type-var]
    assert "SNR" not in quantization(made["quantized"]).text(None)
    # of a lowered program: ops whose results leave their delegate, and those outside of delegates
    lowered = made["xnnpack"]
    found = exir_viz.diff(made.root, lowered).values(executor="executorch")
    rows = [row for _, row in op_rows(quantization(lowered, found))]
    assert {row.title.split(".")[1] for row in rows if row.values[0] is not None} >= {
        "relu", "native_layer_norm", "_softmax",
    }  # fmt: skip


class Repeated(nn.Module):
    """Three products that are less and less precise: each adds the noise of the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(8, 8) for _ in range(3)))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


def test_of_the_ops_of_a_row_the_noisiest_is_first() -> None:
    torch.manual_seed(0)
    inputs = (torch.randn(4, 8),)
    made = Session(Repeated().eval(), *inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantized = made.quantize([inputs])
    row = row_of(quantization(quantized, exir_viz.diff(made.root, quantized).values()), "linear")
    ratios = [float(text.rpartition("SNR ")[2].removesuffix(" dB")) for text in row.texts]
    assert len(ratios) == 3
    assert ratios == sorted(ratios)
    assert row.values == (pytest.approx(ratios[0], abs=0.5),)


def test_the_ratio_is_that_of_plain_torch() -> None:
    """20·log10(|float| / |float - quantized|) of each op, both modules run in plain torch."""
    made = session()
    x = torch.linspace(-2, 2, 192).reshape(1, 3, 8, 8).sin()
    values = exir_viz.diff(made.root, made["quantized"]).values(x)
    rows = [row for _, row in op_rows(quantization(made["quantized"], values))]
    there, ours = (_results(stage.program, x) for stage in (made.root, made["quantized"]))
    assert len(rows) == 6
    for row in rows:
        name = row.nodes[0].rpartition("/")[2]
        (reference,) = (value for other, value in there.items() if other == name)
        error = (reference - ours[name]).double().norm()
        expected = 20 * (reference.double().norm() / error).log10().item()
        assert row.values == (pytest.approx(expected, abs=0.01),)


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


@pytest.mark.nightly
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
    found = statuses(quantization(lowered))
    assert found["addmm"] == "float between integers"
    assert "quantized" not in found.values()
