"""`exir-viz shapes`, `coverage`, `doctor`: results of Python as text or JSON."""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Protocol

import exir_viz
from exir_viz.errors import ExirVizError, as_clause
from exir_viz.snapshot.format import byte_text
from exir_viz.table import Table

from .terminal import WrongCall, given_once, imported, load, progress, say

_SIZE = re.compile(r"(?P<name>\w+)=(?P<value>[0-9]{1,18})")
_FACTORY = re.compile(r"(?P<module>[\w.]+):(?P<name>\w+)")


class _Result(Protocol):
    def table(self) -> Table: ...


def add_shapes_options(parser: argparse.ArgumentParser) -> None:
    """The options of `shapes`."""
    _add_json(parser)
    parser.add_argument(
        "--at",
        type=_size,
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="also print the bytes of the inputs and of the results of all ops for this size of a symbol "
        "(may be repeated)",
    )


def shapes(arguments: argparse.Namespace) -> None:
    """Print which sizes may vary."""
    if arguments.json and arguments.at:
        raise WrongCall("--json prints dimensions, --at bytes: choose one.")
    wanted = given_once("--at", arguments.at)
    found = exir_viz.shapes(load(arguments.file))
    at = found.at(**wanted)
    _print(found, as_json=arguments.json)
    if wanted:
        sizes = ", ".join(f"{name}={size}" for name, size in at.sizes.items())
        inputs, results = byte_text(at.input_bytes), byte_text(at.bytes)
        say(f"\nWith {sizes}: inputs and state {inputs}, results of all ops {results}")


def add_coverage_options(parser: argparse.ArgumentParser) -> None:
    """The options of `coverage`."""
    _add_json(parser)
    parser.add_argument(
        "--source",
        metavar="NAME",
        help="print the lines of this file, such as modeling_llama.py (default: a summary of all files)",
    )


def coverage(arguments: argparse.Namespace) -> None:
    """Print what became of each line of the user's files."""
    if arguments.json and arguments.source:
        raise WrongCall("--json prints all files, --source the lines of one: choose one.")
    found = exir_viz.coverage(load(arguments.file))
    if arguments.source:
        say(found.text(arguments.source))
    else:
        _print(found, as_json=arguments.json)


def add_doctor_options(parser: argparse.ArgumentParser) -> None:
    """The options of `doctor`."""
    parser.add_argument(
        "factory",
        metavar="MODULE:FUNCTION",
        help="a function of yours that returns the model, a tuple of its example inputs, and optionally a "
        "dict of keyword arguments, and dynamic_shapes",
    )
    _add_json(parser)
    parser.add_argument("--draft", action="store_true", help="also use torch's draft_export, which is slow")


def doctor(arguments: argparse.Namespace) -> int:
    """Print what keeps a module from being exported; 1 where no way of exporting works."""
    with redirect_stdout(sys.stderr):  # what the user's code prints is no part of the result
        model, args, kwargs, shapes = _made(arguments.factory)
        with progress("Exporting"):
            found = exir_viz.doctor(model, *args, kwargs=kwargs, dynamic_shapes=shapes, draft=arguments.draft)
    _print(found, as_json=arguments.json)
    return int(not found.can_export)


def _made(text: str) -> tuple[Any, tuple[Any, ...], Mapping[str, Any] | None, Any]:
    """The model, its example inputs and dynamic shapes, from the user's function."""
    named = _FACTORY.fullmatch(text)
    if named is None:
        raise WrongCall(f"{text!r} is not MODULE:FUNCTION, such as models.net:example.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        make = getattr(imported(named["module"], repr(text)), named["name"])
    except AttributeError as error:
        raise ExirVizError(f"Cannot import {text!r}: {as_clause(error)}.") from error
    match _called(make, text):
        case (model, tuple(args)):
            return model, args, None, None
        case (model, tuple(args), dict() | None as kwargs):
            return model, args, kwargs, None
        case (model, tuple(args), dict() | None as kwargs, shapes):
            return model, args, kwargs, shapes
    raise ExirVizError(
        f"{text} must return the model and a tuple of its inputs, and optionally a dict of keyword "
        "arguments and dynamic_shapes."
    )


def _called(make: Callable[[], object], text: str) -> object:
    """What the user's function returns; raises ExirVizError with the lines that failed in it."""
    try:
        return make()
    except Exception as error:
        _, *lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
        reason = f"{text} raised {type(error).__name__}: {as_clause(error)}."
        raise ExirVizError("\n".join([reason, *"".join(lines).splitlines()])) from error


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print every row as JSON")


def _print(found: _Result, *, as_json: bool) -> None:
    say(found.table().json().rstrip("\n") if as_json else str(found))


def _size(text: str) -> tuple[str, int]:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE, such as s77=64")
    return found["name"], int(found["value"])
