"""Says every way in which a Snapshot differs from the live program it was captured from.

Written against torch's objects, not with the code under test: each field is asked of torch in torch's own
words (str, repr, attributes) and compared with what the Snapshot says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import sympy
import torch
from torch import fx
from torch._export.passes._node_metadata_hook import _EMPTY_NN_MODULE_STACK_KEY
from torch.export import ExportedProgram
from torch.fx.experimental.symbolic_shapes import free_symbols
from torch.utils._pytree import tree_leaves

from exir_viz.readers.traces import text_of
from exir_viz.snapshot import Graph, Method, Node
from exir_viz.snapshot.records import (
    Literal,
    MapValue,
    ObjectArg,
    ObjectValue,
    OpArg,
    SequenceValue,
    SymArg,
    SymValue,
    TensorValue,
)

HELD = {
    "val", "nn_module_stack", "stack_trace", "torch_fn",
    "source_fn_stack", "from_node", "debug_handle", "spec",
}  # fmt: skip


def differences(method: Method, program: ExportedProgram) -> list[str]:
    """Every difference, in words."""
    return [
        *_graph(method.graph, program.graph_module),
        *_signature(method, program),
        *_symbols(method, program),
        *_state(method, program),
        *_calls(method, program),
    ]


def _graph(graph: Graph, module: fx.GraphModule) -> Iterator[str]:
    live = list(module.graph.nodes)
    if [node.name for node in graph] != [node.name for node in live]:
        yield f"{graph.path}: the nodes differ"
        return
    graphs: dict[int, int] = {}
    for ours, theirs in zip(graph, live, strict=True):
        for what in _node(ours, theirs, graphs):
            yield f"{ours.id}: {what}"
        held = _submodule(module, theirs)
        if held is None:
            if ours.subgraphs:
                yield f"{ours.id}: holds a graph that torch does not know"
        elif isinstance(held, fx.GraphModule):
            yield from _graph(ours.subgraphs[0], held)
        else:
            inner = ours.subgraphs[0]
            yield from _graph(inner, held.original_module.graph_module)
            if inner.delegate is None or inner.delegate.backend != held.backend_id:
                yield f"{ours.id}: the backend differs"
            elif inner.delegate.bytes != len(held.processed_bytes):
                yield f"{ours.id}: the delegate's size differs"


def _submodule(module: fx.GraphModule, node: fx.Node) -> Any:
    if node.op != "get_attr":
        return None
    held: Any = module
    for part in node.target.split("."):
        held = getattr(held, part)
    return held if isinstance(held, torch.nn.Module) else None


def _node(ours: Node, theirs: fx.Node, graphs: dict[int, int]) -> Iterator[str]:  # noqa: C901  a list
    meta = theirs.meta
    if ours.op != theirs.op:
        yield f"op {ours.op} is {theirs.op}"
    if ours.target.text != theirs._pretty_print_target(theirs.target):
        yield f"target {ours.target.text}"
    if isinstance(theirs.target, torch._ops.OpOverload) and ours.target.schema != str(theirs.target._schema):
        yield f"schema {ours.target.schema}"
    if not _same_arg(ours.args, theirs.args) or not _same_arg(ours.kwargs, theirs.kwargs):
        yield f"arguments {ours.args} {ours.kwargs} are {theirs.args} {theirs.kwargs}"
    if {user.name for user in ours.users} != {user.name for user in theirs.users}:
        yield "users"
    if ("val" in meta) != (ours.value is not None):
        yield "val is there on one side only"
    elif "val" in meta:
        yield from _value(ours.value, meta["val"])
    scopes = [(scope.key, scope.path, scope.cls) for scope in ours.scopes]
    stack = dict(meta.get("nn_module_stack") or {})
    stack.pop(_EMPTY_NN_MODULE_STACK_KEY, None)  # torch's word for none
    if scopes != [(key, path, _class(cls)) for key, (path, cls) in stack.items()]:
        yield f"nn_module_stack {scopes}"
    if text_of(ours.frames) != (meta.get("stack_trace") or "").strip():
        yield f"stack_trace {text_of(ours.frames)!r}"
    if ours.torch_fn != (tuple(meta["torch_fn"]) if meta.get("torch_fn") else None):
        yield f"torch_fn {ours.torch_fn}"
    if [(fn.name, fn.target.rpartition(".")[2]) for fn in ours.source_fns] != [
        (name, fn if isinstance(fn, str) else getattr(fn, "__qualname__", fn.__name__).rpartition(".")[2])
        for name, fn in meta.get("source_fn_stack") or ()
    ]:
        yield f"source_fn_stack {ours.source_fns}"
    origins = meta.get("from_node") or ()
    if len(ours.origins) != len(origins) or not all(
        _same_origin(ours, mine, other, graphs) for mine, other in zip(ours.origins, origins, strict=False)
    ):
        yield f"from_node {ours.origins}"
    handle = meta.get("debug_handle")
    if ours.debug_handle != (handle if isinstance(handle, int) else None):
        yield f"debug_handle {ours.debug_handle}"
    yield from _specs(ours, meta.get("spec"))
    listed = {extra.name for extra in ours.extras}
    if missing := set(meta) - HELD - listed:
        yield f"meta fields dropped in silence: {sorted(missing)}"
    if unknown := listed - set(meta):
        yield f"meta fields made up: {sorted(unknown)}"


def _same_arg(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, fx.Node):
        return isinstance(ours, Node) and ours.name == theirs.name
    if isinstance(theirs, (list, tuple)):
        same_kind = isinstance(ours, list) == isinstance(theirs, list)
        return same_kind and len(ours) == len(theirs) and all(map(_same_arg, ours, theirs))
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(map(_same_arg, ours.values(), theirs.values()))
    if isinstance(theirs, slice):
        return _same_arg((ours.start, ours.stop, ours.step), (theirs.start, theirs.stop, theirs.step))
    if isinstance(theirs, float) and math.isnan(theirs):
        return isinstance(ours, float) and math.isnan(ours)
    if isinstance(ours, Literal):
        return ours.text == str(theirs)
    if isinstance(ours, SymArg):
        return ours.expr == str(theirs)
    if isinstance(ours, OpArg):
        return ours.text.rpartition(".")[2] == getattr(theirs, "__name__", "").rpartition(".")[2]
    if isinstance(ours, ObjectArg):
        return ours.cls.endswith(type(theirs).__qualname__)
    return type(ours) is type(theirs) and ours == theirs


def _value(ours: Any, theirs: Any) -> Iterator[str]:  # noqa: C901  one case a kind of value
    match ours:
        case TensorValue():
            yield from _tensor(ours, theirs)
        case SymValue():
            if ours.expr != str(theirs.node.expr):
                yield f"val {ours.expr} is {theirs.node.expr}"
            hint = theirs.node.hint if theirs.node.has_hint() else None
            if ours.hint != (None if hint is None else repr(hint)):
                yield f"hint {ours.hint} is {hint}"
        case Literal():
            if ours.text != str(theirs):
                yield f"val {ours.text} is {theirs}"
        case SequenceValue():
            if len(ours.items) != len(theirs):
                yield f"val has {len(ours.items)} items, not {len(theirs)}"
            for mine, other in zip(ours.items, theirs, strict=False):
                yield from _value(mine, other)
        case MapValue():
            if ours.keys != tuple(map(str, theirs)):
                yield f"val has keys {ours.keys}"
            for mine, other in zip(ours.items, theirs.values(), strict=False):
                yield from _value(mine, other)
        case ObjectValue():
            if type(theirs).__name__ in ("FakeTensor", "SymInt", "int", "float", "NoneType"):
                yield f"val {theirs} is taken for an object"


def _tensor(ours: TensorValue, theirs: Any) -> Iterator[str]:
    if not isinstance(theirs, torch.Tensor):
        yield f"val {theirs} is taken for a tensor"
        return
    pairs = [
        ("dtype", f"torch.{ours.dtype}", str(theirs.dtype)),
        ("shape", [str(dim) for dim in ours.shape], [str(dim) for dim in theirs.shape]),
        ("device", ours.device, str(theirs.device)),
        ("layout", f"torch.{ours.layout}", str(theirs.layout)),
        ("requires_grad", ours.requires_grad, theirs.requires_grad),
    ]
    if theirs.layout is torch.strided:
        assert ours.stride is not None
        pairs.append(("stride", [str(dim) for dim in ours.stride], [str(dim) for dim in theirs.stride()]))
        pairs.append(("offset", str(ours.offset), str(theirs.storage_offset())))
        if all(isinstance(stride, int) for stride in theirs.stride()):
            pairs.append(("dim order", ours.dim_order, tuple(theirs.dim_order())))
    for what, mine, other in pairs:
        if mine != other:
            yield f"{what} {mine} is {other}"


def _same_origin(node: Node, ours: Any, theirs: Any, graphs: dict[int, int]) -> bool:
    """Equal but for graph ids, which must correspond one to one."""
    if graphs.setdefault(theirs.graph_id, ours.graph) != ours.graph:
        return False
    parents = [node.graph.snapshot.detail.origins[number] for number in ours.parents]
    action = "+".join(action.name.lower() for action in theirs.action)
    return (
        (ours.name, ours.target, ours.pass_name, ours.action)
        == (theirs.name, theirs.target, theirs.pass_name, action)
        and len(parents) == len(theirs.from_node)
        and all(_same_origin(node, *pair, graphs) for pair in zip(parents, theirs.from_node, strict=True))
    )


def _specs(ours: Node, spec: Any) -> Iterator[str]:
    leaves = spec if isinstance(spec, (list, tuple)) else [spec]
    specs = [leaf for leaf in leaves if hasattr(leaf, "mem_id")]
    if len(specs) != len(ours.specs):
        yield f"{len(ours.specs)} memory specs, not {len(specs)}"
        return
    for mine, other in zip(ours.specs, specs, strict=True):
        theirs = (other.mem_id, other.mem_offset, other.const, other.mem_obj_id)
        if (mine.mem_id, mine.offset, mine.const, mine.mem_obj_id) != theirs:
            yield f"memory spec {mine}"
        if mine.lifetime is not None and list(mine.lifetime) != list(other.lifetime):
            yield f"lifetime {mine.lifetime} is {other.lifetime}"
        if mine.bytes is not None and mine.bytes != other.allocated_memory:
            yield f"{mine.bytes} bytes are {other.allocated_memory}"


def _names(program: ExportedProgram) -> dict[int, str]:
    """Of outputs, by place: the graph's own names, which ExecuTorch changes and its signature does not."""
    made = [getattr(one, "name", None) for one in program.graph.output_node().args[0]]
    specs = list(enumerate(program.graph_signature.output_specs))
    kept = specs if len(made) == len(specs) else [one for one in specs if one[1].kind.name == "USER_OUTPUT"]
    writes = [node.name for node in program.graph.nodes if node.target is torch.ops.aten.copy_.default]
    found = {at: name for (at, _), name in zip(kept, made, strict=True) if name is not None}
    written = [at for at, spec in specs if "MUTATION" in spec.kind.name and at not in found]
    return found | dict(zip(written, writes, strict=False))


def _signature(method: Method, program: ExportedProgram) -> Iterator[str]:
    for ours, theirs in (
        (method.signature.inputs, program.graph_signature.input_specs),
        (method.signature.outputs, program.graph_signature.output_specs),
    ):
        mine = [
            (spec.kind.name, spec.arg.name, spec.target, getattr(spec, "persistent", None)) for spec in ours
        ]
        names = _names(program) if theirs is program.graph_signature.output_specs else {}
        other = [
            (
                spec.kind.name,
                names.get(at, spec.arg.name),
                spec.target,
                getattr(spec, "persistent", None),
            )
            for at, spec in enumerate(theirs)
        ]
        if mine != other:
            yield f"signature {mine} is {other}"
        for one, two in zip(ours, theirs, strict=False):
            if one.arg.type.value.replace("_", "") + "argument" != type(two.arg).__name__.lower():
                yield f"argument {one.arg} is {two.arg}"
            if one.arg.value is not None and one.arg.value.text != str(two.arg.value):
                yield f"constant {one.arg.value.text} is {two.arg.value}"


def _symbols_of_values(program: ExportedProgram) -> set[sympy.Symbol]:
    graphs = [one.graph for one in program.graph_module.modules() if isinstance(one, fx.GraphModule)]
    values = [node.meta.get("val") for graph in graphs for node in graph.nodes]
    return set().union(*(free_symbols(value) for value in tree_leaves(values) if _has_symbols(value)))


def _has_symbols(value: object) -> bool:
    return isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool))


def _symbols(method: Method, program: ExportedProgram) -> Iterator[str]:
    ours = {one.expr: (one.lower, one.upper) for one in method.ranges}
    met = _symbols_of_values(program)
    constraints = {expr: one for expr, one in program.range_constraints.items() if expr.free_symbols <= met}
    theirs = {str(expr): (str(limits.lower), str(limits.upper)) for expr, limits in constraints.items()}
    if ours != theirs:
        yield f"range constraints {ours} are {theirs}"
    known = {symbol.name for symbol in method.symbols}
    for expr in constraints:
        if missing := {symbol.name for symbol in expr.free_symbols} - known:
            yield f"symbols {missing} are not there"
    if list(method.guards) != list(program._guards_code):
        yield f"guards {method.guards}"


def _state(method: Method, program: ExportedProgram) -> Iterator[str]:
    live = {**program.state_dict, **program.constants}
    if any(graph.delegate for graph in method.graphs()):  # delegating leaves copies of weights
        named = {spec.target for spec in program.graph_signature.input_specs}
        live = {name: held for name, held in live.items() if name in named}
    if [entry.name for entry in method.state] != list(live):
        yield f"state {[entry.name for entry in method.state]} is {list(live)}"
        return
    storages: dict[int, int] = {}
    for entry in method.state:
        held = live[entry.name]
        if not isinstance(held, torch.Tensor):
            continue
        yield from _value(method.snapshot.values[entry.value], held)
        if entry.bytes != held.numel() * held.element_size():
            yield f"{entry.name} has {entry.bytes} bytes"
        if entry.storage is not None:
            storage = held.untyped_storage()._cdata
            if storages.setdefault(storage, entry.storage) != entry.storage:
                yield f"{entry.name} shares memory it should not, or does not where it should"
        if entry.data is not None:
            elements = [repr(element) for element in held.flatten().tolist()]
            if list(entry.data) != elements:
                yield f"{entry.name} holds {entry.data}"


def _calls(method: Method, program: ExportedProgram) -> Iterator[str]:
    ours = method.detail.module_calls
    theirs = program.module_call_graph
    if [call.path for call in ours] != [call.fqn for call in theirs]:
        yield "the module call graph differs"
    for one, two in zip(ours, theirs, strict=False):
        if (one.signature is None) != (two.signature is None):
            yield f"the signature of {one.path!r} is there on one side only"
        elif one.signature is not None:
            mine = [arg.name for arg in (*one.signature.inputs, *one.signature.outputs)]
            other = [arg.name for arg in (*two.signature.inputs, *two.signature.outputs)]
            if mine != other:
                yield f"the arguments of {one.path!r}"
            if _leaves(one.signature.in_spec) != two.signature.in_spec.num_leaves:
                yield f"the inputs' tree of {one.path!r}"
    users = [spec for spec in method.signature.inputs if spec.kind.name == "USER_INPUT"]
    if program.call_spec.in_spec is not None and any(spec.path is None for spec in users):
        yield f"inputs without a path: {[spec.arg.name for spec in users if spec.path is None]}"


def _leaves(tree: Any) -> int:
    return 1 if tree.type == "leaf" else sum(map(_leaves, tree.children))


def _class(cls: Any) -> str:
    return cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"
