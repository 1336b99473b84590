"""The `exir-viz` command: look into a `.pt2`, `.pte`, ETRecord or `.exirviz` file from a terminal.

Nothing in a file is executed, and torch is not imported. Results go to stdout, without colour and with the
control characters of a program's text made visible; progress and errors go to stderr. Exit codes: 0 done, 1
could not be done (the message says why), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import exir_viz
from exir_viz.errors import ExirVizError, MissingTool
from exir_viz.snapshot.describe import size
from exir_viz.snapshot.printable import printable
from exir_viz.snapshot.rollup import method_count

if TYPE_CHECKING:
    import pandas as pd

    from exir_viz.snapshot import Snapshot

_EXAMPLES = """\
examples:
  exir-viz show model.pt2                       a summary, then the program as Python
  exir-viz show model.pt2 --summary             the summary alone
  exir-viz show model.pte --form fx             the program as FX prints it
  exir-viz info model.pt2                       format, versions, sizes, notices
  exir-viz tables model.pt2 ops                 how often each op is called, as CSV
  exir-viz tables model.pt2 nodes --format parquet -o nodes.parquet
  exir-viz convert model.pt2 -o model.exirviz   a small file that opens quickly
  exir-viz dot model.pt2 -o model.svg           a picture, modules as boxes
  exir-viz dot model.pt2 --scope layers.0 -o layer.pdf
  exir-viz dot model.pt2 --node linear_3 --steps 2 -o near.png

Opening a file executes nothing that is in it.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    arguments = _parser().parse_args(argv)
    if isinstance(
        sys.stdout, io.TextIOWrapper
    ):  # a terminal of another encoding shows an escape, not an error
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except ExirVizError as error:
        return _fail(str(error))
    except BrokenPipeError:  # the reader has seen enough; nothing must be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="exir-viz",
        description="Look into torch.export programs and ExecuTorch files.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"exir-viz {exir_viz.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    show = _command(commands, "show", _show, "print a summary and the program's text")
    show.add_argument(
        "--form", choices=("python", "fx"), default="python", help="which text (default: python)"
    )
    show.add_argument("--method", help="which method (default: all)")
    show.add_argument("--summary", action="store_true", help="the summary alone")

    _command(commands, "info", _info, "print what the file is: format, versions, dialects, sizes, notices")

    tables = _command(commands, "tables", _tables, "print or write one table of the program")
    tables.add_argument("name", metavar="NAME", choices=_TABLES, help=", ".join(_TABLES))
    tables.add_argument("--format", choices=("csv", "parquet", "json", "markdown"), default="csv")
    tables.add_argument("-o", "--output", type=Path, help="the file to write (default: print)")

    convert = _command(commands, "convert", _convert, "write a .exirviz file, which opens quickly anywhere")
    convert.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.exirviz")

    dot = _command(
        commands, "dot", _dot, "draw the program, a module or a node's neighbourhood with Graphviz"
    )
    dot.add_argument("--method", help="which method (default: forward, or the first)")
    part = dot.add_mutually_exclusive_group()
    part.add_argument("--scope", metavar="PATH", help="only this module: layers.0.attention")
    part.add_argument("--node", metavar="NAME", help="only this node and what is near it")
    dot.add_argument("--steps", type=int, default=2, help="how near, in edges (default: 2)")
    dot.add_argument("--max-nodes", type=int, default=120, help="boxes to draw at most (default: 120)")
    dot.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.svg|pdf|png|dot",
        help="the file to write (default: print DOT)",
    )
    return parser


_TABLES = ("nodes", "edges", "values", "scopes", "signature", "symbols", "ops")

_Run = Callable[[argparse.Namespace], None]


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: _Run, text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text.capitalize()}."
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a .pt2, .pte, ETRecord or .exirviz file")
    parser.set_defaults(run=run)
    return parser


# -- the commands -----------------------------------------------------------------------------------------


def _show(arguments: argparse.Namespace) -> None:
    from exir_viz.snapshot.text import render

    snapshot = _load(arguments.file)
    text = None if arguments.summary else render(snapshot, arguments.form, arguments.method)
    _say(str(snapshot))
    if text is not None:
        _say("\n" + text)


def _info(arguments: argparse.Namespace) -> None:
    snapshot = _load(arguments.file)
    origin = snapshot.origin
    rows = [
        ("file", arguments.file.name),
        ("size", f"{arguments.file.stat().st_size:,} bytes"),
        ("kind", origin.type),
        ("made from", origin.name if origin.name != arguments.file.name else ""),
        ("file version", origin.file_version),
        ("torch", origin.torch),
        ("ExecuTorch", origin.executorch),
        ("snapshot schema", str(snapshot.schema)),
    ]
    for method in snapshot.methods.values():
        count = method_count(method)
        graphs = sum(1 for _ in method.graphs())
        within = f"{graphs:,} {'graph' if graphs == 1 else 'graphs'}"
        verified = f" (verified as {', '.join(method.record.verifiers)})" if method.record.verifiers else ""
        rows += [
            (f"method {method.name}", f"{method.dialect.value}{verified}"),
            ("", f"{count.nodes:,} nodes in {within}, {count.ops:,} ops, {len(method.symbols):,} symbols"),
            ("", f"{count.parameters:,} parameters, {size(count.bytes)} of state"),
        ]
        rows += [
            ("", f"arena {arena.id}: {arena.bytes:,} bytes on {arena.device}")
            for arena in method.detail.arenas
        ]
    for notice in snapshot.notices:
        times = f" (×{notice.count:,})" if notice.count > 1 else ""
        rows.append((f"notice {notice.code}", notice.text + times))
    width = max(len(label) for label, text in rows if text)
    _say("\n".join(f"{label.ljust(width)}  {text}" for label, text in rows if text))


def _tables(arguments: argparse.Namespace) -> None:
    from exir_viz import tables

    if arguments.format == "parquet" and arguments.output is None:
        raise ExirVizError("Parquet is not text: name a file to write, with -o nodes.parquet.")
    snapshot = _load(arguments.file)
    with _progress(f"Making the table {arguments.name}"):
        frame = getattr(tables, arguments.name)(snapshot)
    if arguments.format == "parquet":
        _write_parquet(frame, arguments.output)
        return
    text = {"csv": _csv, "json": _json, "markdown": _markdown}[arguments.format](frame)
    if arguments.output is None:
        _say(text.rstrip("\n"))
    else:
        arguments.output.write_text(text, encoding="utf-8")


def _convert(arguments: argparse.Namespace) -> None:
    snapshot = _load(arguments.file)
    with _progress(f"Writing {arguments.output.name}"):
        path = snapshot.save(arguments.output)
    _say(f"{path}: {path.stat().st_size:,} bytes, from {arguments.file.stat().st_size:,}")


def _dot(arguments: argparse.Namespace) -> None:
    from exir_viz.pages.dot import dot, write

    snapshot = _load(arguments.file)
    with _progress("Drawing"):
        picture = dot(
            snapshot,
            method=arguments.method,
            scope=arguments.scope,
            node=arguments.node,
            steps=arguments.steps,
            max_nodes=arguments.max_nodes,
        )
        if arguments.output is not None:
            write(picture, arguments.output)
    if arguments.output is None:
        _say(picture.source.rstrip("\n"))


# -- in and out -------------------------------------------------------------------------------------------


def _load(path: Path) -> Snapshot:
    with _progress(f"Reading {path.name}"):
        return exir_viz.load(path)


@contextmanager
def _progress(what: str) -> Iterator[None]:
    """A line on the terminal while something runs; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{printable(what)} …")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _say(text: str) -> None:
    sys.stdout.write(printable(text) + "\n")


def _fail(message: str) -> int:
    print(f"exir-viz: {printable(message)}", file=sys.stderr)
    return 1


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


def _json(frame: pd.DataFrame) -> str:
    return frame.to_json(orient="records", indent=1, force_ascii=False) + "\n"


def _markdown(frame: pd.DataFrame) -> str:
    """A table as GitHub reads it; a cell's own bars and line ends are escaped."""
    cells = [[_cell(one) for one in row] for row in frame.astype("string").fillna("").to_numpy().tolist()]
    rows = [list(frame.columns), ["---"] * len(frame.columns), *cells]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    try:
        frame.to_parquet(path, engine="pyarrow", index=False)
    except ImportError as error:
        raise MissingTool("Writing Parquet needs pyarrow: pip install 'exir-viz[parquet]'") from error


if __name__ == "__main__":
    sys.exit(main())
