"""The changed modules and facts, equal ones as one: what twelve equal layers went through is told once.

Modules are equal where their paths differ only in numbers ("layer.0", "layer.1") and class and counts are
the same; facts where their names do so and what became of them is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from exir_viz.compare.classify.counts import changes
from exir_viz.compare.records import Counts, FactChange, ModuleChange
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.rollup import starred

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff

# Facts whose names are those of modules and what these hold.
_NAMED = ("input", "output", "state")


class Alike(NamedTuple):
    """Equal modules: the path with `*` for what counts them, the class, and the counts of one of them.

    The class is short, and of both sides where these differ.
    """

    path: str
    cls: str
    counts: Counts
    modules: tuple[ModuleChange, ...]

    @property
    def title(self) -> str:
        return f"{self.path or 'the whole model'}{f' ({self.cls})' if self.cls else ''}"

    @property
    def times(self) -> str:
        return f"{len(self.modules):,}×"


def told_modules(diff: Diff) -> list[Alike]:
    """The modules with changes of their own, those that changed most first; `counts` are these changes."""
    alike: dict[tuple[str, str, Counts], list[ModuleChange]] = {}
    for one in diff.modules:
        if changes(one.own):
            key = (starred(one.path), _class(diff, one), _without_same(one.own))
            alike.setdefault(key, []).append(one)
    found = [
        Alike(modules[0].path if len(modules) == 1 else path, cls, counts, tuple(modules))
        for (path, cls, counts), modules in alike.items()
    ]
    return sorted(found, key=lambda one: -len(one.modules) * changes(one.counts))


def _class(diff: Diff, module: ModuleChange) -> str:
    """ "Linear", "Linear → LoRA"."""
    sides = (diff.a, module.a), (diff.b, module.b)
    known = [snapshot.scopes[scope].cls.rpartition(".")[2] for snapshot, scope in sides if scope != NONE]
    return " → ".join(dict.fromkeys(known))


class AlikeFacts(NamedTuple):
    """Equal facts: their topic, and the sentence, with `*` for what counts them and how many there are."""

    topic: str
    text: str


def told_facts(facts: Sequence[FactChange]) -> list[AlikeFacts]:
    """In the order of the first of each."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in facts:
        name = f"`{one.name}`"
        text = one.text.replace(name, f"`{starred(one.name)}`") if one.topic in _NAMED else one.text
        alike.setdefault((one.topic, text), []).append(one.text)
    return [
        AlikeFacts(topic, texts[0] if len(texts) == 1 else f"{text} ({len(texts):,}×)")
        for (topic, text), texts in alike.items()
    ]


def _without_same(counts: Counts) -> Counts:
    return Counts(counts.added, counts.removed, counts.changed, counts.moved, counts.rewritten)
