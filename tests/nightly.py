"""Cases that `make nightly` runs, and `make test` leaves out."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def nightly(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, marked."""
    return [pytest.param(case, marks=pytest.mark.nightly) for case in cases]


def some(cases: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """All cases of a parametrized test; those that are not kept are marked."""
    return [case if case in kept else nightly([case])[0] for case in cases]
