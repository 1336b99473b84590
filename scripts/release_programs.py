"""Write small files with the torch and ExecuTorch that run this, and what they say is in each of them.

`release_files.py` runs it in an environment of one release. Besides the files it writes `expected.json`: the
nodes, signatures, ranges and state of every program, as that release itself reads its file back.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram
from torch.nn import functional

Row = list[Any]
# Which programs are saved as `.pt2`; the others are only lowered.
PT2 = ("strict", "dynamic", "branch", "buffers", "tied", "inputs", "numbers")


class Layer(nn.Module):
    """A linear layer whose stack traces name this file alone, not where torch is installed."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)


class Linear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.layer(x))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(2, 2)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Nested(nn.Module):
    """A module in a list in a module, called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block()

    def forward(self, x: Tensor) -> Tensor:
        return self.block(self.block(x))


class Dynamic(nn.Module):
    """One dimension with a range, one without, one that is twice the first, and a size known at run time."""

    def forward(self, x: Tensor, y: Tensor, count: Tensor) -> tuple[Tensor, int, Tensor]:
        size = count.item()
        torch._check_is_size(size)
        return torch.cat([x, x], 0) + y, x.shape[1] + 1, torch.zeros(size)


class Doubled(nn.Module):
    """A dynamic program that ExecuTorch can lower."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, x], 0) + y


class Branch(nn.Module):
    def forward(self, positive: Tensor, x: Tensor) -> Tensor:
        return torch.cond(positive, lambda x: x.sin(), lambda x: x.cos(), (x,))


class Buffers(nn.Module):
    """A buffer and an input that are written to, a buffer that is not saved, and a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("fixed", torch.arange(2.0), persistent=False)
        self.constant = torch.tensor([1, 2])

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        self.count.add_(x)
        y.mul_(2)
        return self.count * self.fixed + self.constant


class Tied(nn.Module):
    """Two parameters that are one."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = Layer(3, 3)
        self.decode = Layer(3, 3)
        self.decode.weight = self.encode.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.decode(self.encode(x))


class Inputs(nn.Module):
    """Inputs in containers, inputs that are not tensors, and outputs in a dict."""

    def forward(
        self, pair: list[Tensor], named: dict[str, Tensor], scale: float, flag: bool, *, extra: Tensor | None
    ) -> dict[str, Any]:
        total = pair[0] + named["b"] * scale
        return {"total": total if flag else pair[0], "rest": (pair[1], extra), "none": None}


class Numbers(nn.Module):
    """Numbers that JSON does not have."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        low = x.masked_fill(x > 0, float("-inf"))
        high = torch.full((2,), float("inf"), dtype=torch.float64)
        none = torch.nan_to_num(torch.full((2,), float("nan")), nan=0.5)
        return low, high, none


def programs() -> dict[str, Callable[[], ExportedProgram]]:
    """The programs, by name."""

    def export(module: nn.Module, *args: Any, **options: Any) -> ExportedProgram:
        return torch.export.export(module.eval(), args, **{"strict": False} | options)

    x, two = torch.ones(2, 4), torch.ones(2)
    n = Dim("n", min=2, max=10)
    shapes = {"x": {0: n, 1: Dim("m")}, "y": {0: 2 * n}}
    free = [torch.ones(3, 4), torch.ones(6, 1)]
    bounded = {"x": {0: n}, "y": {0: 2 * n}}
    named = {"named": {"b": two}, "scale": 0.5, "flag": True, "extra": None}
    return {
        "linear": lambda: export(Linear(), x),
        "strict": lambda: export(Nested(), torch.ones(1, 2), strict=True),
        "dynamic": lambda: export(
            Dynamic(), *free, torch.tensor(3), dynamic_shapes={**shapes, "count": None}
        ),
        "doubled": lambda: export(Doubled(), *free, dynamic_shapes=bounded),
        "branch": lambda: export(Branch(), torch.tensor(True), two),
        "buffers": lambda: export(Buffers(), two, torch.ones(2)).run_decompositions({}),
        "tied": lambda: export(Tied(), torch.ones(1, 3)),
        "inputs": lambda: export(Inputs(), [two, two], kwargs=named),
        "numbers": lambda: export(Numbers(), torch.zeros(2, 2)),
    }


def without_paths(program: ExportedProgram) -> ExportedProgram:
    """The program; stack traces name torch's own files without the folder that torch is installed in."""
    folder = f"{Path(torch.__file__).parents[1]}/"
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if node.meta.get("stack_trace"):
                node.meta["stack_trace"] = node.meta["stack_trace"].replace(folder, "")
    return program


def describe(value: Any) -> Any:
    """A node's value: dtype and sizes of a tensor, the expression of a symbolic number."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, (list, tuple)):
        return [describe(one) for one in value]
    if isinstance(value, dict):
        return {str(key): describe(one) for key, one in value.items()}
    return str(value)


def target_of(node: torch.fx.Node) -> str:
    schema = getattr(node.target, "_schema", None)
    if schema is not None:
        return f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"
    if isinstance(node.target, str):
        return node.target
    module = getattr(node.target, "__module__", "")
    return f"{module}.{node.target.__name__}" if module in ("_operator", "math") else str(node.target)


def rows(graph: torch.fx.Graph) -> Iterator[Row]:
    """The nodes: name, op, target, inputs, value, and the modules it belongs to, outermost first."""
    for node in graph.nodes:
        stack = node.meta.get("nn_module_stack") or {}
        modules = [[path, cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"]
                   for path, cls in stack.values()]  # fmt: skip
        inputs = [one.name for one in node.all_input_nodes]
        value = describe(node.meta["val"]) if "val" in node.meta else None
        yield [node.name, node.op, target_of(node), inputs, value, modules]


def graphs(module: torch.fx.GraphModule) -> list[list[Row]]:
    """The nodes of a graph, then those of the graphs in it."""
    found = [list(rows(module.graph))]
    for node in module.graph.nodes:
        held = getattr(module, node.target) if node.op == "get_attr" else None
        if isinstance(held, torch.fx.GraphModule):
            found += graphs(held)
    return found


def told(program: ExportedProgram) -> dict[str, Any]:
    """What a release says of a program."""
    signature = program.graph_signature
    state = {**program.state_dict, **program.constants}
    return {
        "graphs": graphs(program.graph_module),
        "inputs": [[one.kind.name, one.arg.name, one.target] for one in signature.input_specs],
        "outputs": [[one.kind.name, getattr(one.arg, "name", ""), one.target]
                    for one in signature.output_specs],
        "ranges": {str(key): [str(one.lower), str(one.upper)]
                   for key, one in program.range_constraints.items()},
        "state": {name: describe(held) for name, held in state.items()},
    }  # fmt: skip


def write_programs(folder: Path) -> dict[str, Any]:
    """The `.pt2` files of this torch."""
    expected: dict[str, Any] = {}
    made = programs()
    for name in PT2:
        torch.manual_seed(0)
        try:
            torch.export.save(without_paths(made[name]()), folder / f"{name}.pt2")
        except Exception as error:  # noqa: BLE001  what an old release cannot do is not what is tested
            (folder / f"{name}.pt2").unlink(missing_ok=True)
            print(f"torch {torch.__version__} does not save {name!r}: {type(error).__name__}: {error}")
            continue
        expected[f"{name}.pt2"] = told(torch.export.load(folder / f"{name}.pt2"))
    return expected


def lowered() -> dict[str, Callable[[], Any]]:
    """The programs of the `.pte` files, as ExecuTorch's manager has them in the end."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge, to_edge_transform_and_lower

    made = programs()

    def delegated(program: ExportedProgram) -> Any:
        edge = to_edge_transform_and_lower(
            program, partitioner=[XnnpackPartitioner()], generate_etrecord=True
        )
        return edge.to_executorch()

    def methods() -> Any:
        both = {"forward": made["linear"](), "count": made["buffers"]()}
        return to_edge(both, constant_methods={"get_length": 7, "get_name": "é"}).to_executorch()

    return {
        "linear": lambda: to_edge(made["linear"]()).to_executorch(),
        "branch": lambda: to_edge(made["branch"]()).to_executorch(),
        "methods": methods,
        "dynamic": lambda: delegated(made["doubled"]()),
        "quantized": lambda: delegated(quantized()),
    }


def quantized() -> ExportedProgram:
    """The linear program with int8 weights and activations."""
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    x = torch.ones(2, 4)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    module = prepare_pt2e(torch.export.export(Linear().eval(), (x,), strict=False).module(), quantizer)
    module(x)
    return torch.export.export(convert_pt2e(module), (x,), strict=False)


def instructions(plan: Any) -> list[str]:
    """The instructions of a method, as the release emitted them."""
    found = []
    for chain in plan.chains:
        for one in chain.instructions:
            args = one.instr_args
            match type(args).__name__:
                case "KernelCall":
                    op = plan.operators[args.op_index]
                    found.append(f"{op.name}.{op.overload}" if op.overload else op.name)
                case "DelegateCall":
                    found.append(plan.delegates[args.delegate_index].id)
                case kind:
                    found.append(kind)
    return found


def plan_of(plan: Any) -> dict[str, Any]:
    def value(index: int) -> str:
        held = plan.values[index].val
        if type(held).__name__ != "Tensor":
            return type(held).__name__
        return f"{held.scalar_type.name}{list(held.sizes)}"

    return {
        "instructions": instructions(plan),
        "inputs": list(map(value, plan.inputs)),
        "outputs": list(map(value, plan.outputs)),
        "arenas": list(plan.non_const_buffer_sizes),
    }


def write_lowered(folder: Path) -> dict[str, Any]:
    """The `.pte` files of this ExecuTorch, and their ETRecords."""
    from executorch.devtools.etrecord import parse_etrecord

    expected: dict[str, Any] = {}
    for name, make in lowered().items():
        torch.manual_seed(0)
        manager = make()
        (folder / f"{name}.pte").write_bytes(manager.buffer)
        program = manager._emitter_output.program
        expected[f"{name}.pte"] = {plan.name: plan_of(plan) for plan in program.execution_plan}
        if name == "dynamic":
            path = folder / f"{name}.etrecord"
            manager.get_etrecord().save(str(path))
            record = parse_etrecord(str(path))
            parts = {"exported_program": record.exported_program, "forward": record.edge_dialect_program}
            expected[path.name] = {
                part: told(program) for part, program in parts.items() if program is not None
            }
    return expected


def main(folder: Path) -> None:
    """Write the files of ExecuTorch where the folder is named for it, else those of torch."""
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    expected = (write_lowered if folder.name.startswith("executorch-") else write_programs)(folder)
    lines = (f" {json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in expected.items())
    (folder / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
