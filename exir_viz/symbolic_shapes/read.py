"""Read the dimensions, symbols and conditions of a program from its Snapshot, and from the live program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from exir_viz.readers.snapshots import snapshot_of
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.expr import Apply, Expr, ExprError, Integer, parse_infix, show, symbols
from exir_viz.snapshot.program import InputKind, InputSpec, Symbol
from exir_viz.snapshot.records import Dim, SequenceValue, SymValue, TensorValue, Value
from exir_viz.snapshot.sizes import Sizes
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.symbol_names import in_user_names, python_condition

from .records import DimensionKind, InputDimension, SymbolUse
from .shapes import Shapes

_SIZE = re.compile(r"L\['(\w+)'\]((?:\[[^\]]+\])*)\.size\(\)\[(\d+)\]")
_NUMBER = re.compile(r"-?\d+")
_FIXED = re.compile(r"Eq\((\w+), (\d+)\)")

# A condition, and the user's line that caused it.
Line = tuple[str, str]
# A condition on symbols, and the dimensions of inputs that it names.
Guard = tuple[str, tuple[tuple[str, int], ...]]


class Known(NamedTuple):
    """The sizes of a method, and the conditions on them."""

    sizes: Sizes
    ranges: Mapping[str, tuple[int | None, int | None]]
    guards: Sequence[Guard]
    lines: Sequence[Line]
    symbols: frozenset[str]


def shapes(x: object, args: tuple[Any, ...], export: Mapping[str, Any]) -> Shapes:
    """The shapes of a program; see `exir_viz.shapes`."""
    return shapes_of(snapshot_of("shapes", x, args, export))


def shapes_of(snapshot: Snapshot) -> Shapes:
    """The shapes of a Snapshot's first method."""
    shown = in_user_names(snapshot)
    known = known_of(shown.method)
    dimensions = [dimension for _, dimension in dimensions_of(shown.method, known)]
    return Shapes(shown, dimensions, _symbols(shown.method), conditions_of(known))


def known_of(method: Method) -> Known:
    """The sizes of a method, and the conditions on them."""
    expressions = _expressions(method)
    return Known(
        Sizes.hinted(method),
        {one.expr: (_bound(one.lower), _bound(one.upper)) for one in method.ranges},
        [_substituted(guard, expressions) for guard in method.guards],
        [(one.expr, f"{PurePath(one.file).name}:{one.line}") for one in method.detail.guard_lines],
        frozenset(symbol.name for symbol in method.symbols),
    )


def dimensions_of(method: Method, known: Known) -> list[tuple[InputSpec, InputDimension]]:
    """The dimensions of the user's inputs, each with its input."""
    return [(spec, _dimension(spec, at, dim, known)) for spec, at, dim in _dims(method)]


def conditions_of(known: Known) -> list[str]:
    """What a method requires of its symbols: the ends of their ranges, and its guards."""
    texts = (*_limits(known.ranges), *(text for text, _ in known.guards))
    return [text for text in dict.fromkeys(texts) if not _is_always_true(text)]


def bounds_of(known: Known) -> set[str]:
    """Those of `conditions_of` that are an end of a symbol's range."""
    return set(_limits({expr: ends for expr, ends in known.ranges.items() if expr.isidentifier()}))


def _is_always_true(text: str) -> bool:
    """Whether both sides of a guard became the same: sizes that the program knows to be equal."""
    try:
        expr = parse_infix(text)
    except ExprError:
        return False
    if not isinstance(expr, Apply) or expr.fn != "Eq":
        return False
    left, right = map(_terms, expr.args)
    return all(left[term] == right[term] for term in {*left, *right})


def _terms(expr: Expr) -> Counter[str]:
    """The terms of a sum: how often each is in it; "" for the number."""
    match expr:
        case Integer(value=value):
            return Counter({"": value})
        case Apply(fn="Add", args=args):
            found: Counter[str] = Counter()
            for arg in args:
                found.update(_terms(arg))
            return found
        case Apply(fn="Mul", args=(Integer(value=factor), *rest)):
            inner = rest[0] if len(rest) == 1 else Apply("Mul", tuple(rest))
            return Counter({term: factor * count for term, count in _terms(inner).items()})
    return Counter({show(expr): 1})


def _dims(method: Method) -> Iterable[tuple[InputSpec, int | None, Dim]]:
    """The dimensions of the user's inputs; of a number its value."""
    for spec in method.signature.inputs:
        value = method.graph[spec.arg.name].value if spec.arg.name in method.graph else None
        if spec.kind is not InputKind.USER_INPUT:
            continue
        if isinstance(value, TensorValue):
            yield from ((spec, at, dim) for at, dim in enumerate(value.shape))
        elif isinstance(value, SymValue):
            yield spec, None, value.expr


def _expressions(method: Method) -> dict[tuple[str, int], Dim]:
    """By the user's name of an input and a dimension: its size."""
    return {(spec.path or spec.arg.name, at): dim for spec, at, dim in _dims(method) if at is not None}


def _substituted(guard: str, expressions: Mapping[tuple[str, int], Dim]) -> Guard:
    """A guard with the symbols in place of sizes of inputs, and the dimensions that it names."""
    named: list[tuple[str, int]] = []

    def size(match: re.Match[str]) -> str:
        key = (f"{match[1]}{match[2]}", int(match[3]))
        named.append(key)
        found = expressions.get(key)
        return match[0] if found is None else f"({found})" if _is_sum(found) else str(found)

    return _SIZE.sub(size, guard), tuple(named)


def _is_sum(dim: Dim) -> bool:
    return isinstance(dim, str) and not dim.isidentifier()


def _dimension(spec: InputSpec, at: int | None, dim: Dim, known: Known) -> InputDimension:
    name = spec.path or spec.arg.name
    own = [text for text, named in known.guards if (name, at) in named]
    if isinstance(dim, int):
        is_fixed = any("==" in text for text in own)
        kind = DimensionKind.SPECIALISED if is_fixed else DimensionKind.STATIC
        where = tuple(dict.fromkeys(_fixing(dim, known))) if is_fixed else ()
        return InputDimension(name, at, kind, str(dim), dim, dim, dim, (), where)
    free = _free(dim)
    kind = DimensionKind.DYNAMIC if dim.isidentifier() else DimensionKind.RELATED
    about = [
        (python_condition(text, known.symbols), line) for text, line in known.lines if _free(text) & free
    ]
    lower, upper = known.ranges.get(dim, (None, None))
    conditions = dict.fromkeys((*(text for text, _ in about), *own))
    requires = tuple(one for one in conditions if one and not _is_always_true(one))
    where = tuple(dict.fromkeys(line for _, line in about))
    return InputDimension(name, at, kind, dim, known.sizes.dim(dim), lower, upper, requires, where)


def _fixing(size: int, known: Known) -> Iterable[str]:
    """The lines that required a symbol to be a number; the program has that symbol no more."""
    for text, line in known.lines:
        found = _FIXED.fullmatch(text)
        if found is not None and int(found[2]) == size and found[1] not in known.symbols:
            yield line


def _free(text: str) -> set[str]:
    try:
        return set(symbols(parse_infix(text)))
    except ExprError:
        return set()


def _limits(ranges: Mapping[str, tuple[int | None, int | None]]) -> Iterable[str]:
    # Symbols come first: who chooses a size out of range sees the symbol's own limit.
    for expr, (lower, upper) in sorted(ranges.items(), key=lambda one: not one[0].isidentifier()):
        if lower is not None:
            yield f"{expr} >= {lower}"
        if upper is not None:
            yield f"{expr} <= {upper}"


def _symbols(method: Method) -> list[SymbolUse]:
    shapes: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for graph in method.graphs():
        for node in graph:
            shapes.update({name for dim in _dims_in(node.value) for name in _free(dim)})
            values.update({name for expr in _numbers_in(node.value) for name in _free(expr)})
    return [_use(one, shapes[one.name], values[one.name]) for one in method.symbols]


def _use(one: Symbol, nodes: int, values: int) -> SymbolUse:
    lower, upper, hint = map(_bound, (one.lower, one.upper, one.hint))
    return SymbolUse(one.name, lower, upper, hint, one.backed, nodes, values)


def _dims_in(value: Value | None) -> Iterable[str]:
    """The symbolic sizes in the shape of a value, or of its items."""
    match value:
        case TensorValue(shape=shape):
            yield from (dim for dim in shape if isinstance(dim, str))
        case SequenceValue(items=items):
            for item in items:
                yield from _dims_in(item)


def _numbers_in(value: Value | None) -> Iterable[str]:
    """The symbolic number that a value is, or those in it."""
    match value:
        case SymValue(expr=expr):
            yield expr
        case SequenceValue(items=items):
            for item in items:
                yield from _numbers_in(item)


def _bound(text: str | None) -> int | None:
    """A bound as a number; None if there is none."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None
