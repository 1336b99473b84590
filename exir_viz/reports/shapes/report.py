"""The report `shapes`: symbols, dimensions of inputs, conditions, asserts, shapes, and values of Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final

from exir_viz.errors import WrongArgument
from exir_viz.options import by_name, count, described
from exir_viz.reports.report import Cell, Column, Fact, Outcome, Report, Row, Section, Slider, Unit
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.describe import DTYPES, short
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.index import COMPUTES
from exir_viz.snapshot.opkind import ASSERTS, does_work
from exir_viz.snapshot.program import PythonValue, Symbol, ValueOutcome, ValueRole
from exir_viz.snapshot.records import Literal, LiteralType, SymValue, TensorValue
from exir_viz.snapshot.sizes import Sizes
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.symbol_names import in_user_names

from .python_values import python_values
from .sizes import Dimension, MethodSizes, expressions_in, formula, free_symbols, normal, number, tensors_in

_VERB: Final = "shapes"
# Values of Python that are listed, and shapes.
_MOST: Final = 5_000
# Sizes of a lowered program that are named as those of a symbol; the row's nodes are all of them.
_MOST_BINDINGS: Final = 3
_TITLES: Final = {
    ValueRole.INPUT: "Values of inputs",
    ValueRole.ATTRIBUTE: "Values of attributes",
    ValueRole.VARIABLE: "Values of variables",
}
_BECAME: Final = {
    ValueOutcome.PLACEHOLDER: "may change from run to run",
    ValueOutcome.OP: "the program computes them",
    ValueOutcome.CONSTANT: "in the program, and cannot change",
    ValueOutcome.ABSENT: "used while exporting, at most",
}
_KINDS: Final = (
    "static: always this size. specialised: meant to vary, but the code needs this size. "
    "dynamic: varies within its range. related: follows from other sizes."
)


def shapes(snapshot: Snapshot, *, at: Mapping[str, int] | None = None) -> Report:
    """Fixed and varying sizes and values of Python, and what the program requires.

    at: sizes of symbols, for bytes and shapes; the others have the size of the example inputs.
    """
    shown = in_user_names(snapshot)
    methods = [MethodSizes(method) for method in shown.methods.values()]
    chosen = _checked(at, methods)
    facts, sections, values = [], [], python_values(shown)
    for known, own in zip(methods, snapshot.methods.values(), strict=True):
        of = f" of {known.method.name}" if len(methods) > 1 else ""
        sizes = Sizes({**known.hints, **chosen})
        facts.append(_bytes(known, sizes, of))
        sections += [
            Section(f"{section.title}{of}", section.rows, section.columns, section.note)
            for section in _sections(known, sizes, [symbol.name for symbol in own.symbols])
            if section.rows
        ]
    outcomes = Counter(one.outcome for one in values)
    counts = (f"{outcomes[one]} {one.value} ({meaning})" for one, meaning in _BECAME.items() if outcomes[one])
    facts += [Fact("values of Python", ", ".join(counts))] if values else []
    for role, title in _TITLES.items():
        found = [one for one in values if one.role is role]
        rows = tuple(map(_value, found[:_MOST]))
        note = f"Only the first {_MOST:,} are listed." if len(found) > _MOST else ""
        columns = (Column("type"), Column("value"), Column("became"))
        sections += [Section(title, rows, columns, note)] if rows else []
    dimensions = [one for known in methods for one in known.dimensions]
    has_fixed = any(one.kind == "specialised" for one in dimensions)
    return Report(
        _headline(dimensions),
        Outcome.NOTE if has_fixed else Outcome.FINE,
        tuple(facts),
        tuple(sections),
        sliders=tuple(_sliders(methods)),
        unexamined=() if snapshot.detail.runs else (_UNWATCHED,),
    )


_UNWATCHED: Final = (
    "attributes and variables. Pass exir_viz.load(model, x, watch=True), which watches the export."
)


def _cell(size: int | None) -> Cell:
    """A size, or whether a condition among the sizes is true."""
    return str(size).lower() if isinstance(size, bool) else size


def _headline(dimensions: list[Dimension]) -> str:
    if not dimensions:
        return "the inputs have no dimensions"
    kinds = Counter(one.kind for one in dimensions)
    free = kinds["dynamic"] + kinds["related"]
    fixed = f"; your code fixed {kinds['specialised']} more" if kinds["specialised"] else ""
    return f"{free} of {plural(len(dimensions), 'dimension')} of the inputs may vary{fixed}"


def _checked(at: Mapping[str, int] | None, methods: list[MethodSizes]) -> dict[str, int]:
    """The sizes that the user chose; raises WrongArgument for the first that the program does not allow."""
    chosen = {} if at is None else by_name(_VERB, "at", at)
    names = dict.fromkeys(symbol.name for known in methods for symbol in known.method.symbols)
    for name, size in chosen.items():
        if name not in names:
            expected = f"one of the symbols: {', '.join(names) or 'none: all sizes are static'}"
            raise WrongArgument(_VERB, "a name in at", described(name), expected)
        count(_VERB, f"at[{name!r}]", size)
    for known in methods:
        violated = known.violated({**known.hints, **chosen}) if chosen else ""
        if name := next((one for one in chosen if one in free_symbols(violated)), ""):
            raise WrongArgument(_VERB, f"at[{name!r}]", str(chosen[name]), f"a size for which {violated}")
    return chosen


def _value(one: PythonValue) -> Row:
    place = f" ({PurePath(one.file).name}:{one.line})" if one.role is ValueRole.VARIABLE and one.file else ""
    return Row(
        one.name, f"{one.note}{place}", nodes=one.nodes, values=(one.type, one.value, one.outcome.value)
    )


def _sliders(methods: list[MethodSizes]) -> Iterator[Slider]:
    """A slider for each symbol; methods may share a name, and then its range is that of all."""
    by_name: dict[str, list[Slider]] = {}
    for known in methods:
        for one in known.method.symbols:
            if one.type == "int":
                slider = Slider(one.name, number(one.lower), number(one.upper), number(one.hint))
                by_name.setdefault(one.name, []).append(slider)
    for name, several in by_name.items():
        lower = max((one.lower for one in several if one.lower is not None), default=None)
        upper = min((one.upper for one in several if one.upper is not None), default=None)
        yield Slider(name, lower, upper, several[0].example)


def _bytes(known: MethodSizes, sizes: Sizes, of: str) -> Fact:
    method = known.method
    results = sum(
        sizes.bytes(graph[at].value) or 0
        for graph in method.graphs()
        for at, op in enumerate(graph.columns.ops)
        if op in COMPUTES and does_work(graph[at].target)
    )
    inputs = sum(sizes.bytes(node.value) or 0 for node in method.graph if node.op == "placeholder")
    chosen = _chosen(sizes)
    text = f"inputs and state {byte_text(inputs)}, results of all ops {byte_text(results)}"
    return Fact(f"bytes{of}", f"{text}, for {chosen}" if chosen else text)


def _chosen(sizes: Sizes) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.symbols.items())


def _sections(known: MethodSizes, sizes: Sizes, torch_names: list[str]) -> Iterator[Section]:
    method, rest = known.method, []
    numbers = Counter(
        number for graph in method.graphs() for number in graph.columns.values if number != NONE
    )
    values = [(method.snapshot.skeleton.values[number], nodes) for number, nodes in numbers.items()]
    of_symbols: dict[str, Counter[type]] = {symbol.name: Counter() for symbol in method.symbols}
    texts: dict[str, None] = {}
    shapes: Counter[str] = Counter()
    tensors: dict[str, TensorValue] = {}
    for value, nodes in values:
        inner = [*tensors_in(value)]
        named = {
            (name, type(one)): None
            for one in inner
            for text in expressions_in(one)
            for name in free_symbols(text)
        }
        for name, kind in named:
            if name in of_symbols:
                of_symbols[name][kind] += nodes
        texts |= dict.fromkeys(text for one in inner for text in expressions_in(one))
        named_tensors = {short(one): one for one in inner if isinstance(one, TensorValue)}
        shapes.update(dict.fromkeys(named_tensors, nodes))
        tensors |= named_tensors
    rows = [
        _symbol(symbol, torch, of_symbols[symbol.name], method)
        for symbol, torch in zip(method.symbols, torch_names, strict=True)
    ]
    yield Section("Symbols", tuple(rows), (Column("range"), Column("example", Unit.COUNT)))
    yield Section(
        "Dimensions of inputs", tuple(_dimension(one, sizes) for one in known.dimensions),
        (Column("dim", Unit.COUNT), Column("kind"), Column("size", Unit.SIZE), Column("range")), _KINDS,
    )  # fmt: skip
    for condition in known.conditions:
        lines = known.lines.get(normal(condition), [])
        if lines or condition not in known.bounds:
            rest.append(Row(condition, ", ".join(lines), formula=formula(condition, is_condition=True)))
    yield Section("Conditions", tuple(rest), note="What the program requires, and the line that caused it.")
    related = [
        Row(text, values=(_cell(sizes.dim(text)),), formula=formula(text))
        for text in texts
        if not text.isidentifier()
    ]
    yield Section("Sizes that follow", tuple(related), (Column("now", Unit.SIZE),))
    yield Section("Asserts at run time", tuple(_asserts(method)))
    columns = (Column("count", Unit.COUNT), Column("bytes of each", Unit.BYTES))
    common = sorted(shapes.items(), key=lambda one: (-one[1], one[0]))[:_MOST]
    yield Section(
        "Shapes of values", tuple(_shape(tensors[one], nodes, sizes) for one, nodes in common), columns,
        f"Bytes for {chosen}." if (chosen := _chosen(sizes)) else "",
    )  # fmt: skip


def _symbol(one: Symbol, torch_name: str, used: Counter[type], method: Method) -> Row:
    """ "in the shapes of 9 nodes and the values of 8, bound by x.size()[0], s77 in torch"."""
    parts = [("shape", used[TensorValue]), ("value", used[SymValue])]
    counted = [
        f"the {what if nodes == 1 else f'{what}s'} of {plural(nodes, 'node')}"
        for what, nodes in parts
        if nodes
    ]
    says = [f"in {' and '.join(counted)}" if counted else "in no node"]
    bound = [f"{each.node}.{each.path}" for each in one.bindings[:_MOST_BINDINGS]]
    more = len(one.bindings) - len(bound)
    says += [f"bound by {', '.join(bound)}{f' and {more} more' if more else ''}"] if bound else []
    says += [] if one.backed else ["computed from data: no size of an input"]
    says += [f"{torch_name} in torch"] if torch_name != one.name else []
    nodes = dict.fromkeys(each.node for each in one.bindings if each.node in method.graph)
    return Row(
        one.name, "; ".join(says), nodes=tuple(method.graph[name].id for name in nodes),
        values=(_range(number(one.lower), number(one.upper)), number(one.hint)), query=f"symbol:{one.name}",
    )  # fmt: skip


def _dimension(one: Dimension, sizes: Sizes) -> Row:
    says = [f"requires {', '.join(one.requires)}"] if one.requires else []
    says += [f"decided by {', '.join(one.lines)}"] if one.lines else []
    size, text = sizes.dim(one.size), str(one.size)
    is_free = one.kind in ("dynamic", "related")
    values: tuple[Cell, ...] = (
        one.dim,
        one.kind,
        text if size is None or str(size) == text else f"{text} = {size}",
        _range(one.lower, one.upper) if is_free else "",
    )
    severity = Outcome.NOTE if one.kind == "specialised" else Outcome.FINE
    return Row(
        one.input, "; ".join(says), severity=severity, nodes=(one.node.id,), values=values,
        formula=formula(text) if is_free else None,
    )  # fmt: skip


def _asserts(method: Method) -> Iterator[Row]:
    """A run-time assert with its message."""
    for graph in method.graphs():
        for node in graph:
            if node.target.name in ASSERTS:
                args = (*node.call.args, *node.call.values)
                texts = (arg.text for arg in args if isinstance(arg, Literal) and arg.type is LiteralType.STR)
                yield Row(next(texts, node.target.name), nodes=(node.id,))


def _shape(value: TensorValue, nodes: int, sizes: Sizes) -> Row:
    shape = "x".join(map(str, value.shape)) or "scalar"
    quoted = f'"{shape}"' if any(sign in shape for sign in " ()") else shape
    query = f"dtype:{DTYPES.get(value.dtype, value.dtype)} shape:{quoted}"
    return Row(short(value), values=(nodes, sizes.bytes(value)), query=query)


def _range(lower: int | None, upper: int | None) -> str:
    return f"{'−∞' if lower is None else lower} … {'∞' if upper is None else upper}"
