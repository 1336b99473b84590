"""What tests of the snapshot share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def call_count() -> Callable[[Callable[[], object]], int]:
    """Counts the Python and C calls that a function makes: work, measured without a clock."""

    def count(run: Callable[[], object]) -> int:
        calls = 0

        def note(frame: object, event: str, arg: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            run()
        finally:
            sys.setprofile(before)
        return calls

    return count
