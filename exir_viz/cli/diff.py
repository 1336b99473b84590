"""`exir-viz diff A B`: what changed from one file to another, as a summary, text, Markdown, JSON, a page.

A page takes more than two files: each is compared with the one before it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import exir_viz
from exir_viz.errors import ExirVizError
from exir_viz.snapshot.printable import printable

from .columns import COLOURS, side_by_side
from .output_files import output_file_type
from .terminal import add_redaction, load, progress, redaction_options, say, say_as_is

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff

# A sign with the number that follows it, or at the beginning of a line.
_SIGNED = re.compile(r"(?m)(?<=^  )[~↷⇄+−](?=  ?)|(?<!\S)[~↷⇄+−][\d,]+")
_NARROWEST = 38


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print the text of both programs side by side")
    form.add_argument("--markdown", action="store_true", help="print Markdown for a review comment")
    form.add_argument("--json", action="store_true", help="print all changes as JSON")
    form.add_argument(
        "--html",
        type=output_file_type(".html", ".htm"),
        metavar="PAGE.html",
        help="write a page that shows them side by side",
    )
    add_redaction(parser)
    parser.add_argument("--method", help="with --text: the method to print (default: all)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if the files differ, with 2 if they cannot be compared",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison, or write the page; with --check, 1 when there is a difference."""
    if arguments.method and not arguments.text:
        raise ExirVizError("--method only works with --text: add --text, or remove --method.")
    if len(arguments.others) > 1 and not arguments.html:
        raise ExirVizError(
            f"{1 + len(arguments.others)} files can only be compared on a page: add --html PAGE, or "
            "name two files."
        )
    paths = (arguments.file, *arguments.others)
    programs = [load(path, whole=True) for path in paths]
    is_one_name = len({path.name for path in paths}) < len(paths)
    shown = _apart(paths) if is_one_name else [path.name for path in paths]
    titles = [
        f"{name} ({program.method.dialect.value})" for name, program in zip(shown, programs, strict=True)
    ]
    with progress("Comparing"):
        diffs = [
            exir_viz.diff(a, b, names=names)
            for (a, b), names in zip(pairwise(programs), pairwise(titles), strict=True)
        ]
    if arguments.html:
        from exir_viz.pages.html import write

        page = write(diffs, arguments.html, **redaction_options(arguments))
        say(f"{page}: {page.stat().st_size:,} bytes")
    else:
        _print(diffs[0], arguments)
    if arguments.html or arguments.text:  # the other forms contain it already
        for diff in diffs:
            pair = f"{diff.comparison.a} → {diff.comparison.b}: " if len(diffs) > 1 else ""
            for text in (*diff.contents.texts, *diff.contents.left):
                say(f"{pair}{text}")
    return int(arguments.check and not all(diff.is_empty for diff in diffs))


def _apart(paths: Sequence[Path]) -> list[str]:
    """The paths without the folders that all have in common."""
    parts = [path.parts for path in paths]
    common = 0
    while all(len(one) > common + 1 and one[common] == parts[0][common] for one in parts):
        common += 1
    return [str(Path(*one[common:])) for one in parts]


def _print(diff: Diff, arguments: argparse.Namespace) -> None:
    if arguments.json:
        say(diff.to_json())
    elif arguments.markdown:
        say(diff.to_markdown().rstrip("\n"))
    elif arguments.text:
        width = max(_NARROWEST, (shutil.get_terminal_size((160, 24)).columns - 3) // 2)
        lines = side_by_side(diff.text(arguments.method), width, colored=_has_colors())
        say_as_is("".join(f"{line}\n" for line in lines))
    elif _has_colors():
        say_as_is(colored(printable(str(diff))) + "\n")
    else:
        say(str(diff))


def _has_colors() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def colored(text: str) -> str:
    """A printable summary with its signs in color."""
    return _SIGNED.sub(lambda match: f"\x1b[{COLOURS[match[0][0]]}m{match[0]}\x1b[0m", text)
