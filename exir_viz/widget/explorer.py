"""Explorer: the picture of a Snapshot as an ipywidget, and the Python handle to it.

What enters: a Snapshot. What goes to the page: its skeleton and, when a node is looked at, its detail, as
bytes. The first page gets them with the widget itself, for a question would wait until the cells below have
run; it takes them out of the widget's state, so that a saved notebook does not hold them, and others ask for
them by message (see `messages`). What comes back: `selection` and `view`, as synced traits.
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
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import encode_detail, encode_skeleton

from .background_answers import Answer
from .linked_explorers import ExplorerLink
from .messages import Message, order
from .node_names import NodeNames, UnknownName
from .node_series import Series, series_of
from .page_widget import APPEARANCES, PageWidget
from .profiles import ALONE, NoSuchProfile, Profiles, is_of, wrong_program
from .static_preview import static_preview

if TYPE_CHECKING:
    from plotly.graph_objects import FigureWidget

    from exir_viz.measure.profile import Profile
    from exir_viz.pages.page_data import ViewState

_SMALL_DETAIL = 300_000
# Kinds of messages that tell all there is: a later one says what an earlier one said.
_WHOLE = ("stages", "profiles")


class Explorer(PageWidget):
    """A program one can walk in. `selection` holds names of nodes ("forward/mm"), `view` what is shown.

    Orders return nothing: the last line of a cell would show the picture once more.
    """

    title = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(600, help="CSS pixels").tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    @named_options
    def __init__(
        self, snapshot: Snapshot, *, title: str = "", height: int = 600, appearance: str = "auto"
    ) -> None:
        instance(
            "Explorer", "snapshot", snapshot, Snapshot, "Or use exir_viz.explore(x), which takes programs."
        )
        self._snapshot = snapshot
        self._names: NodeNames | None = None
        self._series: dict[str, Series] = {}
        self._profiles = Profiles()
        self._early: list[Message] = []
        self._views: set[str] = set()
        super().__init__(
            _program=self._parts(),
            title=text("Explorer", "title", title) or snapshot.origin.name or snapshot.origin.type,
            height=pixels("Explorer", "height", height),
            appearance=one_of("Explorer", "appearance", appearance, APPEARANCES),
        )

    @property
    def snapshot(self) -> Snapshot:
        """What is looked at."""
        return self._snapshot

    @property
    def names(self) -> NodeNames:
        """The names that what is looked at has."""
        if self._names is None or self._names.snapshot is not self.snapshot:
            self._names = NodeNames(self.snapshot)
        return self._names

    # -- what is selected ---------------------------------------------------------------------------------

    def select(self, *nodes: str | Node | Iterable[str | Node]) -> None:
        """Select nodes, by name or as Nodes; what is around all of them is opened and brought into view."""
        self.selection = [self.names.node(node) for node in _flat(nodes)]

    @traitlets.validate("selection")
    def _known(self, proposal: Mapping[str, Any]) -> list[str]:
        """Names as they are within the whole Snapshot. Another explorer's, linked, may not all be here."""
        found = (self.names.find(name) for name in proposal["value"])
        return list(dict.fromkeys(name for name in found if name is not None))

    # -- what is open, and where one looks ----------------------------------------------------------------

    def open(self, *what: str | Node, depth: int | None = None) -> None:
        """Open modules by path ("model.layers.3"), or what is around a node, or everything down to a depth.

        With no argument, all is opened. A node that holds graphs (a branch, a delegate) is opened itself.
        """
        if self.comm is None:
            # ipywidgets has an `open` of its own, which it calls once, to reach the page.
            super().open()
            return
        paths = [each for each in what if isinstance(each, str) and self.names.is_module(each)]
        nodes = [self._around(each) for each in what if each not in paths]
        self._do(order("open", paths=paths, nodes=nodes, depth=depth))

    def fold(self, *modules: str) -> None:
        """Close modules by path, or all of them. (`close` is ipywidgets': it ends the widget.)"""
        for path in modules:
            text("fold", "a module", path)
            if not self.names.is_module(path):
                raise self.names.unknown("module", path)
        self._do(order("close", paths=list(modules)))

    def fit(self) -> None:
        """Show everything that is open."""
        self._do(order("fit"))

    def look(self, *keys: str) -> None:
        """Bring the first of what `view` lists by these keys into view, without selecting it."""
        self._do(order("look", keys=list(keys)))

    def search(self, query: str) -> None:
        """Ask a query of the search box's language."""
        text("search", "query", query)
        self._do(order("search", query=query))

    def color(self, query: str, color: str | None = None) -> None:
        """Colour what a query finds, in every stage: `explorer.color("op:*mm*", "red")`.

        Colours are "#rrggbb" or blue, orange, green, pink, red, sky, grey, yellow; without one, the next that
        no other rule has. Where several rules find an op, the first counts.
        """
        text("color", "query", query)
        self._do(order("color", query=query, color=None if color is None else _hex(color)))

    def uncolor(self, *queries: str) -> None:
        """Take rules that colour ops away, by their query, or all of them."""
        self._do(order("uncolor", queries=list(queries)))

    def link(self, other: Explorer, *, selection: bool = True, view: bool = False) -> ExplorerLink:
        """Let two explorers follow each other until `.unlink()` of what this returns.

        `selection`: what is selected here is selected there, by name, as far as it exists there. `view`: what
        is open here is open there, and of one program both look at the same place.
        """
        instance("link", "other", other, Explorer, "exir_viz.explore(program) makes one.")
        return ExplorerLink(self, other, selection=selection, view=view)

    # -- colours ------------------------------------------------------------------------------------------

    def paint(self, values: Mapping[Any, Any], label: str | None = None, unit: str = "") -> None:
        """Colour boxes by numbers or by categories (texts): a pandas Series or a mapping, keyed by node.

        Keys are names or Nodes. None and NaN leave a box as it is. The label is the Series' name if none is
        given; painting under a label that was used replaces what it painted.
        """
        named = str(getattr(values, "name", None) or "value") if label is None else label
        self._series[named] = series_of(values, self.names, named, unit)
        self._do(self._painting(show=named))

    def unpaint(self, *labels: str) -> None:
        """Take paintings away, by label, or all of them."""
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

    def show(self, profile: Profile) -> None:
        """Show what each node and module costs: on the picture, and in the panel's tab "Profile"."""
        from exir_viz.measure.profile import Profile as Expected

        instance("show", "profile", profile, Expected, "exir_viz.profile(program) makes one.")
        stage = self._stage_of(profile)
        self._profiles.put(stage, profile)
        self._do(self._profiles.told(stage))

    @property
    def profile(self) -> Profile | None:
        """The profile of what is looked at, if there is one."""
        return self._profiles.get(self._profile_key)

    @named_options
    def chart(self, what: str = "ops", *, top: int | None = None) -> FigureWidget:
        """A chart of the profile, linked with the picture: "ops", "modules", "memory", "roofline", "arenas".

        A click on a bar selects its node, and what is selected stands out in the chart. `top`: how many bars,
        of the charts "ops" and "stages". Show it in a cell, or beside the explorer in an HBox.
        """
        from exir_viz.measure.profile import Profile

        from .charts import TraceSource, chart_of, linked_chart

        profile = self.profile
        if profile is None:
            raise NoSuchProfile(
                "There is no profile of what is shown: explorer.show(exir_viz.profile(program)) first."
            )
        home = Profile(profile.record, self.snapshot)

        def select(_trace: int, names: Sequence[str]) -> None:
            self.select(*map(home.node, names))  # as Nodes: where another stage is looked at, back to theirs

        homes = [TraceSource(self._profile_key, self._stage_name, profile)]
        figure = chart_of(home, what, top)
        return linked_chart(
            figure, self, self._profiles, homes, select, lambda _trace: self.snapshot is home.snapshot
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
        """Write a page that shows what is shown here: one file, no server, no network.

        It begins with what is open, selected, searched and painted, and has the profile if there is one.

        title, sources, absolute_paths: see `exir_viz.pages.html`.
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

        return ViewState(dict(self.view), tuple(self._series.values()))

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

    def _do(self, message: Message) -> None:
        """Tell every view; what is said before there is one is told to the first."""
        if self._views:
            self._tell(message, None)
            return
        kind = message.content["kind"]
        if kind in _WHOLE:
            self._early = [each for each in self._early if each.content["kind"] != kind]
        self._early.append(message)

    def _heard(self, view: str) -> None:
        """A view that was not there before is told what it has missed."""
        if view in self._views:
            return
        missed = self._early if not self._views else self._standing()
        self._views.add(view)
        for message in missed:
            self._tell(message, view)
        self._early.clear()

    def _standing(self) -> list[Message]:
        """What a later view has to be told."""
        painted = [self._painting(show=None)] if self._series else []
        return [*painted, *([self._profiles.told(None)] if self._profiles else [])]

    @cached_property
    def _answers(self) -> Mapping[str, Answer]:
        return {
            "skeleton": lambda _asked: Message({"kind": "skeleton"}, self._parts()),
            "detail": lambda _asked: Message({"kind": "detail"}, [self._packed[1]]),
            "life": lambda _asked: Message({"kind": "life"}),
        }

    def _parts(self) -> list[bytes]:
        """The skeleton; a small detail comes along: it makes the first picture better."""
        skeleton, detail = self._packed
        return [skeleton, detail] if len(detail) < _SMALL_DETAIL else [skeleton]

    @cached_property
    def _packed(self) -> tuple[bytes, bytes]:
        written = self._share.snapshot(self.snapshot)
        return encode_skeleton(written), encode_detail(written)

    @cached_property
    def _share(self) -> Redaction:
        """A saved notebook holds what the page gets: paths in it are relative."""
        return Redaction()

    def _around(self, what: str | Node) -> str:
        found = self.names.find(what)
        if found is None:
            raise self.names.unknown("module or node", str(what))
        return found

    def _still(self) -> Mapping[str, str]:
        return {**static_preview(self.snapshot), "text/plain": str(self.snapshot)}


#: Okabe and Ito's colours, which the colour-blind can tell apart; `PALETTE` in `overlay.ts` has the same.
_COLORS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "pink": "#CC79A7",
    "red": "#D55E00",
    "sky": "#56B4E9",
    "grey": "#8A8F98",
    "yellow": "#F0E442",
}


def _hex(color: object) -> str:
    if isinstance(color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        return color
    return _COLORS[one_of("color", "color", color, _COLORS)]


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
