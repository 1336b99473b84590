"""`exir-viz profile FILE --trust`: run a program on this CPU, print what cost most, write the rest.

A `.pt2` is run node by node, which makes a live program of it, and a `.pte` in ExecuTorch's runtime: both are
refused without --trust. A `.exirprofile` is only read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import exir_viz
from exir_viz.errors import ExirVizError, NotAllowed
from exir_viz.measure import files
from exir_viz.readers.files import is_flatbuffer
from exir_viz.snapshot.printable import printable

from .terminal import add_trust, open_trusted, progress, say

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

_WRITERS = {".exirprofile": "save", ".json": "to_trace", ".csv": "to_csv", ".parquet": "to_parquet"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.exirprofile|json|csv|parquet",
        help="also write the profile: whole, as a Perfetto trace (.json), or one row a node",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="PAGE.html",
        help="also write a page: the picture with its heat, and what is hot in it",
    )
    parser.add_argument("--top", type=int, default=10, help="rows to print of each table (default: 10)")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default: 1)")
    parser.add_argument(
        "--repeats", type=int, help="runs (default: 5 to 50, about three seconds; 20 of a .pte)"
    )
    parser.add_argument(
        "--symbol",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what a symbol is to be; inputs are then made (may be repeated)",
    )
    add_trust(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure or read, print, write."""
    from exir_viz.measure.text import summarise

    output: Path | None = arguments.output
    if output is not None and output.suffix not in _WRITERS:
        raise ExirVizError(f"Cannot write {output.name!r}: its name must end in {', '.join(_WRITERS)}.")
    symbols = dict(map(_symbol, arguments.symbol))
    profile = _profile(arguments, symbols)
    say(summarise(profile, arguments.top))
    if output is not None:
        _tell(getattr(profile, _WRITERS[output.suffix])(output))
    if arguments.html is not None:
        _tell(profile.to_html(arguments.html))


def _tell(path: Path) -> None:
    print(printable(f"{path}: {path.stat().st_size:,} bytes"), file=sys.stderr)


def _profile(arguments: argparse.Namespace, symbols: dict[str, int]) -> Profile:
    path: Path = arguments.file
    with path.open("rb") as handle:
        head = handle.read(8)
    if head == files.MAGIC:
        return exir_viz.load_profile(path)
    if is_flatbuffer(head):
        return _of_lowered(arguments, symbols)
    if not head.startswith(b"PK"):
        raise ExirVizError(
            f"Cannot profile {path.name!r}: only a .pt2, as torch.export.save writes it, can be run node by "
            "node, and a .pte in ExecuTorch's runtime."
        )
    if not arguments.trust:
        raise NotAllowed(
            f"Will not profile {path.name!r}: a live program must be made of it for that, and "
            "torch.export.load executes what the file brings, so that whoever wrote it can run anything on "
            "this machine with your rights. If you or someone you trust made it, pass --trust."
        )
    program = open_trusted(path, arguments.imports)
    return exir_viz.profile(program, threads=arguments.threads, repeats=arguments.repeats, symbols=symbols)


def _of_lowered(arguments: argparse.Namespace, symbols: dict[str, int]) -> Profile:
    """The `.pte` as a whole, and each of its delegates and ops by itself."""
    path: Path = arguments.file
    if symbols:
        raise ExirVizError(
            f"--symbol is for a .pt2: {path.name!r} keeps no symbols, and takes inputs of its largest shapes."
        )
    if not arguments.trust:
        raise NotAllowed(
            f"Will not profile {path.name!r}: ExecuTorch's runtime is native code, and a file made to attack "
            "it can do on this machine what you can. If you or someone you trust made it, pass --trust."
        )
    with progress("Loading ExecuTorch"):
        from exir_viz.measure.cpu.measuring import Options
        from exir_viz.measure.runtime.file import profile_file
    return profile_file(path, trust=True, options=Options(arguments.threads, arguments.repeats))


def _symbol(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not name or not value.lstrip("-").isdigit():
        raise ExirVizError(f"--symbol takes NAME=VALUE with a whole number, like s77=16, not {text!r}.")
    return name, int(value)
