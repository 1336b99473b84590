"""Control flow where one side is emitted: a file has the instructions of a nested graph in place, with jumps.

In the program the branches then count as part of the graph around them: their inputs are the operands of the
call, its items are the call. In the file the last move of a result is the call, and jumps and other moves are
its parts. Both calls read the condition, then what either branch returns.

The body of a `map` or `scan` likewise: its inputs are what the call goes through, carries and passes on. In a
file the call includes what counts, slices, copies and jumps. On both sides it reads the results of the body.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.opkind import ITEM
from exir_viz.snapshot.records import TargetType, TensorValue

from .delegates import is_within

if TYPE_CHECKING:
    from .side import Side, Tables

COND, LOOP = "cond", "loop"
_LOOPS = frozenset({"map_impl", "scan"})
_JUMP, _MOVE = "JumpFalseCall", "MoveCall"
# What a file has around the body of a loop: before it, at its begin, at its end, and after it.
_COUNT, _SLICE, _CARRY, _STACK, _RESET = "sym_size", "select_copy", "copy_", "et_copy_index", "sub"
_STEPS = 3  # that count on, compare and jump


class Inlined(NamedTuple):
    """One call: its parts, what it reads, and which nodes represent others."""

    call: Node
    parts: tuple[Node, ...]
    reads: tuple[Node, ...]
    represents: tuple[tuple[Node, Node], ...]
    branches: tuple[Graph, ...] = ()
    op: str = COND


class Inlining(NamedTuple):
    """What one side has, by number: parts of calls, each with its call; the calls, each with its op; the
    branches; and the constants in these, which a file has among its inputs.
    """

    parts: dict[int, int]
    calls: Mapping[int, str] = MappingProxyType({})
    graphs: frozenset[int] = frozenset()
    constants: frozenset[int] = frozenset()


def inline_branches(side: Side, tables: Tables, *, is_file: bool) -> Inlining:
    """Give each `cond`, `map` and `scan` of a side the same form."""
    finders = (_in_file, _loops_in_file) if is_file else (_in_program, _loops_in_program)
    found = [one for graph in side.snapshot.graphs for find in finders for one in find(graph)]
    if not found:
        return Inlining({})

    def number(node: Node) -> int:
        return side.bases[node.graph.number] + node.position

    represented = {number(node): number(other) for one in found for node, other in one.represents}

    def origin(one: int) -> int:
        while one in represented:
            one = represented[one]
        return one

    for one in found:
        call = number(one.call)
        side.targets[call], side.families[call] = tables.ops[one.op], tables.families[one.op]
        side.arguments[call], side.values[call] = tables.records[one.op], NONE
        side.inputs[call] = [number(node) for node in one.reads]
    side.inputs[:] = [[origin(one) for one in inputs] for inputs in side.inputs]
    branches = [graph for one in found for graph in one.branches]
    constants = frozenset(number(node) for graph in branches for node in graph if _is_constant(node))
    for constant in constants:
        side.targets[constant] = tables.ops[TargetType.INPUT.value]
        side.families[constant] = tables.families[TargetType.INPUT.value]
    return Inlining(
        {number(node): number(one.call) for one in found for node in one.parts},
        {number(one.call): one.op for one in found},
        frozenset(graph.number for graph in branches),
        constants,
    )


def _is_constant(node: Node) -> bool:
    return node.target.type is TargetType.ATTRIBUTE and isinstance(node.value, TensorValue)


def _in_program(graph: Graph) -> Iterator[Inlined]:
    if is_within(graph):
        return
    for call in graph:
        if call.target.name != COND or call.op != "call_function" or len(call.args) != 4:
            continue
        condition, *holders, operands = call.args
        inner = [_branch(one) for one in holders]
        if None in inner or not isinstance(operands, Sequence):
            continue
        branches = tuple(one for one in inner if one is not None)
        inputs = [[node for node in one if node.op == "placeholder"] for one in branches]
        outputs = [next(node for node in one if node.op == "output") for one in branches]
        items = [node for node in call.users if node.target.name == ITEM]
        pairs = [
            (node, given)
            for branch_inputs in inputs
            for node, given in zip(branch_inputs, operands, strict=False)
            if isinstance(given, Node)
        ]
        holding_nodes = (one for one in holders if isinstance(one, Node))
        yield Inlined(
            call,
            (*holding_nodes, *(node for branch_inputs in inputs for node in branch_inputs), *outputs, *items),
            (*_nodes([condition]), *(node for one in outputs for node in one.inputs)),
            (*pairs, *((item, call) for item in items)),
            branches,
        )


def _loops_in_program(graph: Graph) -> Iterator[Inlined]:
    if is_within(graph):
        return
    for call in graph:
        if call.target.name not in _LOOPS or call.op != "call_function" or not call.args:
            continue
        holder, *operands = call.args
        body = _branch(holder)
        if body is None or not isinstance(holder, Node):
            continue
        inputs = [node for node in body if node.op == "placeholder"]
        output = next(node for node in body if node.op == "output")
        passed = [one for each in operands if isinstance(each, list | tuple) for one in each]
        items = [node for node in call.users if node.target.name == ITEM]
        pairs = [
            (node, given) for node, given in zip(inputs, passed, strict=False) if isinstance(given, Node)
        ]
        represents = (*pairs, *((item, call) for item in items))
        yield Inlined(call, (holder, *inputs, output, *items), output.inputs, represents, (body,), LOOP)


def _branch(holder: object) -> Graph | None:
    """The branch that only one call reads by this node."""
    if not isinstance(holder, Node) or len(holder.users) != 1:
        return None
    subgraphs = tuple(holder.graph.subgraphs_of(holder.position))
    return subgraphs[0] if len(subgraphs) == 1 else None


def _in_file(graph: Graph) -> Iterator[Inlined]:
    """A jump forward begins the first branch; the jump before its goal ends it and begins the second."""
    steps = {node.debug_handle: node for node in graph if node.debug_handle is not None}
    used_calls: set[int] = set()
    for start in sorted(steps, reverse=True):  # inner ones first
        condition, middle = _jump(steps[start])
        if middle <= start:
            continue
        closing = steps.get(middle - 1)
        if closing is None or closing.target.name != _JUMP or closing.args[0] is not False:
            continue
        end = _jump(closing)[1]
        moves = [_moves(steps, used_calls, *one) for one in ((start, middle - 1), (middle - 1, end))]
        if not moves[1] or len(moves[0]) != len(moves[1]):
            continue
        used_calls.update(node.position for one in moves for node in one)
        call = moves[1][-1]
        others = [node for one in moves for node in one if node != call]
        yield Inlined(
            call,
            (steps[start], closing, *others),
            (
                *_nodes([condition]),
                *(node for one in moves for move in one for node in _nodes(move.args[:1])),
            ),
            tuple((node, call) for node in others),
        )


def _loops_in_file(graph: Graph) -> Iterator[Inlined]:
    """A jump back ends the body. The size to count to is read before it, and the counter is reset after."""
    steps = {node.debug_handle: node for node in graph if node.debug_handle is not None}
    for end, node in steps.items():
        first = _jump(node)[1]
        if not 0 < first <= end:
            continue
        carried = _run(steps, first - 1, _CARRY)
        last = end - _STEPS
        stacked = _run(steps, last, _STACK)
        copied = _run(steps, last - len(stacked), _CARRY)[-len(carried) :] if carried else []
        around = [steps.get(at) for at in (first - len(carried) - 1, *range(last + 1, end + 2))]
        kept = [*copied, *stacked]
        whole = [one for one in around if one is not None]
        is_whole = len(whole) == len(around) and len(copied) == len(carried) and kept
        if not is_whole or (whole[0].target.name, whole[-1].target.name) != (_COUNT, _RESET):
            continue
        slices = list(itertools.takewhile(_is_slice, (steps[at] for at in range(first, end) if at in steps)))
        call = kept[-1]
        others = (*whole, *kept[:-1])
        given = [(one, one.args[1]) for one in carried] + [(one, one.args[0]) for one in slices]
        yield Inlined(
            call,
            (*others, *carried, *slices),
            tuple(_nodes([one.args[1] for one in kept])),
            (
                *((one, source) for one, source in given if isinstance(source, Node)),
                *((one, call) for one in others),
            ),
            (),
            LOOP,
        )


def _run(steps: dict[int, Node], last: int, name: str) -> list[Node]:
    """The calls of one op that end with an instruction."""
    found: list[Node] = []
    while (node := steps.get(last - len(found))) is not None and node.target.name == name:
        found.insert(0, node)
    return found


def _is_slice(node: Node) -> bool:
    """Whether it takes what one turn of a loop works on: the counter has no node that made it."""
    return node.target.name == _SLICE and not isinstance(node.args[2], (int, Node))


def _jump(node: Node) -> tuple[object, int]:
    """The condition and the goal of a jump."""
    if node.target.type is not TargetType.INSTRUCTION or node.target.name != _JUMP:
        return None, NONE
    condition, goal = node.args
    return condition, goal if isinstance(goal, int) else NONE


def _moves(steps: dict[int, Node], used_calls: set[int], start: int, end: int) -> list[Node]:
    """The moves that end a branch, without those of a `cond` within it."""
    found: list[Node] = []
    for at in range(end - 1, start, -1):
        node = steps.get(at)
        if node is None or node.target.name != _MOVE or node.position in used_calls:
            break
        found.insert(0, node)
    return found


def _nodes(values: Sequence[object]) -> list[Node]:
    return [one for one in values if isinstance(one, Node)]
