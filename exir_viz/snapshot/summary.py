"""What `print(snapshot)` shows: methods, ops, inputs and outputs, symbols, nested graphs and notices.

Plain text for a terminal: at most MAX_LINES lines of WIDTH columns. Where something is left out, a line
says how much. Text of the program is made printable.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from .describe import short
from .format import byte_text, plural
from .graph import Graph
from .index import index_of
from .opkind import op_name
from .printable import one_line
from .program import MUTATIONS, InputKind, InputSpec, Notice, OutputKind, OutputSpec, Symbol
from .rollup import method_count
from .snapshot import Method, Snapshot
from .symbol_names import in_user_names

MAX_LINES = 40
WIDTH = 96
_GAP = "  "

# Lines that a section keeps when there is too much to show, and lines after which more would not be read.
_FEWEST_ROWS = 3
_MOST_ROWS = 14
_LONGEST_NOTICE = 400

Row = tuple[str, ...]
Section = tuple[str, list[Row]]


def summarise(snapshot: Snapshot) -> str:
    """The whole Snapshot on one screen; the details are those of its main method."""
    shown = in_user_names(snapshot)
    method = shown.method
    sections: list[Section] = [
        ("Ops", _ops(method)),
        ("Inputs", input_rows(method)),
        ("Outputs", output_rows(method)),
        ("State written", _written(method)),
        ("Symbols", symbol_rows(snapshot.method)),
        ("Nested graphs", _nested(method.graph)),
        ("Notices", [(line,) for notice in snapshot.notices for line in _notice(notice)]),
    ]
    sections = [(title, rows) for title, rows in sections if rows]
    head = [_title(snapshot), "", *_table(_methods(snapshot), right=(2, 3, 4, 5))]
    if len(snapshot.methods) > 1:
        head += ["", f"In {one_line(method.name, 40)}:"]
    lines = list(head)
    for (title, rows), limit in zip(sections, _limits(sections, MAX_LINES - len(head)), strict=True):
        lines += ["", title, *(f"  {line}" for line in _section(rows, limit))]
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines)


def _title(snapshot: Snapshot) -> str:
    origin = snapshot.origin
    torch = origin.torch and f"torch {origin.torch}"
    executorch = origin.executorch and f"ExecuTorch {origin.executorch}"
    return " · ".join(one_line(part, 40) for part in (origin.name, origin.type, torch, executorch) if part)


def _methods(snapshot: Snapshot) -> list[Row]:
    rows: list[Row] = [("method", "dialect", "nodes", "ops", "parameters", "state")]
    for method in snapshot.methods.values():
        count = method_count(method)
        counts = (f"{number:,}" for number in (count.nodes, count.ops, count.parameters))
        rows.append((one_line(method.name, 32), method.dialect.value, *counts, byte_text(count.bytes)))
    return rows if len(rows) <= 7 else [*rows[:6], (f"… {len(rows) - 6} more", "", "", "", "", "")]


def _ops(method: Method) -> list[Row]:
    counts: dict[str, int] = {}
    for graph in method.graphs():
        for target, count in index_of(graph).ops.items():
            name = op_name(target)
            counts[name] = counts.get(name, 0) + count
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(f"{count:,}", one_line(name, 60)) for name, count in ranked]


def input_rows(method: Method) -> list[Row]:
    """What the user passes: name, value, and the node where it has another name."""
    specs = [spec for spec in method.signature.inputs if spec.kind is InputKind.USER_INPUT]
    return [_argument(method.graph, spec) for spec in specs]


def output_rows(method: Method) -> list[Row]:
    """The outputs for the user, in the form of `input_rows`."""
    kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
    return [_argument(method.graph, spec) for spec in method.signature.outputs if spec.kind in kinds]


def _written(method: Method) -> list[Row]:
    specs = [spec for spec in method.signature.outputs if spec.kind in MUTATIONS]
    shown = [(spec, _argument(method.graph, spec)) for spec in specs]
    return [
        (one_line(spec.target or "", 40), value, one_line(spec.arg.name, 28)) for spec, (_, value, _) in shown
    ]


def _argument(graph: Graph, spec: InputSpec | OutputSpec) -> Row:
    name = spec.arg.name
    where = one_line(spec.path or name, 40)
    if spec.arg.value is not None:
        return (where, short(spec.arg.value), "")
    value = graph[name].value if name in graph else None
    return (where, one_line(short(value), 40), one_line(name, 28) if spec.path and name != spec.path else "")


def symbol_rows(method: Method) -> list[Row]:
    """The user's name, else torch's; range, example, torch's name where it is another, where it is read."""
    shown = in_user_names(method.snapshot).methods[method.name]
    return [_symbol(*pair) for pair in zip(shown.symbols, method.symbols, strict=True)]


def _symbol(symbol: Symbol, given: Symbol) -> Row:
    known = symbol.lower is not None and symbol.upper is not None
    bounds = f"{symbol.lower} to {symbol.upper}" if known else "any"
    hint = (
        f"example {symbol.hint}" if symbol.hint is not None else "" if symbol.backed else "known at run time"
    )
    read = next((f"{one.node}.{one.path}" if one.path else one.node for one in symbol.bindings), "")
    bounds = one_line(bounds.replace("int_oo", "∞"), 24)
    other = given.name if given.name != symbol.name else symbol.dim or ""
    return (one_line(symbol.name, 16), bounds, hint, one_line(other, 16), one_line(read, 28))


def _notice(notice: Notice) -> list[str]:
    """A notice on as many lines as it needs, all but the first indented."""
    times = f" (×{notice.count:,})" if notice.count > 1 else ""
    text = one_line(notice.text, _LONGEST_NOTICE) + times
    return wrap(text, WIDTH - 6, subsequent_indent="  ")


def _calls(graph: Graph) -> str:
    return plural(index_of(graph).computes, "op")


def _nested(graph: Graph) -> list[Row]:
    rows: list[Row] = []
    for one in graph.walk():
        if one.type == "delegate" and one.delegate is not None:
            count = _calls(one) if len(one) else "no graph kept"
            backend = one_line(one.delegate.backend, 28)
            rows.append((one_line(one.name, 32), backend, count, byte_text(one.delegate.bytes)))
        elif one is not graph:
            rows.append((one_line(one.name, 32), one.type, _calls(one), ""))
    return rows


def _limits(sections: Sequence[Section], room: int) -> list[int]:
    """How many lines each section may have so that all fit: the longest gives way first."""
    limits = [min(len(rows), _MOST_ROWS) for _, rows in sections]
    while sum(limits) + 2 * len(limits) > room and max(limits) > _FEWEST_ROWS:
        limits[limits.index(max(limits))] -= 1
    return limits


def _section(rows: list[Row], limit: int) -> list[str]:
    if len(rows) <= limit:
        return _table(rows, right=(0,) if rows[0][0][:1].isdigit() else ())
    return [*_section(rows[: limit - 1], limit), f"… {len(rows) - limit + 1:,} more"]


def _table(rows: Sequence[Row], right: tuple[int, ...] = ()) -> list[str]:
    """Columns as wide as their widest cell; empty columns vanish."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            if width
        ]
        lines.append(_GAP.join(cells).rstrip())
    return lines
