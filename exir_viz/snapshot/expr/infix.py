"""The infix notation, as sympy's `str` writes it and Python reads it: `2*s77`, `(s0//2)`, `u0 <= 16`.

Enters text, leaves a tree. Two stacks (operands; operators and open parentheses) replace recursion, and
a name is only ever a name: nothing is looked up, imported or called. Precedence is Python's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from exir_viz.snapshot.expr.arithmetic import inverse, joined, negate
from exir_viz.snapshot.expr.lex import Token, literal, tokens
from exir_viz.snapshot.expr.tree import (
    MAX_ARGS,
    MAX_CHARS,
    Apply,
    Boolean,
    Expr,
    ExprError,
    Rational,
    Special,
    Symbol,
)

_CONSTANTS: Final[dict[str, Expr]] = {
    "True": Boolean(True),
    "False": Boolean(False),
    **{name: Special(name) for name in ("oo", "zoo", "nan", "int_oo")},
}
_COMPARISONS: Final = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}
_COMPARISON_LEVEL: Final = 4


_LEVELS: Final = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(_COMPARISONS, _COMPARISON_LEVEL),
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": 12,
}
# Operators that gather their operands: the function, and what becomes of the right side.
_GATHERING: Final[dict[str, tuple[str, Callable[[Expr], Expr]]]] = {
    **dict.fromkeys(("or", "|"), ("Or", lambda right: right)),
    **dict.fromkeys(("and", "&"), ("And", lambda right: right)),
    "^": ("Xor", lambda right: right),
    "+": ("Add", lambda right: right),
    "-": ("Add", negate),
    "*": ("Mul", lambda right: right),
    "/": ("Mul", inverse),
}
# % is Python's, whose sign is the divisor's
_PAIRING: Final = {"<<": "LShift", ">>": "RShift", "//": "FloorDiv", "%": "PythonMod", "**": "Pow"}
_UNARY: Final[dict[str, tuple[int, Callable[[Expr], Expr]]]] = {
    "not": (3, lambda arg: Apply("Not", (arg,))),
    "-": (11, negate),
    "+": (11, lambda arg: arg),
    "~": (11, lambda arg: Apply("Not", (arg,))),
}
_OPEN: Final = 0  # the level of an open parenthesis: no operator reduces past it


@dataclass(frozen=True, slots=True)
class _Pending:
    """An operator that waits for its right side, or an open parenthesis with the name called before it."""

    token: Token
    level: int
    unary: bool = False
    operands_before: int = 0


@dataclass(slots=True)
class _Operand:
    """An expression, or the parts so far of a sum, a product, … that the next operator may yet lengthen.

    Parts are joined once, when nothing can follow, so a long sum costs linear time.
    """

    parts: list[Expr]
    fn: str = ""  # of more than one part
    chain_end: Expr | None = None  # of a bare comparison: what a further one compares with (a < b < c)


def parse_infix(text: str) -> Expr:
    """Read an infix text. Raises ExprError with the place; never anything else."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.operands: list[_Operand] = []
        self.pending: list[_Pending] = []
        self.work = 0  # arguments of all applications built; a copy at each of many levels is refused

    def read(self) -> Expr:
        wants_operand, after_call = True, False
        *words, end = tokens(self.text)
        for token in words:
            if after_call and token.text == ")":  # f()
                wants_operand = self._close(token)
            else:
                wants_operand = self._operand(token) if wants_operand else self._operator(token)
            after_call = token.kind == "call"
        if wants_operand:
            raise self._error("expected an expression, found the end", end)
        self._reduce(_OPEN + 1)
        if self.pending:
            raise self._error("this parenthesis is not closed", self.pending[-1].token)
        return self._expression(self.operands.pop(), end)

    def _error(self, what: str, token: Token) -> ExprError:
        return ExprError(what, self.text, token.at)

    def _operand(self, token: Token) -> bool:
        """Take a token where an operand may start; true while one is still wanted."""
        if token.text in _UNARY and token.kind in ("op", "name"):
            self.pending.append(_Pending(token, _UNARY[token.text][0], unary=True))
            return True
        if token.kind == "call" or (token.text == "(" and token.kind == "op"):
            self.pending.append(_Pending(token, _OPEN, operands_before=len(self.operands)))
            return True
        if token.kind in ("int", "float"):
            self.operands.append(_Operand([literal(token, self.text)]))
        elif token.kind == "name" and token.text not in _LEVELS:
            self.operands.append(_Operand([_CONSTANTS.get(token.text) or Symbol(token.text)]))
        else:
            raise self._error(f"expected an expression, found {token.text!r}", token)
        return False

    def _operator(self, token: Token) -> bool:
        """Take a token after a whole operand; true if another operand must follow."""
        if token.text in _LEVELS and token.kind in ("op", "name"):
            level = _LEVELS[token.text]
            self._reduce(level + 1 if token.text == "**" else level)  # ** alone groups to the right
            self.pending.append(_Pending(token, level))
            return True
        if token.text == ")" and token.kind == "op":
            return self._close(token)
        if token.text == "," and token.kind == "op":
            self._reduce(_OPEN + 1)
            self._next_argument(token)
            return True
        raise self._error(f"unexpected {token.text!r}", token)

    def _next_argument(self, comma: Token) -> None:
        if not self.pending or self.pending[-1].token.kind != "call":
            raise self._error("unexpected ','", comma)
        if len(self.operands) - self.pending[-1].operands_before >= MAX_ARGS:
            raise self._error(f"more than {MAX_ARGS} arguments", comma)

    def _close(self, token: Token) -> bool:
        """End a group or a call; false, since its value is a whole operand."""
        self._reduce(_OPEN + 1)
        if not self.pending:
            raise self._error("unexpected ')'", token)
        opened = self.pending.pop()
        operands = self.operands[opened.operands_before :]
        del self.operands[opened.operands_before :]
        args = tuple(self._expression(operand, opened.token) for operand in operands)
        if opened.token.kind == "call":
            self._push(self._built(opened.token, partial(_function, opened.token.text, args)))
        else:
            self._push(args[0])
        return False

    def _push(self, expr: Expr) -> None:
        self.operands.append(_Operand([expr]))

    def _expression(self, operand: _Operand, token: Token) -> Expr:
        if not operand.fn:
            return operand.parts[0]
        return self._built(token, partial(joined, operand.fn, operand.parts))

    def _built(self, token: Token, build: Callable[[], Expr]) -> Expr:
        """What `build` gives, with the place added to its error."""
        try:
            expr = build()
        except ExprError as cause:
            raise ExprError(cause.what, self.text, token.at) from cause
        if isinstance(expr, Apply):
            self.work += len(expr.args)
            if self.work > 4 * MAX_CHARS:
                raise self._error("too many long operands nested in each other", token)
        return expr

    def _reduce(self, level: int) -> None:
        """Apply the pending operators that bind at least as tightly as `level`."""
        while self.pending and self.pending[-1].level >= level:
            top = self.pending.pop()
            token, right = top.token, self._expression(self.operands.pop(), top.token)
            if top.unary:
                self._push(self._built(token, partial(_UNARY[token.text][1], right)))
            elif token.text in _GATHERING:
                self._gather(token, self.operands[-1], right)
            elif token.text in _COMPARISONS:
                self._compare(token, self.operands.pop(), right)
            else:
                left = self._expression(self.operands.pop(), token)
                self._push(self._built(token, partial(Apply, _PAIRING[token.text], (left, right))))

    def _gather(self, token: Token, left: _Operand, right: Expr) -> None:
        fn, change = _GATHERING[token.text]
        if left.fn != fn:
            left.parts[:] = [self._expression(left, token)]
        left.fn, left.chain_end = fn, None
        left.parts.append(self._built(token, partial(change, right)))

    def _compare(self, token: Token, left: _Operand, right: Expr) -> None:
        fn = _COMPARISONS[token.text]
        parts: list[Expr]
        if left.chain_end is None:
            parts, joins, start = [], "", self._expression(left, token)
        else:
            parts, joins, start = left.parts, "And", left.chain_end
        parts.append(self._built(token, partial(Apply, fn, (start, right))))
        self.operands.append(_Operand(parts, joins, chain_end=right))


def _function(name: str, args: tuple[Expr, ...]) -> Expr:
    if name == "sqrt" and len(args) == 1:
        return Apply("Pow", (args[0], Rational(Fraction(1, 2))))
    return Apply(name, args)
