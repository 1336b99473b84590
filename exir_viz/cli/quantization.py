"""`exir-viz quantization FILE`: which ops compute in integers, which in float and why."""

from __future__ import annotations

import argparse

import exir_viz

from .terminal import load, progress, say


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print a row per op as CSV")
    form.add_argument("--json", action="store_true", help="print a row per op as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Print the report."""
    snapshot = load(arguments.file)
    with progress("Reading the quantization"):
        report = exir_viz.quantization(snapshot)
    if arguments.json:
        say(report.table().json().rstrip("\n"))
    elif arguments.csv:
        say(report.table().csv().rstrip("\n"))
    else:
        say(str(report))
