"""Seeded divergences: a fault, the net it is in, and the smallest region that a bisection must report.

"backend" faults are made each time when XNNPACK lowers something, as an error of a backend is. "payload"
faults are in the bytes of one delegate alone, as after a conversion that went wrong. "kernel" faults are in
the runtime's kernel of a custom op.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import nn

from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from tests.corpus.programs import ROOT

from .custom_kernel import gate
from .faults import Fault, fault


class Cnn(nn.Module):
    """Four convolutions, a pool and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 12, 3, padding=1)
        self.deep = nn.Conv2d(12, 12, 3, padding=1, groups=12)
        self.third = nn.Conv2d(12, 16, 3, padding=1)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        x = self.gated(self.first(x).relu())
        x = self.second(x).relu() * 0.5
        x = self.third(self.deep(x)).relu()
        return self.head(x.mean((2, 3)))

    def gated(self, x):
        """A place for a custom op."""
        return x


class GatedCnn(Cnn):
    """The same with a custom op."""

    def gated(self, x):
        return torch.ops.exir_test.gate(x)


class Block(nn.Module):
    """A transformer block: attention of one head, and two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(16, 16)
        self.key = nn.Linear(16, 16)
        self.value = nn.Linear(16, 16)
        self.out = nn.Linear(16, 16)
        self.up = nn.Linear(16, 24)
        self.down = nn.Linear(24, 16)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) * 0.25
        x = x + self.out(torch.softmax(scores, -1) @ self.value(x))
        return x + self.down(nn.functional.gelu(self.up(self.gated(x))))

    def gated(self, x):
        """A place for a custom op."""
        return x


class GatedBlock(Block):
    """The same with a custom op."""

    def gated(self, x):
        return torch.ops.exir_test.gate(x)


NETS: dict[str, tuple[Callable[[], nn.Module], torch.Tensor, bool]] = {
    "cnn": (Cnn, torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8).sin(), False),
    "transformer": (Block, torch.linspace(-2, 2, 256).reshape(1, 16, 16).sin() * 2, False),
    "quantized": (Cnn, torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8).sin(), True),
    "cnn with a custom op": (GatedCnn, torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8).sin(), False),
    "transformer with a custom op": (
        GatedBlock,
        torch.linspace(-2, 2, 256).reshape(1, 16, 16).sin() * 2,
        False,
    ),
    "quantized with a custom op": (GatedCnn, torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8).sin(), True),
}


@functools.cache
def lowered(net: str) -> tuple[Stage, Stage]:
    """The program and what XNNPACK makes of it without a fault."""
    make, x, is_quantized = NETS[net]
    torch.manual_seed(0)
    session = Session(make().eval(), x)
    before = session.root.quantize() if is_quantized else session.root
    return before, before.backend("xnnpack")


# --- faults ----------------------------------------------------------------------------------------------


def changed_weight(name: str) -> Fault:
    """Some elements of each output channel of an op's weight are other numbers."""

    def change(weight: torch.Tensor) -> torch.Tensor:
        weight.flatten(1)[:, 5:8] = 0.9 if weight.is_floating_point() else 120
        return weight

    return _of_constant(name, "weight", change)


def transposed_weight(name: str) -> Fault:
    """The last two dimensions of an op's weight are exchanged."""
    return _of_constant(name, "weight", lambda weight: weight.transpose(-1, -2).contiguous())


def other_weight_scale(name: str) -> Fault:
    """The scales of an op's integer weight are half as large again."""
    return _of_constant(name, "scale", lambda scale: scale * 1.5)


def scaled_weight(name: str) -> Fault:
    """An op's weight is half as large again."""
    return _of_constant(name, "weight", lambda weight: weight * 1.5)


def other_order(name: str) -> Fault:
    """A permutation keeps the order of dimensions; the operands of a product are exchanged."""

    def change(program: Any) -> None:
        for node in _found(program, name):
            if "permute" in str(node.target):
                node.args = (node.args[0], sorted(node.args[1]))
            else:
                node.args = (node.args[1], node.args[0])

    return change


def clamped(name: str, most: float, *, only_after: str = "") -> Fault:
    """The result of an op is at most `most`; `only_after`: where that op is there too."""

    def change(program: Any) -> None:
        if only_after and not _found(program, only_after):
            return
        for node in _found(program, name):
            _limit(program.graph_module, node, most)

    return change


def _limit(module: Any, node: torch.fx.Node, most: float) -> None:
    from executorch.exir.dialects._ops import ops

    hardtanh = ops.edge.aten.hardtanh.default
    if "relu" in str(node.target):
        node.target, node.args = hardtanh, (node.args[0], 0.0, most)
    else:  # the node keeps its name: it may be an output of the program
        with module.graph.inserting_before(node):
            unlimited = module.graph.call_function(node.target, node.args, dict(node.kwargs))
        unlimited.meta = dict(node.meta)
        node.target, node.args, node.kwargs = hardtanh, (unlimited, -100.0, most), {}
    module.recompile()


def _of_constant(name: str, what: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Fault:
    def changed(program: Any) -> None:
        targets = {spec.arg.name: spec.target for spec in program.graph_signature.input_specs}
        for node in _found(program, name):
            constant = _constant(node, what)
            for table in (program.state_dict, program.constants):
                kept = table.get(targets.get(constant.name))
                if isinstance(kept, torch.Tensor):
                    found = change(kept.detach().clone())
                    is_parameter = isinstance(kept, torch.nn.Parameter)
                    table[targets[constant.name]] = torch.nn.Parameter(found) if is_parameter else found

    return changed


def _constant(node: torch.fx.Node, what: str) -> torch.fx.Node:
    """The placeholder of an op's weight, of its scales, or of a factor."""
    weight = node.args[1]
    if "dequantize" in str(weight.target):
        return weight.args[1 if what == "scale" else 0]
    return weight


def _found(program: Any, name: str) -> list[torch.fx.Node]:
    nodes = program.graph_module.graph.nodes
    return [node for node in nodes if node.op == "call_function" and node.name == name]


# --- cases -----------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A fault in a net. `region`: the names of the ops that must be reported, without those that quantize."""

    net: str
    kind: str
    place: str
    change: Fault
    region: tuple[str, ...]

    @property
    def name(self) -> str:
        """What is wrong, and where: "cnn, backend: changed weight of aten_convolution_default_1"."""
        return f"{self.net}, {self.place}: {self.kind} of {self.region[0]}"


def _conv(number: int) -> str:
    return f"aten_convolution_default{f'_{number}' if number else ''}"


def _linear(number: int) -> str:
    return f"aten_linear_default{f'_{number}' if number else ''}"


WEIGHT, SCALE, LAYOUT, CLAMP = "changed weight", "wrong scale", "transposed layout", "clamped activation"
RELU = "aten_relu_default_1"
BACKEND: tuple[Case, ...] = (
    Case("cnn", WEIGHT, "backend", changed_weight(_conv(1)), (_conv(1),)),
    Case("cnn", WEIGHT, "backend", changed_weight(_conv(3)), (_conv(3),)),
    Case("cnn", WEIGHT, "backend", changed_weight(_linear(0)), (_linear(0),)),
    Case("cnn", SCALE, "backend", scaled_weight(_conv(0)), (_conv(0),)),
    Case("cnn", LAYOUT, "backend", transposed_weight(_conv(2)), (_conv(2),)),
    Case("cnn", LAYOUT, "backend", transposed_weight(_conv(3)), (_conv(3),)),
    Case("cnn", CLAMP, "backend", clamped(RELU, 0.1), (RELU,)),
    Case("cnn", CLAMP, "backend", clamped(RELU, 0.1, only_after=_conv(1)), (_conv(1), RELU)),
    Case("transformer", WEIGHT, "backend", changed_weight(_linear(1)), (_linear(1),)),
    Case("transformer", WEIGHT, "backend", changed_weight(_linear(5)), (_linear(5),)),
    Case("transformer", SCALE, "backend", scaled_weight(_linear(4)), (_linear(4),)),
    Case("transformer", LAYOUT, "backend", transposed_weight(_linear(3)), (_linear(3),)),
    Case("transformer", LAYOUT, "backend", other_order("aten_permute_copy_default"),
         ("aten_permute_copy_default",)),
    Case("transformer", LAYOUT, "backend", other_order("aten_bmm_default_1"), ("aten_bmm_default_1",)),
    Case("transformer", CLAMP, "backend", clamped("aten_gelu_default", 0.2), ("aten_gelu_default",)),
    Case("transformer", CLAMP, "backend", clamped("aten__softmax_default", 0.1), ("aten__softmax_default",)),
    Case("quantized", WEIGHT, "backend", changed_weight(_conv(1)), (_conv(1), RELU)),
    Case("quantized", WEIGHT, "backend", changed_weight(_linear(0)), (_linear(0),)),
    Case("quantized", SCALE, "backend", other_weight_scale(_conv(3)), (_conv(3), "aten_relu_default_2")),
    Case("quantized", SCALE, "backend", other_weight_scale(_linear(0)), (_linear(0),)),
    Case("quantized", LAYOUT, "backend", transposed_weight(_conv(2)), (_conv(2),)),
    Case("quantized", CLAMP, "backend", clamped(RELU, 0.1), (_conv(1), RELU)),
)  # fmt: skip
PAYLOAD: tuple[Case, ...] = (
    Case("cnn", WEIGHT, "payload", changed_weight(_conv(2)), (_conv(2),)),
    Case("cnn", CLAMP, "payload", clamped(RELU, 0.1), (RELU,)),
    Case("transformer", WEIGHT, "payload", changed_weight(_linear(4)), (_linear(4),)),
    Case("transformer", LAYOUT, "payload", transposed_weight(_linear(2)), (_linear(2),)),
    Case("quantized", WEIGHT, "payload", changed_weight(_conv(3)), (_conv(3), "aten_relu_default_2")),
    Case("quantized", SCALE, "payload", other_weight_scale(_conv(1)), (_conv(1), RELU)),
    Case("quantized", CLAMP, "payload", clamped(RELU, 0.1), (_conv(1), RELU)),
)
GATE = "exir_test_gate_default"
KERNEL: tuple[Case, ...] = tuple(
    Case(f"{net} with a custom op", "broken kernel", "kernel", lambda _program: None, (GATE,))
    for net in ("cnn", "transformer", "quantized")
)
CASES = (*BACKEND, *PAYLOAD, *KERNEL)


class Report(NamedTuple):
    """What a comparison and a bisection say of a case."""

    diverged: int
    outcome: str
    region: tuple[str, ...]
    parts: int

    def is_right(self, case: Case) -> bool:
        """Whether the fault was found, and the region is the smallest one."""
        outcome = {"backend": "region", "payload": "payload", "kernel": "op"}[case.place]
        return (self.diverged, self.outcome, self.region) == (1, outcome, case.region)


def report(case: Case) -> Report:
    """Lower, compare and bisect with a fault."""
    import exir_viz

    if case.place == "kernel":
        gate()
        return _bisected(exir_viz.diff(*lowered(case.net)).values(executor="executorch"))
    before, after = lowered(case.net)
    is_lasting = case.place == "backend"
    with payload_of(after, case), fault(case.change) if is_lasting else contextlib.nullcontext():
        return _bisected(exir_viz.diff(before, after).values(executor="executorch"))


def _bisected(values: Any) -> Report:
    diverged = sum(one.diverged for one in values.devices)
    if not diverged:
        return Report(0, "not found", (), 0)
    found = values.bisect()
    ops = tuple(node.name for node in found.nodes if "quantize" not in node.name)
    return Report(diverged, found.outcome.value, ops, len(found.log))


@contextlib.contextmanager
def payload_of(stage: Stage, case: Case) -> Iterator[None]:
    """The delegate with the fault's op has the payload that XNNPACK makes with the fault."""
    from executorch.exir.backend.backend_api import to_backend

    manager = stage.live.manager
    module = manager.exported_program().graph_module
    held = [one for _, one in module.named_children() if hasattr(one, "original_module")]
    nodes = {one: {node.name for node in one.original_module.graph.nodes} for one in held}
    one = next(one for one in held if case.region[0] in nodes[one])
    kept = one._processed_bytes, one._named_data_store_output
    with fault(case.change):
        other = to_backend(one.backend_id, one.original_module, one.compile_specs)
    one._processed_bytes, one._named_data_store_output = (
        other._processed_bytes,
        other._named_data_store_output,
    )
    manager._named_data_store.merge_named_data_store(other._named_data_store_output)
    try:
        yield
    finally:
        one._processed_bytes, one._named_data_store_output = kept


# --- the table -------------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "dev" / "divergences.md"
_HEAD = "| net | where | fault | reported region | parts tried |\n| --- | --- | --- | --- | --- |"


def row(case: Case, found: Report) -> str:
    """The row of a case in the docs; raises if it was not found, or its region is not the smallest."""
    if not found.is_right(case):
        raise SystemExit(f"{case.name}: {found}")
    region = ", ".join(f"`{name}`" for name in found.region)
    return f"| {case.net} | {case.place} | {case.kind} | {region} | {found.parts} |"


def main() -> None:
    """Run all cases, and write the table into docs/dev/divergences.md."""
    rows = []
    for case in CASES:
        rows.append(row(case, report(case)))
        print(rows[-1], flush=True)
    text = PAGE.read_text("utf-8")
    begin, end = text.index(_HEAD) + len(_HEAD) + 1, text.index("\n\n", text.index(_HEAD))
    PAGE.write_text(text[:begin] + "\n".join(rows) + text[end:], "utf-8")


if __name__ == "__main__":
    main()
