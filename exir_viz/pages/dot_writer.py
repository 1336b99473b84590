"""Write chosen boxes (see `boxes`) as Graphviz nodes, clusters and lines.

All program text passes through `label`, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.describe import short
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import KINDS, OpKind, op_name
from exir_viz.snapshot.printable import one_line
from exir_viz.snapshot.rollup import ScopeCount
from exir_viz.snapshot.text import heading

from .boxes import BoxChooser, Drawing, ModuleBox, NodeBox

if TYPE_CHECKING:
    import graphviz

# Maximum lines of a box for parameters folded into it.
TEXT_COLOR = "#1F2328"
MUTED_COLOR = "#6B7280"
LINE_COLOR = "#9AA1AB"
ACCENT_COLOR = "#1F6FEB"
MODULE_COLOR = "#F3F4F6"
# The ground of an open module: a tint that darkens with depth.
BACKGROUND_COLORS = ("#FBFBFC", "#F5F6F8", "#EFF1F4", "#E9ECF0", "#E3E7EC")

_WIDEST = 44
_MOST_FOLDED = 3


def new_picture() -> graphviz.Digraph:
    """An empty picture with our font and colors."""
    import graphviz

    font = {"fontname": "Helvetica,Arial,sans-serif", "fontsize": "10", "fontcolor": TEXT_COLOR}
    return graphviz.Digraph(
        graph_attr={**font, "compound": "true", "ranksep": "0.3", "nodesep": "0.18", "pad": "0.15"},
        node_attr={**font, "shape": "box", "style": "filled,rounded", "height": "0.3", "margin": "0.1,0.05"},
        edge_attr={
            **font,
            "fontsize": "8",
            "fontcolor": MUTED_COLOR,
            "color": LINE_COLOR,
            "arrowsize": "0.5",
        },
    )


@dataclass(slots=True)
class DotWriter:
    """Writes graphs into one picture; `room` is how many more boxes nested graphs may add."""

    picture: graphviz.Digraph
    room: int
    focus: Node | None = None
    _ends: dict[str, tuple[str, str]] = field(default_factory=dict)

    def paint(self, graph: Graph, drawing: Drawing, into: graphviz.Digraph) -> None:
        """Write a graph's boxes, clusters and lines into the picture or a cluster of it."""
        self.room -= len(drawing.boxes)
        inside: dict[int, list[str]] = {}
        for key, scope in drawing.within.items():
            inside.setdefault(scope if scope in drawing.clusters else NONE, []).append(key)
        children = _open_children(drawing, inside)
        self._fill(graph, drawing, inside, children, NONE, into)
        for (source, target), values in drawing.lines.items():
            self._line(graph, drawing, into, (source, target), values)

    def _fill(
        self,
        graph: Graph,
        drawing: Drawing,
        inside: dict[int, list[str]],
        children: dict[int, list[int]],
        scope: int,
        into: graphviz.Digraph,
    ) -> None:
        """Write the boxes in one open module, and the open modules in it, as clusters."""
        for key in inside.get(scope, ()):
            self._box(graph, drawing, key, into)
        for child in children.get(scope, ()):
            cluster = _cluster(
                f"g{graph.number}s{child}", [heading(drawing.counts[child].scope)], drawing.depth(child)
            )
            self._fill(graph, drawing, inside, children, child, cluster)
            into.subgraph(cluster)

    def _box(self, graph: Graph, drawing: Drawing, key: str, into: graphviz.Digraph) -> None:
        box = drawing.boxes[key]
        name = f"g{graph.number}{key}"
        if isinstance(box, ModuleBox):
            text = label(_module(drawing.counts, box))
            into.node(
                name,
                text,
                fillcolor=MODULE_COLOR,
                color=MUTED_COLOR,
                peripheries="2" if box.calls > 1 else "1",
            )
        elif isinstance(box, NodeBox):
            node = graph[box.position]
            if node.op == "get_attr" and node.subgraphs:
                self._nested(node.subgraphs[0], name, into)
            else:
                self._node(node, box, name, into, outside=key in drawing.outside)
        else:
            into.node(
                name,
                label([f"… {plural(box.nodes, 'more node')}"]),
                fillcolor="white",
                color=MUTED_COLOR,
                style="dashed",
            )

    def _node(self, node: Node, box: NodeBox, name: str, into: graphviz.Digraph, outside: bool) -> None:
        color = KINDS[index_of(node.graph).kinds[node.position]].color
        style = {"fillcolor": tint(color), "color": color}
        if outside:
            style |= {"style": "dashed,rounded", "fontcolor": MUTED_COLOR}
        if node == self.focus:
            style |= {"color": ACCENT_COLOR, "penwidth": "2.5"}
        into.node(name, label(_lines(node, box.folded)), tooltip=label([node.name]), **style)

    def _nested(self, graph: Graph, name: str, into: graphviz.Digraph) -> None:
        """A nested graph at its node: a cluster of its nodes, or one box if they do not fit."""
        color = KINDS[OpKind.DELEGATE if graph.delegate else OpKind.CONTROL].color
        title = _graph_title(graph)
        if not 0 < len(graph) <= self.room:
            into.node(name, label(title), fillcolor=tint(color), color=color)
            return
        chooser = BoxChooser(graph, range(len(graph)), (), len(graph), fold=True)
        chooser.choose(None)
        drawing = chooser.draw(outside=False)
        cluster = _cluster(name, title, 0)
        cluster.attr(color=color)
        self.paint(graph, drawing, cluster)
        into.subgraph(cluster)
        last = next(reversed(drawing.boxes))
        self._ends[name] = (f"g{graph.number}{last}", f"cluster_{name}")

    def _line(
        self, graph: Graph, drawing: Drawing, into: graphviz.Digraph, ends: tuple[str, str], values: list[int]
    ) -> None:
        source, target = (f"g{graph.number}{key}" for key in ends)
        style: dict[str, str] = {}
        if source in self._ends:
            source, cluster = self._ends[source]
            style = {"ltail": cluster, "style": "dashed"}
        elif not isinstance(drawing.boxes[ends[0]], NodeBox):
            more = f" +{len(values) - 1}" if len(values) > 1 else ""
            style = {"label": label([short(graph[values[0]].value) + more])}
        into.edge(source, target, **style)


def _open_children(drawing: Drawing, inside: dict[int, list[str]]) -> dict[int, list[int]]:
    """The open modules that contain boxes, by the module around them."""
    parents = {number: drawing.counts[number].scope.parent for number in drawing.clusters}
    full = {scope for scope in inside if scope != NONE}
    for number in sorted(drawing.clusters, reverse=True):  # a scope's parent has a smaller number
        if number in full and parents[number] in parents:
            full.add(parents[number])
    children: dict[int, list[int]] = {}
    for number in sorted(full):
        children.setdefault(parents[number] if parents[number] in full else NONE, []).append(number)
    return children


def _cluster(name: str, title: Iterable[str], depth: int) -> graphviz.Digraph:
    import graphviz

    cluster = graphviz.Digraph(name=f"cluster_{name}")
    ground = BACKGROUND_COLORS[min(depth, len(BACKGROUND_COLORS) - 1)]
    cluster.attr(label=label(title), labeljust="l", style="filled,rounded", fillcolor=ground, color="#D5D9DF")
    return cluster


def _module(counts: dict[int, ScopeCount], box: ModuleBox) -> list[str]:
    first, last = counts[box.first], counts[box.last]
    title, cls = first.scope.path, first.scope.cls.rpartition(".")[2]
    each = ""
    if box.calls > 1:
        title, each = f"{title} – {last.scope.path}", f"×{box.calls}, each "
    parameters = f" · {plural(first.total.parameters, 'parameter')}" if first.total.parameters else ""
    return [title, cls, f"{each}{plural(first.total.ops, 'op')}{parameters}"]


def _graph_title(graph: Graph) -> list[str]:
    backend = graph.delegate.backend if graph.delegate else ""
    bytes_ = byte_text(graph.delegate.bytes) if graph.delegate and graph.delegate.bytes is not None else ""
    ops = plural(index_of(graph).computes, "op") if len(graph) else ""
    return [graph.name, backend, " · ".join(part for part in (ops, bytes_) if part)]


def _lines(node: Node, folded: tuple[int, ...]) -> list[str]:
    """The text of a node's box: its op or the input's name, its value, the parameters folded into it."""
    graph = node.graph
    title = node.name if node.op == "placeholder" else op_name(node.target).removesuffix(".default")
    lines = [title, "" if node.value is None else short(node.value)]
    lines += [_state_line(graph, at) for at in folded[:_MOST_FOLDED]]
    return [*lines, f"… {len(folded) - _MOST_FOLDED} more"] if len(folded) > _MOST_FOLDED else lines


def _state_line(graph: Graph, position: int) -> str:
    target = index_of(graph).states.get(position, graph.columns.names[position])
    return f"{target.rpartition('.')[2]} {short(graph[position].value)}"


def tint(color: str, share: float = 0.16) -> str:
    """Mix a color with white: `share` is the part of the color."""
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * share):02X}" for part in parts)


def label(lines: Iterable[str]) -> str:
    """Lines of program text as one label, with line ends, markup and Graphviz's escapes escaped."""
    import graphviz

    # Graphviz interprets backslash escapes, <…> as markup, and &…; as characters; only the "\\n" between
    # lines is ours.
    lines = [one_line(line, _WIDEST).replace("&", "&amp;") for line in lines if line]
    text: str = graphviz.nohtml("\\n".join(graphviz.escape(line) for line in lines))
    return text
