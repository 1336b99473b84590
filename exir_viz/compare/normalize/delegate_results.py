"""Delegate calls whose results a file does not tell from their inputs.

A `.pte` lists the arguments of a call and does not mark its results. If the delegate's payload is not
read, a result with the memory of an unused input looks like a view of that input, which the call reads. Then
no result of the call is compared: on both sides those who read one of them read the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import ITEM, op_name
from exir_viz.snapshot.records import SequenceValue

from .calls import DELEGATE
from .emitted_programs import VIEW
from .paired_methods import methods

# By number: a node that is, or looks like, a result of such a call, and the call; the call itself has itself.
Unclear = Mapping[int, int]


class UnclearCall(NamedTuple):
    """A call of a file, and of the program that it was perhaps made from."""

    file: Node
    program: Node

    def results(self) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """What each side has of the results: items of tuples, and views that the file's call reads."""
        more = _count(self.program) - _count(self.file)
        read = [one for one in self.file.args[-more:] if isinstance(one, Node)]
        views = tuple(one for one in read if op_name(one.target) == VIEW)
        return (*views, *_items(self.file)), _items(self.program)


def unclear_calls(file: Method, program: Method) -> Iterator[UnclearCall]:
    """Calls that have fewer results in the file than in the program."""
    ours, theirs = _calls(file), _calls(program)
    if len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        yield from (UnclearCall(*pair) for pair in pairs if _count(pair[0]) < _count(pair[1]))


def unclear_results(a: Snapshot, b: Snapshot) -> tuple[Unclear, Unclear]:
    """The results of such calls on each side, if exactly one is a file."""
    found: tuple[dict[int, int], dict[int, int]] = ({}, {})
    if a.is_pte == b.is_pte:
        return found
    numbers = Numbering(a).number, Numbering(b).number
    for ours, theirs in methods(a, b):
        file, program = (ours, theirs) if a.is_pte else (theirs, ours)
        for one in unclear_calls(file, program):
            sides = [(call, results) for call, results in zip(one, one.results(), strict=True)]
            if not a.is_pte:
                sides.reverse()
            for which, (call, results) in enumerate(sides):
                number = numbers[which]
                found[which].update({number(node): number(call) for node in (call, *results)})
    return found


def _calls(method: Method) -> list[Node]:
    return [node for node in method.graph if node.target.name == DELEGATE]


def _items(call: Node) -> tuple[Node, ...]:
    return tuple(user for user in call.users if user.target.name == ITEM)


def _count(call: Node) -> int:
    return len(call.value.items) if isinstance(call.value, SequenceValue) else 1
