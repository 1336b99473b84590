"""Input and output of the command: files in, text out, progress on a terminal only."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypedDict

import exir_viz
from exir_viz.errors import ExirVizError, MissingImport, as_clause, naming
from exir_viz.progress_display import Terminal
from exir_viz.readers.files import load as read
from exir_viz.snapshot.printable import printable

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from exir_viz.snapshot import Snapshot


_STDOUT = "standard output"


class WrongCall(ExirVizError):
    """Raised for options that contradict each other, or do not fit the kind of the file."""


def load(path: Path, *, whole: bool = False) -> Snapshot:
    """A file's Snapshot; `whole`: with all checksums."""
    with progress(f"Reading {path.name}"):
        return read(path, whole=whole)


def add_trust(parser: argparse.ArgumentParser) -> None:
    """The options of a command that makes a live program from its file."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="this file is from me or from someone I trust: it may execute code on this machine",
    )
    parser.add_argument(
        "--import",
        action="append",
        default=[],
        dest="imports",
        metavar="MODULE",
        help="import this module first: it registers ops or classes of the program (may be repeated)",
    )


class RedactionOptions(TypedDict):
    """What a written file may say about this machine, see `exir_viz.snapshot.redaction`."""

    sources: bool
    absolute_paths: bool


def add_redaction(parser: argparse.ArgumentParser) -> None:
    """The options of a command that writes a file."""
    parser.add_argument("--no-sources", action="store_true", help="do not write source text")
    parser.add_argument(
        "--absolute-paths",
        action="store_true",
        help="write absolute paths of source files (default: relative to their project or package)",
    )


def redaction_options(arguments: argparse.Namespace) -> RedactionOptions:
    """The options that the user passed."""
    return RedactionOptions(sources=not arguments.no_sources, absolute_paths=arguments.absolute_paths)


def open_trusted(path: Path, imports: Sequence[str]) -> ExportedProgram:
    """The live program of a file that the user trusts, after importing what it needs."""
    for name in imports:
        imported(name, f"{name!r}, which --import asks for")
    try:
        with progress(f"Loading {path.name} with torch"):
            return exir_viz.load(path, trust=True).program
    except MissingImport as error:
        module = error.module or "MODULE, the one that registers it"
        hint = f"Pass --import {module}."
        raise MissingImport(error.file, error.reason, module=error.module, hint=hint) from error


def imported(module: str, text: str) -> ModuleType:
    """Import a module of the user; `text` names it in the error."""
    try:
        return importlib.import_module(module)
    except Exception as error:
        kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        raise ExirVizError(f"Cannot import {text}: {kind}{as_clause(error)}.") from error


def count_option(text: str) -> int:
    """The type of an option that is a number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def given_once(option: str, given: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Values of symbols by name; raises WrongCall if a symbol has two."""
    found = dict(given)
    if len(found) < len(given):
        twice = next(name for name, _ in given if [one for one, _ in given].count(name) > 1)
        raise WrongCall(f"{option} {twice}=… is given twice. Give each symbol once.")
    return found


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Show a progress line on the terminal; nothing if stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    line = Terminal(sys.stderr)
    line.draw(f"{printable(what)} …", None)
    try:
        yield
    finally:
        line.clear()


def say(text: str) -> None:
    """Print a line, or several, with control characters escaped."""
    say_as_is(printable(text) + "\n")


def say_as_is(text: str) -> None:
    """Print text that is escaped already."""
    with naming(_STDOUT):
        sys.stdout.write(text)


def end_output() -> None:
    """Write the printed text that is still in the buffer."""
    with naming(_STDOUT):
        sys.stdout.flush()


def fail(message: str, code: int = 1) -> int:
    """Print an error and return the exit code."""
    print(f"exir-viz: {printable(message)}", file=sys.stderr)
    return code
