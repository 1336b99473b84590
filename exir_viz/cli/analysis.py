"""`exir-viz doctor`: what keeps a model from being exported, as text or JSON."""

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
from exir_viz.table import Table

from .terminal import WrongCall, imported, progress, say

_FACTORY = re.compile(r"(?P<module>[\w.]+):(?P<name>\w+)")


class _Result(Protocol):
    def table(self) -> Table: ...


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
