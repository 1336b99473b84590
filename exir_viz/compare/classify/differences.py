"""The facts that differ between two tables of texts, each as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from exir_viz.compare.records import FactChange

T = TypeVar("T")
# For topics with a number the number is enough: "nodes: 18 → 19".
_PLAIN = "size"


def differences(
    topic: str, before: Mapping[T, str], after: Mapping[T, str], name: Callable[[T], str] = str
) -> Iterator[FactChange]:
    """The keys whose texts differ or that only one side has, in b's order, then a's."""
    for key in [*after, *(key for key in before if key not in after)]:
        if before.get(key) != after.get(key):
            yield fact(topic, name(key), before.get(key), after.get(key))


def fact(topic: str, name: str, before: str | None, after: str | None) -> FactChange:
    """One change: something was added, removed, or changed."""
    what = name if topic == _PLAIN else topic if name == topic else f"{topic} `{name}`"
    if before is not None and after is not None:
        return FactChange(topic, name, f"{what}: {_changed(before, after)}", before, after)
    text = f"{what} {'added' if before is None else 'removed'}"
    shown = before if after is None else after
    return FactChange(topic, name, f"{text}: {shown}" if shown != name else text, before, after)


def _changed(before: str, after: str) -> str:
    """ "f32[8] → f32[16]" for two parameters: a common kind is omitted."""
    kind, _, was = before.partition(" ")
    other, _, now = after.partition(" ")
    is_kind = kind == other and kind.isalpha() and was and now
    return f"{was} → {now}" if is_kind else f"{before} → {after}"
