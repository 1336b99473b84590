"""Compare the same modules in several Profiles: where a stage is faster or slower.

A module is identified by its path and call, which lowering keeps. Nodes outside any module are under
"(none)"; time outside ops under "(overhead)", or "(rest)" if ops were not timed separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exir_viz.compare.noise import are_apart

from .fused_timing import SharedTiming, mixed
from .records import Basis, Executor
from .rollup import Share, ordered, rollup

if TYPE_CHECKING:
    from .profile import Profile


@dataclass(frozen=True, slots=True)
class Compared:
    """A module at one stage. Seconds: `time` including submodules, `own` without; None if unknown.

    `mixed` says why the time is not the module's alone, or not all of it ("in XNNPACK 1, which spans
    more"): such a time is not compared. `ratio` is to the first stage that has a time of the module alone;
    None at that one, if its time there is 0, and if different executors measured the two. `apart` is whether
    the two differ by more than noise.
    `bases` says how the times were found.
    """

    module: str
    cls: str
    stage: str
    time: float | None
    own: float | None
    ratio: float | None
    ops: int
    mixed: str = ""
    apart: bool = False
    bases: tuple[Basis, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stage:
    name: str
    shares: Mapping[str, Share]
    mixed: Mapping[str, SharedTiming]
    executor: Executor


def compare(profiles: Sequence[Profile], names: Sequence[str] | None = None) -> list[Compared]:
    """Rows by module, the slowest at the first stage first, then by stage in the given order."""
    labels = list(names) if names is not None else stage_names(profiles)
    if len(labels) != len(profiles):
        raise ValueError(f"{len(profiles)} profiles and {len(labels)} names: give one name for each")
    stages = [
        _Stage(
            label,
            {share.key: share for share in rollup(profile, "module")},
            mixed(profile),
            profile.conditions.executor,
        )
        for label, profile in zip(labels, profiles, strict=True)
    ]
    modules = {key: None for stage in stages for key in stage.shares}
    first = {key: _first(key, stages).total or 0.0 for key in modules}
    ordered = sorted(modules, key=lambda key: (-first[key], key))
    # A busy machine causes larger differences than any change.
    is_busy = any(profile.is_busy for profile in profiles)
    return [row for key in ordered for row in _rows(key, stages, is_busy)]


def stage_names(profiles: Sequence[Profile]) -> list[str]:
    """A name for each Profile: its dialect, with the executor or a number if needed to distinguish them."""
    names = [profile.record.dialect for profile in profiles]
    if len(set(names)) < len(names):
        pairs = zip(names, profiles, strict=True)
        names = [f"{name}, {profile.conditions.executor.value}" for name, profile in pairs]
    if len(set(names)) < len(names):
        names = [f"{number}: {name}" for number, name in enumerate(names, 1)]
    return names


def _first(key: str, stages: Sequence[_Stage]) -> Share:
    return next(stage.shares[key] for stage in stages if key in stage.shares)


def _rows(key: str, stages: Sequence[_Stage], is_busy: bool) -> Iterator[Compared]:
    base: Share | None = None
    executor: Executor | None = None
    for stage in stages:
        share, why = stage.shares.get(key), stage.mixed.get(key)
        if why is not None:
            time, own, ops = (None, None, 0) if share is None else (share.total, share.time, share.nodes)
            cls = "" if share is None else share.cls
            bases = () if share is None else ordered(share.bases)
            yield Compared(key, cls, stage.name, time, own, None, ops, str(why), bases=bases)
        elif share is not None:
            is_alike = stage.executor is executor
            ratio = _ratio(base, share) if is_alike else None
            is_compared = is_alike and not is_busy and share.total is not None
            is_apart = base is not None and is_compared and are_apart(base.span, share.span)
            yield Compared(
                *(key, share.cls, stage.name, share.total, share.time, ratio, share.nodes),
                apart=is_apart,
                bases=ordered(share.bases),
            )
            if base is None and share.total is not None:
                base, executor = share, stage.executor


def _ratio(base: Share | None, share: Share) -> float | None:
    if base is None or not base.total or share.total is None:
        return None
    return share.total / base.total
