"""`exir-viz profile FILE --trust`: run a program on this CPU, print what cost most, write the rest.

A `.pt2` is run node by node, which makes a live program from it, and a `.pte`, or the one in a `.bpte`, in
ExecuTorch's runtime: all require --trust. A `.exirprofile` is only read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import exir_viz
from exir_viz.errors import ExirVizError, NotAllowed
from exir_viz.extras import needs_extra
from exir_viz.measure import files
from exir_viz.readers.files import head_of, kind_of, refusal
from exir_viz.snapshot.printable import printable

from .output_files import output_file_type
from .terminal import (
    RedactionOptions,
    WrongCall,
    add_redaction,
    add_trust,
    count_option,
    given_once,
    open_trusted,
    progress,
    redaction_options,
    say,
)

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

_WRITERS = {".exirprofile": "save", ".json": "to_trace", ".csv": "to_csv", ".parquet": "to_parquet"}
_SYMBOL = re.compile(r"(?P<name>[^=]+)=(?P<value>-?[0-9]{1,18})")
# The options for measuring, and the attribute names of those that differ from the option.
_OF_MEASURING = ("threads", "repeats", "method", "symbol", "import")
_NAMES = {"import": "imports"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "-o",
        "--output",
        type=output_file_type(*_WRITERS),
        metavar="OUT.exirprofile|json|csv|parquet",
        help="also write the profile (.exirprofile), a Perfetto trace (.json), or a row per node",
    )
    parser.add_argument(
        "--html",
        type=output_file_type(".html", ".htm"),
        metavar="PAGE.html",
        help="also write a page: the graph colored by time, and the slowest ops",
    )
    parser.add_argument("--top", type=count_option, default=10, help="rows to print per table (default: 10)")
    parser.add_argument("--threads", type=count_option, help="threads of torch (default: 1)")
    parser.add_argument(
        "--repeats",
        type=count_option,
        help="runs (default: 5 to 50, about three seconds; 20 for a .pte)",
    )
    parser.add_argument("--method", help="the method, if a .pte has several")
    parser.add_argument(
        "--symbol",
        type=_symbol,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value of a symbol; inputs are then synthesized (may be repeated)",
    )
    add_trust(parser)
    add_redaction(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure or read, print, write; return 130 if measuring was interrupted."""
    from exir_viz.measure.text import summarise

    symbols = given_once("--symbol", arguments.symbol)
    path: Path = arguments.file
    head = head_of(path)
    is_profile = head.startswith(files.MAGIC)
    if is_profile:
        _check_unused(arguments, _OF_MEASURING, "it holds a finished measurement")
    profile = exir_viz.load(path) if is_profile else _measured(arguments, symbols, head)
    say(summarise(profile, arguments.top))
    if arguments.output is not None:
        _write(profile, _WRITERS[arguments.output.suffix], arguments.output, redaction_options(arguments))
    if arguments.html is not None:
        _write(profile, "to_html", arguments.html, redaction_options(arguments))
    return 0 if is_profile or profile.complete else 130


def _write(profile: Profile, writer: str, output: Path, share: RedactionOptions) -> None:
    if writer in ("save", "to_html"):
        getattr(profile, writer)(output, **share)
    else:  # a trace and a table have no source text
        getattr(profile, writer)(output, absolute_paths=share["absolute_paths"])
    if output.is_file():  # a pipe has no size
        print(printable(f"{output}: {output.stat().st_size:,} bytes"), file=sys.stderr)


def _check_unused(arguments: argparse.Namespace, options: Sequence[str], why: str) -> None:
    """Raise WrongCall for options that have no meaning for this kind of file."""
    given = [option for option in options if getattr(arguments, _NAMES.get(option, option))]
    if given:
        listed = ", ".join(f"--{option}" for option in given)
        raise WrongCall(f"{listed}: has no effect on {arguments.file.name!r}, because {why}. Remove it.")


def _measured(arguments: argparse.Namespace, symbols: dict[str, int], head: bytes) -> Profile:
    path: Path = arguments.file
    kind = kind_of(head)
    if not kind:
        raise refusal(path.name, head)
    if kind == ".pte":  # a bundled program contains one
        return _of_lowered(arguments)
    if kind != ".pt2":
        raise ExirVizError(
            f"Cannot profile {path.name!r}: only a .pt2 file from torch.export.save (node by node) or "
            "a .pte or .bpte file (in ExecuTorch's runtime) can be run."
        )
    if not arguments.trust:
        raise NotAllowed(
            f"Will not profile {path.name!r}: profiling loads it with torch.export.load, which can "
            "execute code from the file with your permissions. If it is from you or from someone you "
            "trust, pass --trust."
        )
    needs_extra("exir-viz profile", "torch")
    program = open_trusted(path, arguments.imports)
    return exir_viz.profile(
        program,
        method=arguments.method,
        threads=arguments.threads or 1,
        repeats=arguments.repeats,
        symbols=symbols,
    )


def _of_lowered(arguments: argparse.Namespace) -> Profile:
    """Profile the whole `.pte`, and each of its delegates separately."""
    path: Path = arguments.file
    why = "a .pte has no symbols, takes inputs of its largest shapes, and needs no imports"
    _check_unused(arguments, ("symbol", "import"), why)
    if not arguments.trust:
        raise NotAllowed(
            f"Will not profile {path.name!r}: a malicious file can attack ExecuTorch's runtime, which "
            "is native code with your permissions. If it is from you or from someone you trust, pass "
            "--trust."
        )
    needs_extra("exir-viz profile of a .pte", "executorch")
    with progress("Loading ExecuTorch"):
        from exir_viz.measure.runtime.file import profile_file
    return profile_file(
        path,
        trust=True,
        method=arguments.method,
        threads=arguments.threads or 1,
        repeats=arguments.repeats,
    )


def _symbol(text: str) -> tuple[str, int]:
    found = _SYMBOL.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"expected NAME=VALUE with a whole number, like s77=16, not {text!r}"
        )
    return found["name"], int(found["value"])
