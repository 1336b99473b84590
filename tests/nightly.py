"""Cases that `make nightly` runs, and `make test` leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def nightly(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, marked."""
    return [pytest.param(case, marks=pytest.mark.nightly) for case in cases]
