"""Messages between a web page and its web worker, which reads files with Python in the browser's tab.

Both ends are TypeScript, and validate what they receive with the code that `python -m exir_viz.typescript`
makes of these types. The worker runs `exir_viz.server.worker`, as Jupyter's server does.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from .answers import Problem


class Blob:
    """A file of the browser: a name for JavaScript's class in the types below."""


class _Message(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    pass


class NamedFile(msgspec.Struct, frozen=True):
    """A file, and the folder and name under which Python reads it."""

    folder: str
    name: str
    file: Blob


class StartReader(_Message, frozen=True, tag="start", rename={"size": "bytes"}):
    """Load Python from `base`; `bytes`: the size of everything that is loaded."""

    base: str
    size: int


class ReadFiles(_Message, frozen=True, tag="read", rename={"page": "isPage"}):
    """Read one file to show it, or two to compare them; `isPage`: as a standalone HTML page.

    stages: the ids of two stages of one file, to compare them.
    """

    id: int
    files: tuple[NamedFile, ...]
    page: bool
    stages: tuple[str, ...]


class ReaderProgress(_Message, frozen=True, tag="progress"):
    """The share of the reader that is loaded, from 0 to 1."""

    loaded: float


class ReaderReady(_Message, frozen=True, tag="ready"):
    """Python is loaded."""


class ReaderFailed(_Message, frozen=True, tag="failed"):
    """Python does not run here."""

    reason: str


class ReaderAnswer(_Message, frozen=True, tag="answer", rename={"data": "bytes"}):
    """The program, the comparison or the page."""

    id: int
    data: bytes


class ReaderProblem(_Message, frozen=True, tag="problem"):
    """Why the files are not shown."""

    id: int
    problem: Problem


ReaderRequest: TypeAlias = StartReader | ReadFiles
ReaderResponse: TypeAlias = ReaderProgress | ReaderReady | ReaderFailed | ReaderAnswer | ReaderProblem
