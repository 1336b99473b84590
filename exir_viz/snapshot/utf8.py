"""A Snapshot whose every string can be written.

Python has strings that UTF-8 has not: half of a surrogate pair, as in the name of a source file that is no
UTF-8. Neither a file nor a page nor a table can hold one, so the half is spelt out: `\\udcff`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .columns import Detail, Skeleton
from .snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def writable(snapshot: Snapshot) -> Snapshot:
    """The Snapshot itself, or, where it has such a string, one in which they are spelt out."""
    try:
        # A hundredth of the time that capturing takes.
        _encoder.encode(snapshot.skeleton)
        _encoder.encode(snapshot.detail)
    except UnicodeEncodeError:
        skeleton = msgspec.convert(_spelt_out(msgspec.to_builtins(snapshot.skeleton)), Skeleton)
        detail = msgspec.convert(_spelt_out(msgspec.to_builtins(snapshot.detail)), Detail)
        return Snapshot(skeleton, detail)
    return snapshot


def _spelt_out(data: Any) -> Any:
    match data:
        case str():
            return data.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {_spelt_out(key): _spelt_out(value) for key, value in data.items()}
        case list() | tuple():
            return [_spelt_out(value) for value in data]
    return data
