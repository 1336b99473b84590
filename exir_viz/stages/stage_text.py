"""Stages as text: a line of the tree, or a failure with its findings. Control characters of a program are
escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural, time_text
from exir_viz.snapshot.printable import one_line, printable
from exir_viz.stages.records import Failure, Finding, StageRecord, StageTree

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

_MOST_FINDINGS: Final = 8
_WIDTH: Final = 200


def failure_text(title: str, failure: Failure) -> str:
    """What went wrong, where, and what to do."""
    lines = [f"{one_line(title, _WIDTH)} failed: {one_line(failure.reason, 4 * _WIDTH)}"]
    for finding in failure.findings[:_MOST_FINDINGS]:
        lines += _finding(finding)
    more = len(failure.findings) - _MOST_FINDINGS
    if more > 0:
        lines.append(f"  … and {more} more in .failure.findings")
    rest = failure.message.removeprefix(failure.reason).strip()
    if rest and not any(one.text or one.node or one.op for one in failure.findings):
        lines += [f"  {line}" for line in printable(rest).splitlines()[:12]]
    lines += [f"  Try: {one_line(fix.title, _WIDTH)}" for fix in failure.fixes]
    return "\n".join(lines)


def _finding(finding: Finding) -> Iterator[str]:
    parts = [one_line(part, 2 * _WIDTH) for part in (finding.node, finding.op, finding.text)]
    if any(parts):
        yield f"  {': '.join(part for part in parts if part)}"
    if finding.frame is not None:
        frame = finding.frame
        where = f'"{one_line(frame.file, _WIDTH)}", line {frame.line}'
        yield f"    File {where}, in {one_line(frame.function, 80)}"
        if frame.code:
            yield f"      {one_line(frame.code, _WIDTH)}"
    if finding.remedy:
        yield f"    {one_line(finding.remedy, 2 * _WIDTH)}"


def stage_line(stage: Stage) -> str:
    """One stage in a line: id, name, dialect, calls."""
    from exir_viz.stages.stage_record import record_of  # imported here because `stage_record` imports stages

    return _line(record_of(stage))


def tree_text(tree: StageTree, current: str) -> str:
    """All stages, children below their parent; `*` marks the current one."""
    children: dict[str | None, list[StageRecord]] = {}
    for record in tree.stages:
        children.setdefault(record.parent, []).append(record)
    return "\n".join(_branch(children, children.get(None, []), current, "", root=True))


def _branch(
    children: dict[str | None, list[StageRecord]],
    records: Iterable[StageRecord],
    current: str,
    indent: str,
    *,
    root: bool = False,
) -> Iterator[str]:
    records = list(records)
    for record in records:
        last = record is records[-1]
        lead = "" if root else ("└─ " if last else "├─ ")
        mark = " *" if record.id == current else ""
        yield f"{indent}{lead}{_line(record)}{mark}"
        below = indent if root else indent + ("   " if last else "│  ")
        yield from _branch(children, children.get(record.id, ()), current, below)


def _line(record: StageRecord) -> str:
    parts = [f"{record.id} {one_line(record.name, 60)}"]
    if record.failure is not None:
        parts.append(f"failed: {one_line(record.failure.reason, 80)}")
    else:
        parts.append(record.dialect.value if record.dialect else "")
        parts += ["unverified"] if record.unverified else []
        parts.append(f"{plural(record.calls, 'call')}")
        parts += [record.share] if record.share else []
    if record.change is not None:
        parts.append(record.change.text)
    if record.step.seconds:
        parts.append(time_text(record.step.seconds))
    if record.step.notices:
        count = sum(notice.count for notice in record.step.notices)
        parts.append(plural(count, "notice"))
    return "  ".join(part for part in parts if part)
