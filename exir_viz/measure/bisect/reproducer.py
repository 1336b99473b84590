"""Write a region as a program of its own, with a script that lowers, runs and compares it.

By default weights and inputs are random numbers in the ranges of the real ones, and no name of the model is
in the files.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.compare.values.records import Numbers
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.numbers.distance import badness, distance_of
from exir_viz.measure.runtime.process import RuntimeProgram
from exir_viz.measure.runtime.single_node import quiet
from exir_viz.options import one_of
from exir_viz.torch_internals.edge_config import edge_config
from exir_viz.torch_internals.operators import aten_operator

from .regions import Part, part
from .search import DelegateParts

_SEEDS = 5
# By backend: the module and the class of its partitioner, which notes what the backend needs to know.
_PARTITIONERS = {
    "XnnpackBackend": ("executorch.backends.xnnpack.partition.xnnpack_partitioner", "XnnpackPartitioner")
}


class Reproducer(NamedTuple):
    """The files of a reproducer. `shows`: whether they show the difference, which is `numbers`."""

    script: Path
    program: Path
    shows: bool
    numbers: Numbers


class _Alone(NamedTuple):
    """A region as a module of ATen ops, with its inputs."""

    module: fx.GraphModule
    inputs: tuple[torch.Tensor, ...]
    ops: tuple[str, ...]


def write(bisection: Any, parts: DelegateParts, folder: Path, *, weights: str, names: bool) -> Reproducer:
    """Write the files and run them; with random numbers several seeds are tried."""
    one_of("reproducer", "weights", weights, ("random", "real"))
    chosen = [node for node in parts.program.graph.nodes if node.name in set(bisection.names)]
    if not chosen:
        raise MeasureError(f"{bisection.delegate.id} does not diverge: there is nothing to reproduce.")
    cut = part(parts.program, chosen)
    best: tuple[Numbers, ExportedProgram, _Alone] | None = None
    for seed in range(_SEEDS if weights == "random" else 1):
        alone = _alone(cut, parts, None if weights == "real" else torch.Generator().manual_seed(seed))
        try:
            with quiet():
                program = torch.export.export(alone.module, alone.inputs)
                found = _distance(program, alone, parts)
        except Exception as error:
            raise MeasureError(f"The region cannot be exported alone: {first_line(error)}.") from error
        if best is None or found.diverged:
            best = found, program, alone
        if found.diverged:
            break
    if best is None:
        raise MeasureError("The region cannot be exported alone.")
    found, program, alone = best
    folder.mkdir(parents=True, exist_ok=True)
    file, script = folder / "region.pt2", folder / "reproduce.py"
    torch.export.save(program, file)
    script.write_text(_script(bisection, parts, alone, names=names), encoding="utf-8")
    return Reproducer(script, file, found.diverged, found)


def _alone(cut: Part, parts: DelegateParts, random: torch.Generator | None) -> _Alone:
    program = cut.program
    tables = {**program.state_dict, **program.constants}
    state = {spec.arg.name: spec.target for spec in program.graph_signature.input_specs if spec.target}
    graph, root, copies = fx.Graph(), torch.nn.Module(), dict[fx.Node, fx.Node]()
    ops: dict[str, None] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in state:
            name = f"weight_{len(list(root.buffers()))}"
            root.register_buffer(name, _numbers_like(tables[state[node.name]].detach(), random))
            copies[node] = graph.get_attr(name)
        elif node.op == "placeholder":
            copies[node] = graph.placeholder(f"input_{sum(one.op == 'placeholder' for one in graph.nodes)}")
        elif node.op == "call_function":
            target = aten_operator(node.target) or node.target
            ops[str(target)] = None
            args, kwargs = fx.map_arg((node.args, dict(node.kwargs)), copies.__getitem__)
            copies[node] = graph.call_function(target, args, dict(kwargs))
        else:
            graph.output(fx.map_arg(node.args[0], copies.__getitem__))
    inputs = tuple(_numbers_like(parts.values[node].detach(), random) for node in cut.inputs)
    return _Alone(fx.GraphModule(root, graph), inputs, tuple(op for op in ops if op.startswith("aten.")))


def _numbers_like(tensor: torch.Tensor, random: torch.Generator | None) -> torch.Tensor:
    """A copy, or random numbers between the least and the greatest of a tensor."""
    if random is None or not tensor.numel() or tensor.dtype is torch.bool:
        return tensor.clone()
    least, most = tensor.min(), tensor.max()
    if not tensor.is_floating_point():
        made = torch.randint(int(least), int(most) + 1, tensor.shape, generator=random)
    else:
        made = torch.rand(tensor.shape, generator=random) * (most - least) + least
    return torch.empty_like(tensor).copy_(made)


def _distance(program: ExportedProgram, alone: _Alone, parts: DelegateParts) -> Numbers:
    """What the script shows, with the runtime in another process."""
    found = RuntimeProgram(_lowered(program, alone, parts)).run(alone.inputs)
    expected = program.module()(*alone.inputs)
    tolerance = parts.tolerance_of(_is_quantized(alone))
    distances = [distance_of(one, other, tolerance) for one, other in zip(expected, found, strict=True)]
    return max(distances, key=badness)


def _lowered(program: ExportedProgram, alone: _Alone, parts: DelegateParts) -> bytes:
    """The `.pte` of a region, made as the script makes it."""
    from executorch.exir import to_edge, to_edge_transform_and_lower
    from executorch.exir.backend.backend_api import to_backend

    backend = parts.lowered.backend_id
    if backend in _PARTITIONERS:
        module, name = _PARTITIONERS[backend]
        partitioner = getattr(importlib.import_module(module), name)()
        manager = to_edge_transform_and_lower(program, partitioner=[partitioner])
        return bytes(manager.to_executorch().buffer)
    config = edge_config(check_ir=False, preserve=[_operator(name) for name in alone.ops])
    edge = to_edge(program, compile_config=config).exported_program()
    return bytes(to_backend(backend, edge, parts.lowered.compile_specs).buffer())


def _operator(name: str) -> Any:
    space, op, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, space), op), overload)


def _script(bisection: Any, parts: DelegateParts, alone: _Alone, *, names: bool) -> str:
    lowered = parts.lowered
    tolerance = parts.tolerance_of(_is_quantized(alone))
    if lowered.backend_id in _PARTITIONERS:
        module, name = _PARTITIONERS[lowered.backend_id]
        imports = f"from {module} import {name}\nfrom executorch.exir import to_edge_transform_and_lower"
        steps = (
            f"lowered = to_edge_transform_and_lower(program, partitioner=[{name}()])\n"
            "buffer = lowered.to_executorch().buffer"
        )
    else:
        specs = ", ".join(f"CompileSpec({one.key!r}, {bytes(one.value)!r})" for one in lowered.compile_specs)
        ops = ", ".join(f"torch.ops.{op}" for op in alone.ops)
        imports = (
            f"import {_module_of(lowered.backend_id)}  # registers the backend\n"
            "from executorch.exir import EdgeCompileConfig, to_edge\n"
            "from executorch.exir.backend.backend_api import to_backend\n"
            "from executorch.exir.backend.compile_spec_schema import CompileSpec"
        )
        steps = (
            f"config = EdgeCompileConfig(_check_ir_validity=False, preserve_ops=[{ops}])\n"
            "edge = to_edge(program, compile_config=config).exported_program()\n"
            f"buffer = to_backend({lowered.backend_id!r}, edge, [{specs}]).buffer()"
        )
    return _TEMPLATE.format(
        backend=lowered.backend_id,
        imports=imports,
        steps=steps,
        where="".join(f"# {line}\n" for line in bisection.lines) if names else "",
        rtol=tolerance.rtol,
        atol=tolerance.atol,
    )


def _is_quantized(alone: _Alone) -> bool:
    """Whether a region computes with quantized integers."""
    return any("quantize_per" in str(node.target) for node in alone.module.graph.nodes)


def _module_of(backend: str) -> str:
    from executorch.exir.backend.backend_details import BackendDetails

    found: str = next(cls.__module__ for cls in BackendDetails.__subclasses__() if cls.__name__ == backend)
    return found


_TEMPLATE = '''"""A region of a model that {backend} computes differently than eager torch.

Run it beside region.pt2: it prints the difference, and exits with 1 if that is too large.
"""

import sys
from pathlib import Path

import torch
{imports}
from executorch.runtime import Runtime

{where}program = torch.export.load(Path(__file__).with_name("region.pt2"))
inputs, _ = program.example_inputs
expected = program.module()(*inputs)
{steps}
found = Runtime.get().load_program(buffer).load_method("forward").execute(list(inputs))
differs = False
for number, (eager, output) in enumerate(zip(expected, found)):
    distance = (eager.double() - output.double()).abs().max().item()
    most = {atol} + {rtol} * eager.double().abs().max().item()
    differs = differs or not distance <= most
    print(f"output {{number}}: differs by {{distance:.6g}}, tolerated are {{most:.6g}}")
sys.exit(int(differs))
'''
