"""Cases of `.exirviz` files in base64, and whether they are refused: by `snapshot/wire.py` and by pages."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

from exir_viz.errors import FileError
from exir_viz.snapshot.columns import SCHEMA
from exir_viz.snapshot.wire import MAGIC, MAX_HEADER_BYTES, SMALL_BYTES, Sections

_TEXT = json.dumps({"schema": SCHEMA}).encode()
_PACKED = zlib.compress(_TEXT, level=0)  # the same bytes with any version of zlib


def cases() -> dict[str, list[Any]]:
    return {"files": [[what, base64.b64encode(data).decode(), _is_refused(data)] for what, data in _files()]}


def _is_refused(data: bytes) -> bool:
    try:
        sections = Sections(data, "file")
        for name in ("skeleton", "detail"):
            json.loads(sections.raw(name))
    except FileError:
        return True
    return False


def _files() -> Iterator[tuple[str, bytes]]:
    good = _file()
    yield "two sections", good
    yield "another section after them", _file(sections=("skeleton", "detail", "page"))
    yield "bytes after its sections", good + b"more"
    yield "no bytes", b""
    yield "another beginning", b"PK" + good[2:]
    yield "an end in its beginning", good[: len(MAGIC) - 1]
    yield "an end before its header", good[: len(MAGIC) + 3]
    yield "an end in its header", good[: len(MAGIC) + 20]
    yield "an end in its sections", good[:-1]
    yield "a header that is too long", MAGIC + (MAX_HEADER_BYTES + 1).to_bytes(4, "big")
    yield "a header that is a list", _with_header([])
    yield "a newer schema", _file(schema=SCHEMA + 1)
    yield "a schema that is a text", _file(schema=str(SCHEMA))
    yield "no sections", _file(sections=())
    yield "no detail", _file(sections=("skeleton",))
    yield "sections that are a number", _with_header({"schema": SCHEMA, "sections": 2})
    yield "a section of negative size", _file(change={"packed": -1})
    yield (
        "a section that claims to unpack to more than is plausible",
        _file(change={"bytes": SMALL_BYTES + 1}),
    )
    yield "a section that is not packed", _file(packed=_TEXT)
    yield "a damaged section", _file(packed=_PACKED[:-1] + bytes([_PACKED[-1] ^ 1]))


def _file(
    schema: object = SCHEMA,
    sections: tuple[str, ...] = ("skeleton", "detail"),
    change: dict[str, Any] | None = None,
    packed: bytes = _PACKED,
) -> bytes:
    entry = {"packed": len(packed), "bytes": len(_TEXT), "crc32": zlib.crc32(_TEXT), **(change or {})}
    header = {"schema": schema, "sections": [{"name": name, **entry} for name in sections]}
    return _with_header(header) + packed * len(sections)


def _with_header(header: object) -> bytes:
    raw = json.dumps(header).encode()
    return MAGIC + len(raw).to_bytes(4, "big") + raw
