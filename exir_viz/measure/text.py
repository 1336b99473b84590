"""A Profile on one screen of a terminal: the total, the hottest nodes and modules, memory, conditions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from exir_viz.snapshot.format import byte_text, plural, share_text, time_text
from exir_viz.snapshot.printable import Html, html, one_line

from .conditions import is_known_condition
from .records import NOT_MEASURABLE, Executor
from .rollup import Share, rest_of, rollup

if TYPE_CHECKING:
    from .profile import Profile

_ROWS = 10
_WIDTH = 96


def summarise(profile: Profile, rows: int = _ROWS) -> str:
    """Plain text of at most `_WIDTH` columns; control characters of the program's text are escaped."""
    lines = [*_head(profile), *_memory(profile)]
    for title, groups in (("Nodes", rollup(profile, "node")), ("Ops", rollup(profile, "op"))):
        lines += ["", *_table(title, groups, rows)]
    modules = [group for group in rollup(profile, "module") if group.key != rest_of(profile)]
    modules.sort(key=lambda group: (-(group.total or 0.0), group.key))
    lines += ["", *_table("Modules, including submodules", modules, rows, total=True)]
    for remark in profile.remarks:
        lines += textwrap.wrap(f"{remark.code}: {remark.text}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines)


def as_html(profile: Profile) -> Html:
    """The same for a notebook; the program's text is escaped."""
    return html('<pre style="line-height: 1.35">{}</pre>', summarise(profile))


def ran(profile: Profile) -> str:
    """How it was measured: "cpu, 1 thread, 53 runs, interrupted, load 3.1 to 6.2"."""
    conditions = profile.conditions
    threads = f", {plural(conditions.threads, 'thread')}"
    threads = threads if is_known_condition(conditions, "threads") else ""
    runs = plural(conditions.repeats, "run")
    cut = "".join(f", {one.code}" for one in profile.remarks if one.code in ("interrupted", "failed"))
    load = "" if conditions.load is None else f", load {conditions.load[0]} to {conditions.load[1]}"
    return f"{conditions.executor.value}{threads}, {runs}{cut}{load}"


def _head(profile: Profile) -> list[str]:
    conditions = profile.conditions
    whole, overhead = profile.whole, profile.overhead
    text = "no run completed"
    if whole is not None and overhead is not None:
        what = "delegate" if profile.conditions.executor is Executor.RUNTIME else "op"
        rest = f"{share_text(profile.share(overhead.time / 1e9))} outside {what}s"
        if untimed := sum(cost.time is None and cost.calls != 0 for cost in profile):
            rest = f"{untimed} of {len(profile)} {what}s not measurable"
        text = f"{time_text(whole.time / 1e9)} per run (fastest {time_text(whole.min / 1e9)}), {rest}"
    inputs = ", ".join(f"{given.path}: {given.value}" for given in conditions.inputs) or "none"
    if is_known_condition(conditions, "inputs"):
        inputs = f"inputs ({conditions.inputs_from}): {inputs}"
    else:
        inputs = "inputs: unknown"
    return [
        one_line(f"{profile.record.method} ({profile.record.dialect}): {text}", _WIDTH),
        one_line(", ".join(filter(None, (ran(profile), conditions.cpu))), _WIDTH),
        one_line(inputs, _WIDTH),
    ]


def _memory(profile: Profile) -> list[str]:
    peak = profile.peak
    if peak is None:
        return []
    state = byte_text(profile.record.state_bytes)
    return [one_line(f"memory: peak {byte_text(peak.live_bytes)} at {peak.node.id}; state {state}", _WIDTH)]


def _table(title: str, groups: list[Share], rows: int, total: bool = False) -> list[str]:
    last = "" if total else "    cum."
    lines = [f"{'time':>9}  share{last}  {title}"]
    for group in groups[:rows]:
        time, share = (group.total, group.total_share) if total else (group.time, group.share)
        least = "≥ " if group.untimed and time is not None else ""
        text, part = f"{least}{time_text(time)}", share_text(share)
        sums = "" if total else f"  {share_text(group.cumulative):>6}"
        cls = one_line(group.cls.rpartition(".")[2] if total else group.cls, 34)
        cls = NOT_MEASURABLE if time is None else cls
        name = one_line(group.key, _WIDTH - 30 - len(cls))
        lines.append(f"{text:>9}  {part:>5}{sums}  {name}  {cls}".rstrip())
    if len(groups) > rows:
        lines.append(f"{'':9}  … {len(groups) - rows:,} more")
    if any(group.untimed and (group.total if total else group.time) is not None for group in groups[:rows]):
        lines.append(f"{'':9}  ≥: includes ops whose time is unknown")
    return lines
