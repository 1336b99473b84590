"""What leaves this machine in a file: relative paths, and on request no source text.

Every way out goes through here: `to_html` and `save` of everything that has them, the command, and what a
notebook keeps of a widget. They share two options:

sources: False leaves out all source text: the lines that made a node, those around them, and lines that torch
    quotes in messages. Names of files and functions, and line numbers, stay.
absolute_paths: True keeps paths as they are. Else a path is written relative to its project (the nearest
    folder with a `.git`, `pyproject.toml`, `setup.py` or `setup.cfg`), to the folder of its Python package,
    or to where packages are installed ("site-packages/torch/…"). One file keeps one path, and two files
    never get the same.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from exir_viz.options import flag

from .columns import Detail, Skeleton
from .program import Notice, PythonValue
from .records import Frame, SourceText
from .snapshot import Snapshot

T = TypeVar("T")

_ABSOLUTE: Final = re.compile(r"^(?:[A-Za-z]:)?[/\\]")
_INSTALLED: Final = re.compile(r".*/((?:site|dist)-packages/.+)", re.DOTALL)
_STANDARD: Final = re.compile(r".*/lib/(python3\.\d+/.+)", re.DOTALL)
# torch's own files keep the folder `torch`, by which `frames` recognizes them.
_BUILT: Final = re.compile(
    r".*/(torch/(?:_\w+|autograd|export|functional|fx|nn|utils)(?:/.*|\.py))", re.DOTALL
)
_MARKS: Final = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_DRIVE: Final = re.compile(r"^[A-Za-z]:")
_USER: Final = re.compile(r"^/(?:(?:home|Users)/[^/]+|root)/")
# No project is deeper.
_DEEPEST: Final = 64
# A line of a trace in a message, and the code under it.
_TRACED: Final = re.compile(r'File "(?P<file>[^"\n]*)"(?=, line \d+)')
_QUOTED: Final = re.compile(
    r'^((?P<indent>[ \t]*)File "[^"\n]*", line \d+[^\n]*\n)(?:(?P=indent)[ \t]+[^\n]*(?:\n|\Z))+',
    re.MULTILINE,
)
_A_PATH: Final = re.compile(r"(?<![\w./\\:-])(?:[A-Za-z]:)?[/\\](?:[\w.@+~ -]+[/\\])*[\w.@+~-]+\.py\b")


class Redaction:
    """How the contents of one file are written: one for all Snapshots and records that go into it."""

    def __init__(
        self, snapshots: Iterable[Snapshot] = (), *, sources: bool = True, absolute_paths: bool = False
    ) -> None:
        self._sources = flag("sharing", "sources", sources)
        self._absolute = flag("sharing", "absolute_paths", absolute_paths)
        self._of: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._base: str | None = None
        self._roots: dict[str, str | None] = {}
        self._done: dict[int, tuple[Snapshot, Snapshot]] = {}
        self._learn({frame.file for one in snapshots for frame in one.detail.frames})

    @property
    def has_sources(self) -> bool:
        """Whether source text is written."""
        return self._sources

    # -- what is written ----------------------------------------------------------------------------------

    def snapshot(self, snapshot: Snapshot) -> Snapshot:
        """The Snapshot as it is written; itself where nothing is to be changed."""
        if self._absolute and self._sources:
            return snapshot
        found = self._done.get(id(snapshot))
        if found is None or found[0] is not snapshot:
            self._learn({frame.file for frame in snapshot.detail.frames})
            made = snapshot.reworded(self._skeleton(snapshot.skeleton), self._detail(snapshot.detail))
            found = self._done[id(snapshot)] = (snapshot, made)
        return found[1]

    def record(self, record: T) -> T:
        """A record, or several, with every text in it as it is written; frames as those of a Snapshot."""
        if self._absolute and self._sources:
            return record
        plain = msgspec.to_builtins(record, enc_hook=str)
        return msgspec.convert(self._plain(plain), type=type(record))

    def text(self, text: str) -> str:
        """A message: paths in it relative, and without the code that it quotes where sources are left out."""
        if not self._sources:
            text = _QUOTED.sub(r"\1", text)
        if self._absolute or ("/" not in text and "\\" not in text):
            return text
        text = _TRACED.sub(lambda at: f'File "{self.path(at["file"])}"', text)
        for file in sorted(self._of, key=len, reverse=True):
            text = text.replace(file, self._of[file])
        text = _A_PATH.sub(lambda at: self.path(at[0]), text)
        for folder, instead in _own_folders():
            text = text.replace(f"{folder}{os.sep}", instead)
        return text

    def path(self, file: str) -> str:
        """The path of a file as it is written."""
        if self._absolute or not _ABSOLUTE.match(file):
            return file
        if file not in self._of:
            self._take(file, self._relative(file))
        return self._of[file]

    # -- parts of a Snapshot ------------------------------------------------------------------------------

    def _skeleton(self, skeleton: Skeleton) -> Skeleton:
        notices = tuple(Notice(one.code, self.text(one.text), one.count) for one in skeleton.notices)
        return msgspec.structs.replace(skeleton, notices=notices)

    def _detail(self, detail: Detail) -> Detail:
        sources = tuple(
            SourceText(self.path(one.file), one.lines, one.text) for one in detail.sources if self._sources
        )
        methods = tuple(
            msgspec.structs.replace(
                one,
                guards=tuple(map(self.text, one.guards)),
                guard_lines=tuple(
                    msgspec.structs.replace(each, file=self.path(each.file)) for each in one.guard_lines
                ),
            )
            for one in detail.methods
        )
        extras = tuple(
            tuple(msgspec.structs.replace(one, text=self._or_none(one.text)) for one in several)
            for several in detail.extras
        )
        return msgspec.structs.replace(
            detail,
            frames=tuple(map(self._frame, detail.frames)),
            sources=sources,
            methods=methods,
            extras=extras,
            runs=tuple(msgspec.structs.replace(one, file=self.path(one.file)) for one in detail.runs),
            python_values=tuple(map(self._python_value, detail.python_values)),
            delegation_reasons=tuple(
                msgspec.structs.replace(one, text=self.text(one.text)) for one in detail.delegation_reasons
            ),
        )

    def _python_value(self, one: PythonValue) -> PythonValue:
        """A value of Python: without its text where sources are left out, since code may contain it."""
        value = self.text(one.value) if self._sources else ""
        return msgspec.structs.replace(one, value=value, file=self.path(one.file))

    def _frame(self, frame: Frame) -> Frame:
        if not frame.file:  # a trace that was not understood is kept whole, as code
            return Frame("", frame.line, frame.function, self.text(frame.code) if self._sources else "")
        return Frame(self.path(frame.file), frame.line, frame.function, frame.code if self._sources else "")

    def _or_none(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _plain(self, value: Any) -> Any:
        """Plain data; a dict with the fields of a Frame is one."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self._plain(one) for one in value]
        if not isinstance(value, dict):
            return value
        if {"file", "line", "function"} <= value.keys():
            frame = self._frame(Frame(value["file"], value["line"], value["function"], value.get("code", "")))
            return msgspec.to_builtins(frame)
        return {key: self._plain(one) for key, one in value.items()}

    # -- paths --------------------------------------------------------------------------------------------

    def _learn(self, files: set[str]) -> None:
        """Take the paths of many files at once, in an order that is always the same."""
        if self._absolute:
            return
        for file in files:
            if not _ABSOLUTE.match(file):
                self._names.setdefault(file, file)
        new = sorted(file for file in files if _ABSOLUTE.match(file) and file not in self._of)
        homeless = [file for file in new if self._in_its_project(_slashed(file)) is None]
        if self._base is None and homeless:
            self._base = _common_folder([_without_user(_slashed(file)) for file in homeless])
        for file in new:
            self._take(file, self._relative(file))

    def _take(self, file: str, wanted: str) -> None:
        """Give a file a path that no other file has."""
        free, number = wanted, 1
        while self._names.setdefault(free, file) != file:
            number += 1
            free = f"{number}/{wanted}"
        self._of[file] = free

    def _relative(self, file: str) -> str:
        slashed = _slashed(file)
        found = self._in_its_project(slashed)
        if found is not None:
            return found
        bare = _without_user(slashed)
        within = self._base is not None and bare.startswith(self._base)
        return bare.removeprefix(self._base or "") if within else slashed.rpartition("/")[2]

    def _in_its_project(self, file: str) -> str | None:
        """Relative to where packages are installed, the project, or the package; None where it is in none."""
        for pattern in (_INSTALLED, _STANDARD):
            if found := pattern.fullmatch(file):
                return found[1]
        folder = file.rpartition("/")[0]
        root = self._root(folder)
        if root is not None:
            return file.removeprefix(f"{root}/")
        built = _BUILT.fullmatch(file)
        return built[1] if built else None

    def _root(self, folder: str) -> str | None:
        """The folder of the project or package that a folder is in, where it is on this machine."""
        if folder not in self._roots:
            self._roots[folder] = None if folder.startswith("//") else _root_of(folder)
        return self._roots[folder]


def _root_of(folder: str) -> str | None:
    try:
        around = [Path(folder), *Path(folder).parents][:_DEEPEST]
        marked = next((one for one in around if any((one / mark).exists() for mark in _MARKS)), None)
        if marked is not None and marked != Path(marked.anchor):
            return marked.as_posix()
        package = None
        for one in around:
            if not (one / "__init__.py").is_file():
                break
            package = one.parent.as_posix()
    except (OSError, ValueError):  # not a path that this system knows
        return None
    return package


def _without_user(file: str) -> str:
    """A path without its drive, the folder of a user, and the first slash."""
    return _USER.sub("", _DRIVE.sub("", file)).lstrip("/")


def _common_folder(files: list[str]) -> str:
    """The folder that contains all of them, with a slash at its end; "" if there is none."""
    parts = [file.split("/")[:-1] for file in files]
    common = 0
    while all(len(one) > common and one[common] == parts[0][common] for one in parts):
        common += 1
    return "".join(f"{part}/" for part in parts[0][:common])


def _slashed(file: str) -> str:
    return file.replace("\\", "/")


def _own_folders() -> list[tuple[str, str]]:
    """Folders that identify this machine or its user, and their replacements."""
    found: list[tuple[str, str]] = []
    for folder, instead in ((Path.cwd, ""), (Path.home, "~/"), (lambda: Path(tempfile.gettempdir()), "")):
        with contextlib.suppress(OSError, RuntimeError):  # it was deleted, or there is no home
            here = folder()
            if here != Path(here.anchor):
                found.append((str(here), instead))
    return found


def redacted(snapshot: Snapshot, *, sources: bool = True, absolute_paths: bool = False) -> Snapshot:
    """A Snapshot as it is written to a file."""
    return Redaction([snapshot], sources=sources, absolute_paths=absolute_paths).snapshot(snapshot)
