"""The inputs of a program, by place and name, and generated inputs that fit its metadata.

What leaves is a list in the order of the user's placeholders. Generated integers stay within the sizes that
they index; symbols take the given values, or their hints, or the least value of their range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import sympy
import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind

from exir_viz.errors import MeasureError
from exir_viz.torch_internals.pytrees import pytree

from .symbols import bound, expression, value_of

_SEED = 0
# Ops whose index argument is limited by a dimension of another: op, position of the index, of the indexed.
_LOOKUPS = {"embedding": (1, 0), "gather": (2, 0), "index_select": (2, 0), "index": (1, 0), "scatter": (2, 0)}
# Ops that pass an index on unchanged.
_CARRIERS = ("view", "reshape", "unsqueeze", "squeeze", "expand", "clone", "alias", "slice", "_to_copy", "to",
             "transpose", "permute", "contiguous", "view_copy", "unsqueeze_copy", "expand_copy",
             "slice_copy", "squeeze_copy", "_to_dim_order_copy", "repeat", "flatten")  # fmt: skip
# Ops that read a tensor as a number.
_READS = ("item", "_local_scalar_dense")


class Place(NamedTuple):
    """A user's input: its placeholder, its path in the user's notation, and the constant it was
    specialized to.

    `slot`: its position or keyword in a call: "args[0]", "kwargs['mask']"; "" if unknown.
    """

    node: fx.Node
    path: str
    constant: Any = None
    is_constant: bool = False
    slot: str = ""


def places(program: ExportedProgram) -> list[Place]:
    """The user's inputs in order."""
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    found = [
        (node, spec)
        for node, spec in zip(nodes, program.graph_signature.input_specs, strict=True)
        if spec.kind is InputKind.USER_INPUT
    ]
    written = _written(program, len(found))
    return [
        Place(node, path or node.name, spec.arg.value, True, slot)
        if isinstance(spec.arg, ConstantArgument)
        else Place(node, path or node.name, slot=slot)
        for (node, spec), (path, slot) in zip(found, written, strict=True)
    ]


def argument_names(program: ExportedProgram, count: int) -> list[str]:
    """The user's name of each positional argument; "args[0]" if it is unknown."""
    signature = next((call.signature for call in program.module_call_graph if call.fqn == ""), None)
    names = list(getattr(signature, "forward_arg_names", None) or ())[:count]
    return [*names, *(f"args[{at}]" for at in range(len(names), count))]


def made(program: ExportedProgram, symbols: Mapping[str, int]) -> list[Any]:
    """Generated values that fit the program's inputs, the same each time."""
    generator = torch.Generator().manual_seed(_SEED)
    values = {sympy.Symbol(name, integer=True): number for name, number in symbols.items()}
    found = []
    for place in places(program):
        try:
            found.append(place.constant if place.is_constant else _make(place, program, values, generator))
        except RuntimeError as error:  # too large for this machine
            raise MeasureError(f"Cannot generate a value for the input {place.path}: {error}") from error
    return found


def _make(
    place: Place, program: ExportedProgram, symbols: Mapping[Any, int], generator: torch.Generator
) -> Any:
    value = place.node.meta.get("val")
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value_of(value, program, symbols)
    if not isinstance(value, torch.Tensor):
        return value
    shape = [value_of(size, program, symbols) for size in value.shape]
    if value.dtype is torch.bool:
        made = torch.ones(shape, dtype=torch.bool, device="cpu")
    elif value.dtype.is_floating_point or value.dtype.is_complex:
        wide = torch.complex64 if value.dtype.is_complex else torch.float32
        made = torch.randn(shape, generator=generator, dtype=wide, device="cpu")
    else:
        low, limit = _span(place.node, program, symbols)
        made = torch.randint(low, limit, shape, generator=generator, device="cpu")
    return made.to(value.dtype).contiguous(memory_format=_format_of(value))


def _format_of(value: torch.Tensor) -> torch.memory_format:
    if (
        value.dim() == 4
        and not value.is_contiguous()
        and value.is_contiguous(memory_format=torch.channels_last)
    ):
        return torch.channels_last
    return torch.contiguous_format


def _span(node: fx.Node, program: ExportedProgram, symbols: Mapping[Any, int]) -> tuple[int, int]:
    """The least integer of an input and the first too large one, from the sizes that its users index.

    0 and 1 if it indexes nothing; the symbol's range if it is read as a number.
    """
    low, high = 0, 2
    limits: list[int] = []
    for user, current in _readers(node):
        lookup = _LOOKUPS.get(_name(user))
        if lookup is not None and _is_index(user, current, lookup[0]):
            limits += _sizes(user, lookup[1], current, program, symbols)
        if _name(user) in _READS:
            number = expression(user.meta.get("val"))
            known = program.range_constraints.get(number) if number is not None else None
            low = max(low, (bound(known.lower) if known is not None else None) or 0)
    if limits:
        high = min((*limits, 2**7))
    return low, max(high, low + 1)


def _readers(node: fx.Node) -> Iterator[tuple[fx.Node, fx.Node]]:
    """The users of a value and of its views, each with the value it uses."""
    seen, queue = {node}, [node]
    while queue:
        current = queue.pop()
        for user in current.users:
            yield user, current
            if _name(user) in _CARRIERS and user not in seen:
                seen.add(user)
                queue.append(user)


def _name(node: fx.Node) -> str:
    return str(getattr(node.target, "__name__", node.target)).rpartition("::")[2].split(".")[0]


def _is_index(user: fx.Node, index: fx.Node, position: int) -> bool:
    given = user.args[position] if len(user.args) > position else None
    return given is index or (isinstance(given, (list, tuple)) and index in given)


def _sizes(
    user: fx.Node, position: int, index: fx.Node, program: ExportedProgram, symbols: Mapping[Any, int]
) -> Iterator[int]:
    source = user.args[position]
    value = source.meta.get("val") if isinstance(source, fx.Node) else None
    if not isinstance(value, torch.Tensor):
        return
    given = user.args[1]
    dim = 0
    if isinstance(given, int):  # gather(x, dim, index)
        dim = given
    elif isinstance(given, (list, tuple)):  # index(x, [None, i])
        dim = list(given).index(index)
    yield int(value_of(value.shape[dim], program, symbols))


def _written(program: ExportedProgram, count: int) -> list[tuple[str, str]]:
    """The user's notation of each input, and its slot in a call."""
    spec = program.call_spec.in_spec
    if spec is None or spec.num_leaves != count:
        return [("", "")] * count
    args, kwargs = pytree.tree_unflatten([*range(count)], spec)
    found: dict[int, tuple[str, str]] = {}
    for at, (name, arg) in enumerate(zip(argument_names(program, len(args)), args, strict=True)):
        slot = f"args[{at}]"
        found |= {leaf: (name + path, slot + path) for path, leaf in _leaves(arg)}
    for name, arg in kwargs.items():
        found |= {leaf: (name + path, f"kwargs[{name!r}]{path}") for path, leaf in _leaves(arg)}
    return [found.get(at, ("", "")) for at in range(count)]


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    return ((pytree.keystr(key), leaf) for key, leaf in pytree.tree_leaves_with_path(value))
