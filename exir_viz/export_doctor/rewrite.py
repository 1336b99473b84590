"""Rewrite a statement that depends on data so that torch.export can trace it: source text in and out."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass)
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


class Rewritten(NamedTuple):
    """New code for the lines `first` to `last`; where last < first, it goes before `first`."""

    code: str
    first: int
    last: int


class Place(NamedTuple):
    """A statement, the suite that it is in, and the function around it."""

    statement: ast.stmt
    suite: list[ast.stmt]
    function: ast.FunctionDef | ast.AsyncFunctionDef


def place_of(text: str, line: int) -> Place | None:
    """The innermost statement with this line in its header; None outside of functions."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = [place for place in _places(tree) if place.statement.lineno <= line <= _last(place.statement)]
    return max(found, key=lambda place: place.statement.lineno, default=None)


def _places(tree: ast.AST) -> Iterator[Place]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for holder in ast.walk(function):
            for name in ("body", "orelse", "finalbody"):
                suite = getattr(holder, name, None)
                if isinstance(suite, list) and holder is not tree:
                    yield from (Place(one, suite, function) for one in suite)


def _last(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def cond(place: Place) -> Rewritten | None:
    """An `if` as torch.cond; None if a branch does more than assign or return."""
    test = place.statement
    if not isinstance(test, ast.If) or not all(
        isinstance(one, _SIMPLE) for one in (*test.body, *test.orelse)
    ):
        return None
    rest = place.suite[place.suite.index(test) + 1 :]
    returns = isinstance(test.body[-1], ast.Return)
    if returns:
        other = test.orelse or rest
        if (
            not other
            or not isinstance(other[-1], ast.Return)
            or not all(isinstance(one, _SIMPLE) for one in other)
        ):
            return None
        last = _last(test) if test.orelse else _last(rest[-1])
        branches, target = (test.body, other), "return "
    else:
        names = sorted(_assigned(test.body) | _assigned(test.orelse))
        if not names or any(isinstance(one, ast.Return) for one in (*test.body, *test.orelse)):
            return None
        last, target = _last(test), f"{', '.join(names)} = "
        branches = (_returning(test.body, names), _returning(test.orelse, names))
    operands = _operands(place, [*branches[0], *branches[1]])
    parameters, condition = ", ".join(operands), ast.unparse(test.test)
    given = f"({parameters}{',' * bool(operands)})"
    code = [
        f"def if_true({parameters}):", *_indented(branches[0]), "",
        f"def if_false({parameters}):", *_indented(branches[1]), "",
        f"{target}torch.cond({condition}, if_true, if_false, {given})",
    ]  # fmt: skip
    return Rewritten(_at(code, test.col_offset), test.lineno, last)


def _returning(body: Sequence[ast.stmt], names: Sequence[str]) -> list[ast.stmt]:
    """A branch that returns the names; a branch may not return an operand itself, so that is copied."""
    own = _assigned(body)
    values = [name if name in own else f"{name}.clone()" for name in names]
    return [
        *(one for one in body if not isinstance(one, ast.Pass)),
        *ast.parse(f"return {', '.join(values)}").body,
    ]


def check(place: Place) -> Rewritten | None:
    """An assertion as torch._check, which stays in the program as a run-time assertion."""
    if not isinstance(place.statement, ast.Assert):
        return None
    test = place.statement.test
    code = f"torch._check(({ast.unparse(test)}).item())"
    return Rewritten(_at([code], place.statement.col_offset), place.statement.lineno, _last(place.statement))


def promise(place: Place) -> Rewritten | None:
    """For a branch on a size: a check before it that the size is never so; None if it is no comparison."""
    test = getattr(place.statement, "test", None)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE):
        return None
    turned = ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    code = _at([f"torch._check({ast.unparse(turned)})"], place.statement.col_offset)
    return Rewritten(code, place.statement.lineno, place.statement.lineno - 1)


def while_loop(place: Place) -> Rewritten | None:
    """A `for` over a range whose length is a tensor as while_loop; the body may only assign."""
    loop = place.statement
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.orelse:
        return None
    length = _length(loop.iter)
    names = sorted(_assigned(loop.body) & _local(place))
    if (
        length is None
        or not names
        or not all(isinstance(one, ast.Assign | ast.AugAssign) for one in loop.body)
    ):
        return None
    step, carried = loop.target.id, ", ".join(names)
    code = [
        "from torch._higher_order_ops import while_loop", "",
        f"def goes_on({step}, {carried}):", f"    return {step} < {length}", "",
        f"def body({step}, {carried}):", *_indented(loop.body), f"    return {step} + 1, {carried}", "",
        f"{step}, {carried} = while_loop(goes_on, body, (torch.zeros((), dtype=torch.int64), {carried}))",
    ]  # fmt: skip
    return Rewritten(_at(code, loop.col_offset), loop.lineno, _last(loop))


def _length(values: ast.expr) -> str | None:
    """The tensor whose value is the length of a range: of `range(int(n))` and `range(n.item())`."""
    match values:
        case ast.Call(ast.Name("range"), [ast.Call(ast.Name("int"), [inner], [])], []):
            return ast.unparse(inner)
        case ast.Call(ast.Name("range"), [ast.Call(ast.Attribute(inner, "item"), [], [])], []):
            return ast.unparse(inner)
    return None


def _assigned(statements: Sequence[ast.stmt]) -> set[str]:
    nodes = (node for one in statements for node in ast.walk(one))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _local(place: Place) -> set[str]:
    """The names that the function has before the statement."""
    given = place.function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    before = [one for one in ast.walk(place.function)
              if isinstance(one, ast.stmt) and one.lineno < place.statement.lineno]  # fmt: skip
    return ({one.arg for one in every} | _assigned([one for one in before if isinstance(one, _SIMPLE)])) - {
        "self"
    }


def _operands(place: Place, statements: Sequence[ast.stmt]) -> list[str]:
    nodes = [node for one in statements for node in ast.walk(one)]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return sorted((read & _local(place)) - set(dir(builtins)))


def _indented(statements: Sequence[ast.stmt]) -> list[str]:
    return [f"    {line}" for one in statements for line in ast.unparse(one).splitlines()]


def _at(lines: Sequence[str], column: int) -> str:
    return "\n".join(f"{' ' * column}{line}" if line else "" for line in lines)
