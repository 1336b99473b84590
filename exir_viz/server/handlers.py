"""The addresses: `exir-viz/program?path=…` shows a file, `exir-viz/diff?a=…&b=…` compares two, and
`exir-viz/stages?path=…&a=…&b=…` compares two stages of one.

All need a user who is signed in and may read contents. `answers` makes an answer; a failure is a JSON object
with `file`, `reason`, `remedy` and `member`.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.iostream import StreamClosedError

from .answers import Problem
from .contents import local_file, root_of
from .reader import ProgramReader, Unreadable

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

_CHUNK_BYTES: Final = 1 << 20
_NOT_THERE: Final = "Check the name and the folder, and refresh the file browser."
# The remedies of HTTP errors, by status.
_REMEDIES: Final = {
    400: "Choose a file.",
    413: "Copy it to a folder on the disk of Jupyter's server, and open it there.",
}


class _ReadingHandler(APIHandler):
    """Reads the files that a request names."""

    auth_resource = "contents"
    _request: asyncio.Task[None] | None = None

    def initialize(self, reader: ProgramReader) -> None:
        self._reader = reader

    def on_connection_close(self) -> None:
        """The client disconnected: end the worker."""
        if self._request is not None:
            self._request.cancel()
        super().on_connection_close()

    async def answer(self, *paths: str, stages: tuple[str, ...] = ()) -> None:
        self._request = asyncio.current_task()
        try:
            async with AsyncExitStack() as files:
                places = [
                    await files.enter_async_context(local_file(self.contents_manager, path)) for path in paths
                ]
                with tempfile.TemporaryFile() as out:
                    await self._reader.read(places, out, stages, root=root_of(self.contents_manager))
                    self.set_header("Content-Type", "application/octet-stream")
                    self.set_header("Cache-Control", "no-store")
                    while chunk := out.read(_CHUNK_BYTES):
                        self.write(chunk)
                        await self.flush()
        except Unreadable as error:
            self._refuse(500 if error.crashed else 422, error.problem)
        except web.HTTPError as error:
            # tornado formats messages, so percent signs are doubled
            reason = (error.log_message or error.reason or "it cannot be read").replace("%%", "%")
            remedy = _REMEDIES.get(error.status_code, _NOT_THERE)
            self._refuse(error.status_code, Problem(" and ".join(paths), reason, remedy))
        except (StreamClosedError, asyncio.CancelledError):
            self.log.debug("exir_viz: the request for %s was dropped", paths)
        except OSError as error:
            if self._headers_written:
                raise
            reason = f"Jupyter's server could not read it: {error.strerror or error}"
            self._refuse(500, Problem(" and ".join(paths), reason, "The server's log says more."))

    def _refuse(self, status: int, problem: Problem) -> None:
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.finish(msgspec.json.encode(problem))


class ProgramHandler(_ReadingHandler):
    """Shows one file."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        await self.answer(self.get_query_argument("path", strip=False))


class DiffHandler(_ReadingHandler):
    """Compares two files."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        await self.answer(
            self.get_query_argument("a", strip=False), self.get_query_argument("b", strip=False)
        )


class StagesHandler(_ReadingHandler):
    """Compares two stages of a session's file."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        stages = self.get_query_argument("a"), self.get_query_argument("b")
        await self.answer(self.get_query_argument("path", strip=False), stages=stages)


def add_handlers(server: ServerApp) -> None:
    """Serve the addresses."""
    options = {"reader": ProgramReader(parent=server)}
    base: str = server.base_url
    handlers: list[Any] = [
        (url_path_join(base, "exir-viz", "program"), ProgramHandler, options),
        (url_path_join(base, "exir-viz", "diff"), DiffHandler, options),
        (url_path_join(base, "exir-viz", "stages"), StagesHandler, options),
    ]
    server.web_app.add_handlers(".*$", handlers)  # type: ignore[no-untyped-call]  # tornado
