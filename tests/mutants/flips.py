"""Operators of a Python source and what each is flipped to: `<` to `<=`, `+` to `-`, `and` to `or`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

FLIPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "+"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip


class Span(NamedTuple):
    """Characters of a source, from `start` to before `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Flip:
    """One operator, and what stands there instead."""

    line: int
    span: Span
    before: str
    after: str

    def applied(self, source: str) -> str:
        return source[: self.span.start] + self.after + source[self.span.end :]


def flips(source: str) -> Iterator[Flip]:
    """Every operator that can be flipped, in the order of the syntax tree."""
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    lines = source.splitlines()

    def offset(line: int, column: int) -> int:
        """`ast` counts the bytes of a line."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for operator, left, right in _operators(ast.parse(source)):
        before, after = FLIPS.get(type(operator), ("", ""))
        if not before or left.end_lineno is None or left.end_col_offset is None:
            continue
        gap = Span(offset(left.end_lineno, left.end_col_offset), offset(right.lineno, right.col_offset))
        word = before if before[0].isalpha() else re.escape(before)
        # Parentheses and comments may stand there too.
        found = re.compile(rf"[\s)]*(?:#[^\n]*\s+)*({word})").match(source, gap.start, gap.end)
        if found:
            span = Span(found.start(1), found.end(1))
            yield Flip(source.count("\n", 0, span.start) + 1, span, found[1], after)


def _operators(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.expr, ast.expr]]:
    """Each operator with the operands at its left and its right."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        # Python 3.11 does not know where the parts of an f-string are.
        nodes += [] if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node)
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                yield from zip(ops, [left, *others], others, strict=False)
            case ast.BoolOp(op=op, values=values):
                yield from ((op, left, right) for left, right in pairwise(values))
            case ast.BinOp(left=left, op=op, right=right):
                yield op, left, right
