"""Group equal changes: what happened to twelve equal layers is listed once.

Every view lists modules and facts by these groups: the terminal, Markdown and the panel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exir_viz.compare.classify.counts import changes
from exir_viz.compare.records import Counts, FactChange, FactGroup, MethodChange, ModuleChange, ModuleGroup
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.rollup import starred

# Facts whose names are those of modules and their state.
_NAMED = ("input", "output", "state")


def module_groups(a: Snapshot, b: Snapshot, modules: Sequence[ModuleChange]) -> tuple[ModuleGroup, ...]:
    """Group the modules that have changes outside their submodules; those with most changes come first."""
    alike: dict[tuple[str, tuple[str, ...], Counts], list[int]] = {}
    for number, one in enumerate(modules):
        if changes(one.own):
            key = (starred(one.path), _classes(a, b, one), _without_same(one.own))
            alike.setdefault(key, []).append(number)
    found = [
        ModuleGroup(
            modules[numbers[0]].path if len(numbers) == 1 else path,
            classes,
            counts,
            tuple(numbers),
            _ops([modules[number] for number in numbers]),
        )
        for (path, classes, counts), numbers in alike.items()
    ]
    return tuple(sorted(found, key=lambda one: -len(one.modules) * changes(one.counts)))


def _classes(a: Snapshot, b: Snapshot, module: ModuleChange) -> tuple[str, ...]:
    sides = (a, module.a), (b, module.b)
    known = [snapshot.scopes[scope].cls for snapshot, scope in sides if scope != NONE]
    return tuple(dict.fromkeys(filter(None, known)))


def _ops(modules: Iterable[ModuleChange]) -> tuple[int, int] | None:
    found = {(one.before, one.after) for one in modules}
    return found.pop() if len(found) == 1 else None


def _without_same(counts: Counts) -> Counts:
    return Counts(counts.added, counts.removed, counts.changed, counts.moved, counts.rewritten)


def fact_groups(methods: Sequence[MethodChange]) -> tuple[FactGroup, ...]:
    """Group facts whose names differ only in numbers, in reading order."""
    alike: dict[tuple[str, str, str], list[FactChange]] = {}
    for method in methods:
        name = (method.b or method.a) if len(methods) > 1 else ""
        for one in method.facts:
            is_named = one.topic in _NAMED
            text = one.text.replace(f"`{one.name}`", f"`{starred(one.name)}`") if is_named else one.text
            alike.setdefault((name, one.topic, text), []).append(one)
    return tuple(_fact_group(method, text, facts) for (method, _, text), facts in alike.items())


def _fact_group(method: str, text: str, facts: Sequence[FactChange]) -> FactGroup:
    first, count = facts[0], len(facts)
    name, text = (first.name, first.text) if count == 1 else (starred(first.name), text)
    return FactGroup(first.topic, name, text, count, method, first.before, first.after)


def module_title(group: ModuleGroup) -> str:
    """ "layers.* (Linear → LoRALinear)", with the short names of the classes."""
    return f"{group.path or WHOLE_MODEL}{f' ({short_classes(group)})' if group.classes else ''}"


# The title of the module with the empty path.
WHOLE_MODEL = "the whole model"


def short_classes(group: ModuleGroup) -> str:
    """ "Linear", "Linear → LoRALinear"."""
    return " → ".join(dict.fromkeys(cls.rpartition(".")[2] for cls in group.classes))


def fact_text(group: FactGroup) -> str:
    """The sentence, with the number of facts in the group."""
    return group.text if group.count == 1 else f"{group.text} ({group.count:,}×)"
