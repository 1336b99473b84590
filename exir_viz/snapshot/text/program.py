"""A method as text: graphs as nested classes, then signature and ranges, as torch prints a program.

Lines of kind MODULE (module headings, delegates' graphs) are ours; without them the text is `str(program)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.program import InputSpec, OutputSpec
from exir_viz.snapshot.snapshot import Method

from .body import Body
from .text_line import LineKind, TextLine, split

_STEP = 4


def method_lines(method: Method, modules: bool, expanded: bool) -> Iterator[TextLine]:
    """All of a method. A method without a signature is a bare graph module, and is shown as that."""
    graph = list(class_lines(method.graph, "GraphModule", modules, expanded))
    if method.graph.signature is None:
        yield from graph
        return
    # a `.pte` is no ExportedProgram, and torch has no text of it; the rest of the form serves it as well
    whole = "ExecuTorch program:" if method.snapshot.is_pte else "ExportedProgram:"
    yield TextLine(whole, LineKind.PROGRAM)
    yield from (_shifted(line) for line in (*graph, TextLine("", LineKind.BLANK, method.graph.number)))
    yield TextLine("Graph signature:", LineKind.SIGNATURE)
    yield from (_shifted(line) for line in _signature(method))
    ranges = ", ".join(f"{one.expr}: VR[{one.lower}, {one.upper}]" for one in method.ranges)
    yield TextLine(f"Range constraints: {{{ranges}}}", LineKind.RANGES)
    yield TextLine("", LineKind.BLANK)


def class_lines(graph: Graph, name: str, modules: bool, expanded: bool) -> Iterator[TextLine]:
    """A graph as a class with a `forward`, and the graphs it holds as classes within."""
    yield from split(f"class {name}(torch.nn.Module):", LineKind.CLASS, graph.number)
    body = Body(graph, modules)
    statements = body.lines()
    for line in _definition(graph, body.inputs, expanded):
        yield line.within(_STEP)
    for line in statements:
        yield line.within(2 * _STEP)
    for child in _children(graph):
        ours = child.type == "delegate"
        if ours and not modules:
            continue
        yield TextLine("", LineKind.MODULE if ours else LineKind.BLANK, graph.number)
        for line in class_lines(child, child.name, modules, expanded):
            kind = LineKind.MODULE if ours else line.kind
            yield line.within(_STEP)._replace(kind=kind)


def _children(graph: Graph) -> Iterator[Graph]:
    """Graphs of this one's own, each once, in the order in which nodes first name them."""
    seen: set[int] = set()
    for ref in graph.columns.subgraphs:
        if ref.graph not in seen:
            seen.add(ref.graph)
            yield graph.snapshot.graphs[ref.graph]


def _definition(graph: Graph, inputs: list[tuple[str, int]], expanded: bool) -> Iterator[TextLine]:
    if not expanded:
        names = ", ".join(["self", *(text for text, _ in inputs)])
        yield from split(f"def forward({names}):", LineKind.DEF, graph.number)
        return
    yield TextLine("def forward(", LineKind.DEF, graph.number)
    yield TextLine("    self,", LineKind.DEF, graph.number, indent=_STEP)
    for text, position in inputs:
        for line in split(f"{text},", LineKind.INPUT, graph.number, position):
            yield line.within(_STEP)
    yield TextLine("):", LineKind.DEF, graph.number)


def _signature(method: Method) -> Iterator[TextLine]:
    signature = method.signature
    number = method.graph.number
    yield TextLine("# inputs", LineKind.SIGNATURE)
    for spec in signature.inputs:
        yield from _spec(method.graph, spec, spec.persistent)
    yield TextLine("", LineKind.BLANK, number)
    yield TextLine("# outputs", LineKind.SIGNATURE)
    for out in signature.outputs:
        yield from _spec(method.graph, out, None)
    yield TextLine("", LineKind.BLANK, number)


def _spec(graph: Graph, spec: InputSpec | OutputSpec, persistent: bool | None) -> list[TextLine]:
    name = spec.arg.name
    target = "" if spec.target is None else f" target='{spec.target}'"
    kept = "" if persistent is None else f" persistent={persistent}"
    node = graph[name].position if name in graph else None
    return split(f"{name}: {spec.kind.name}{target}{kept}", LineKind.SIGNATURE, graph.number, node)


def _shifted(line: TextLine) -> TextLine:
    """Further right by one step; unlike a class's, a program's blank lines are indented too."""
    return line._replace(text=" " * _STEP + line.text, indent=line.indent + _STEP)
