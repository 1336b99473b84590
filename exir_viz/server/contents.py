"""From a path of Jupyter's contents manager to a file on disk, never one outside of the manager's root."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.fileio import FileManagerMixin
from jupyter_server.utils import ApiPath, to_os_path
from tornado.web import HTTPError

# Such managers pass a file's bytes: the file must fit into memory.
MAX_COPIED_BYTES: Final = 256 << 20


@asynccontextmanager
async def local_file(manager: Any, path: str) -> AsyncIterator[Path]:
    """A file of the contents manager, on disk while the context lasts.

    Raises HTTPError: 404 for a file that the manager does not show, or that a symbolic link puts outside of
    its root; 400 for a path that is no file; 413 for a file that would have to be copied and is too large.
    """
    try:
        model = await ensure_async(manager.get(path, content=False))
    except OSError as error:  # symbolic links in a circle
        raise HTTPError(404, f"{path} cannot be read: {error.strerror or error}") from None
    if model["type"] == "directory":
        raise HTTPError(400, f"{path} is a folder, not a file")
    if (root := root_of(manager)) is not None:
        yield await _within_root(manager, root, path)
        return
    if ".." in path.split("/"):
        raise HTTPError(404, f"{path} is not a file of the contents manager")
    if (model.get("size") or 0) > MAX_COPIED_BYTES:
        raise HTTPError(413, f"{path} has more than {MAX_COPIED_BYTES:,} bytes")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, Path(path).name)
        model = await ensure_async(manager.get(path, type="file", format="base64"))
        data = base64.b64decode(model["content"])
        if len(data) > MAX_COPIED_BYTES:  # not every manager reports the size before
            raise HTTPError(413, f"{path} has more than {MAX_COPIED_BYTES:,} bytes")
        copy.write_bytes(data)
        yield copy


def root_of(manager: Any) -> Path | None:
    """The folder on disk that a contents manager shows; None if it keeps its files elsewhere."""
    is_on_disk = isinstance(manager, FileManagerMixin)
    return Path(manager.root_dir).resolve() if is_on_disk else None


async def _within_root(manager: Any, root: Path, path: str) -> Path:
    """The real path, in the root and not hidden. The worker opens it without following links."""
    try:
        place = Path(to_os_path(ApiPath(path.strip("/")), str(root))).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # symbolic links in a circle, or a broken one
        raise HTTPError(404, f"{path} is not a file that can be read") from None
    if not place.is_relative_to(root):
        raise HTTPError(404, f"{path} is outside of the folder that Jupyter shows")
    hidden = await ensure_async(manager.is_hidden(place.relative_to(root).as_posix()))
    if hidden and not manager.allow_hidden:
        raise HTTPError(404, f"{path} is a hidden file")
    return place
