"""Read the calls of each run from the bytes of an ETDump: nanoseconds per instruction, and per
delegate's part.

ExecuTorch's Inspector decodes the file. Its event blocks are not used: for an instruction that runs several
times in a run, in a loop, they keep only the last call.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exir_viz.errors import FileError, TruncatedFile
from exir_viz.torch_internals.files import read_etdump

WHOLE = "Method::execute"
OPERATOR, DELEGATE = "OPERATOR_CALL", "DELEGATE_CALL"
# Prefix and suffix of a kernel's name: "native_call_addmm.out".
_KERNEL = "native_call_"
_IDENTIFIER = b"ED00"
_AGAIN = (
    "Write the bytes that the runtime's ETDumpGen returned (get_etdump_data) unchanged, and copy the file "
    "in binary mode."
)


@dataclass(slots=True)
class BackendTime:
    """A time that a backend recorded within its call, by its own number or name; a number per run."""

    number: str
    runs: list[int]


@dataclass(slots=True)
class InstructionTimes:
    """An instruction: its nanoseconds by run, how often it ran in one, and its names.

    `kernel` is the op of the kernel that ran ("addmm"), if the dump names it.
    """

    instruction: int
    is_delegate: bool
    kernel: str
    calls: int
    runs: list[int]
    parts: list[BackendTime] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Dump:
    """The runs that took the same path through the program; `left_out` took other paths."""

    runs: int
    left_out: int
    wholes: list[int]
    calls: list[InstructionTimes]


def read(etdump: str | os.PathLike[str] | bytes) -> Dump:
    """Raises FileError if the bytes are no ETDump, or truncated."""
    file = "the ETDump" if isinstance(etdump, bytes) else Path(etdump).name
    data = etdump if isinstance(etdump, bytes) else Path(etdump).read_bytes()
    found: dict[tuple[Any, ...], list[list[Any]]] = {}
    for run in _decoded(data, file).run_data:
        events = [event.profile_event for event in run.events or () if event.profile_event is not None]
        if any(map(_is_timed, events)):
            found.setdefault(tuple(map(_key, events)), []).append(events)
    if not found:
        raise FileError(file, "it has no timed instruction", hint="Run the program once with the tracer on.")
    same = max(found.values(), key=len)
    wholes = [sum(map(_took, (event for event in run if event.name == WHOLE))) for run in same]
    return Dump(
        runs=len(same),
        left_out=sum(map(len, found.values())) - len(same),
        wholes=wholes if all(wholes) else [],
        calls=_calls(same),
    )


def _decoded(data: bytes, file: str) -> Any:
    """flatc may crash on a truncated file, so its length and magic are checked before."""
    size = int.from_bytes(data[:4], "little")
    if len(data) < 12 or data[8:12] != _IDENTIFIER:
        raise FileError(file, "it is not an ETDump: it begins with other bytes", hint=_AGAIN)
    if len(data) - 4 < size:
        reason = f"it is cut short: {size + 4:,} bytes are announced, and it has {len(data):,}"
        raise TruncatedFile(file, reason, hint=_AGAIN)
    try:
        return read_etdump(data)
    except (subprocess.SubprocessError, ValueError, KeyError, TypeError, AssertionError) as error:
        raise FileError(file, "ExecuTorch cannot read this ETDump", hint=_AGAIN) from error


def _calls(runs: Sequence[list[Any]]) -> list[InstructionTimes]:
    """By instruction, in the order of their first calls; all runs are alike."""
    groups: dict[int, list[int]] = {}
    for position, event in enumerate(runs[0]):
        if _is_timed(event):
            groups.setdefault(event.instruction_id, []).append(position)
    return [_call(instruction, places, runs) for instruction, places in groups.items()]


def _call(instruction: int, places: list[int], runs: Sequence[list[Any]]) -> InstructionTimes:
    events = {place: runs[0][place] for place in places}
    own = [place for place in places if _part(events[place]) is None]
    outer = [place for place in own if events[place].name in (OPERATOR, DELEGATE)] or own
    kernels = [events[place].name for place in own if (events[place].name or "").startswith(_KERNEL)]
    parts: dict[str, list[int]] = {}
    for place in places:
        number = _part(events[place])
        if number is not None:
            parts.setdefault(number, []).append(place)
    return InstructionTimes(
        instruction=instruction,
        is_delegate=bool(parts) or any(events[place].name == DELEGATE for place in own),
        kernel=kernels[0].removeprefix(_KERNEL).partition(".")[0] if kernels else "",
        calls=len(outer),
        runs=_sums(outer, runs),
        parts=[BackendTime(number, _sums(at, runs)) for number, at in parts.items()],
    )


def _sums(places: Iterable[int], runs: Sequence[list[Any]]) -> list[int]:
    wanted = list(places)
    return [sum(_took(run[place]) for place in wanted) for run in runs]


def _key(event: Any) -> tuple[Any, ...]:
    return (event.name, event.instruction_id, _part(event))


def _is_timed(event: Any) -> bool:
    return event.name != WHOLE and event.instruction_id is not None and event.instruction_id >= 0


def _part(event: Any) -> str | None:
    """The backend's own number or name of what it timed; None for the instruction itself."""
    number = event.delegate_debug_id_int
    if number is not None and number != -1:
        return str(number)
    return event.delegate_debug_id_str or None


def _took(event: Any) -> int:
    """A 32-bit clock may have wrapped between start and end."""
    took = int(event.end_time) - int(event.start_time)
    return took if took >= 0 else took + (1 << 32)
