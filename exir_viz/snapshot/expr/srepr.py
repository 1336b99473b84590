"""Sympy's `srepr` notation, as a .pt2 stores tensor dims: `Mul(Integer(2), Symbol('s77', integer=True))`.

Enters text, leaves a tree. A stack of open calls replaces recursion, and a name is only ever a name:
nothing is looked up, imported or called.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from exir_viz.snapshot.expr.arithmetic import negate
from exir_viz.snapshot.expr.lex import Token, double, literal, tokens
from exir_viz.snapshot.expr.tree import (
    MAX_ARGS,
    MAX_DEPTH,
    Apply,
    Boolean,
    Expr,
    ExprError,
    Float,
    Integer,
    Special,
    Symbol,
    number,
    rational,
)

_CONSTANTS: Final[dict[str, Expr]] = {
    "true": Boolean(True),
    "True": Boolean(True),
    "false": Boolean(False),
    "False": Boolean(False),
    **{name: Special(name) for name in ("oo", "zoo", "nan", "int_oo")},
}
_SHORT_NAMES: Final = {
    "Equality": "Eq",
    "Unequality": "Ne",
    "StrictLessThan": "Lt",
    "LessThan": "Le",
    "StrictGreaterThan": "Gt",
    "GreaterThan": "Ge",
}
_KEYWORD_VALUES: Final = {"True": True, "False": False, "None": None}
_FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_Item = Expr | str  # a string is only ever an argument of Symbol, Float or Function


@dataclass(slots=True)
class _Call:
    fn: str
    at: int
    args: list[_Item] = field(default_factory=list)
    keywords: list[tuple[str, bool | int | None]] = field(default_factory=list)


def parse_srepr(text: str) -> Expr:
    """Read an `srepr` text. Raises ExprError with the place; never anything else."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.next = 0
        self.open: list[_Call] = [_Call("", 0)]  # the outermost collects the one result

    def read(self) -> Expr:
        while True:
            self._open_or_leaf()
            while self._at_op(")"):
                self._close()
            token = self._take()
            if token.kind == "end" and len(self.open) == 1:
                result = self.open[0].args[0]
                if isinstance(result, Expr):
                    return result
                raise self._error("a string is not an expression", token)
            if token.text != "," or token.kind != "op" or len(self.open) == 1:
                raise self._error(f"unexpected {token.text!r}", token)

    def _take(self) -> Token:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def _at_op(self, op: str) -> bool:
        token = self.tokens[self.next]
        return token.kind == "op" and token.text == op

    def _error(self, what: str, token: Token) -> ExprError:
        return ExprError(what, self.text, token.at)

    def _open_or_leaf(self) -> None:
        """Take one argument: a leaf whole, or a call up to its opening parenthesis (and on, to a leaf)."""
        while True:
            token = self._take()
            if token.kind == "call":
                if len(self.open) > MAX_DEPTH:
                    raise self._error(f"nested deeper than {MAX_DEPTH} levels", token)
                self.open.append(_Call(token.text, token.at))
                if self._at_op(")"):
                    return None
            elif token.kind == "name" and self._at_op("="):
                return self._keyword(token)
            else:
                return self._add(self._leaf(token), token)

    def _leaf(self, token: Token) -> _Item:
        if token.kind == "string":
            return token.text
        if token.kind in ("int", "float"):
            return literal(token, self.text)
        if token.kind == "name" and token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        if token.kind == "op" and token.text == "-":
            return self._negative(token)
        raise self._error(f"expected an expression, found {token.text!r}", token)

    def _negative(self, minus: Token) -> Expr:
        value = self._leaf(self._take()) if not self._at_op("-") else None
        if isinstance(value, Integer):
            return Integer(-value.value)
        if isinstance(value, Float):
            return Float(-value.value)
        if isinstance(value, Special) and value.name in ("oo", "int_oo"):
            return Special("-" + value.name)
        raise self._error("'-' is only allowed before a number or an infinity here", minus)

    def _keyword(self, name: Token) -> None:
        self._take()
        token = self._take()
        if self.open[-1].fn not in ("Symbol", "Dummy", "Float"):
            raise self._error(f"{self.open[-1].fn or 'an expression'} takes no keyword {name.text!r}", name)
        if len(self.open[-1].keywords) >= 64:
            raise self._error("too many keywords", name)
        if token.kind == "int":
            self.open[-1].keywords.append((name.text, int(token.text)))
        elif token.kind == "name" and token.text in _KEYWORD_VALUES:
            self.open[-1].keywords.append((name.text, _KEYWORD_VALUES[token.text]))
        else:
            raise self._error(f"{name.text!r} is True, False, None or an integer", token)

    def _add(self, item: _Item, token: Token) -> None:
        args = self.open[-1].args
        if len(args) >= MAX_ARGS:
            raise self._error(f"more than {MAX_ARGS} arguments", token)
        args.append(item)

    def _close(self) -> None:
        token = self._take()
        if len(self.open) == 1:
            raise self._error("unexpected ')'", token)
        call = self.open.pop()
        if call.fn == "Function" and self._at_op("("):
            self._reopen(call, token)
            return
        try:
            built = self._build(call)
        except ExprError as cause:
            if cause.position is not None:
                raise
            raise ExprError(cause.what, self.text, call.at) from cause
        self._add(built, token)

    def _reopen(self, call: _Call, token: Token) -> None:
        """`Function('f')(x)` is the undefined function f of x."""
        name = call.args[0] if len(call.args) == 1 else None
        if not isinstance(name, str) or not _FUNCTION_NAME.fullmatch(name):
            raise self._error("Function takes one name", token)
        self._take()
        self.open.append(_Call(name, call.at))
        if not self._at_op(")"):
            self._open_or_leaf()

    def _build(self, call: _Call) -> Expr:
        match call.fn, call.args:
            case "Integer", [Integer() as value]:
                return value
            case "Rational", [Integer(p), Integer(q)] if q != 0:
                return rational(Fraction(p, q))
            case "Float", [str(word)]:
                return self._float(word, call)
            case (("Symbol" | "Dummy"), [str(name)]):
                if not name.isprintable() or not name:
                    raise ExprError("a symbol's name is printable and not empty")
                return Symbol(name if call.fn == "Symbol" else "_" + name, tuple(call.keywords))
            case (("Integer" | "Rational" | "Float" | "Symbol" | "Dummy" | "Function"), _):
                raise ExprError(f"these are not arguments of {call.fn}")
        args = [arg for arg in call.args if isinstance(arg, Expr)]
        if len(args) != len(call.args):
            raise ExprError(f"{call.fn} takes no string")
        if call.fn == "Mul" and len(args) > 1 and args[0] == Integer(-1) and number(args[1]) is not None:
            # sympy writes the coefficient -3 as two factors, -1 and 3
            return Apply("Mul", (negate(args[1]), *args[2:])) if len(args) > 2 else negate(args[1])
        return Apply(_SHORT_NAMES.get(call.fn, call.fn), tuple(args))

    def _float(self, word: str, call: _Call) -> Expr:
        precision = dict(call.keywords).get("precision", 53)
        if not isinstance(precision, int) or isinstance(precision, bool) or not 1 <= precision <= 4096:
            raise ExprError("a Float's precision is 1 to 4096 bits")
        return Float(double(word, self.text, call.at), precision)
