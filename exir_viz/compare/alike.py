"""The changed modules, equal ones as one: what twelve equal layers went through is told once.

Modules are equal where their paths differ only in numbers ("layer.0", "layer.1") and class and counts are
the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .modules import changes
from .records import Counts, ModuleChange

if TYPE_CHECKING:
    from .diff import Diff

_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


class Alike(NamedTuple):
    """Equal modules: the path with `*` for what counts them, and the counts of one of them."""

    path: str
    cls: str
    counts: Counts
    modules: tuple[ModuleChange, ...]

    @property
    def title(self) -> str:
        return f"{self.path or 'the whole model'} ({self.cls.rpartition('.')[2]})"

    @property
    def times(self) -> str:
        return f"{len(self.modules):,}×"


def told_modules(diff: Diff) -> list[Alike]:
    """The modules with changes of their own, those that changed most first; `counts` are these changes."""
    alike: dict[tuple[str, str, Counts], list[ModuleChange]] = {}
    for one in diff.modules:
        if changes(one.own):
            alike.setdefault((_NUMBER.sub("*", one.path), one.cls, _without_same(one.own)), []).append(one)
    found = [
        Alike(modules[0].path if len(modules) == 1 else path, cls, counts, tuple(modules))
        for (path, cls, counts), modules in alike.items()
    ]
    return sorted(found, key=lambda one: -len(one.modules) * changes(one.counts))


def _without_same(counts: Counts) -> Counts:
    return Counts(counts.added, counts.removed, counts.changed, counts.moved, counts.rewritten)
