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

from exir_viz.compare.values.records import Numbers, Outcome
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.delegate_parts.parts import DelegateParts
from exir_viz.measure.delegate_parts.regions import Part, part, whole
from exir_viz.measure.distance import badness, distance_of
from exir_viz.measure.runtime.process import NotRun, RuntimeProgram
from exir_viz.measure.runtime.single_node import silenced
from exir_viz.options import one_of
from exir_viz.torch_internals.edge import edge_config
from exir_viz.torch_internals.operators import aten_operator

_SEEDS = 5
# By backend: the module and the class of its partitioner, which notes what the backend needs to know.
_PARTITIONERS = {
    "XnnpackBackend": ("executorch.backends.xnnpack.partition.xnnpack_partitioner", "XnnpackPartitioner")
}


class Reproducer(NamedTuple):
    """The files of a reproducer. `shows`: whether they show the difference (`numbers`) or the failure.

    `payload`: the delegate as a `.pte`, if only its payload is wrong.
    """

    script: Path
    program: Path
    shows: bool
    numbers: Numbers | None
    payload: Path | None = None


class _Alone(NamedTuple):
    """A region as a module of ATen ops, with its inputs."""

    module: fx.GraphModule
    inputs: tuple[torch.Tensor, ...]
    ops: tuple[str, ...]


class _Attempt(NamedTuple):
    """A region with one seed's numbers, and its difference; None if the runtime does not run it."""

    alone: _Alone
    program: ExportedProgram
    numbers: Numbers | None


def write(bisection: Any, parts: DelegateParts, folder: Path, *, weights: str, names: bool) -> Reproducer:
    """Write the files and run them; with random numbers several seeds are tried."""
    one_of("reproducer", "weights", weights, ("random", "real"))
    if bisection.outcome is Outcome.PAYLOAD:
        return _write_payload(bisection, parts, folder, weights=weights, names=names)
    names_inside = {*bisection.names, *bisection.around}
    chosen = [node for node in parts.program.graph.nodes if node.name in names_inside]
    if not chosen:
        raise MeasureError(f"{bisection.delegate.id} does not diverge: there is nothing to reproduce.")
    cut = part(parts.program, chosen)
    is_failure = bisection.outcome is Outcome.FAILS
    best: _Attempt | None = None
    shows = False
    for seed in range(_SEEDS if weights == "random" else 1):
        alone = _alone(cut, parts, None if weights == "real" else torch.Generator().manual_seed(seed))
        found = _attempt(alone, parts)
        shows = found.numbers is None if is_failure else found.numbers is not None and found.numbers.diverged
        if best is None or shows:
            best = found
        if shows:
            break
    if best is None:
        raise MeasureError("The region cannot be exported alone.")
    file, script = _written(best.program, folder)
    script.write_text(_script(bisection, parts, best.alone, names=names), encoding="utf-8")
    return Reproducer(script, file, shows, best.numbers)


def _attempt(alone: _Alone, parts: DelegateParts) -> _Attempt:
    program = _exported(alone)
    try:
        with silenced():
            data = _lowered(program, alone, parts)
    except Exception as error:
        raise MeasureError(f"The region cannot be lowered alone: {first_line(error)}.") from error
    try:
        return _Attempt(alone, program, _distance(program, alone, parts, data))
    except NotRun:
        return _Attempt(alone, program, None)


def _exported(alone: _Alone) -> ExportedProgram:
    try:
        with silenced():
            return torch.export.export(alone.module, alone.inputs)
    except Exception as error:
        raise MeasureError(f"The region cannot be exported alone: {first_line(error)}.") from error


def _written(program: ExportedProgram, folder: Path) -> tuple[Path, Path]:
    """The file of the program, and where the script goes."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "region.pt2"
    torch.export.save(program, file)
    return file, folder / "reproduce.py"


def _write_payload(
    bisection: Any, parts: DelegateParts, folder: Path, *, weights: str, names: bool
) -> Reproducer:
    """Write the delegate with the payload that it has, and its program."""
    if weights != "real":
        raise MeasureError(
            f"Only the payload of {bisection.delegate.id} is wrong, and it contains the real weights. Pass "
            "weights='real'."
        )
    alone = _alone(whole(parts.program), parts, None)
    program, data = _exported(alone), parts.payload()
    try:
        numbers: Numbers | None = _distance(program, alone, parts, data)
    except NotRun:
        numbers = None
    file, script = _written(program, folder)
    payload = folder / "region.pte"
    payload.write_bytes(data)
    script.write_text(_script(bisection, parts, alone, names=names), encoding="utf-8")
    return Reproducer(script, file, numbers is None or numbers.diverged, numbers, payload)


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


def _distance(program: ExportedProgram, alone: _Alone, parts: DelegateParts, data: bytes) -> Numbers:
    """What the script shows, with the runtime in another process; raises NotRun."""
    found = RuntimeProgram(data).run(alone.inputs)
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
    what = _DIFFERS.format(backend=lowered.backend_id)
    if bisection.outcome is Outcome.FAILS:
        what = _FAILS.format(backend=lowered.backend_id)
    if bisection.outcome is Outcome.PAYLOAD:
        what = _WRONG_PAYLOAD.format(backend=lowered.backend_id)
        imports, steps = "", 'buffer = Path(__file__).with_name("region.pte").read_bytes()'
    elif lowered.backend_id in _PARTITIONERS:
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
        what=what,
        imports=f"{imports}\n" if imports else "",
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


_DIFFERS = """A region of a model that {backend} computes differently than eager torch.

Run it beside region.pt2: it prints the difference, and exits with 1 if that is too large."""
_FAILS = """A region of a model that {backend} lowers, and that ExecuTorch's runtime cannot run.

Run it beside region.pt2: the runtime raises an error, or ends the process."""
_WRONG_PAYLOAD = """A delegate of a model whose payload is not what {backend} makes of its program.

Run it beside region.pt2 and region.pte: it prints the difference, and exits with 1 if that is too large."""
_TEMPLATE = '''"""{what}
"""

import sys
from pathlib import Path

import torch
{imports}from executorch.runtime import Runtime

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
