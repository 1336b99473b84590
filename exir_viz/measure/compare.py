"""The same modules in several Profiles: what did a stage cost or gain, and where.

A module is known by its path and call, which lowering keeps. What a stage has no module for is under
"(none)"; what was in no op under "(overhead)".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .rollup import Share, rollup

if TYPE_CHECKING:
    from .profile import Profile


@dataclass(frozen=True, slots=True)
class Compared:
    """A module at one stage. Seconds: `time` with all modules within, `own` without.

    `ratio` is to the first stage that has the module; None at that one, and where it took no time there.
    """

    module: str
    cls: str
    stage: str
    time: float
    own: float
    ratio: float | None
    ops: int


def compare(profiles: Sequence[Profile], names: Sequence[str] | None = None) -> list[Compared]:
    """Rows by module, the one that took most at the first stage first, and by stage in the given order."""
    stages = list(names) if names is not None else stage_names(profiles)
    if len(stages) != len(profiles):
        raise ValueError(f"{len(profiles)} profiles and {len(stages)} names: give one name for each")
    by_stage = [{share.key: share for share in rollup(profile, "module")} for profile in profiles]
    modules = {key: None for shares in by_stage for key in shares}
    first = {key: next(shares[key] for shares in by_stage if key in shares).total for key in modules}
    ordered = sorted(modules, key=lambda key: (-first[key], key))
    return [row for key in ordered for row in _rows(key, stages, by_stage)]


def stage_names(profiles: Sequence[Profile]) -> list[str]:
    """A name for each Profile: its dialect, with the executor or a number where that does not tell."""
    names = [profile.record.dialect for profile in profiles]
    if len(set(names)) < len(names):
        pairs = zip(names, profiles, strict=True)
        names = [f"{name}, {profile.conditions.executor.value}" for name, profile in pairs]
    if len(set(names)) < len(names):
        names = [f"{number}: {name}" for number, name in enumerate(names, 1)]
    return names


def _rows(key: str, stages: Sequence[str], by_stage: Sequence[dict[str, Share]]) -> Iterator[Compared]:
    base: float | None = None
    for stage, shares in zip(stages, by_stage, strict=True):
        share = shares.get(key)
        if share is None:
            continue
        ratio = share.total / base if base else None
        yield Compared(key, share.cls, stage, share.total, share.time, ratio, share.nodes)
        base = share.total if base is None else base
