"""The graph signature, the pytrees and the module call graph of a live program → records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from torch import fx
from torch.export import graph_signature as torch_signature

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    CallSignature,
    InputKind,
    InputSpec,
    ModuleCall,
    OutputKind,
    OutputSpec,
    Signature,
    Tree,
)
from exir_viz.snapshot.records import Literal, LiteralType
from exir_viz.torch_internals.pytrees import pytree

from .pytrees import keys_of, parse_treespec, user_paths
from .values import type_name

_COPY = "aten.copy_.default"
_TYPES = {
    "TensorArgument": ArgumentType.TENSOR,
    "SymIntArgument": ArgumentType.SYM_INT,
    "SymFloatArgument": ArgumentType.SYM_FLOAT,
    "SymBoolArgument": ArgumentType.SYM_BOOL,
    "ConstantArgument": ArgumentType.CONSTANT,
    "CustomObjArgument": ArgumentType.CUSTOM_OBJ,
    "TokenArgument": ArgumentType.TOKEN,
}


_MUTATIONS = frozenset(kind for kind in torch_signature.OutputKind if kind.name.endswith("_MUTATION"))


def read_signature(
    signature: torch_signature.ExportGraphSignature,
    graph: fx.Graph,
    in_paths: Sequence[str] | None,
    out_paths: Sequence[str] | None,
) -> Signature:
    """The specs, with the user's paths dealt out to the user's inputs and outputs in order.

    Outputs are called as the graph calls them: some steps rename nodes, and leave the signature behind.
    """
    names = {**_names_of_writes(signature, graph), **_names_of_outputs(signature, graph)}
    ins, outs = iter(in_paths or ()), iter(out_paths or ())
    inputs = tuple(
        InputSpec(
            kind=InputKind(spec.kind.name.lower()),
            arg=read_argument(spec.arg),
            target=spec.target,
            persistent=spec.persistent,
            path=next(ins, None) if spec.kind is torch_signature.InputKind.USER_INPUT else None,
        )
        for spec in signature.input_specs
    )
    outputs = tuple(
        OutputSpec(
            kind=OutputKind(spec.kind.name.lower()),
            arg=_called(read_argument(spec.arg), names.get(at)),
            target=spec.target,
            path=next(outs, None) if spec.kind is torch_signature.OutputKind.USER_OUTPUT else None,
        )
        for at, spec in enumerate(signature.output_specs)
    )
    return Signature(inputs, outputs)


def _called(arg: Argument, name: str | None) -> Argument:
    return arg if name is None else replace(arg, name=name)


def _names_of_outputs(signature: torch_signature.ExportGraphSignature, graph: fx.Graph) -> dict[int, str]:
    """By place of the specs: what the graph hands back. What is written to may be no part of that."""
    made = next((node.args[0] for node in reversed(graph.nodes) if node.op == "output"), ())
    made = made if isinstance(made, (tuple, list)) else (made,)
    specs = list(enumerate(signature.output_specs))
    for left_out in ((), (torch_signature.OutputKind.BUFFER_MUTATION,), _MUTATIONS):
        places = [at for at, spec in specs if spec.kind not in left_out]
        if len(places) == len(made):
            pairs = zip(places, made, strict=True)
            return {at: node.name for at, node in pairs if isinstance(node, fx.Node)}
    return {}


def _names_of_writes(signature: torch_signature.ExportGraphSignature, graph: fx.Graph) -> dict[int, str]:
    """By position of the specs: the copies into buffers and inputs in the graph itself."""
    writes = {at: spec.target for at, spec in enumerate(signature.output_specs) if spec.kind in _MUTATIONS}
    if not writes:
        return {}
    read = {
        spec.arg.name: spec.target or spec.arg.name
        for spec in signature.input_specs
        if hasattr(spec.arg, "name")
    }
    copies: dict[str, str] = {}
    for node in graph.nodes:
        written = next(iter(node.args), None)
        if isinstance(written, fx.Node) and written.name in read and str(node.target).endswith(_COPY):
            copies[read[written.name]] = node.name
    return {at: copies[target] for at, target in writes.items() if target in copies}


def read_argument(arg: Any) -> Argument:
    """One argument of a signature."""
    kind = _TYPES[type(arg).__name__]
    if kind is ArgumentType.CONSTANT:
        return Argument(kind, arg.name, _constant(arg.value))
    return Argument(kind, arg.name, cls=getattr(arg, "class_fqn", ""))


def read_tree(spec: pytree.TreeSpec) -> Tree:
    """The record of a pytree spec. Classes that torch cannot serialize are kept by name."""
    try:
        return _serialized(spec)
    except (NotImplementedError, TypeError, ValueError):
        return _tree(spec)


def _serialized(spec: pytree.TreeSpec) -> Tree:
    return parse_treespec(pytree.treespec_dumps(spec), dict(_named_tuples(spec)))


def _named_tuples(spec: pytree.TreeSpec) -> Iterator[tuple[str, Sequence[str]]]:
    """The fields of the named tuples in a spec, by the name that torch writes for their class."""
    if spec.is_leaf():
        return
    cls = spec.context
    if isinstance(cls, type) and pytree.is_namedtuple_class(cls) and cls in pytree.SUPPORTED_SERIALIZED_TYPES:
        yield pytree.SUPPORTED_SERIALIZED_TYPES[cls].serialized_type_name, cls._fields
    for child in spec.children():
        yield from _named_tuples(child)


def read_calls(calls: Sequence[Any]) -> tuple[ModuleCall, ...]:
    """The module call graph."""
    return tuple(ModuleCall(call.fqn, call.signature and _call_signature(call.signature)) for call in calls)


def paths_of(
    in_spec: Tree | None, out_spec: Tree | None, names: Sequence[str] | None
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Where the user passes each input and finds each output."""
    ins = None if in_spec is None else user_paths(in_spec, names or ())
    outs = None if out_spec is None else user_paths(out_spec, None)
    return ins, outs


def _call_signature(signature: Any) -> CallSignature:
    names = signature.forward_arg_names
    return CallSignature(
        inputs=tuple(map(read_argument, signature.inputs)),
        outputs=tuple(map(read_argument, signature.outputs)),
        in_spec=read_tree(signature.in_spec),
        out_spec=read_tree(signature.out_spec),
        arg_names=tuple(names) if names else None,
    )


def _tree(spec: pytree.TreeSpec) -> Tree:
    if spec.is_leaf():
        return Tree("leaf")
    children = tuple(map(_tree, spec.children()))
    try:  # one class that torch cannot serialize leaves the others as they are
        leaves = [pytree.tree_structure(0)] * len(children)
        return replace(_serialized(pytree.TreeSpec(spec.type, spec.context, leaves)), children=children)
    except (NotImplementedError, TypeError, ValueError):
        pass
    kind, context = spec.type, spec.context
    if isinstance(context, type) and pytree.is_namedtuple_class(context):
        fields: tuple[str, ...] = getattr(context, "_fields", ())
        return Tree(type_name(context), children, tuple(map(literal_of, fields)))
    name = kind.__name__ if kind.__module__ == "builtins" else type_name(kind)
    if not isinstance(context, (list, tuple)):
        return Tree(name, children, context=type_name(context))
    keys, rest = keys_of(name, list(map(_plain, context)), len(children))
    return Tree(name, children, keys, None if rest is None else type_name(context))


def _plain(key: Any) -> object:
    return key if key is None or isinstance(key, (bool, int, float, str, list, dict)) else str(key)


def _constant(value: Any) -> Literal:
    plain = value is None or isinstance(value, (bool, int, float, complex, str))
    return literal_of(value) if plain else Literal(LiteralType.STR, type_name(value))
