"""Older schemas → today's: one function a step, on plain JSON data.

A schema change adds its step here and an old file to the corpus. Schema 1 is the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from exir_viz.errors import MalformedFile, UnsupportedVersion

from . import columns

Sections = dict[str, Any]

# The step from the keyed schema to the next one: the sections as JSON data, in and out.
STEPS: dict[int, Callable[[Sections], Sections]] = {}


def upgrade(raw: dict[str, bytes], schema: int, file: str) -> dict[str, bytes]:
    """Bring the sections of an older file to today's schema."""
    try:
        sections: Sections = {name: msgspec.json.decode(data) for name, data in raw.items()}
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedFile(file, f"it is not JSON: {error}") from error
    while schema < columns.SCHEMA:
        step = STEPS.get(schema)
        if step is None:
            raise UnsupportedVersion(file, f"it claims schema {schema}, which does not exist")
        sections = step(sections)
        schema += 1
    sections["skeleton"]["schema"] = schema
    return {name: msgspec.json.encode(data) for name, data in sections.items()}
