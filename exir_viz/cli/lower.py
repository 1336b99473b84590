"""`exir-viz lower FILE --to edge|backend|executorch -o OUT`: lower with torch and ExecuTorch.

This command makes a live program from a file, which can execute code in the file, so it requires --trust.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.errors import ExirVizError, NotAllowed, StepFailed
from exir_viz.extras import needs_extra
from exir_viz.readers.files import head_of, kind_of, refusal
from exir_viz.snapshot.format import plural, time_text
from exir_viz.snapshot.printable import printable

from .terminal import (
    WrongCall,
    add_redaction,
    add_trust,
    fail,
    open_trusted,
    progress,
    redaction_options,
    say,
)

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from exir_viz.stages.stage import Stage

TARGETS = ("edge", "backend", "executorch")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--to", choices=TARGETS, required=True, help="the stage to lower to")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT.pte|exirviz|pt2",
        help="the file to write: the program (.pte, .pt2), or all stages to view (.exirviz)",
    )
    parser.add_argument(
        "--backend",
        default="",
        metavar="NAME",
        help="the backend: xnnpack, vulkan or coreml (default: xnnpack with --to backend, none with "
        "--to executorch)",
    )
    add_trust(parser)
    add_redaction(parser)


def run(arguments: argparse.Namespace) -> int:
    """Lower and write the result; return 1, with the findings, if torch or ExecuTorch fails."""
    from exir_viz.stages import lowering
    from exir_viz.stages.session import Session

    if arguments.backend and arguments.to == "edge":
        raise WrongCall("--to edge delegates nothing: remove --backend, or lower --to backend.")
    lowering.check(arguments.output, arguments.to)
    program = _open(arguments.file, arguments.imports, trust=arguments.trust)
    session = Session(program, name=arguments.file.stem)
    stage = session.root
    try:
        for stage in lowering.lower(session, arguments.to, arguments.backend):
            _print_notices(stage)
            _print_stage(stage)
    except StepFailed as error:
        _print_notices(error.stage)
        return fail(f"{arguments.file.name} was not lowered: {error}")
    with progress(f"Writing {arguments.output.name}"):
        path = lowering.write(stage, arguments.output, **redaction_options(arguments))
    say(f"{path}: {path.stat().st_size:,} bytes")
    return 0


def _open(path: Path, imports: Sequence[str], *, trust: bool) -> ExportedProgram:
    head = head_of(path)
    kind = kind_of(head)
    if not kind:
        raise refusal(path.name, head)
    if kind != ".pt2":
        raise ExirVizError(
            f"Cannot lower {path.name!r}: only a .pt2 file from torch.export.save holds a program "
            "that can be lowered."
        )
    if not trust:
        raise NotAllowed(
            f"Will not lower {path.name!r}: lowering loads it with torch.export.load, which can "
            "execute code from the file with your permissions. If it is from you or from someone you "
            "trust, pass --trust. To look at it, use exir-viz show, which executes nothing."
        )
    needs_extra("exir-viz lower", "executorch")
    return open_trusted(path, imports)


def _print_notices(stage: Stage) -> None:
    for notice in stage.step.notices:
        times = f" (×{notice.count:,})" if notice.count > 1 else ""
        print(printable(f"notice: {notice.text.strip()}{times}"), file=sys.stderr)


def _print_stage(stage: Stage) -> None:
    record = stage.session.stage_record(stage)
    share = f"{record.share}, " if record.share else ""
    what = f"{record.step.title}: {plural(record.calls, 'call')}, {share}{time_text(record.step.seconds)}"
    print(printable(what), file=sys.stderr)
