"""State: what a program keeps from one call to the next, and how each call writes it.

How a tensor is written is read from the ops on its memory. Before ExecuTorch a program may only return the
new value; whether that is copied is decided by `to_executorch`, so it is not said of such a program.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exir_viz.compare.normalize.schemas import parameters
from exir_viz.snapshot.delegate_links import copies_across, origin_across
from exir_viz.snapshot.describe import item_bytes, tensor_text, value_bytes
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import ITEM, OpKind, op_name
from exir_viz.snapshot.program import MUTATIONS, InputKind
from exir_viz.snapshot.records import TargetType, TensorValue
from exir_viz.snapshot.sizes import Sizes, source_of_memory
from exir_viz.snapshot.snapshot import Method, Snapshot

from .report import Category, Column, Outcome, Report, Row, Section, Unit, worst

_COLUMNS: Final = (
    Column("kind"), Column("tensor"), Column("bytes", Unit.BYTES), Column("grows by"), Column("written"),
    Column("read by", Unit.COUNT),
)  # fmt: skip
# Ops that write part of a cache, or a new one.
_CACHE_WRITES: Final = re.compile(r"index_put|index_copy|copy|slice_scatter|select_scatter|update_cache")
# They write their running statistics if they train, which no schema says.
_NORMS: Final = ("batch_norm", "instance_norm", "native_batch_norm")
_ATTENTION: Final = re.compile(r"scaled_dot_product|sdpa")
_PRODUCTS: Final = ("bmm", "matmul", "baddbmm")
_PASSES: Final = (OpKind.VIEW, OpKind.COPY, OpKind.POINTWISE)
_REINPLACE: Final = "Lower with ExecutorchBackendConfig(run_reinplace_pass=True), which writes it in place."


class How(StrEnum):
    """How a call writes a tensor."""

    COPIED = "copied whole"
    IN_PLACE = "in place"
    RETURNED = "returned as a new value"
    NOT = "not written"


@dataclass(frozen=True, slots=True)
class Write:
    """An op that writes to a tensor, and the node that makes what it writes."""

    how: How
    node: Node
    made_by: Node
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Use:
    """A tensor that outlives a call: its writes, and the ops that read it or its new value."""

    name: str
    kind: str
    node: Node
    writes: tuple[Write, ...]
    readers: tuple[Node, ...]
    is_cache: bool
    doubts: tuple[str, ...]

    @property
    def how(self) -> How:
        ways = {write.how for write in self.writes}
        return next((how for how in How if how in ways), How.NOT)


def state(snapshot: Snapshot) -> Report:
    """Say how each call writes what outlives it: in place, or copied whole, such as a KV cache."""
    several = len(snapshot.methods) > 1
    named = [
        (f"{method.name}: {use.name}" if several else use.name, use)
        for method in snapshot.methods.values()
        for use in uses(method)
    ]
    written = [(name, use) for name, use in named if use.writes]
    groups = {
        "Caches of attention": [(name, use) for name, use in written if use.is_cache],
        "Other tensors that are written": [(name, use) for name, use in written if not use.is_cache],
        "Buffers that are only read": [(name, use) for name, use in named if not use.writes],
    }
    sections = tuple(
        Section(title, tuple(_row(name, use) for name, use in members), _COLUMNS)
        for title, members in groups.items()
        if members
    )
    every = [use for _, use in named]
    overlay = ((how.value, [use for use in every if use.how is how]) for how in How)
    return Report(
        _headline([use for _, use in written]),
        worst(row for section in sections for row in section.rows),
        sections=sections,
        overlay=tuple(Category(label, tuple(map(_id, some))) for label, some in overlay if some),
        unexamined=(*dict.fromkeys(doubt for use in every for doubt in use.doubts), *_backends(snapshot)),
    )


def uses(method: Method) -> Iterator[Use]:
    """Buffers, and parameters and inputs of the user that a call writes."""
    graph, sizes = method.graph, Sizes.hinted(method)
    for spec in method.signature.inputs:
        if spec.arg.name not in graph or not isinstance(graph[spec.arg.name].value, TensorValue):
            continue
        node = graph[spec.arg.name]
        name = spec.target or spec.arg.name
        memory = _memory(node, sizes)
        writes = tuple(_writes(node, memory, sizes)) or tuple(_returned(method, name, node))
        if not writes and spec.kind is not InputKind.BUFFER:
            continue
        values = [*memory, *(write.made_by for write in writes if write.made_by not in memory)]
        others = {*values, *(write.node for write in writes)}
        readers = {user: None for value in values for user in value.users if user.op == "call_function"}
        yield Use(
            name,
            spec.kind.value.replace("_", " "),
            node,
            writes,
            tuple(user for user in readers if user not in others),
            any(_CACHE_WRITES.search(write.made_by.target.name) for write in writes) and _is_attended(values),
            tuple(_doubts(name, memory)),
        )


def _memory(node: Node, sizes: Sizes) -> list[Node]:
    """The node and what lies in its memory: views of it, results of ops in place."""
    memory = [node]
    for part in memory:
        memory += [
            user for user in part.users if user not in memory and source_of_memory(user, sizes) == part
        ]
    return memory


def _writes(node: Node, memory: list[Node], sizes: Sizes) -> Iterator[Write]:
    """The ops that write to the memory itself."""
    for part in memory:
        for user in part.users:
            if part not in _written(user):
                continue
            count = sizes.bytes(part.value)
            others = [given for given in user.inputs if given != part]
            if user.target.name != "copy_" or not others:
                yield Write(How.IN_PLACE, user, user, None)
            elif _is_same_place(others[0], node, memory):
                continue  # it is there already
            else:
                yield Write(How.COPIED if part == node else How.IN_PLACE, user, others[0], count)


def _written(node: Node) -> list[Node]:
    """The inputs that an op writes to: by its schema, or by torch's rule for names where there is none."""
    target, known = node.target, parameters(node.target)
    if target.type is not TargetType.OP:
        return []
    if target.name in _NORMS and node.args[5:6] == (True,):
        args = [*node.args[3:5]]
    elif known is not None:
        given = {**dict(zip((parameter.name for parameter in known), node.args, strict=False)), **node.kwargs}
        args = [given.get(parameter.name) for parameter in known if "!" in parameter.type]
    else:
        is_first = target.name.endswith("_") and not target.name.endswith("__")
        args = [*node.args[:1]] if is_first else [node.kwargs.get("out")]
    items = [item for arg in args for item in (arg if isinstance(arg, list | tuple) else (arg,))]
    return [item for item in items if isinstance(item, Node)]


def _is_same_place(source: Node, node: Node, memory: list[Node]) -> bool:
    """Whether the plan put what is copied where it is copied to."""
    if source in memory:
        return True
    planned = [
        {(spec.mem_id, spec.offset) for spec in side.specs if spec.offset is not None}
        for side in (source, node)
    ]
    return bool(planned[0]) and planned[0] == planned[1]


def _returned(method: Method, name: str, node: Node) -> Iterator[Write]:
    """The new value that the graph returns for a tensor, where no op writes to the tensor itself."""
    for spec in method.signature.outputs:
        is_new = spec.kind in MUTATIONS and spec.target == name and spec.arg.name != node.name
        if is_new and spec.arg.name in method.graph:
            made = method.graph[spec.arg.name]
            yield Write(How.RETURNED, made, made, value_bytes(made.value) if made.value else None)


def _doubts(name: str, memory: list[Node]) -> Iterator[str]:
    """Calls that get a tensor and may write to it, unknown to us."""
    for user in dict.fromkeys(user for part in memory for user in part.users):
        target = user.target
        is_custom = target.type is TargetType.OP and target.schema is None and target.namespace != "aten"
        if is_custom and "delegate" not in target.name and not _written(user):
            yield f"Whether {op_name(target)} writes to {name}: the file has no schema of it."
        elif any(graph.delegate is None for node in (user, *user.inputs) for graph in node.subgraphs):
            yield f"What {op_name(target)} does with {name} in its branches and loop bodies."


def _backends(snapshot: Snapshot) -> Iterator[str]:
    for graph in snapshot.graphs:
        if graph.delegate is not None and graph.signature is not None:
            count = sum(spec.kind in MUTATIONS for spec in graph.signature.outputs)
            if count:
                yield f"{graph.delegate.backend} writes {plural(count, 'tensor')} of its own, unknown how."


# --- Caches of attention ---------------------------------------------------------------------------------


def _is_attended(values: list[Node]) -> bool:
    """Whether attention reads one of the values: through ops that only move or scale its elements.

    Attention is an op of that name, or a product before or after a softmax.
    """
    return any(
        _ATTENTION.search(node.target.name)
        or (
            node.target.name in _PRODUCTS
            and (_is_near_softmax(node, _users) or _is_near_softmax(node, _inputs))
        )
        for node in _reached(values, _users)
    )


def _is_near_softmax(node: Node, step: Callable[[Node], Sequence[Node]]) -> bool:
    return any("softmax" in reached.target.name for reached in _reached([node], step))


def _users(node: Node) -> Sequence[Node]:
    return [*node.users, *copies_across(node)]


def _inputs(node: Node) -> Sequence[Node]:
    origin = origin_across(node)
    return node.inputs if origin is None else [origin]


def _reached(starts: list[Node], step: Callable[[Node], Sequence[Node]]) -> list[Node]:
    """The nodes one step behind ops that move or scale elements, from the starts on."""
    seen = dict.fromkeys(starts)
    waiting = list(starts)
    for node in waiting:
        is_passed = index_of(node.graph).kinds[node.position] in _PASSES or node.op == "placeholder"
        if node in starts or is_passed or node.target.name == ITEM:
            further = dict.fromkeys(user for user in step(node) if user not in seen)
            waiting += further
            seen |= further
    return waiting[len(starts) :]


# --- Rows ------------------------------------------------------------------------------------------------


def _headline(written: list[Use]) -> str:
    if not written:
        return "no state is written"
    ways = []
    for how in How:
        some = [use for use in written if use.how is how]
        if some:
            caches = sum(use.is_cache for use in some)
            named = f", {plural(caches, 'cache')} of attention among them" if caches else ""
            ways.append(f"{len(some):,} {how.value} ({_sum(some)}{named})")
    return f"{plural(len(written), 'tensor')} written by each call: {', '.join(ways)}"


def _sum(some: list[Use]) -> str:
    sizes = [value_bytes(use.node.value) if use.node.value else None for use in some]
    known = sum(size for size in sizes if size is not None)
    return byte_text(known) if None not in sizes else f"at least {byte_text(known)}"


def _row(name: str, use: Use) -> Row:
    value = use.node.value
    assert isinstance(value, TensorValue)
    is_copied = use.how is How.COPIED
    in_place = is_copied and all(write.made_by.target.name == "index_put" for write in use.writes)
    nodes = tuple(dict.fromkeys(map(_id, (use.node, *(write.node for write in use.writes), *use.readers))))
    count, growth = value_bytes(value), _growth(value)
    return Row(
        name,
        reason=" ".join(dict.fromkeys(map(_reason, use.writes))),
        remedy=_REINPLACE if in_place else "",
        severity=Outcome.WARNING if is_copied and use.is_cache else Outcome.FINE,
        nodes=nodes,
        values=(use.kind, tensor_text(value), count, growth, use.how.value, len(use.readers)),
    )


def _reason(write: Write) -> str:
    amount = "all of it" if write.bytes is None else byte_text(write.bytes)
    match write.how:
        case How.COPIED:
            return f"{write.node.name} copies {amount} into it, which {write.made_by.name} makes."
        case How.IN_PLACE:
            return f"{write.node.name} writes into its memory."
        case _:
            return f"{write.node.name} makes the new value; to_executorch decides whether it is copied."


def _growth(value: TensorValue) -> str:
    """ "256 B × s77": bytes by the sizes that may vary."""
    symbols = [dim for dim in value.shape if isinstance(dim, str)]
    item = item_bytes(value.dtype)
    if not symbols or item is None:
        return ""
    fixed = item * math.prod(dim for dim in value.shape if isinstance(dim, int))
    return " × ".join([byte_text(fixed), *(f"({dim})" if " " in dim else dim for dim in symbols)])


def _id(item: Node | Use) -> str:
    return item.node.id if isinstance(item, Use) else item.id
