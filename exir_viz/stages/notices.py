"""NoticeLog: warnings and output of a step, collected as notices."""

from __future__ import annotations

from collections import Counter

from exir_viz.snapshot.program import Notice

_LONGEST = 2000
# A program of thousands of nodes can cause thousands of different warnings.
_MOST = 200


class NoticeLog:
    """Collects notices: counts equal ones and limits how many are kept."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._more = 0

    def note(self, code: str, text: str) -> None:
        text = text.strip()
        key = (code, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
        if not text:
            return
        if key in self._counts or len(self._counts) < _MOST:
            self._counts[key] += 1
        else:
            self._more += 1

    def notices(self) -> tuple[Notice, ...]:
        found = [Notice(code, text, count) for (code, text), count in self._counts.items()]
        if self._more:
            found.append(Notice("more", "Further notices were left out.", self._more))
        return tuple(found)
