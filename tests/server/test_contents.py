"""A contents manager that keeps files elsewhere than on disk."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from jupyter_server.services.contents.filemanager import FileContentsManager
from tornado.web import HTTPError

from exir_viz.server.contents import MAX_COPIED_BYTES, local_file
from exir_viz.server.handlers import _REMEDIES
from tests.remedies.suggestions import suggests

Found = TypeVar("Found")


class Elsewhere:
    """Keeps one file; knows no root and no disk."""

    def __init__(self, data: bytes, size: int | None = None) -> None:
        self.data, self.size = data, len(data) if size is None else size
        self.fetched = 0

    def get(self, path: str, content: bool = True, **_options: object) -> dict[str, Any]:
        self.fetched += content
        told = base64.b64encode(self.data).decode() if content else None
        return {"type": "file", "size": self.size, "content": told}


async def copied(manager: Elsewhere, path: str) -> tuple[str, bytes]:
    async with local_file(manager, path) as place:
        found = place.name, place.read_bytes()
    assert not place.exists()
    return found


def ended(work: Coroutine[Any, Any, Found]) -> Found:
    """In a thread: where browsers were tested before, the main thread has a loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_its_file_is_copied_for_as_long_as_it_is_read() -> None:
    assert ended(copied(Elsewhere(b"bytes"), "deep/model.pt2")) == ("model.pt2", b"bytes")


@pytest.mark.parametrize("path", ["../model.pt2", "..", "a/.."])
def test_a_path_that_climbs_out_is_refused(path: str) -> None:
    with pytest.raises(HTTPError, match="404"):
        ended(copied(Elsewhere(b"bytes"), path))


def test_a_large_file_is_refused_before_it_is_fetched() -> None:
    manager = Elsewhere(b"", MAX_COPIED_BYTES + 1)
    with pytest.raises(HTTPError, match="413"):
        ended(copied(manager, "model.pt2"))
    assert manager.fetched == 0


def test_a_large_file_is_copied_to_the_servers_disk(tmp_path: Path) -> None:
    def fails() -> None:
        raise RuntimeError(_REMEDIES[413])

    suggests("Copy it to a folder on the disk of Jupyter's server, and open it there.", fails)
    with (tmp_path / "model.pt2").open("wb") as handle:  # sparse: takes no room
        handle.truncate(MAX_COPIED_BYTES + 1)
    disk = FileContentsManager(root_dir=str(tmp_path))

    async def opened() -> Path:
        async with local_file(disk, "model.pt2") as place:
            return place

    assert ended(opened()) == tmp_path / "model.pt2"
