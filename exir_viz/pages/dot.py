"""A Snapshot as a Graphviz picture: for papers, for documents, and where no viewer runs.

`dot` chooses boxes (`boxes`) and writes them (`dot_writer`): modules as nested clusters, and nested graphs as
clusters at the node that refers to them. `write` renders to SVG, PDF or PNG if the program `dot` is
installed. All text of a Snapshot is escaped. torch is not imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.errors import ExirVizError, MissingTool
from exir_viz.snapshot import file_writing
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.snapshot import Method, Snapshot
from exir_viz.snapshot.symbol_names import in_user_names

from .boxes import BoxChooser
from .dot_writer import DotWriter, new_picture

if TYPE_CHECKING:
    import graphviz

FORMATS = ("svg", "pdf", "png", "dot")
MAX_NODES = 120

_INSTALL = (
    "Cannot render: Graphviz's program `dot` is not installed (DOT text can be written without it). "
    "Debian, Ubuntu: apt install graphviz. Fedora: dnf install graphviz. macOS: brew install graphviz. "
    "Windows: winget install graphviz. conda: conda install -c conda-forge graphviz."
)


def dot(
    snapshot: Snapshot,
    *,
    method: str | None = None,
    scope: str | None = None,
    node: str | None = None,
    steps: int = 2,
    fold_parameters: bool = True,
    max_nodes: int = MAX_NODES,
) -> graphviz.Digraph:
    """A picture of a method, of one module (`scope`: its path), or of the nodes within `steps` edges of
    a node.

    A node of a nested graph is named with its graph: "true_graph_0/sin". It has about `max_nodes` boxes at
    most: modules whose contents do not fit stay closed. The Digraph displays itself in a notebook; `write`
    saves it.
    """
    chosen = _method(in_user_names(snapshot), method)
    picture = new_picture()
    most = max(max_nodes, 2)
    if scope is not None and node is not None:
        raise ExirVizError("Pass scope= (a module) or node= (a node and its neighbors), not both.")
    if node is not None:
        focus = _node(chosen, node)
        chooser, graph = _near(focus, steps, fold_parameters, most), focus.graph
        DotWriter(picture, 0, focus).paint(graph, chooser.draw(outside=False), picture)
        return picture
    graph, within = (chosen.graph, None) if scope is None else _scope(chosen, scope)
    wanted = range(len(graph)) if within is None else _members(graph, within)
    chooser = BoxChooser(graph, wanted, chosen.state, most, fold_parameters)
    chooser.choose(within)
    DotWriter(picture, most).paint(graph, chooser.draw(outside=within is not None), picture)
    return picture


def write(picture: graphviz.Digraph, path: Path | str) -> Path:
    """Save a picture in the format of the file name's ending.

    Raises
    ------
    MissingTool
        If the program `dot` of Graphviz is missing.
    NotWritten
        If the file cannot be written.
    """
    import graphviz

    path = Path(path)
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ExirVizError(f"Cannot write {path.name!r}: its name must end with .svg, .pdf, .png or .dot.")
    try:
        data = picture.source.encode() if form == "dot" else picture.pipe(format=form)
    except (graphviz.ExecutableNotFound, OSError) as error:  # OSError: in Pyodide
        raise MissingTool(_INSTALL) from error
    return file_writing.write(path, data)


def _near(focus: Node, steps: int, fold: bool, most: int) -> BoxChooser:
    """The nodes around a node; the nearest, if there are too many."""
    index = index_of(focus.graph)
    near = index.neighbourhood(focus.position, max(steps, 0))
    closest = sorted(near, key=lambda at: (near[at], at))[:most]
    fold = fold and focus.position not in index.roles  # the requested node is not folded
    chooser = BoxChooser(focus.graph, sorted(closest), (), most, fold)
    chooser.open_all()
    return chooser


def _members(graph: Graph, scope: int) -> list[int]:
    """The nodes of a module call and of all calls within it."""
    inside = {scope}
    for number, one in enumerate(graph.snapshot.scopes):
        if one.parent in inside:  # a scope's parent has a smaller number
            inside.add(number)
    return [at for at, number in enumerate(graph.columns.scopes) if number in inside]


def _method(snapshot: Snapshot, name: str | None) -> Method:
    method = snapshot.method if name is None else snapshot.methods.get(name)
    if method is None:
        raise ExirVizError(f"Unknown method {name!r}. Methods: {', '.join(snapshot.methods)}.")
    return method


def _node(method: Method, name: str) -> Node:
    path, _, last = name.rpartition("/")
    for graph in method.graphs():
        here = graph is method.graph if not path else graph.path in (path, f"{method.graph.path}/{path}")
        if here and last in graph:
            return graph[last]
    raise ExirVizError(
        f"Unknown node {name!r} in method {method.name!r}. `exir-viz tables FILE nodes` lists "
        "them. In a nested graph, add its name: true_graph_0/sin."
    )


def _scope(method: Method, path: str) -> tuple[Graph, int]:
    """The graph and number of a module call: by its path (the first call), or by its key."""
    scopes = method.snapshot.scopes
    for graph in method.graphs():
        used = sorted({number for at in set(graph.columns.scopes) for number in _chain(method, at)})
        for number in used:
            if path in (scopes[number].path, scopes[number].key):
                return graph, number
    raise ExirVizError(
        f"Unknown module {path!r} in method {method.name!r}. `exir-viz tables FILE scopes` lists them."
    )


def _chain(method: Method, scope: int) -> list[int]:
    chain = []
    while scope >= 0:
        chain.append(scope)
        scope = method.snapshot.scopes[scope].parent
    return chain
