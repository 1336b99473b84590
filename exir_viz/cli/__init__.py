"""The `exir-viz` command: look into a `.pt2`, `.pte`, ETRecord or `.exirviz` file from a terminal.

Nothing in a file is executed, and torch is not imported, except by `lower`, `profile` and `report`, which
require --trust for it, and by `doctor`, which runs the function that it is given. Results go to stdout,
without color if it is no terminal, and with control characters escaped; progress and errors go to stderr.
Exit codes: 0 success, 1 failure (the message says why), 2 wrong usage, 130 interrupted. `diff` follows
diff(1): 1 only if --check found a difference, 2 if the files could not be compared. So do `check` and
`doctor`: 1 only if they found errors, and `report`: only with --fail-on. No command overwrites a file that
it reads.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import exir_viz
from exir_viz.errors import ExirVizError

from . import analysis, check, commands, diff, lower, output_files, profile, report
from .terminal import WrongCall, add_redaction, count_option, end_output, fail

_WRONG_CALL = 2

_EXAMPLES = """\
examples:
  exir-viz show model.pt2                       a summary, then the program as Python
  exir-viz show model.pt2 --summary             only the summary
  exir-viz show model.pte --form fx             the program as FX prints it
  exir-viz info model.pt2                       format, versions, sizes, notices
  exir-viz tables model.pt2 ops                 how often each op is called, as CSV
  exir-viz tables model.pt2 nodes --format parquet -o nodes.parquet
  exir-viz convert model.pt2 -o model.exirviz   a small file that opens quickly
  exir-viz diff old.pt2 new.pt2                 what changed, by rule and by module
  exir-viz diff old.pt2 new.pt2 --check         the same; exit code 1 when they differ
  exir-viz check model.pt2                      does it keep the rules of its dialect?
  exir-viz check model.pt2 --sarif              the same for a code host; exit code 1 for errors
  exir-viz report                               which reports there are
  exir-viz report size model.pte                what fills the file
  exir-viz report state model.pte --fail-on warning   exit code 1 if a KV cache is copied
  exir-viz report quantization model.pte        which ops compute in integers, which in float and why
  exir-viz report delegation model.pt2 --fail-on error   exit code 1 if an operator blocks lowering
  exir-viz doctor models.net:example            why it cannot be exported, with fixes
  exir-viz diff a.pt2 b.pt2 c.pt2 --html page.html   side by side, each with the one before it
  exir-viz lower model.pt2 --to executorch --backend xnnpack -o model.pte --trust
  exir-viz profile model.pt2 --trust -o run.json   what each op costs; the run for Perfetto
  exir-viz profile model.pt2 --trust --html run.html   the same as a page with the picture
  exir-viz profile model.pte --trust            in ExecuTorch's runtime: whole, delegates
  exir-viz dot model.pt2 -o model.svg           a picture, modules as boxes
  exir-viz dot model.pt2 --scope layers.0 -o layer.pdf
  exir-viz dot model.pt2 --node linear_3 --steps 2 -o near.png

Opening a file executes nothing that is in it; only `lower`, `profile` and `report` do, and only with
--trust. `doctor` runs your function.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    arguments = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # print an escape, not an error, on a terminal with another encoding
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        output_files.check_outputs(arguments)
        code: int = arguments.run(arguments) or 0
        end_output()
    except WrongCall as error:
        return fail(str(error), _WRONG_CALL)
    except ExirVizError as error:
        return fail(str(error), arguments.trouble)
    except BrokenPipeError:  # the reader closed the pipe; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        text = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        return fail(text, arguments.trouble)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="exir-viz",
        description="Look into torch.export programs and ExecuTorch files.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"exir-viz {exir_viz.__version__}")
    parsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    show = _command(parsers, "show", commands.show, "print a summary and the program's text")
    show.add_argument(
        "--form", choices=("python", "fx"), default="python", help="the form of the text (default: python)"
    )
    show.add_argument("--method", help="the method to print (default: all)")
    show.add_argument("--summary", action="store_true", help="only the summary")

    _command(
        parsers, "info", commands.info, "print what the file is: format, versions, dialects, sizes, notices"
    )

    tables = _command(parsers, "tables", commands.tables, "print or write one table of the program")
    tables.add_argument("name", metavar="NAME", choices=commands.TABLES, help=", ".join(commands.TABLES))
    tables.add_argument(
        "--format",
        choices=("csv", "parquet", "json", "markdown"),
        default="csv",
        help="the format (default: csv)",
    )
    tables.add_argument("-o", "--output", type=Path, help="the file to write (default: print)")
    add_redaction(tables)

    convert = _command(parsers, "convert", commands.convert, "write a .exirviz file, which opens fast")
    convert.add_argument(
        "-o",
        "--output",
        type=output_files.output_file_type(".exirviz"),
        required=True,
        metavar="OUT.exirviz",
        help="the file to write",
    )
    add_redaction(convert)
    convert.set_defaults(writes=(".exirviz",))

    pair = _command(parsers, "diff", diff.run, "print what changed from one file to another")
    pair.add_argument(
        "others",
        metavar="FILE",
        type=Path,
        nargs="+",
        help="the file to compare it with; more with --html",
    )
    diff.add_options(pair)
    pair.set_defaults(trouble=2)

    checked = _command(parsers, "check", check.run, "check the rules of the Export IR and its dialects")
    check.add_options(checked)
    checked.set_defaults(trouble=2)

    report.add_command(parsers)

    examined = parsers.add_parser(
        "doctor",
        help="print what keeps a model of yours from being exported, with fixes",
        description="Export the model that a function of yours returns, and print what is in the way.",
    )
    analysis.add_doctor_options(examined)
    examined.set_defaults(run=analysis.doctor, trouble=2, writes=())

    lowered = _command(
        parsers, "lower", lower.run, "lower a trusted .pt2 with torch and ExecuTorch", "a .pt2 file"
    )
    lower.add_options(lowered)
    lowered.set_defaults(writes=(".pte", ".pt2", ".exirviz"))

    measured = _command(
        parsers,
        "profile",
        profile.run,
        "run a trusted .pt2 or .pte and print what each op costs",
        "a .pt2, .pte or .bpte file",
    )
    profile.add_options(measured)

    dot = _command(
        parsers,
        "dot",
        commands.dot,
        "draw the program, a module, or a node and its neighbors with Graphviz",
    )
    dot.add_argument("--method", help="the method to draw (default: forward, or the first)")
    part = dot.add_mutually_exclusive_group()
    part.add_argument("--scope", metavar="PATH", help="draw only this module, such as layers.0.attention")
    part.add_argument("--node", metavar="NAME", help="draw only this node and its neighbors")
    dot.add_argument("--steps", type=count_option, help="with --node: how far from it, in edges (default: 2)")
    dot.add_argument(
        "--max-nodes", type=count_option, default=120, help="about how many boxes at most (default: 120)"
    )
    dot.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.svg|pdf|png|dot",
        help="the file to write (default: print DOT)",
    )
    return parser


_Run = Callable[[argparse.Namespace], int | None]


def _command(
    parsers: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: _Run,
    text: str,
    files: str = "a .pt2, .pte, ETRecord or .exirviz file",
) -> argparse.ArgumentParser:
    sentence = f"{text[0].upper()}{text[1:]}."
    parser: argparse.ArgumentParser = parsers.add_parser(name, help=text, description=sentence)
    parser.add_argument("file", metavar="FILE", type=Path, help=files)
    parser.set_defaults(run=run, trouble=1, writes=())
    return parser
