"""A Snapshot whose every string can be written.

Some Python strings cannot be encoded as UTF-8: those with half of a surrogate pair, such as the name of a
file that is not UTF-8. Files, pages and tables cannot hold them, so the half is escaped: `\\udcff`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .columns import Detail, Skeleton
from .snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def writable(snapshot: Snapshot) -> Snapshot:
    """The Snapshot itself, or a copy in which such strings are escaped."""
    try:
        # A hundredth of the time that capturing takes.
        _encoder.encode(snapshot.skeleton)
        _encoder.encode(snapshot.detail)
    except UnicodeEncodeError:
        skeleton = msgspec.convert(_escaped(msgspec.to_builtins(snapshot.skeleton)), Skeleton)
        detail = msgspec.convert(_escaped(msgspec.to_builtins(snapshot.detail)), Detail)
        return Snapshot(skeleton, detail)
    return snapshot


def _escaped(data: Any) -> Any:
    match data:
        case str():
            return data.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {_escaped(key): _escaped(value) for key, value in data.items()}
        case list() | tuple():
            return [_escaped(value) for value in data]
    return data
