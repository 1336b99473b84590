"""Shapes for a page: the dimensions of inputs, and sizes and conditions that the page evaluates."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.columns import NONE, Formula, PageDimension, PageShapes
from exir_viz.snapshot.expr import ExprError, parse_infix, postfix, show
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import MapValue, SequenceValue, SymValue, TensorValue, Value
from exir_viz.snapshot.snapshot import Method, Snapshot
from exir_viz.snapshot.symbol_names import in_user_names

from .read import Known, bounds_of, conditions_of, dimensions_of, known_of


def page_shapes(snapshot: Snapshot) -> tuple[PageShapes, ...]:
    """The shapes of each method, with the user's names of symbols."""
    shown = in_user_names(snapshot)
    numbering = Numbering(shown)
    return tuple(_shapes(method, numbering) for method in shown.methods.values())


def _shapes(method: Method, numbering: Numbering) -> PageShapes:
    known = known_of(method)
    dimensions = tuple(
        PageDimension(
            numbering.number(method.graph[spec.arg.name]),
            one.input,
            one.dim,
            one.kind.value,
            one.expr,
            one.size,
            one.lower,
            one.upper,
            one.requires,
            one.lines,
        )
        for spec, one in dimensions_of(method, known)
    )
    if not method.symbols:
        return PageShapes(dimensions)
    sizes = tuple(Formula(expr, _postfix(expr), is_symbol=expr.isidentifier()) for expr in _sizes(method))
    return PageShapes(dimensions, sizes, tuple(_conditions(known)))


def _conditions(known: Known) -> Iterator[Formula]:
    lines: dict[str, dict[str, None]] = {}
    for text, line in known.lines:
        lines.setdefault(_normal(text), {})[line] = None
    bounds = bounds_of(known)
    for expr in conditions_of(known):
        yield Formula(expr, _postfix(expr), tuple(lines.get(_normal(expr), ())), is_bound=expr in bounds)


def _sizes(method: Method) -> dict[str, None]:
    """The symbolic sizes of all values, each once."""
    values = method.snapshot.skeleton.values
    numbers = {number: None for graph in method.graphs() for number in graph.columns.values if number != NONE}
    return {text: None for number in numbers for text in _texts(values[number])}


def _texts(value: Value | None) -> Iterator[str]:
    match value:
        case TensorValue(shape=shape):
            yield from (dim for dim in shape if isinstance(dim, str))
        case SymValue(expr=expr):
            yield expr
        case SequenceValue(items=items) | MapValue(items=items):
            for item in items:
                yield from _texts(item)


def _postfix(expr: str) -> str:
    """The text that a page evaluates; "" for what it cannot."""
    try:
        return postfix(parse_infix(expr))
    except ExprError:
        return ""


def _normal(expr: str) -> str:
    """One text for conditions that are written differently, such as "2*n" and "n*2"."""
    try:
        return show(parse_infix(expr))
    except ExprError:
        return expr
