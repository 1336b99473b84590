"""What each command does with its file: show, info, tables, convert, dot."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from exir_viz.errors import ExirVizError
from exir_viz.extras import needs_extra
from exir_viz.measure.export import parquet
from exir_viz.snapshot.file_writing import write
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.redaction import redacted
from exir_viz.snapshot.rollup import method_count
from exir_viz.snapshot.wire import is_session
from exir_viz.table import Table

from .terminal import WrongCall, load, progress, redaction_options, say

TABLES = (
    *("nodes", "edges", "values", "scopes", "signature", "symbols", "ops", "payload_ops", "payload_tensors"),
)
_TEXTS = {"csv": Table.csv, "json": Table.json, "markdown": Table.markdown}
_FORMATS = {".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet"}


def show(arguments: argparse.Namespace) -> None:
    from exir_viz.snapshot.text import render

    if arguments.summary and arguments.method:
        raise WrongCall("--summary is of all methods: remove it, or remove --method.")
    snapshot = load(arguments.file)
    text = None if arguments.summary else render(snapshot, arguments.form, arguments.method)
    say(str(snapshot))
    if text is not None:
        say("\n" + text)


def info(arguments: argparse.Namespace) -> None:
    snapshot = load(arguments.file)
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
        *_stages(arguments.file),
    ]
    for method in snapshot.methods.values():
        count = method_count(method)
        graphs = sum(1 for _ in method.graphs())
        within, ops = plural(graphs, "graph"), plural(count.ops, "op")
        verified = f" (verified as {', '.join(method.record.verifiers)})" if method.record.verifiers else ""
        rows += [
            (f"method {method.name}", f"{method.dialect.value}{verified}"),
            (
                "",
                f"{plural(count.nodes, 'node')} in {within}, {ops}, {plural(len(method.symbols), 'symbol')}",
            ),
            ("", f"{plural(count.parameters, 'parameter')}, {byte_text(count.bytes)} of state"),
        ]
        rows += [
            ("", f"arena {arena.id}: {arena.bytes:,} bytes on {arena.device}")
            for arena in method.detail.arenas
        ]
    for notice in snapshot.notices:
        times = f" (×{notice.count:,})" if notice.count > 1 else ""
        rows.append((f"notice {notice.code}", notice.text + times))
    width = max(len(label) for label, text in rows if text)
    say("\n".join(f"{label.ljust(width)}  {text}" for label, text in rows if text))


def _stages(file: Path) -> Iterator[tuple[str, str]]:
    """Of a session: its stages, and the one that the other rows are about."""
    if not is_session(file):
        return
    from exir_viz.stages.session import Session

    session = Session.load(file)
    yield "stages", ", ".join(f"{stage.name} (failed)" if stage.failed else stage.name for stage in session)
    yield "shown stage", session.current.shown.name


def tables(arguments: argparse.Namespace) -> None:
    from exir_viz.tables import table

    if arguments.output is not None:
        named = _FORMATS.get(arguments.output.suffix, arguments.format)
        if named != arguments.format:
            raise WrongCall(
                f"Will not write {arguments.format} to {arguments.output.name!r}: add --format {named}, or "
                "name another file."
            )
    if arguments.format == "parquet" and arguments.output is None:
        raise ExirVizError("Parquet cannot be printed. Name a file to write: -o nodes.parquet.")
    if arguments.format == "parquet":
        needs_extra("exir-viz tables --format parquet", "parquet")
    snapshot = load(arguments.file)
    with progress(f"Making the table {arguments.name}"):
        found = table(redacted(snapshot, **redaction_options(arguments)), arguments.name)
    if arguments.format == "parquet":
        write(arguments.output, parquet(found.frame()))
        return
    text = _TEXTS[arguments.format](found)
    if arguments.output is None:
        say(text.rstrip("\n"))
    else:
        write(arguments.output, text)


def convert(arguments: argparse.Namespace) -> None:
    snapshot = load(arguments.file)
    with progress(f"Writing {arguments.output.name}"):
        path = snapshot.save(arguments.output, **redaction_options(arguments))
    say(f"{path}: {path.stat().st_size:,} bytes, from {arguments.file.stat().st_size:,}")


def dot(arguments: argparse.Namespace) -> None:
    from exir_viz.pages.dot import dot, write

    if arguments.steps and not arguments.node:
        raise WrongCall("--steps only works with --node: add --node NAME, or remove --steps.")
    snapshot = load(arguments.file)
    with progress("Drawing"):
        picture = dot(
            snapshot,
            method=arguments.method,
            scope=arguments.scope,
            node=arguments.node,
            steps=arguments.steps or 2,
            max_nodes=arguments.max_nodes,
        )
        if arguments.output is not None:
            write(picture, arguments.output)
    if arguments.output is None:
        say(picture.source.rstrip("\n"))
