"""`exir-viz report [NAME FILE]`: any report as text, JSON, SARIF or HTML, and the list of them."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, Final

from exir_viz.errors import ExirVizError, as_clause
from exir_viz.reports import names
from exir_viz.reports.registry import about, run_as
from exir_viz.reports.report import Outcome
from exir_viz.snapshot.printable import html

from .terminal import WrongCall, add_trust, given_once, open_trusted, progress, say, say_as_is

_SIZE: Final = re.compile(r"(?P<name>\w+)=(?P<value>[0-9]{1,18})")


def add_command(parsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command and its arguments."""
    parser = parsers.add_parser(
        "report",
        help="print a report: what fills the file, how state is written, and more",
        description="Print a report, or the list of reports.",
    )
    parser.set_defaults(run=run, trouble=2, writes=())
    parser.add_argument("name", metavar="NAME", nargs="?", help="the report (default: list them)")
    parser.add_argument(
        "file", metavar="FILE", type=Path, nargs="?", help="a .pt2, .pte, ETRecord or .exirviz file"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "sarif", "html"), default="text", help="(default: text)"
    )
    parser.add_argument(
        "--fail-on",
        choices=(Outcome.WARNING.value, Outcome.ERROR.value),
        help="exit with code 1 if the report finds one that is as bad as this, or worse",
    )
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help="delegation: ask this backend what it would run (may be repeated; needs --trust)",
    )
    parser.add_argument(
        "--at",
        type=_size,
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="shapes: this size of a symbol, for bytes (may be repeated)",
    )
    parser.add_argument(
        "--source", metavar="NAME", help="source: the lines of this file, such as modeling_llama.py"
    )
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the report; 1 if it finds what --fail-on names."""
    if arguments.name is None:
        width = max(map(len, names()))
        say("\n".join(f"{name.ljust(width)}  {about(name)}" for name in names()))
        return 0
    if arguments.file is None:
        raise WrongCall(f"Name the file, too: exir-viz report {arguments.name} model.pt2")
    if not arguments.trust and (arguments.backend or arguments.imports):
        option = "--backend" if arguments.backend else "--import"
        raise WrongCall(f"{option} needs --trust: only a live program can be lowered.")
    at = given_once("--at", arguments.at)
    chosen: dict[str, Any] = {"backends": arguments.backend, "at": at, "only": arguments.source}
    options = {name: value for name, value in chosen.items() if value}
    program = open_trusted(arguments.file, arguments.imports) if arguments.trust else arguments.file
    with progress("Making the report"):
        try:
            report = run_as("report", arguments.name, program, options)
        except (ExirVizError, OSError):
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {as_clause(error)}"
            raise ExirVizError(f"The report {arguments.name!r} failed: {why}.") from error
    if arguments.format == "html":
        page = '<!doctype html><meta charset="utf-8"><title>{}: {}</title>\n{}\n'
        say_as_is(html(page, report.title, report.program, report.to_html()))
    else:
        written = {"text": report.text, "json": report.to_json, "sarif": report.to_sarif}
        say(written[arguments.format]())
    order = list(Outcome)
    return int(
        arguments.fail_on is not None and order.index(report.outcome) <= order.index(arguments.fail_on)
    )


def _size(text: str) -> tuple[str, int]:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=SIZE, such as s77=64")
    return found["name"], int(found["value"])
