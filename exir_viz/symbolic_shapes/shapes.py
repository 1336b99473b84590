"""Shapes: what `exir_viz.shapes` returns, and the shapes and bytes of a program for given sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from exir_viz.options import WrongArgument, count, described
from exir_viz.result import Result
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.expr import ExprError, evaluate, parse_infix, symbols
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.index import COMPUTES
from exir_viz.snapshot.opkind import does_work
from exir_viz.snapshot.printable import printable
from exir_viz.snapshot.records import TensorValue
from exir_viz.snapshot.sizes import Sizes
from exir_viz.table import Table, table

from .records import InputDimension, SymbolUse

_WIDTHS: Final = 60


class Shapes(Result):
    """Which sizes of a program may vary, what limits them, and what follows from a size.

    Parameters
    ----------
    snapshot
        The program, with the user's names of symbols.
    dimensions
        The dimensions of the inputs.
    symbols
        The symbols.
    conditions
        What the program requires of the symbols, as text.

    Examples
    --------
    >>> exir_viz.shapes(snapshot).symbols
    ()
    """

    def __init__(
        self,
        snapshot: Snapshot,
        dimensions: Sequence[InputDimension],
        symbols: Sequence[SymbolUse],
        conditions: Iterable[str],
    ) -> None:
        self.snapshot = snapshot
        self.dimensions = tuple(dimensions)
        self.symbols = tuple(symbols)
        self.conditions = tuple(conditions)

    def at(self, **sizes: int) -> ShapesAt:
        """Compute all shapes and bytes for some sizes. Nothing runs.

        Parameters
        ----------
        sizes
            Values of symbols by name. Symbols that are not given have the size of the example inputs.

        Returns
        -------
        ShapesAt
            The shapes and bytes.

        Raises
        ------
        WrongArgument
            If there is no such symbol, or a size violates a condition, which is named.

        Examples
        --------
        >>> exir_viz.shapes(snapshot).at()["linear"]
        (2, 8)
        """
        known = {one.name: one for one in self.symbols}
        for name, size in sizes.items():
            if name not in known:
                names = ", ".join(known) or "none: all sizes are static"
                raise WrongArgument("at", name, described(size), f"one of the symbols: {names}")
            count("at", name, size)
        values = {name: one.hint for name, one in known.items() if one.hint is not None} | sizes
        self._check(values, sizes)
        return ShapesAt(self.snapshot, values)

    def _check(self, values: Mapping[str, int], given: Mapping[str, int]) -> None:
        """Raise WrongArgument for the first condition that the values violate."""
        for condition in self.conditions:
            try:
                expr = parse_infix(condition)
                if bool(evaluate(expr, values)):
                    continue
            except ExprError:  # it names what is no size, or a symbol without a value
                continue
            name = next((one for one in given if one in symbols(expr)), next(iter(given), "a size"))
            raise WrongArgument("at", name, str(values.get(name)), f"a size for which {condition}")

    def table(self) -> Table:
        """Make a table with a row per dimension of an input.

        Its columns: input, dim, kind, expr, size, lower, upper, requires, lines. See `InputDimension`.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> list(exir_viz.shapes(snapshot).frame["kind"])
        ['static', 'static']
        """
        columns = ("input", "dim", "kind", "expr", "size", "lower", "upper", "requires", "lines")
        rows = (
            (
                *(one.input, one.dim, one.kind.value, one.expr, one.size, one.lower, one.upper),
                *("; ".join(one.requires), ", ".join(one.lines)),
            )
            for one in self.dimensions
        )
        return table("shapes.frame", rows, columns, integers=("dim", "size", "lower", "upper"))

    def __str__(self) -> str:
        rows = [("input", "dim", "kind", "size", "range", "requires", "line"), *map(_row, self.dimensions)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        for one in self.symbols:
            source = "" if one.backed else ", computed from data"
            lines.append(f"{one.name}: {_range(one.lower, one.upper)}, {_where(one)}{source}")
        methods = list(self.snapshot.methods)
        if len(methods) > 1:
            others = ", ".join(name for name in methods if name != self.snapshot.method.name)
            lines.insert(0, f"Method {self.snapshot.method.name}; not shown: {others}")
        return printable("\n".join(lines))


class ShapesAt:
    """The shapes and bytes of a program for given sizes.

    Attributes
    ----------
    sizes
        The values of the symbols.
    """

    def __init__(self, snapshot: Snapshot, sizes: Mapping[str, int]) -> None:
        self.snapshot = snapshot
        self.sizes = dict(sizes)
        self._sizes = Sizes(sizes)

    def __getitem__(self, node: str | Node) -> tuple[int | None, ...]:
        """The shape of a node's tensor; None for what the sizes do not decide."""
        value = self._node(node).value
        if not isinstance(value, TensorValue):
            raise WrongArgument("shape", "node", described(node), f"a node with a tensor, not {short(value)}")
        return tuple(map(self._sizes.dim, value.shape))

    def bytes_of(self, node: str | Node) -> int | None:
        """The bytes of what a node yields; None if the sizes do not decide them."""
        return self._sizes.bytes(self._node(node).value)

    def _node(self, node: str | Node) -> Node:
        return node if isinstance(node, Node) else self.snapshot.method.graph[node]

    @property
    def bytes(self) -> int:
        """The bytes of the results of all ops together, as far as they are known."""
        graphs = self.snapshot.method.graphs()
        calls = (graph[at] for graph in graphs for at, op in enumerate(graph.columns.ops) if op in COMPUTES)
        return sum(self._sizes.bytes(call.value) or 0 for call in calls if does_work(call.target))

    @property
    def input_bytes(self) -> int:
        """The bytes of the inputs, parameters and buffers, as far as they are known."""
        graph = self.snapshot.method.graph
        return sum(self._sizes.bytes(node.value) or 0 for node in graph if node.op == "placeholder")

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        return f"<ShapesAt {sizes or 'static'}: results of {byte_text(self.bytes)}>"


def _where(one: SymbolUse) -> str:
    """ "in the shapes of 9 nodes and the values of 8"."""
    counts = (("shape", one.nodes), ("value", one.values))
    found = [(what if count == 1 else f"{what}s", count) for what, count in counts if count]
    if not found:
        return "in no node"
    (what, first), *rest = found
    return f"in the {what} of {plural(first, 'node')}" + "".join(
        f" and the {other} of {count:,}" for other, count in rest
    )


def _row(one: InputDimension) -> tuple[str, ...]:
    shown = one.expr if one.size is None or str(one.size) == one.expr else f"{one.expr} = {one.size}"
    has_range = one.kind.value in ("dynamic", "related")
    return (
        *(one.input, "" if one.dim is None else str(one.dim), one.kind.value, shown),
        *(_range(one.lower, one.upper) if has_range else "", "; ".join(one.requires)[:_WIDTHS]),
        ", ".join(one.lines),
    )


def _range(lower: int | None, upper: int | None) -> str:
    return f"{'−∞' if lower is None else lower}..{'∞' if upper is None else upper}"
