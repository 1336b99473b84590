"""Text of a program made safe for where it is shown: a terminal, HTML, Markdown.

A name or a source line out of a file can hold escape sequences that recolor, retitle or rewrite a terminal,
or markup that runs in a notebook. All HTML is made by `html`, which escapes whatever is not HTML by its type;
a test finds other templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

# C0 but newline and tab, DEL and C1, line separators, and the marks that reorder text on the screen.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_LONGEST_WORD = 16

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#|!~&])")
# What GitHub makes a link or a mention, although it has no markup; a space without width prevents it.
_LINKED = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=GH)(?=-)", re.IGNORECASE)


class Html(str):
    """Finished HTML, as `html` makes it. Any other text is escaped where it is put into HTML."""

    __slots__ = ()


def html(template: str, *parts: object) -> Html:
    """A template whose `{}` are replaced with parts, which are escaped unless they are `Html`.

    >>> html("<b>{}</b>", "a < b")
    '<b>a &lt; b</b>'
    """
    return Html(template.format(*(part if isinstance(part, Html) else _escaped(part) for part in parts)))


def html_joined(parts: Iterable[str], between: Html = Html("")) -> Html:  # noqa: B008  it never changes
    """Several pieces of HTML as one; text is escaped."""
    return Html(between.join(part if isinstance(part, Html) else _escaped(part) for part in parts))


def _escaped(part: object) -> str:
    return escape(printable(str(part)))


def markdown(text: str) -> str:
    """Text as GitHub's Markdown on one line: without markup, links, images or mentions."""
    return _LINKED.sub("\u200b", _MARKDOWN.sub(r"\\\1", printable(re.sub(r"\s+", " ", text))))


def printable(text: str) -> str:
    """The text with every control character written as `\\x1b`."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def one_line(text: str, width: int) -> str:
    """The text on one line of at most `width` characters: the middle of a long one gives way."""
    text = printable(" ".join(text.split()))
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def sentence(text: str, width: int) -> str:
    """As `one_line`, where the cut falls between words: of a word that is long it falls within."""
    cut = one_line(text, width)
    before, mark, after = cut.partition("…")
    if len(cut) < width or not mark:
        return cut
    head, tail = before.rfind(" ") + 1, after.find(" ")
    before = before[:head] if len(before) - head <= _LONGEST_WORD and head else before
    after = after[tail:] if 0 <= tail <= _LONGEST_WORD else after
    return f"{before}…{after}"
