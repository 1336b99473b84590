"""Sizes for the panel of a page, until it shows the report."""

from __future__ import annotations

from exir_viz.snapshot.columns import NONE, Formula, PageDimension, PageShapes
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.sizes import Sizes
from exir_viz.snapshot.snapshot import Snapshot
from exir_viz.snapshot.symbol_names import in_user_names

from .sizes import MethodSizes, expressions_in, formula, normal


def page_shapes(snapshot: Snapshot) -> tuple[PageShapes, ...]:
    """The shapes of each method, with the user's names of symbols."""
    shown = in_user_names(snapshot)
    numbering = Numbering(shown)
    return tuple(_shapes(MethodSizes(method), numbering) for method in shown.methods.values())


def _shapes(known: MethodSizes, numbering: Numbering) -> PageShapes:
    sizes = Sizes(known.hints)
    dimensions = tuple(
        PageDimension(
            numbering.number(one.node), one.input, one.dim, one.kind, str(one.size), sizes.dim(one.size),
            *((one.size, one.size) if isinstance(one.size, int) else (one.lower, one.upper)),
            one.requires, one.lines,
        )
        for one in known.dimensions
    )  # fmt: skip
    if not known.method.symbols:
        return PageShapes(dimensions)
    values = known.method.snapshot.skeleton.values
    numbers = {one: None for graph in known.method.graphs() for one in graph.columns.values if one != NONE}
    texts = dict.fromkeys(text for number in numbers for text in expressions_in(values[number]))
    formulas = tuple(Formula(text, formula(text).postfix, is_symbol=text.isidentifier()) for text in texts)
    conditions = tuple(
        Formula(
            text,
            formula(text).postfix,
            tuple(known.lines.get(normal(text), ())),
            is_bound=text in known.bounds,
        )
        for text in known.conditions
    )
    return PageShapes(dimensions, formulas, tuple(conditions))
