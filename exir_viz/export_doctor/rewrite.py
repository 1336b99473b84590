"""Rewrite a statement that depends on data so that torch.export can trace it: source text in and out."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator, Mapping, Sequence
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


def cond(place: Place) -> list[Rewritten]:
    """An `if` as torch.cond, in several ways to try; none if a branch does more than assign or return."""
    test = place.statement
    if not isinstance(test, ast.If) or not all(map(_is_simple, (*test.body, *test.orelse))):
        return []
    rest = place.suite[place.suite.index(test) + 1 :]
    if isinstance(test.body[-1], ast.Return):
        other = test.orelse or rest
        if not other or not isinstance(other[-1], ast.Return) or not all(map(_is_simple, other)):
            return []
        last = _last(test) if test.orelse else _last(rest[-1])
        branches, target = (_returning(test.body), _returning(other)), "return "
    else:
        names = _results(place, test)
        if not names or any(isinstance(one, ast.Return) for one in (*test.body, *test.orelse)):
            return []
        last, target = _last(test), f"{', '.join(names)} = "
        branches = (_returning(test.body, names), _returning(test.orelse, names))
    found = []
    for operands in dict.fromkeys((tuple(_operands(place, [*branches[0], *branches[1]])), ())):
        parameters = ", ".join(operands)
        given = f"({parameters}{',' * bool(operands)})"
        code = [
            f"def if_true({parameters}):", *_indented(branches[0]), "",
            f"def if_false({parameters}):", *_indented(branches[1]), "",
            f"{target}torch.cond({_condition(test.test)}, if_true, if_false, {given})",
        ]  # fmt: skip
        found.append(Rewritten(_at(code, test.col_offset), test.lineno, last))
    return found


def _is_simple(statement: ast.stmt) -> bool:
    """Whether it only assigns variables, or returns."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            every = target.elts if isinstance(target, ast.Tuple) else [target]
            return statement.value is not None and all(isinstance(one, ast.Name) for one in every)
        case ast.Return(value=value):
            return value is not None
    return isinstance(statement, ast.Pass)


def _results(place: Place, test: ast.If) -> list[str]:
    """The variables that the branches assign and that later code reads; none if one may be undefined."""
    names = sorted(_assigned(test.body) | _assigned(test.orelse))
    always = (_assigned(test.body) & _assigned(test.orelse)) | _local(place)
    later = {
        node.id
        for node in ast.walk(place.function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.lineno > _last(test)
    }
    loops = [one for one in ast.walk(place.function) if isinstance(one, ast.For | ast.While)]
    is_in_loop = any(one.lineno < test.lineno <= _last(one) for one in loops)
    names = [name for name in names if name in later or is_in_loop]
    return names if all(name in always for name in names) else []


def _condition(test: ast.expr) -> str:
    """A condition that torch.cond accepts: a tensor, where Python would ask for its truth."""
    return ast.unparse(_Condition().visit(copy.deepcopy(test)))


class _Condition(ast.NodeTransformer):
    """Makes tensors of `and`, `or`, `not`, `bool(x)`, `x.item()`, and torch.equal."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """`a and b` as `a & b`, which numbers and tensors have too."""
        every: list[ast.expr] = [self.visit(value) for value in node.values]
        first, *rest = every
        for value in rest:
            first = ast.BinOp(first, ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr(), value)
        return first

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """`not a` as torch.logical_not(a)."""
        operand: ast.expr = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.Call(_torch("logical_not"), [operand], [])
        return ast.UnaryOp(node.op, operand)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Without the conversion to a number."""
        match node:
            case ast.Call(func=ast.Name(id="bool" | "float"), args=[inner], keywords=[]):
                pass
            case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr="equal"), args=[one, other], keywords=[]
            ):
                equal = ast.Compare(one, [ast.Eq()], [other])
                return ast.Call(ast.Attribute(equal, "all", ast.Load()), [], [])
            case _:
                return node
        tensor: ast.expr = self.visit(inner)
        return tensor


def _torch(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())


# Methods and functions whose result may share memory with their input.
_ALIASES = frozenset((
    *("view", "reshape", "t", "transpose", "permute", "squeeze", "unsqueeze", "flatten", "unflatten"),
    *("contiguous", "expand", "expand_as", "view_as", "chunk", "split", "unbind", "select", "narrow", "to"),
    *("float", "double", "half", "int", "long", "bool", "type", "type_as", "diagonal", "movedim"),
    *("moveaxis", "ravel", "swapaxes", "broadcast_to", "detach", "real", "imag"),
))  # fmt: skip


def _returning(body: Sequence[ast.stmt], names: Sequence[str] = ()) -> list[ast.stmt]:
    """A branch that returns its own value, or these names.

    A branch may not return an operand, nor a view of one, so these are copied. `x += 1` would write to an
    operand: it becomes `x = x + 1`.
    """
    made: dict[str, ast.expr] = {}
    found: list[ast.stmt] = []
    results: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    for one in map(copy.deepcopy, body):
        match one:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                value = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                found.append(ast.Assign([ast.Name(name, ast.Store())], value, lineno=0))
                made[name] = value
            case ast.Return(value=ast.expr() as value):
                results = list(value.elts) if isinstance(value, ast.Tuple) else [value]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.append(one)
                made[name] = value
            case ast.Pass():
                continue
            case _:
                found.append(one)
    values = [ast.unparse(one if _is_new(one, made) else _copy_of(one)) for one in results]
    return [*found, *ast.parse(f"return {', '.join(values)}").body]


def _copy_of(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "clone", ast.Load()), [], [])


def _is_new(value: ast.expr, made: Mapping[str, ast.expr]) -> bool:
    """Whether an expression makes a tensor of its own."""
    match value:
        case ast.Name(id=name):
            rest = {other: one for other, one in made.items() if other != name}
            return name in made and _is_new(made[name], rest)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in _ALIASES
    return isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call)


def check(place: Place) -> list[Rewritten]:
    """An assertion as torch._check, which stays in the program as a run-time assertion."""
    statement = place.statement
    if not isinstance(statement, ast.Assert):
        return []
    texts = dict.fromkeys((f"({_condition(statement.test)}).item()", ast.unparse(statement.test)))
    return [
        Rewritten(_at([f"torch._check({text})"], statement.col_offset), statement.lineno, _last(statement))
        for text in texts
    ]


def promise(place: Place) -> list[Rewritten]:
    """For a branch on a size: a check before it that the size is never so; none if it is no comparison."""
    test = getattr(place.statement, "test", None)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE):
        return []
    turned = ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    code = _at([f"torch._check({ast.unparse(turned)})"], place.statement.col_offset)
    return [Rewritten(code, place.statement.lineno, place.statement.lineno - 1)]


def while_loop(place: Place) -> list[Rewritten]:
    """A `for` over a range whose length is a tensor as while_loop; the body may only assign."""
    loop = place.statement
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.orelse:
        return []
    length = _length(loop.iter)
    names = sorted(_assigned(loop.body) & _local(place))
    if (
        length is None
        or not names
        or not all(map(_is_simple, loop.body))
        or any(isinstance(one, ast.Return) for one in loop.body)
    ):
        return []
    step, carried = loop.target.id, ", ".join(names)
    *body, last = _returning(loop.body, names)
    returned = ast.unparse(last).removeprefix("return ").removeprefix("(").removesuffix(")")
    code = [
        "from torch._higher_order_ops import while_loop", "",
        f"def goes_on({step}, {carried}):", f"    return {step} < {length}", "",
        f"def body({step}, {carried}):", *_indented(body), f"    return {step} + 1, {returned}", "",
        f"{step}, {carried} = while_loop(goes_on, body, (torch.zeros((), dtype=torch.int64), {carried}))",
    ]  # fmt: skip
    return [Rewritten(_at(code, loop.col_offset), loop.lineno, _last(loop))]


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
