"""Explorer: the graph of a Snapshot as an ipywidget, and the Python handle to it.

What enters: a Snapshot. What goes to the page: its skeleton and, when a node is selected, its detail, as
bytes. The first page gets them with the widget itself, because a question would wait until the cells below
have run; it then removes them from the widget's state, so that a saved notebook does not contain them, and
later pages request them by message (see `messages`). What comes back: `selection` and `view`, as synced
traits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from exir_viz.options import instance, named_options, one_of, pixels, refuse, text
from exir_viz.reports.registry import about, analyses
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.colors import PALETTE
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .background_answers import Answer
from .contributed_overlays import contributed_series, with_problems
from .linked_explorers import ExplorerLink
from .messages import Message, Question, order
from .node_names import NodeNames, UnknownName
from .node_series import Series, series_of
from .page_widget import APPEARANCES, PageWidget
from .profiles import ALONE, NoSuchProfile, Profiles, is_of, wrong_program
from .saved_output import MIME_TYPE, saved_output, size_of
from .static_preview import static_preview

if TYPE_CHECKING:
    from plotly.graph_objects import FigureWidget

    from exir_viz.measure.profile import Profile
    from exir_viz.measure.sweeps.results import Sweep
    from exir_viz.pages.page_data import PagePart, ViewState

    from .node_data import NodeData

_SMALL_DETAIL = 300_000
# Kinds of messages with the complete state: a later one replaces an earlier one.
_WHOLE = ("stages", "profiles")
# Orders that a written page follows too.
_KEPT_BY_PAGES = ("open", "close", "fit", "look", "search", "color", "uncolor")


class Explorer(PageWidget):
    """A program as an interactive widget.

    `selection` lists the names of selected nodes ("forward/mm"), `view` describes what is shown.

    The methods return None, so that a cell that ends with one does not show the picture again.

    Parameters
    ----------
    snapshot
        The program.
    title
        The title above the picture. The default is the name of the program.
    height
        The height of the picture, in CSS pixels.
    appearance
        "auto", "light" or "dark".

    Examples
    --------
    >>> explorer = exir_viz.types.Explorer(snapshot, title="small")
    >>> explorer.title
    'small'
    """

    title = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(600, help="CSS pixels").tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    save_in_notebook = traitlets.Bool(
        False, help="Whether the output holds the program, so that it can be explored without a kernel"
    )
    _saved = traitlets.Unicode("", help="How large that is").tag(sync=True)

    @named_options
    def __init__(
        self, snapshot: Snapshot, *, title: str = "", height: int = 600, appearance: str = "auto"
    ) -> None:
        instance(
            "Explorer", "snapshot", snapshot, Snapshot, "Or use exir_viz.explore(x), which takes programs."
        )
        self._snapshot = snapshot
        self._names: NodeNames | None = None
        self._problems: list[str] = []
        self._series: dict[str, Series] = contributed_series(snapshot, self._problems)
        self._profiles = Profiles()
        self._early: list[Message] = []
        self._unseen: list[Message] = []
        self._views: set[str] = set()
        self._is_constructed = False
        super().__init__(
            _program=self._parts(),
            title=text("Explorer", "title", title) or snapshot.origin.name or snapshot.origin.type,
            height=pixels("Explorer", "height", height),
            appearance=one_of("Explorer", "appearance", appearance, APPEARANCES),
        )
        self._is_constructed = True
        if self._series:
            self._do(self._painting(show=None))

    @property
    def snapshot(self) -> Snapshot:
        """The Snapshot that is shown."""
        return self._snapshot

    @property
    def names(self) -> NodeNames:
        """The node and module names of the Snapshot that is shown."""
        if self._names is None or self._names.snapshot is not self.snapshot:
            self._names = NodeNames(self.snapshot)
        return self._names

    # -- what is selected ---------------------------------------------------------------------------------

    def select(self, *nodes: str | Node | Iterable[str | Node]) -> None:
        """Select nodes. Modules around them are opened, and the nodes are brought into view.

        Parameters
        ----------
        nodes
            Nodes, or their names.

        Raises
        ------
        UnknownName
            If the program has no such node.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> explorer.select("linear", snapshot.method.graph["relu"])
        >>> explorer.selection
        ['forward/linear', 'forward/relu']
        """
        self.selection = [self.names.node(node) for node in _flat(nodes)]

    @traitlets.validate("selection")
    def _known(self, proposal: Mapping[str, Any]) -> list[str]:
        """Full names of the nodes that this Snapshot has. A linked explorer may have others."""
        found = (self.names.find(name) for name in proposal["value"])
        return list(dict.fromkeys(name for name in found if name is not None))

    # -- what is open, and where one looks ----------------------------------------------------------------

    def open(self, *what: str | Node, depth: int | None = None) -> None:
        """Open modules. Without arguments, open all.

        A node that holds graphs (a branch, a delegate) is opened itself.

        Parameters
        ----------
        what
            Paths of modules ("model.layers.3"), or nodes whose modules to open.
        depth
            Open everything down to this depth.

        Raises
        ------
        UnknownName
            If the program has no such module or node.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> explorer.open("fc1")
        """
        if not self._is_constructed or self.comm is None:
            # ipywidgets has its own `open`, to connect to the page; its constructor calls it, even where
            # marimo has connected the widget before.
            super().open()
            return
        paths = [each for each in what if isinstance(each, str) and self.names.is_module(each)]
        nodes = [self._around(each) for each in what if each not in paths]
        self._do(order("open", paths=paths, nodes=nodes, depth=depth))

    def fold(self, *modules: str) -> None:
        """Close modules. Without arguments, close all. (ipywidgets' `close` ends the widget.)

        Parameters
        ----------
        modules
            Paths of modules.

        Raises
        ------
        UnknownName
            If the program has no such module.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).fold("fc1")
        """
        for path in modules:
            text("fold", "a module", path)
            if not self.names.is_module(path):
                raise self.names.unknown("module", path)
        self._do(order("close", paths=list(modules)))

    def fit(self) -> None:
        """Zoom so that everything open is visible.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).fit()
        """
        self._do(order("fit"))

    def look(self, *keys: str) -> None:
        """Bring a box into view without selecting it.

        Parameters
        ----------
        keys
            Keys as `view` lists them. The first one that is shown counts.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).look("forward:fc1")
        """
        self._do(order("look", keys=list(keys)))

    def search(self, query: str) -> None:
        """Enter a query in the search box.

        Parameters
        ----------
        query
            In the search box's language, such as "op:*mm*".

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).search("op:*linear*")
        """
        text("search", "query", query)
        self._do(order("search", query=query))

    def color(self, query: str, color: str | None = None) -> None:
        """Color the nodes that a query finds, in every stage. If several rules find a node, the first one
        counts.

        Parameters
        ----------
        query
            In the search box's language, such as "op:*mm*".
        color
            "#rrggbb", or blue, orange, green, pink, red, sky, grey or yellow. The default is the next unused
            color.

        Raises
        ------
        WrongArgument
            If there is no such color.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).color("op:*linear*", "red")
        """
        text("color", "query", query)
        self._do(order("color", query=query, color=None if color is None else _hex(color)))

    def uncolor(self, *queries: str) -> None:
        """Remove color rules. Without arguments, remove all.

        Parameters
        ----------
        queries
            The queries of the rules.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).uncolor("op:*linear*")
        """
        self._do(order("uncolor", queries=list(queries)))

    def link(self, other: Explorer, *, selection: bool = True, view: bool = False) -> ExplorerLink:
        """Keep two explorers in sync until you call `.unlink()` on the result.

        Parameters
        ----------
        other
            Another explorer.
        selection
            Select the same nodes, by name, if the other program has them.
        view
            Open the same modules. For the same program, share the viewport too.

        Returns
        -------
        ExplorerLink
            The link.

        Raises
        ------
        WrongArgument
            If `other` is not an Explorer.

        Examples
        --------
        >>> one, other = exir_viz.types.Explorer(snapshot), exir_viz.types.Explorer(snapshot)
        >>> link = one.link(other)
        >>> one.select("relu")
        >>> other.selection
        ['forward/relu']
        """
        instance("link", "other", other, Explorer, "exir_viz.explore(program) makes one.")
        return ExplorerLink(self, other, selection=selection, view=view)

    # -- colors ------------------------------------------------------------------------------------------

    def paint(self, values: Mapping[Any, Any], label: str | None = None, unit: str = "") -> None:
        """Color nodes by numbers or by categories.

        Parameters
        ----------
        values
            A pandas Series or a mapping, by node or node name. None and NaN leave a node uncolored.
        label
            A name for the colors. The default is the name of the Series. A label used before is replaced.
        unit
            The unit of the numbers.

        Raises
        ------
        NotPaintable
            If a value is neither a number nor a text.
        UnknownName
            If the program has no such node.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).paint({"linear": 1.5, "relu": 0.2}, "cost", unit="ms")
        """
        named = str(getattr(values, "name", None) or "value") if label is None else label
        self._series[named] = series_of(values, self.names, named, unit)
        self._do(self._painting(show=named))

    @named_options
    def import_node_data(self, path: str | PathLike[str], *, label: str = "", unit: str = "") -> NodeData:
        """Color nodes by a file of Model Explorer's node data.

        Parameters
        ----------
        path
            A JSON file with `results` by node, of one graph or by graph. Its colors are ignored.
        label
            A name for the colors. The default is the name of the file.
        unit
            The unit of the numbers.

        Returns
        -------
        NodeData
            What was imported: the values by node, and the names that no node has, which are counted.

        Raises
        ------
        FileError
            If the file is not readable as node data.
        NotPaintable
            If the values are more than a thousand different texts.

        Examples
        --------
        >>> path = folder / "cycles.json"
        >>> path.write_text('{"results": {"linear": {"value": 12}, "conv": {"value": 3}}}')
        60
        >>> exir_viz.types.Explorer(snapshot).import_node_data(path)
        cycles: 1 of 2 values are on nodes. No node is named conv.
        """
        from .node_data import read_node_data

        found = read_node_data(path, self.snapshot, text("import_node_data", "label", label))
        self.paint(found.values, found.label, unit)
        return found

    def unpaint(self, *labels: str) -> None:
        """Remove colors. Without arguments, remove all.

        Parameters
        ----------
        labels
            The labels that were passed to `paint`.

        Raises
        ------
        UnknownName
            If nothing was painted with a label.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> explorer.paint({"linear": 1.5}, "cost")
        >>> explorer.unpaint("cost")
        """
        for label in labels:
            if label not in self._series:
                raise UnknownName("painting", label, self._series)
        for label in labels or tuple(self._series):
            del self._series[label]
        self._do(self._painting(show=None))

    def _painting(self, show: str | None) -> Message:
        heads = [series.head for series in self._series.values()]
        content = {"kind": "series", "series": heads, "show": show}
        return Message(content, [series.data for series in self._series.values()])

    # -- costs --------------------------------------------------------------------------------------------

    def show(self, profile: Profile | Sweep) -> None:
        """Show a profile: colors in the picture, and the tab Profile.

        Parameters
        ----------
        profile
            A profile of this program. Or a sweep over sizes: then the costs follow the sizes that you try in
            the report Shapes.

        Raises
        ------
        NoSuchProfile
            If it is a profile of another program.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> explorer.show(profile)
        >>> explorer.profile is profile
        True
        """
        from exir_viz.measure.profile import Profile as Expected
        from exir_viz.measure.sweeps.results import Sweep

        if isinstance(profile, Sweep):
            profile = profile.by_size()
        instance("show", "profile", profile, Expected, "exir_viz.profile(program) makes one.")
        stage = self._stage_of(profile)
        self._profiles.put(stage, profile)
        self._do(self._profiles.message(stage))

    @property
    def profile(self) -> Profile | None:
        """The profile of what is shown, or None."""
        return self._profiles.get(self._profile_key)

    @named_options
    def chart(self, what: str = "ops", *, top: int | None = None) -> FigureWidget:
        """Draw a chart of the profile, linked with the picture: a click on a bar selects its node, and the
        reverse.

        Show it in a cell, or next to the explorer in an HBox.

        Parameters
        ----------
        what
            "ops", "modules", "memory", "roofline" or "arenas".
        top
            How many bars, for the charts "ops" and "stages".

        Returns
        -------
        plotly.graph_objects.FigureWidget
            The chart.

        Raises
        ------
        NoSuchProfile
            If no profile is shown.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> explorer.show(profile)
        >>> type(explorer.chart("ops")).__name__
        'FigureWidget'
        """
        from exir_viz.measure.profile import Profile

        from .charts import TraceSource, chart_of, linked_chart

        profile = self.profile
        if profile is None:
            raise NoSuchProfile("No profile to show. First run explorer.show(exir_viz.profile(program)).")
        drawn = Profile(profile.record, self.snapshot)

        def select(_trace: int, names: Sequence[str]) -> None:
            # as Nodes: if another stage is shown, this switches to their stage
            self.select(*map(drawn.node, names))

        sources = [TraceSource(self._profile_key, self._stage_name, profile)]
        figure = chart_of(drawn, what, top)
        return linked_chart(
            figure, self, self._profiles, sources, select, lambda _trace: self.snapshot is drawn.snapshot
        )

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page that shows the same: one file that needs no server and no network.

        It keeps what is open, selected, searched and colored, and the profile if there is one.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        sources, absolute_paths
            Whether to include source text, and absolute paths instead of those within your project.
            Names of files and line numbers are included anyway.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotBuilt
            If this installation has no front end.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> exir_viz.types.Explorer(snapshot).to_html(folder / "explorer.html").name
        'explorer.html'
        """
        from exir_viz.pages.html import write

        return write(
            self.snapshot,
            path,
            title=title or self.title,
            profiles=self._profiles,
            look=self._look,
            sources=sources,
            absolute_paths=absolute_paths,
        )

    @property
    def _look(self) -> ViewState:
        from exir_viz.pages.page_data import ViewState

        orders: list[Mapping[str, object]] = []
        show: object = None
        for content in (message.content for message in self._unseen):
            if content["kind"] == "series":
                show = content["show"]
            else:
                orders.append(content)
                show = None if content["action"] == "color" else show
        return ViewState(
            dict(self.view),
            tuple(self._series.values()),
            self.selection,
            orders,
            show if isinstance(show, str) else None,
        )

    @property
    def _profile_key(self) -> str:
        return ALONE

    @property
    def _stage_name(self) -> str:
        return ""

    def _stage_of(self, profile: Profile) -> str:
        if not is_of(profile, self.snapshot):
            raise wrong_program(profile, self.snapshot)
        return ALONE

    # -- the page's other end -----------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None or not self.save_in_notebook:
            return bundle
        data, metadata = bundle
        output = saved_output(self._saved_parts(), self.title, self.height)
        self._saved = byte_text(size_of(output))
        return {**data, MIME_TYPE: output}, metadata

    def _saved_parts(self) -> Iterable[PagePart]:
        from exir_viz.pages.page_data import page_parts

        return page_parts(self.snapshot, Redaction(), profiles=self._profiles, look=self._look)

    def _do(self, message: Message) -> None:
        """Send a message to every view, or keep it for the first view."""
        if message.content["kind"] == "series" or message.content.get("action") in _KEPT_BY_PAGES:
            self._unseen.append(message)
        if self._views:
            self._send_message(message, None)
            return
        kind = message.content["kind"]
        if kind in _WHOLE:
            self._early = [each for each in self._early if each.content["kind"] != kind]
        self._early.append(message)

    @traitlets.observe("view")
    def _reported(self, _change: object) -> None:
        """The page reports what is shown: the orders are part of it."""
        self._unseen.clear()

    def _on_question(self, view: str) -> None:
        """Send a new view the messages that it missed."""
        if view in self._views:
            return
        missed = self._early if not self._views else self._standing()
        self._views.add(view)
        for message in missed:
            self._send_message(message, view)
        self._early.clear()

    def _standing(self) -> list[Message]:
        """The messages that a later view needs."""
        painted = [self._painting(show=None)] if self._series else []
        return [*painted, *([self._profiles.message(None)] if self._profiles else [])]

    @cached_property
    def _answers(self) -> Mapping[str, Answer]:
        return {
            "skeleton": lambda _question: Message({"kind": "skeleton"}, self._parts()),
            "detail": lambda _question: Message({"kind": "detail"}, [self._packed[1]]),
            "reports": lambda _question: self._reports(),
            "report": lambda question: self._report_of(question, self.snapshot),
            "life": lambda _question: Message({"kind": "life"}),
        }

    def _reports(self) -> Message:
        listed = [
            {"name": one.name, "title": one.title, "about": about(one.name)} for one in analyses().values()
        ]
        return Message({"kind": "reports", "reports": listed})

    def _report_of(self, question: Question, snapshot: Snapshot) -> Message:
        from exir_viz.pages.reports import encode_report

        name = question.text("name")
        if name not in analyses():  # it was listed once, and is not registered any more
            return Message({"kind": "refused", "reason": f"There is no report {name!r}."})
        return Message({"kind": "report"}, [encode_report(name, snapshot, self._share)])

    def _parts(self) -> list[bytes]:
        """The skeleton, with the detail if it is small: the first picture is then complete."""
        skeleton, detail = self._packed
        return [skeleton, detail] if len(detail) < _SMALL_DETAIL else [skeleton]

    @cached_property
    def _packed(self) -> tuple[bytes, bytes]:
        written = with_problems(self._share.snapshot(self.snapshot), self._problems)
        return encode_skeleton(written), encode_detail(written)

    @cached_property
    def _share(self) -> Redaction:
        """The page's data is kept in saved notebooks, so its paths are relative."""
        return Redaction()

    def _around(self, what: str | Node) -> str:
        found = self.names.find(what)
        if found is None:
            raise self.names.unknown("module or node", str(what))
        return found

    def _still(self) -> Mapping[str, str]:
        return {**static_preview(self.snapshot), "text/plain": str(self.snapshot)}


def _hex(color: object) -> str:
    if isinstance(color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        return color
    return PALETTE[one_of("color", "color", color, tuple(PALETTE))]


def _is_tensor(node: object) -> bool:
    return type(node).__module__.partition(".")[0] in ("torch", "numpy")


def _flat(nodes: Iterable[Any]) -> Iterable[str | Node]:
    for node in nodes:
        if isinstance(node, str | Node):
            yield node
        elif isinstance(node, bytes) or not isinstance(node, Iterable) or _is_tensor(node):
            refuse("select", "a node", node, "a Node, the name of one, or several of these")
        else:
            yield from _flat(node)


def look_of(explorer: Explorer) -> ViewState:
    """What an explorer shows, for a story."""
    return explorer._look


def repeat(explorer: Explorer, orders: Iterable[Mapping[str, object]]) -> None:
    """Send orders that an explorer was given before."""
    for each in orders:
        explorer._do(Message(each))


def costs_of(explorer: Explorer) -> Profiles:
    """The profiles that an explorer shows, for a page."""
    return explorer._profiles


def paintings_of(explorer: Explorer) -> tuple[Series, ...]:
    """The paintings of an explorer, for a page."""
    return tuple(explorer._series.values())
