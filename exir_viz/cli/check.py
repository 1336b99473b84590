"""`exir-viz check FILE`: the rules of the Export IR and its dialects, as text, JSON or SARIF."""

from __future__ import annotations

import argparse

import exir_viz
from exir_viz.reports.report import Outcome
from exir_viz.snapshot.program import Dialect

from .terminal import load, progress, say


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print everything as JSON")
    form.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, for code hosts and editors")
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        help=f"check these rules: {', '.join(Dialect)} (default: the program's own)",
    )
    parser.add_argument(
        "--rule",
        action="append",
        metavar="NAME",
        help="check this rule only (may be repeated; docs/check.md lists them)",
    )
    parser.add_argument("--all", action="store_true", help="print every finding, not four of a rule")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; 1 when there are errors."""
    snapshot = load(arguments.file)
    with progress("Checking"):
        found = exir_viz.check(snapshot, arguments.dialect, rules=arguments.rule)
    if arguments.json:
        say(found.to_json())
    elif arguments.sarif:
        say(found.to_sarif())
    else:
        say(found.text(None) if arguments.all else str(found))
    return int(found.outcome is Outcome.ERROR)
