"""Rewrite a statement that depends on data so that torch.export can trace it: source text in and out."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# Expressions and names that mean something else in a function within the function.
_OF_THE_FUNCTION = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_OF_ITS_FRAME = ("super", "locals", "__class__")
# What may raise an error for some values: a condition may ask first whether it can be computed.
_MAY_FAIL = (ast.Subscript, ast.Div, ast.FloorDiv, ast.Mod)
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp)
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


class Rewritten(NamedTuple):
    """New code for the lines `first` to `last`; where last < first, it goes before `first`."""

    code: str
    first: int
    last: int


class Place(NamedTuple):
    """A statement, the suite that it is in, the function around it, and the names that exist before it.

    is_elif: it is an `if` that the text writes as `elif`. is_alone: its lines have no other statement.
    indent: the spaces or tabs before it.
    """

    statement: ast.stmt
    suite: list[ast.stmt]
    function: ast.FunctionDef | ast.AsyncFunctionDef
    bound: frozenset[str]
    is_elif: bool = False
    is_alone: bool = True
    indent: str = ""


def place_of(text: str, line: int) -> Place | None:
    """The innermost statement with this line in its header; None outside of functions."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = [
        place
        for place in _places(tree.body, None, frozenset())
        if place.statement.lineno <= line <= _last(place.statement)
    ]
    if not found:
        return None
    place = max(found, key=lambda place: place.statement.lineno)
    lines = text.split("\n")
    statement, last = place.statement, _last(place.statement)
    before, begin = _split(lines[statement.lineno - 1], statement.col_offset)
    _, after = _split(lines[last - 1], statement.end_col_offset or 0)
    is_alone = not before.strip() and after.strip(" \t\r;").partition("#")[0] == ""
    return place._replace(is_elif=begin.startswith("elif"), is_alone=is_alone, indent=before)


def is_code_there(text: str, code: str, first: int, last: int) -> bool:
    """Whether a text is Python with some code in place of the lines from `first` to `last`."""
    lines = text.split("\n")
    lines[first - 1 : max(last, first - 1)] = code.split("\n")
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _split(line: str, column: int) -> tuple[str, str]:
    """A line before and after a column, which Python counts in bytes."""
    encoded = line.encode()
    return encoded[:column].decode(), encoded[column:].decode()


def _places(
    suite: list[ast.stmt], function: ast.FunctionDef | ast.AsyncFunctionDef | None, bound: frozenset[str]
) -> Iterator[Place]:
    for one in suite:
        if function is not None:
            yield Place(one, suite, function, bound)
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _places(one.body, one, (bound - _assigned(one.body)) | _parameters(one))
            case ast.ClassDef():
                yield from _places(one.body, None, frozenset())
            case _:
                for inner, more in _suites(one):
                    yield from _places(inner, function, bound | more)
        bound = (bound | _surely_assigned(one)) - _deleted(one)


def _deleted(statement: ast.stmt) -> set[str]:
    """The names that a statement may delete; an `except … as` deletes its own."""
    every = list(ast.walk(statement))
    names = {node.id for node in every if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return names | {node.name for node in every if isinstance(node, ast.ExceptHandler) and node.name}


def _suites(statement: ast.stmt) -> Iterator[tuple[list[ast.stmt], set[str]]]:
    """The suites in a statement, each with the names that its header assigns."""
    match statement:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield statement.body, _stored(target)
        case ast.With() | ast.AsyncWith():
            yield statement.body, _stored(*(item.optional_vars for item in statement.items))
        case _:
            yield getattr(statement, "body", []), set()
    for name in ("handlers", "cases"):
        for one in getattr(statement, name, []):
            yield one.body, set()
    for name in ("orelse", "finalbody"):
        yield getattr(statement, name, []), set()


def _surely_assigned(statement: ast.stmt) -> set[str]:
    """The names that a statement assigns whenever code after it runs; some may be missing."""
    match statement:
        case ast.Assign(targets=targets):
            return _stored(*targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
            return _stored(target)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.With() | ast.AsyncWith():
            names = _stored(*(item.optional_vars for item in statement.items))
            return names.union(*map(_surely_assigned, statement.body))
        case ast.If(body=body, orelse=orelse):
            going_on = [
                set[str]().union(*map(_surely_assigned, suite))
                for suite in (body, orelse)
                if not suite or not isinstance(suite[-1], _LEAVES)
            ]
            return set.intersection(*going_on) if going_on else set()
    return set()


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    given = function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return {one.arg for one in every if one is not None}


def _stored(*targets: ast.expr | None) -> set[str]:
    return _assigned([one for one in targets if one is not None])


def _last(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def cond(place: Place) -> list[Rewritten]:
    """An `if` as torch.cond, in several ways to try; none if a branch does more than assign or return.

    Of an `elif`, the code begins with an `else:`, so that the branches before it stay as they are.
    """
    test = place.statement
    if not isinstance(test, ast.If) or not place.is_alone:
        return []
    condition = _condition(test.test)
    rest = place.suite[place.suite.index(test) + 1 :]
    body, other, last = _to_return(test.body), _to_return(test.orelse), _last(test)
    is_returned = isinstance(body[-1], ast.Return)
    if is_returned and not other:
        other = _to_return(rest)
        last = _last(other[-1]) if other else last
    every = [*body, *other]
    if condition is None or not all(map(_is_simple, every)):
        return []
    if is_returned:
        if not other or not isinstance(other[-1], ast.Return):
            return []
        branches, target = (_returning(body), _returning(other)), "return "
    else:
        names = _results(place, test)
        if not names or any(isinstance(one, ast.Return) for one in every):
            return []
        target = f"{', '.join(names)} = "
        branches = (_returning(body, names), _returning(other, names))
        if any(_hides_writes(place, branch[-1]) for branch in branches):
            return []
    read = _read_first(branches[0]) | _read_first(branches[1])
    own = read & _assigned(every)  # in a function within the function these must be parameters
    if (
        _is_declared_elsewhere(place, _assigned(every))
        or _writes_to_others(place, every)
        or not own <= place.bound
    ):
        return []
    if_true, if_false = _unused(place, "if_true", "if_false")
    found = []
    for given in dict.fromkeys((tuple(sorted(read & place.bound - {"self"})), tuple(sorted(own)))):
        parameters = ", ".join(given)
        code = [
            f"def {if_true}({parameters}):", *_indented(branches[0]), "",
            f"def {if_false}({parameters}):", *_indented(branches[1]), "",
            f"{target}torch.cond({condition}, {if_true}, {if_false}, ({parameters}{',' * bool(given)}))",
        ]  # fmt: skip
        if place.is_elif:
            code = ["else:", *_indented_lines(code)]
        found.append(Rewritten(_at(place, code), test.lineno, last))
    return found


def _is_simple(statement: ast.stmt) -> bool:
    """Whether it only assigns variables, or returns, and does so in a function within the function too."""
    for node in ast.walk(statement):
        if isinstance(node, _OF_THE_FUNCTION) or (isinstance(node, ast.Name) and node.id in _OF_ITS_FRAME):
            return False
        if node is not statement and _written(node) is not None:
            return False
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            every = target.elts if isinstance(target, ast.Tuple) else [target]
            return statement.value is not None and all(isinstance(one, ast.Name) for one in every)
        case ast.Return(value=value):
            return value is not None
    return isinstance(statement, ast.Pass)


def _to_return(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Statements up to the first return: what comes after it does not run."""
    ends = (at for at, one in enumerate(statements, 1) if isinstance(one, ast.Return))
    return statements[: next(ends, len(statements))]


def _results(place: Place, test: ast.If) -> list[str]:
    """The variables that the branches assign and that other code reads; none if one may be undefined."""
    names = sorted(_assigned(test.body) | _assigned(test.orelse))
    always = (_assigned(test.body) & _assigned(test.orelse)) | place.bound
    loops = [one for one in ast.walk(place.function) if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    if not any(one.lineno < test.lineno <= _last(one) for one in loops):
        read = _read_elsewhere(place)
        names = [name for name in names if name in read]
    return names if all(name in always for name in names) else []


def _condition(test: ast.expr) -> str | None:
    """A condition that torch.cond accepts: a tensor, where Python would ask for its truth.

    None if it may differ: `a and b` does not compute `b` if `a` is false, and may return a number.
    """
    for one in ast.walk(test):
        if isinstance(one, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return None
        if isinstance(one, ast.BoolOp):
            parts = {type(node) for value in one.values[1:] for node in ast.walk(value)}
            asks = [node for value in one.values[:-1] for node in ast.walk(value)]
            if (
                not all(map(_is_truth, one.values))
                or not parts.isdisjoint(_MAY_FAIL)
                or any(_asks_whether_it_can_run(node) for node in asks)
            ):
                return None
    return ast.unparse(_Condition().visit(copy.deepcopy(test)))


def _is_truth(value: ast.expr) -> bool:
    """Whether an expression is true or false, and not any number."""
    match value:
        case ast.BoolOp():
            return all(map(_is_truth, value.values))
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[_]):
            return True
        case ast.Call(func=ast.Name(id="bool")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]):
            return _is_truth(inner)
        case ast.Call(func=ast.Attribute(attr="any" | "all" | "equal" | "allclose" | "is_nonzero")):
            return True
    return False


def _asks_whether_it_can_run(node: ast.AST) -> bool:
    """Whether a condition asks for what the code after it needs, as in `x is not None and x.sum() > 0`."""
    match node:
        case ast.Is() | ast.IsNot() | ast.In() | ast.NotIn():
            return True
        case ast.Name(id="isinstance" | "hasattr" | "len"):
            return True
        case ast.Attribute(attr="shape" | "size" | "numel" | "dim" | "ndim"):
            return True
    return False


class _Condition(ast.NodeTransformer):
    """Makes tensors of `and`, `or`, `not`, `bool(x)`, `x.item()`, torch.equal and torch.allclose."""

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
            case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]) if not _is_truth(inner):
                return ast.Compare(self.visit(inner), [ast.NotEq()], [ast.Constant(0)])
            case ast.Call(func=ast.Name(id="bool" | "float"), args=[inner], keywords=[]):
                pass
            case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr="equal"), args=[one, other], keywords=[]
            ):
                one, other = self.visit(one), self.visit(other)
                equal = ast.Compare(one, [ast.Eq()], [other])
                shapes = [ast.Attribute(value, "shape", ast.Load()) for value in (one, other)]
                return ast.IfExp(
                    ast.Compare(shapes[0], [ast.Eq()], [shapes[1]]),
                    ast.Call(ast.Attribute(equal, "all", ast.Load()), [], []),
                    ast.Call(_torch("tensor"), [ast.Constant(value=False)], []),
                )
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="allclose")):
                close = ast.Call(_torch("isclose"), node.args, node.keywords)
                return ast.Call(ast.Attribute(close, "all", ast.Load()), [], [])
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


# Methods and functions whose result never shares memory with their input.
_MAKERS = frozenset((
    *("clone", "zeros", "ones", "full", "empty", "rand", "randn", "arange", "linspace", "eye", "tensor"),
    *("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "where", "cat"),
    *("sin", "cos", "tan", "exp", "log", "sqrt", "rsqrt", "abs", "neg", "relu", "gelu", "silu", "sigmoid"),
    *("add", "sub", "mul", "div", "pow", "matmul", "mm", "bmm", "linear", "sum", "mean", "softmax"),
    *("cumsum", "stack", "tanh"),
))  # fmt: skip


def _returning(body: Sequence[ast.stmt], names: Sequence[str] = ()) -> list[ast.stmt]:
    """A branch that returns its own value, or these names.

    A branch may not return an operand, nor a view of one, so these are copied. `x += 1` would write to an
    operand: it becomes `x = x + 1`.
    """
    made: set[str] = set()
    found: list[ast.stmt] = []
    is_tuple = False
    results: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    for one in map(copy.deepcopy, body):
        match one:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                value = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                found.append(ast.Assign([ast.Name(name, ast.Store())], value, lineno=0))
                made.add(name)
            case ast.Return(value=ast.expr() as value):
                is_tuple = isinstance(value, ast.Tuple)
                results = list(value.elts) if isinstance(value, ast.Tuple) else [value]
            case ast.Pass():
                continue
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                found.append(one)
                made = made | _assigned([one]) if _is_new(value, made) else made - _assigned([one])
            case _:
                found.append(one)
    values = [ast.unparse(one if _is_new(one, made) else _copy_of(one)) for one in results]
    returned = ", ".join(values) + "," * (is_tuple and len(values) == 1)
    return [*found, *ast.parse(f"return {returned}").body]


def _copy_of(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "clone", ast.Load()), [], [])


def _is_new(value: ast.expr, made: Container[str]) -> bool:
    """Whether an expression makes a tensor of its own; of a call it is not sure."""
    match value:
        case ast.Name(id=name):
            return name in made
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in _ALIASES
    return isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call)


def check(place: Place) -> list[Rewritten]:
    """An assertion, or an `if` that only raises an error, as torch._check: a run-time assertion.

    It raises a RuntimeError, so there is none in a `try` that may catch the error.
    """
    statement = place.statement
    match statement:
        case ast.Assert(test=test, msg=message):
            pass
        case ast.If(test=test, body=[ast.Raise(exc=raised, cause=None)], orelse=[]) if not place.is_elif:
            match raised:
                case ast.Call(args=[message], keywords=[]):
                    pass
                case _:
                    message = None
            test = ast.UnaryOp(ast.Not(), test)
        case _:
            return []
    if not place.is_alone or _is_in_try(place):
        return []
    condition = _condition(test)
    ways = [[f"({condition}).item()"]] if condition is not None else []
    parts = [*map(ast.unparse, _parts(test))]
    ways += [parts] if len(parts) == 1 else [parts, [ast.unparse(test)]]
    messages = [""] if message is None else [f", lambda: {ast.unparse(message)}", ""]
    return [
        Rewritten(
            _at(place, [f"torch._check({text}{more})" for text in way]), statement.lineno, _last(statement)
        )
        for way in ways
        for more in messages
    ]


def _parts(test: ast.expr) -> list[ast.expr]:
    """The conditions that all have to be true, as torch._check does not take `a and b` of sizes."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return [part for value in values for part in _parts(value)]
        case ast.Compare(left=left, ops=ops, comparators=others) if all(map(_is_constant, others[:-1])):
            pairs = zip((left, *others), ops, others, strict=False)
            return [ast.Compare(one, [op], [other]) for one, op, other in pairs]
    return [test]


def _is_constant(value: ast.expr) -> bool:
    """Whether it makes no difference how often an expression is computed."""
    return isinstance(value, ast.Name | ast.Constant)


def _is_in_try(place: Place) -> bool:
    """Whether the function catches errors of a statement."""
    tries = (
        one for one in ast.walk(place.function) if isinstance(one, ast.Try | ast.TryStar) and one.handlers
    )
    return any(one.body[0].lineno <= place.statement.lineno <= _last(one.body[-1]) for one in tries)


def promise(place: Place) -> list[Rewritten]:
    """For a branch on a size: a check before it that the size is never so; none if it is no comparison.

    There is no line for it before an `elif`.
    """
    test = getattr(place.statement, "test", None)
    if place.is_elif or not place.is_alone:
        return []
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE):
        return []
    turned = ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    code = _at(place, [f"torch._check({ast.unparse(turned)})"])
    return [Rewritten(code, place.statement.lineno, place.statement.lineno - 1)]


def while_loop(place: Place) -> list[Rewritten]:
    """A `for` over a range whose length is a tensor as while_loop; the body may only assign.

    The length is computed once, before the loop, as Python does. There is none if code after the loop reads
    the number of the iteration, or what may be undefined there.
    """
    loop = place.statement
    if (
        not isinstance(loop, ast.For)
        or not isinstance(loop.target, ast.Name)
        or loop.orelse
        or not place.is_alone
    ):
        return []
    length, step = _length(loop.iter), loop.target.id
    if (
        length is None
        or not all(map(_is_simple, loop.body))
        or any(isinstance(one, ast.Return) for one in loop.body)
    ):
        return []
    *body, last = _returning(loop.body)
    assigned = _assigned(body)
    names = sorted(assigned & place.bound)
    of_one_iteration = assigned - place.bound
    if (
        not names
        or step in assigned
        or _is_declared_elsewhere(place, assigned)
        or _writes_to_others(place, loop.body)
        or not of_one_iteration.isdisjoint(_read_first(body))
        or not {step, *of_one_iteration}.isdisjoint(_read_elsewhere(place))
    ):
        return []
    *body, last = _returning(loop.body, names)
    if _hides_writes(place, last):
        return []
    carried = ", ".join(names)
    returned = ast.unparse(last).removeprefix("return ").removeprefix("(").removesuffix(")")
    count, goes_on, iteration, function = _unused(place, "count", "goes_on", "iteration", "while_loop")
    start = "torch.zeros((), dtype=torch.int64)"
    renamed = "" if function == "while_loop" else f" as {function}"
    code = [
        f"from torch._higher_order_ops import while_loop{renamed}", "",
        f"{count} = {length}", "",
        f"def {goes_on}({step}, {carried}):", f"    return {step} < {count}", "",
        f"def {iteration}({step}, {carried}):", *_indented(body), f"    return {step} + 1, {returned}", "",
        f"{step}, {carried} = {function}({goes_on}, {iteration}, ({start}, {carried}))",
    ]  # fmt: skip
    return [Rewritten(_at(place, code), loop.lineno, _last(loop))]


def _length(values: ast.expr) -> str | None:
    """The length of a range as a whole number: of `range(int(n))`, `range(n.item())` and `range(n)`."""
    match values:
        case ast.Call(ast.Name("range"), [ast.Call(ast.Name("int"), [inner], [])], []):
            match inner:
                case ast.Call(ast.Attribute(tensor, "item"), [], []):
                    inner = tensor
            whole = ast.Attribute(ast.Name("torch", ast.Load()), "int64", ast.Load())
            return ast.unparse(ast.Call(ast.Attribute(inner, "to", ast.Load()), [whole], []))
        case ast.Call(ast.Name("range"), [ast.Call(ast.Attribute(inner, "item"), [], [])], []):
            return ast.unparse(inner)
        case ast.Call(ast.Name("range"), [ast.Name() | ast.Attribute() | ast.Subscript() as inner], []):
            return ast.unparse(inner)
    return None


def _is_declared_elsewhere(place: Place, names: set[str]) -> bool:
    """Whether a name belongs to another scope than the function: it must be assigned in the function."""
    declared = (one for one in ast.walk(place.function) if isinstance(one, ast.Global | ast.Nonlocal))
    return any(not names.isdisjoint(one.names) for one in declared)


def _writes_to_others(place: Place, statements: Sequence[ast.stmt]) -> bool:
    """Whether `x += 1` may write to a tensor that has another name too, such as an input of the function."""
    names = {one.target.id for one in statements
             if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}  # fmt: skip
    return not all(_is_only_name(place, name) for name in names)


def _is_only_name(place: Place, name: str) -> bool:
    """Whether the function made the value of a name itself, and surely gave it no other name."""
    every = [one for one in ast.walk(place.function) if one is not place.function]
    return (
        name not in _parameters(place.function)
        and any(isinstance(one, ast.Assign | ast.AnnAssign) and name in _assigned([one]) for one in every)
        and not any(_may_name(one, name) for one in every)
    )


def _may_name(node: ast.AST, name: str) -> bool:
    """Whether a node may give a tensor a second name, where one of both is this name."""
    match node:
        case ast.Assign(targets=[_], value=value) | ast.AnnAssign(value=ast.expr() as value):
            return name in _assigned([node]) | _read([value]) and not _is_own(value)
        case ast.AugAssign(value=value):
            return name in _read([value]) and isinstance(value, _DISPLAYS)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name()), args=args, keywords=keywords)):
            return name in _read([*args, *keywords])
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            return name in _assigned([target]) | _read([value])
        case ast.Assign() | ast.Expr() | ast.NamedExpr() | ast.withitem() | ast.FunctionDef() | ast.Lambda():
            return name in _assigned([node]) | _read([node])
    return False


def _is_own(value: ast.expr) -> bool:
    """Whether an expression surely makes a tensor of its own: a module or a function may return its input."""
    match value:
        case ast.Constant() | ast.Compare() | ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not()):
            return True
        case ast.BinOp(left=left, right=right):
            return not isinstance(left, _DISPLAYS) and not isinstance(right, _DISPLAYS)
        case ast.Call(func=ast.Attribute(value=of, attr=name)):
            return name in _MAKERS and not (isinstance(of, ast.Name) and of.id == "self")
    return False


def _hides_writes(place: Place, results: ast.stmt) -> bool:
    """Whether a branch returns copies, and the function writes to a tensor that a copy may be of.

    It may have another name. A tensor that the function made itself, and that is not copied, is no such one.
    What else a branch returns is new: torch.cond refuses a branch that returns its input.
    """
    calls = (node.func for node in ast.walk(results) if isinstance(node, ast.Call))
    copied = _read([one.value for one in calls if isinstance(one, ast.Attribute) and one.attr == "clone"])
    if not copied:
        return False
    within = {id(node) for node in ast.walk(place.statement)}
    written = (_written(node) for node in ast.walk(place.function) if id(node) not in within)
    return any(
        not isinstance(target, ast.Name) or target.id in copied or not _is_only_name(place, target.id)
        for target in written
        if target is not None
    )


def _written(node: ast.AST) -> ast.expr | None:
    """The expression whose tensor a node writes to."""
    match node:
        case ast.AugAssign(target=target):
            return target
        case ast.Call(keywords=keywords) if any(
            one.arg in ("out", "inplace")
            and not (isinstance(one.value, ast.Constant) and not one.value.value)
            for one in keywords
        ):
            return node
        case ast.Call(func=ast.Attribute(value=target, attr=name)) if re.fullmatch(r"[a-z]\w*_", name):
            return target
        case (
            ast.Subscript(value=target, ctx=ast.Store())
            | ast.Attribute(value=target, attr="data", ctx=ast.Store())
        ):
            return target
    return None


def _names(nodes: Sequence[ast.AST]) -> Iterator[ast.Name]:
    """The names in nodes, without those that belong to a comprehension."""
    for node in nodes:
        match node:
            case ast.Name():
                yield node
            case (
                ast.ListComp(generators=parts)
                | ast.SetComp(generators=parts)
                | ast.DictComp(generators=parts)
                | ast.GeneratorExp(generators=parts)
            ):
                own = _stored(*(one.target for one in parts))
                yield from _names([parts[0].iter])
                yield from (one for one in _names([*ast.iter_child_nodes(node)]) if one.id not in own)
            case _:
                yield from _names([*ast.iter_child_nodes(node)])


def _read(nodes: Sequence[ast.AST]) -> set[str]:
    return {one.id for one in _names(nodes) if not isinstance(one.ctx, ast.Store)}


def _read_first(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that statements read before they assign them."""
    found: set[str] = set()
    assigned: set[str] = set()
    for one in statements:
        found |= _read([one]) - assigned
        assigned |= _surely_assigned(one)
    return found


def _read_elsewhere(place: Place) -> set[str]:
    """The names that the function reads after a statement, in a loop around it, or in functions within it."""
    statement = place.statement
    every = [one for one in ast.walk(place.function) if one is not place.function]
    scopes = [one for one in every if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    loops = [one for one in every if isinstance(one, ast.For | ast.AsyncFor | ast.While)
             and one.lineno < statement.lineno <= _last(one)]  # fmt: skip
    at_other_times = {id(node) for one in (*scopes, *loops) for node in ast.walk(one)}
    within = {id(node) for node in ast.walk(statement)}
    return {
        one.id
        for one in every
        if isinstance(one, ast.Name)
        and not isinstance(one.ctx, ast.Store)
        and id(one) not in within
        and (one.lineno > _last(statement) or id(one) in at_other_times)
    }


def _unused(place: Place, *names: str) -> list[str]:
    """Names that the function does not use, each as short as possible."""
    used = {node.id for node in ast.walk(place.function) if isinstance(node, ast.Name)}
    used |= place.bound
    return [next(one for one in (name + "_" * more for more in range(len(used) + 1)) if one not in used)
            for name in names]  # fmt: skip


def _assigned(nodes: Sequence[ast.AST]) -> set[str]:
    return {one.id for one in _names(nodes) if isinstance(one.ctx, ast.Store)}


def _indented(statements: Sequence[ast.stmt]) -> list[str]:
    return _indented_lines([line for one in statements for line in ast.unparse(one).splitlines()])


def _indented_lines(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _at(place: Place, lines: Sequence[str]) -> str:
    return "\n".join(f"{place.indent}{line}" if line else "" for line in lines)
