"""Text to tokens, for both notations. Length, digits and names are bounded here, before any tree exists."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from exir_viz.snapshot.expr.tree import MAX_CHARS, MAX_DIGITS, MAX_NAME, Expr, ExprError, Float, Integer

Kind = Literal["call", "name", "float", "int", "string", "op", "end"]

_TOKEN: Final = re.compile(
    r"""(?P<call>(?!(?:and|or|not)\b)[A-Za-z_][A-Za-z0-9_]*)[ \t\r\n]*\(
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<float>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
      | (?P<int>[0-9]+)
      | (?P<string>'[^'\\\n]*'|"[^"\\\n]*")
      | (?P<op>\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%<>=&|^~(),])""",
    re.VERBOSE,
)
_SPACE: Final = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str  # a string's without its quotes, a call's without its parenthesis
    at: int  # 0-based character


def tokens(text: str) -> list[Token]:
    """All tokens, closed by one of kind "end"."""
    if len(text) > MAX_CHARS:
        raise ExprError(f"the expression has {len(text):,} characters, more than {MAX_CHARS:,}")
    found: list[Token] = []
    at = _end_of_space(text, 0)
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExprError(f"unexpected {text[at]!r}", text, at)
        found.append(_token(match, text))
        at = _end_of_space(text, match.end())
    return [*found, Token("end", "the end", len(text))]


def _end_of_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _token(match: re.Match[str], text: str) -> Token:
    at = match.start()
    kind: Kind
    for kind in ("call", "name", "string"):
        if (word := match[kind]) is not None:
            if len(word) > MAX_NAME:
                raise ExprError(f"a name has {len(word):,} characters, more than {MAX_NAME}", text, at)
            return Token(kind, word[1:-1] if kind == "string" else word, at)
    word = match.group()
    if match["op"]:
        return Token("op", word, at)
    if len(word) > MAX_DIGITS:
        raise ExprError(f"a number has {len(word):,} digits, more than {MAX_DIGITS}", text, at)
    return Token("int" if match["int"] else "float", word, at)


def literal(token: Token, text: str) -> Expr:
    """The value of an "int" or "float" token."""
    if token.kind == "int":
        return Integer(int(token.text))
    return Float(double(token.text, text, token.at))


def double(word: str, text: str, at: int) -> float:
    """A finite double. An infinity has its own name in both notations, so an overflow is a mistake."""
    try:
        value = float(word)
    except ValueError as cause:
        raise ExprError(f"{word!r} is not a number", text, at) from cause
    if value - value != 0.0:
        raise ExprError(f"{word!r} does not fit a double", text, at)
    return value
