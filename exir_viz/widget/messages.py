"""What goes over the comm besides traits: numbers as bytes, names as JSON."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers by node: what the page is told of them, and the numbers as little-endian float64."""

    head: dict[str, Any]
    data: bytes


def series_of(values: Mapping[str, float], label: str, unit: str) -> Series:
    """`values` by a node's name within the whole Snapshot; what is not finite stays out of the scale."""
    head = {"label": label, "unit": unit, "nodes": list(values)}
    return Series(head, struct.pack(f"<{len(values)}d", *values.values()))
