"""Check that a Snapshot is valid, once for every file that is read.

In a valid Snapshot, columns of a graph are equally long; every number is in its table or NONE; inputs, parent
scopes, earlier origins and holding graphs come before what refers to them (so nothing is cyclic). A graph is
a method's or has one holder. A tensor has a stride for each dimension, and sizes that a page shows exactly; a
literal has the text of its type. Every verb relies on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import msgspec

from .columns import NONE, OPS, SCHEMA, Detail, GraphColumns, Skeleton
from .format import plural
from .payload import payload_problems
from .program import Argument, MethodDetail, Signature, Symbol, Tree
from .records import (
    Arg,
    Call,
    Dim,
    Literal,
    LiteralType,
    MapArg,
    MapValue,
    MemorySpec,
    NodeArg,
    SequenceArg,
    SequenceValue,
    SliceArg,
    TensorValue,
    Value,
)

T = TypeVar("T")

# torch nests a graph for each `cond` in a `cond`; a hundred is no real program, and views walk them
# recursively.
MAX_NESTING = 100
# Module calls in module calls. torch writes every call around a node into its metadata.
MAX_SCOPE_DEPTH = 256
# torch itself allows 64 dimensions.
MAX_RANK = 64
# The largest number that every language reads exactly.
MAX_NUMBER = (1 << 53) - 1
# Arenas of a memory plan: ExecuTorch plans one for each device and kind of memory.
MAX_ARENAS = 256
# Digits of a number that Python converts: its own limit is 4,300.
MAX_DIGITS = 4_000
# Characters that views show of all nodes: some, and these for each node. torch's longest traces have 9,000.
MAX_TEXT = 16_000_000
MAX_NODE_TEXT = 10_000
# Lists in lists of an argument, a value or a pytree: views walk these recursively too.
MAX_DEPTH = 100


def problem(skeleton: Skeleton, detail: Detail) -> str | None:
    """The first thing that is wrong, in words; None where nothing is."""
    return next(_problems(skeleton, detail), None)


def _problems(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    if skeleton.schema != SCHEMA:
        yield f"its skeleton is of schema {skeleton.schema}"
    if len(skeleton.graphs) != len(detail.graphs):
        yield f"it has {len(skeleton.graphs)} graphs but details of {len(detail.graphs)}"
        return
    if len(skeleton.methods) != len(detail.methods) or not skeleton.methods:
        yield f"it has {plural(len(skeleton.methods), 'method')} but details of {len(detail.methods)}"
        return
    yield from _methods(skeleton, detail)
    yield from _scopes(skeleton)
    yield from _tables(skeleton, detail)
    yield from _nesting(skeleton)
    yield from _depths(skeleton, detail)
    yield from _contents(skeleton, detail)
    for number, graph in enumerate(skeleton.graphs):
        yield from _graph(skeleton, number, graph)
        yield from _detail(detail, number, graph)
    yield from _holders(skeleton)
    yield from _repeated(skeleton, detail)


def _repeated(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    """Records are stored once, and views show them for each node: how much that is."""
    scopes: list[int] = []
    for scope in skeleton.scopes:
        around = scopes[scope.parent] if scope.parent != NONE else 0
        scopes.append(around + len(scope.key) + len(scope.path) + len(scope.cls) + 1)
    targets = [len(one.text) + len(one.schema or "") for one in skeleton.targets]
    values = [_length([value], _value_children) for value in skeleton.values]
    calls = [_length([*call.args, *call.values], _arg_children) for call in detail.calls]
    frames = [len(frame.file) + len(frame.function) + len(frame.code) for frame in detail.frames]
    traces = [sum(frames[frame] for frame in trace) + len(trace) for trace in detail.traces]
    others = (detail.torch_fns, detail.source_fns, detail.origin_lists, detail.spec_lists, detail.extras)
    counts = [[len(one) for one in table] for table in others]
    total = 0
    for graph, more in zip(skeleton.graphs, detail.graphs, strict=True):
        columns = (more.torch_fns, more.source_fns, more.origins, more.specs, more.extras)
        for column, lengths in (
            (graph.targets, targets),
            (graph.values, values),
            (graph.scopes, scopes),
            (more.calls, calls),
            (more.traces, traces),
            *zip(columns, counts, strict=True),
        ):
            total += sum(lengths[number] for number in column if number != NONE)
    nodes = sum(len(graph.names) for graph in skeleton.graphs)
    if total > MAX_TEXT + MAX_NODE_TEXT * nodes:
        yield f"its {plural(nodes, 'node')} have {total:,} characters of calls, values, modules and traces"


def _length(records: list[Any], children: Callable[[Any], Sequence[Any]]) -> int:
    """About how many characters records are as text: their strings, their sizes, and one for each record."""
    total = 0
    while records:
        record = records.pop()
        total += 1 + sum(
            len(field) for field in msgspec.structs.astuple(record) if isinstance(field, (str, tuple))
        )
        records.extend(children(record))
    return total


# Types of fields without records in them.
_SIMPLE: Final = frozenset({int, bool, float, str, bytes, type(None)})


def number_problem(*records: object) -> str | None:
    """A whole number, anywhere in records from a file, that some language does not read exactly; in words."""
    stack: list[Any] = [records]
    while stack:
        items = stack.pop()
        if isinstance(items, msgspec.Struct):
            items = msgspec.structs.astuple(items)
        elif isinstance(items, dict):
            items = tuple(items.values())
        elif not isinstance(items, (tuple, list)):
            continue
        kinds = set(map(type, items))
        for item in items if int in kinds else ():
            if type(item) is int and not -MAX_NUMBER <= item <= MAX_NUMBER:
                bits = item.bit_length()
                return f"it has the number {item:,}" if bits <= 128 else f"it has a number of {bits:,} bits"
        if kinds - _SIMPLE:
            stack += [item for item in items if type(item) not in _SIMPLE]
    return None


def _methods(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    names = [method.name for method in skeleton.methods]
    if len(set(names)) != len(names):
        yield f"two methods have the same name, among {names}"
    own = Counter(method.graph for method in skeleton.methods)
    for method, more in zip(skeleton.methods, detail.methods, strict=True):
        if not 0 <= method.graph < len(skeleton.graphs):
            yield f"method {method.name!r} names graph {method.graph}, and there are {len(skeleton.graphs)}"
            return
        if skeleton.graphs[method.graph].parent != NONE or own[method.graph] > 1:
            yield f"the graph of method {method.name!r} belongs to another one"
        yield from _symbols(method.symbols)
        numbers = [entry.value for entry in method.state]
        numbers += [example.value for example in more.examples or ()]
        yield from _within(numbers, len(skeleton.values), f"a value of the state of {method.name!r}", 0)


def _symbols(found: Sequence[Symbol]) -> Iterator[str]:
    if len({symbol.name for symbol in found}) != len(found):
        yield "two symbols have the same name"
    for symbol in found:
        for text in (symbol.hint, symbol.lower, symbol.upper):
            if text is not None and text.lstrip("-").isdigit() and not _is_text_of(LiteralType.INT, text):
                yield f"a bound or the hint of the symbol {symbol.name!r} is {text[:40]!r}"


def _scopes(skeleton: Skeleton) -> Iterator[str]:
    depths = [0]  # the last one is of NONE
    for number, scope in enumerate(skeleton.scopes):
        if not NONE <= scope.parent < number:
            yield f"scope {number} has scope {scope.parent} as its parent"
            return
        depths.insert(number, depths[scope.parent] + 1)
        if depths[number] > MAX_SCOPE_DEPTH:
            yield f"scope {number} is nested more than {MAX_SCOPE_DEPTH} deep"


def _tables(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    for number, origin in enumerate(detail.origins):
        if any(not 0 <= parent < number for parent in origin.parents):
            yield f"origin {number} refers to a later origin"
    for trace in detail.traces:
        yield from _within(trace, len(detail.frames), "a frame of a trace", 0)
    for origins in detail.origin_lists:
        yield from _within(origins, len(detail.origins), "an origin", 0)
    for run in detail.runs:
        if not len(run.sources) == len(run.lines) == len(run.counts):
            yield f"the columns of lines that ran in {run.file!r} differ in length"
    nodes = sum(len(graph.ops) for graph in skeleton.graphs)
    for reason in detail.delegation_reasons:
        yield from _within(reason.nodes, nodes, "a node that is not delegated", 0)
    for source in detail.sources:
        if len(source.lines) != len(source.text):
            yield f"the source of {source.file!r} has {len(source.lines)} lines but {len(source.text)} texts"


def _nesting(skeleton: Skeleton) -> Iterator[str]:
    depth: list[int] = []
    for number, graph in enumerate(skeleton.graphs):
        depth.append(depth[graph.parent] + 1 if 0 <= graph.parent < number else 0)
        if depth[-1] > MAX_NESTING:
            yield f"graph {number} is nested more than {MAX_NESTING} deep"


def _holders(skeleton: Skeleton) -> Iterator[str]:
    own = {method.graph for method in skeleton.methods}
    holders: Counter[tuple[int, int]] = Counter(
        (number, ref.graph) for number, graph in enumerate(skeleton.graphs) for ref in graph.subgraphs
    )
    for number, graph in enumerate(skeleton.graphs):
        if graph.parent == NONE and number not in own:
            yield f"graph {number} ({graph.name!r}) belongs to no method and no other graph"
        elif graph.parent != NONE and holders[graph.parent, number] != 1:
            yield f"graph {number} ({graph.name!r}) has {holders[graph.parent, number]} holders"


def _depths(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    if _too_deep([arg for call in detail.calls for arg in (*call.args, *call.values)], _arg_children):
        yield f"an argument is nested more than {MAX_DEPTH} deep"
    if _too_deep(list(skeleton.values), _value_children):
        yield f"a value is nested more than {MAX_DEPTH} deep"
    trees = [tree for method in detail.methods for tree in _trees(method)]
    if _too_deep(trees, lambda tree: tree.children):
        yield f"a pytree is nested more than {MAX_DEPTH} deep"


def _contents(skeleton: Skeleton, detail: Detail) -> Iterator[str]:
    """What is wrong within values, arguments, signatures and the memory plan."""
    values: list[Value] = list(skeleton.values)
    while values:
        value = values.pop()
        yield from _value(value)
        values.extend(_value_children(value))
    args: list[Arg] = [arg for call in detail.calls for arg in (*call.args, *call.values)]
    while args:
        arg = args.pop()
        if isinstance(arg, Literal):
            yield from _literal(arg)
        elif isinstance(arg, MapArg):
            yield from _pairs(arg.keys, arg.items)
            args.extend(arg.keys)
        args.extend(_arg_children(arg))
    signatures = [graph.signature for graph in skeleton.graphs if graph.signature is not None]
    for argument in _arguments(signatures, detail):
        if argument.value is not None:
            yield from _literal(argument.value)
    arenas: set[int | None] = set()
    for specs in detail.spec_lists:
        for spec in specs:
            yield from _spec(spec)
            arenas.add(spec.mem_id)
    if len(arenas) > MAX_ARENAS:
        yield f"its memory plan has {len(arenas):,} arenas"


def _value(value: Value) -> Iterator[str]:
    if isinstance(value, Literal):
        yield from _literal(value)
    elif isinstance(value, MapValue):
        yield from _pairs(value.keys, value.items)
    elif isinstance(value, TensorValue):
        rank = len(value.shape)
        if rank > MAX_RANK:
            yield f"a tensor has {rank} dimensions"
        if value.stride is not None and len(value.stride) != rank:
            yield f"a tensor has {plural(rank, 'dimension')} but {plural(len(value.stride), 'stride')}"
        if value.dim_order is not None and sorted(value.dim_order) != list(range(rank)):
            yield f"the order of the dimensions of a tensor is {value.dim_order[:MAX_RANK]}"
        yield from _sizes(value.shape, 0)
        yield from _sizes((value.offset, *(value.stride or ())), -MAX_NUMBER)


def _sizes(sizes: Sequence[Dim], least: int) -> Iterator[str]:
    elements = 1
    for size in sizes:
        if isinstance(size, int):
            if not least <= size <= MAX_NUMBER:
                yield f"a tensor has the size, stride or offset {size}"
            elements *= abs(size)
    if least == 0 and elements > MAX_NUMBER:
        yield f"a tensor has {elements} elements"


def _literal(literal: Literal) -> Iterator[str]:
    if not _is_text_of(literal.type, literal.text):
        yield f"{literal.text[:40]!r} is no {literal.type.value}"


def _is_text_of(type: LiteralType, text: str) -> bool:
    kinds = {LiteralType.INT: int, LiteralType.FLOAT: float, LiteralType.COMPLEX: complex}
    if type in kinds:
        try:
            kinds[type](text)
        except ValueError:
            return False
        return len(text) <= MAX_DIGITS
    words = {LiteralType.NONE: ("None",), LiteralType.BOOL: ("True", "False")}
    return text in words.get(type, (text,))


def _pairs(keys: Sequence[object], items: Sequence[object]) -> Iterator[str]:
    if len(keys) != len(items):
        yield f"a dict has {plural(len(keys), 'key')} but {plural(len(items), 'value')}"


def _arguments(signatures: Sequence[Signature], detail: Detail) -> Iterator[Argument]:
    for one in signatures:
        yield from (spec.arg for spec in one.inputs)
        yield from (spec.arg for spec in one.outputs)
    for method in detail.methods:
        for call in method.module_calls:
            if call.signature is not None:
                yield from (*call.signature.inputs, *call.signature.outputs)


def _spec(spec: MemorySpec) -> Iterator[str]:
    if len(spec.shape) > MAX_RANK:
        yield f"a planned tensor has {len(spec.shape)} dimensions"
    yield from _sizes(spec.shape, 0)
    numbers = (spec.bytes, spec.mem_id, spec.mem_obj_id, spec.offset, spec.alignment, *(spec.lifetime or ()))
    if any(number is not None and not 0 <= number <= MAX_NUMBER for number in numbers):
        yield "a number of the memory plan is out of range"
    if spec.lifetime is not None and spec.lifetime[0] > spec.lifetime[1]:
        yield f"a planned tensor is alive from step {spec.lifetime[0]:,} to {spec.lifetime[1]:,}"


def _too_deep(level: Sequence[T], children: Callable[[T], Sequence[T]]) -> bool:
    for _ in range(MAX_DEPTH):
        level = [child for one in level for child in children(one)]
        if not level:
            return False
    return True


def _arg_children(arg: Arg) -> Sequence[Arg]:
    if isinstance(arg, (SequenceArg, MapArg)):
        return arg.items
    return (arg.start, arg.stop, arg.step) if isinstance(arg, SliceArg) else ()


def _value_children(value: Value) -> Sequence[Value]:
    return value.items if isinstance(value, (SequenceValue, MapValue)) else ()


def _trees(method: MethodDetail) -> Iterator[Tree]:
    signatures = [call.signature for call in method.module_calls if call.signature]
    specs = [method.in_spec, method.out_spec]
    specs += [spec for one in signatures for spec in (one.in_spec, one.out_spec)]
    yield from (spec for spec in specs if spec is not None)


def _graph(skeleton: Skeleton, number: int, graph: GraphColumns) -> Iterator[str]:
    size = len(graph.names)
    where = f"graph {number} ({graph.name!r})"
    columns = (graph.ops, graph.targets, graph.values, graph.scopes, graph.arity)
    if any(len(column) != size for column in columns):
        yield f"the columns of {where} differ in length"
        return
    if len(set(graph.names)) != size:
        yield f"two nodes of {where} have the same name"
    if graph.signature is not None and len(graph.signature.inputs) > size:
        yield f"{where} has {plural(size, 'node')} but a signature of {len(graph.signature.inputs):,} inputs"
    if OPS.index("output") in graph.ops[:-1]:
        yield f"the output of {where} is not its last node"
    if not NONE <= graph.parent < number:
        yield f"{where} belongs to graph {graph.parent}, which does not come before it"
    yield from _within(graph.ops, len(OPS), f"an op of {where}", 0)
    yield from _within(graph.targets, len(skeleton.targets), f"a target of {where}", 0)
    yield from _within(graph.values, len(skeleton.values), f"a value of {where}", NONE)
    yield from _within(graph.scopes, len(skeleton.scopes), f"a scope of {where}", NONE)
    if min(graph.arity, default=0) < 0 or sum(graph.arity) != len(graph.inputs):
        yield f"{where} counts {sum(graph.arity)} inputs but lists {len(graph.inputs)}"
        return
    entry = 0
    for position, arity in enumerate(graph.arity):
        for back in graph.inputs[entry : entry + arity]:
            if not 1 <= back <= position:
                yield f"node {graph.names[position]!r} of {where} uses a node that does not come before it"
                return
        entry += arity
    for ref in graph.subgraphs:
        # A graph has one holder: graphs are a tree, so that walking them is linear.
        is_valid = 0 <= ref.node < size and number < ref.graph < len(skeleton.graphs)
        if not is_valid or skeleton.graphs[ref.graph].parent != number:
            yield f"{where} holds graph {ref.graph} in node {ref.node}, which cannot be"


def _detail(detail: Detail, number: int, graph: GraphColumns) -> Iterator[str]:
    one = detail.graphs[number]
    where = f"the detail of graph {number}"
    tables: tuple[tuple[Sequence[int], Sequence[object], int], ...] = (
        (one.calls, detail.calls, 0),
        (one.traces, detail.traces, NONE),
        (one.torch_fns, detail.torch_fns, NONE),
        (one.source_fns, detail.source_fns, NONE),
        (one.origins, detail.origin_lists, NONE),
        (one.specs, detail.spec_lists, NONE),
        (one.extras, detail.extras, NONE),
    )
    size = len(graph.names)
    if one.payload is not None:
        for text in payload_problems(one.payload, size):
            yield f"in the payload of graph {number}, {text}"
    if len(one.handles) != size or any(len(column) != size for column, _, _ in tables):
        yield f"the columns of {where} differ in length from the graph's"
        return
    for column, table, least in tables:
        yield from _within(column, len(table), f"a number of {where}", least)
    if not one.calls or max(one.calls) >= len(detail.calls) or min(one.calls) < 0:
        return
    needs = [_inputs_needed(call) for call in detail.calls]
    for position, call in enumerate(one.calls):
        if needs[call] > graph.arity[position]:
            yield f"node {graph.names[position]!r} has {graph.arity[position]} inputs but refers to more"
            return
        if len(detail.calls[call].names) != len(detail.calls[call].values):
            yield f"the keywords of node {graph.names[position]!r} do not match their values"
            return


def _within(numbers: Sequence[int], size: int, what: str, least: int) -> Iterator[str]:
    if numbers and (min(numbers) < least or max(numbers) >= size):
        yield f"{what} is out of range (0 to {size - 1})"


def _inputs_needed(call: Call) -> int:
    """How many inputs the positions in an argument tree reach; a negative position needs more than any."""
    most = 0
    stack: list[Arg] = [*call.args, *call.values]
    while stack:
        arg = stack.pop()
        if isinstance(arg, NodeArg):
            if arg.at < 0:
                return 1 << 62
            most = max(most, arg.at + 1)
        else:
            stack.extend(_arg_children(arg))
    return most
