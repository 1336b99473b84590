"""The Python form of one graph: a `forward` whose lines are nodes, as torch's `print_readable` writes it.

Enters: a graph. Leaves: its lines, not yet indented. Values are freed after their last use (`;  x = None`),
and a comment names the user's line whenever it changes. Module headings are ours, with a kind of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exir_viz.snapshot.describe import tensor_text
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.records import (
    Call,
    Literal,
    LiteralType,
    Scope,
    SymValue,
    TargetType,
    TensorValue,
    Value,
)

from .arguments import python
from .names import Namespace
from .operators import IN_PLACE, OPERATORS
from .source_comment import summary
from .text_line import LineKind, TextLine, split

# Layouts for which torch writes no annotation.
_BARE_LAYOUTS = ("sparse_csc", "sparse_csr")


class Body:
    """Writes one graph; used once, since names are given in the order in which lines are written."""

    def __init__(self, graph: Graph, modules: bool) -> None:
        self._graph = graph
        self._modules = modules
        self._namespace = Namespace()
        self._names: list[str] = []
        frames = graph.snapshot.detail.frames
        self._has_code = not frames or any(frame.code for frame in frames)
        self.inputs: list[tuple[str, int]] = []

    def lines(self) -> list[TextLine]:
        """The statements; afterwards `inputs` holds the parameters of `forward`, each with its node."""
        graph = self._graph
        dead = _last_uses(graph)
        found: list[TextLine] = []
        comment: str | None = None
        scope = -1
        for position in range(len(graph)):
            node = graph[position]
            if node.op not in ("placeholder", "output"):
                now = summary(node.frames, node.extras, has_code=self._has_code)
                if now != comment:
                    found.append(TextLine("", LineKind.BLANK, graph.number))
                if self._modules and graph.columns.scopes[position] != scope:
                    scope = graph.columns.scopes[position]
                    found += self._heading(node, blank=now == comment and bool(found))
                if now != comment:
                    comment = now
                    found += split(now, LineKind.SOURCE, graph.number, position)
            found += self._statement(node, dead.get(position, ()))
        return _without_first_blanks(found)

    def _heading(self, node: Node, blank: bool) -> Iterator[TextLine]:
        if blank:
            yield TextLine("", LineKind.MODULE, self._graph.number)
        if node.scope is not None:
            text = f"# ── {heading(node.scope)}"
            yield from split(text, LineKind.MODULE, self._graph.number, node.position)

    def _statement(self, node: Node, dead: Sequence[int]) -> list[TextLine]:
        number, position = self._graph.number, node.position
        if node.op == "placeholder":
            text = self._input(node)
            return split(text, LineKind.CODE, number, position) if text else []
        text = self._text(node)
        if node.op != "output":
            freed = [self._names[one] for one in dead]
            if freed:
                text += f";  {' = '.join([*freed, 'None'])}"
        return split(text, LineKind.CODE, number, position)

    def _input(self, node: Node) -> str | None:
        """Note a parameter; where it must be renamed, the statement that does so."""
        text = node.target.text + annotation(node.value)
        if node.call.args:
            text += f" = {python(node.call.args[0], self._inputs(node), self._namespace.function)}"
        self.inputs.append((text, node.position))
        raw = node.target.text.replace("*", "")
        name = self._name(node)
        return None if raw == name else f"{name} = {raw}"

    def _text(self, node: Node) -> str:
        call, target = node.call, node.target
        if node.op == "output":
            shown = self._arguments(node, call)
            return f"return {shown[0] if shown else None}"
        if node.op in ("get_attr", "call_module"):
            name = self._name(node) + annotation(node.value)
            text = f"{name} = {attribute('self', target.text)}"
            return text if node.op == "get_attr" else f"{text}({', '.join(self._arguments(node, call))})"
        if node.op == "call_method" and call.args:
            name = self._name(node) + annotation(node.value)
            first, *rest = self._arguments(node, call)
            return f"{name} = {attribute(first, target.text)}({', '.join(rest)})"
        return self._function(node, call)

    def _function(self, node: Node, call: Call) -> str:
        target = node.target
        if target.type is TargetType.BUILTIN and target.text.startswith("operator."):
            args = self._arguments(node, call)[: len(call.args)]
            if (form := OPERATORS.get(target.name)) and len(args) >= form.count("{}"):
                return f"{self._name(node)}{annotation(node.value)} = {form.format(*args)}"
            if (form := IN_PLACE.get(target.name)) and len(args) >= form.count("{}"):
                return f"{form.format(*args)};  {self._name(node)}{annotation(node.value)} = {args[0]}"
        function = self._called(node)
        name = self._name(node) + annotation(node.value)
        args = self._arguments(node, call)
        if function == "getattr" and len(call.args) == 2 and not call.names:
            part = call.args[1]
            if isinstance(part, Literal) and part.type is LiteralType.STR and part.text.isidentifier():
                return f"{name} = {args[0]}.{part.text}"
        return f"{name} = {function}({', '.join(args)})"

    def _called(self, node: Node) -> str:
        text = node.target.text
        if node.op == "instruction":
            return text
        if node.target.type is TargetType.BUILTIN:
            # Python's own modules: FX prints `operator`, whose functions say `_operator`
            text = f"_{text}" if text.startswith("operator.") else text.removeprefix("builtins.")
        return self._namespace.function(text)

    def _name(self, node: Node) -> str:
        name = self._namespace.node(node.name)
        self._names.append(name)
        return name

    def _inputs(self, node: Node) -> list[str]:
        return [self._names[position] for position in node.input_positions]

    def _arguments(self, node: Node, call: Call) -> list[str]:
        names, function = self._inputs(node), self._namespace.function
        shown = [python(arg, names, function) for arg in call.args]
        pairs = zip(call.names, call.values, strict=True)
        shown += [f"{key} = {python(value, names, function)}" for key, value in pairs]
        return shown


def _without_first_blanks(lines: list[TextLine]) -> list[TextLine]:
    start = next((at for at, line in enumerate(lines) if line.text), len(lines))
    return lines[start:]


def _last_uses(graph: Graph) -> dict[int, list[int]]:
    """By position: the nodes whose values are not needed after it, in the order torch frees them."""
    seen = bytearray(len(graph))
    dead: dict[int, list[int]] = {}
    for position in range(len(graph) - 1, -1, -1):
        for one in graph[position].input_positions:
            if not seen[one]:
                seen[one] = 1
                dead.setdefault(position, []).append(one)
    for position in range(len(graph)):
        if not graph.user_positions(position):
            dead.setdefault(position, []).append(position)
    return dead


def annotation(value: Value | None) -> str:
    """What torch writes between a name and its `=`: `: "f32[s77, 3]"`, `: "Sym(u0)"`, or nothing."""
    if isinstance(value, TensorValue) and value.layout not in _BARE_LAYOUTS:
        core = tensor_text(value)
        return f': "{value.cls.rpartition(".")[2]}({core})"' if value.cls else f': "{core}"'
    return f': "Sym({value.expr})"' if isinstance(value, SymValue) else ""


def heading(scope: Scope) -> str:
    """A module call as a heading: "layers.3.self_attn (LlamaAttention)"."""
    cls = scope.cls.rpartition(".")[2]
    again = f", call {scope.call + 1}" if scope.call else ""
    return f"{scope.path or 'the whole model'} ({cls}{again})"


def attribute(base: str, target: str) -> str:
    """`base.a.b`, with `getattr` for a part that is no identifier."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base
