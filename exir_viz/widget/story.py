"""Story: captions over views of an explorer, played in a notebook and written as one page.

A scene is a caption and what the explorer shows with it: the view that its page reported, or, before it was
ever displayed, what Python code asked for. Scenes are independent: each says all that it shows, so that
they can be played in any order.
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any, Final

import ipywidgets
import msgspec

from exir_viz.errors import ExirVizError
from exir_viz.options import instance, named_options, text
from exir_viz.options import path as path_of
from exir_viz.pages.page_data import Scene, ViewState
from exir_viz.snapshot import file_writing
from exir_viz.snapshot.printable import html, printable

from .explorer import Explorer, costs_of, look_of, paintings_of, repeat

_CAPTION: Final = '<span style="line-height: 1.4"><b>{} of {}</b> &nbsp; {}</span>'
_EMPTY: Final = "No scenes yet. Arrange the graph, write a caption, and press “Add this view”."


class NoSuchScene(ExirVizError):
    """A story has no scene of this number, or none at all: how many it has."""


class NotAStory(ExirVizError):
    """A file that is not a story: what is wrong with it."""


class Story(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Captions over views of an explorer, one after another. It displays itself in a notebook.

    Arrange the explorer, then call `add`, or press "Add this view" below it.

    Parameters
    ----------
    explorer
        The explorer that shows the scenes.
    title
        The title of the page. The default is the explorer's.

    Examples
    --------
    >>> explorer = exir_viz.types.Explorer(snapshot)
    >>> story = exir_viz.types.Story(explorer, title="How relu gets its input")
    >>> explorer.select("linear")
    >>> story.add("First a linear layer.")
    >>> explorer.select("relu")
    >>> story.add("Its result goes through relu.")
    >>> [scene.caption for scene in story.scenes]
    ['First a linear layer.', 'Its result goes through relu.']
    """

    @named_options
    def __init__(self, explorer: Explorer, *, title: str = "") -> None:
        instance("Story", "explorer", explorer, Explorer, "exir_viz.explore(program) makes one.")
        self._explorer = explorer
        self._title = text("Story", "title", title)
        self._scenes: list[Scene] = []
        self._at = -1
        self._caption = ipywidgets.HTML(layout={"flex": "1 1 auto"})
        self._back = _button("←", "The scene before", lambda: self.play(self._at - 1))
        self._next = _button("Next →", "The next scene", lambda: self.play(self._at + 1))
        self._written = ipywidgets.Text(placeholder="Caption", layout={"flex": "1 1 auto"})
        self._add = _button("Add this view", "Add a scene with what the graph shows", self._add_written)
        super().__init__(
            [
                explorer,
                ipywidgets.HBox([self._back, self._caption, self._next], layout={"align_items": "center"}),
                ipywidgets.HBox([self._written, self._add]),
            ]
        )
        self._show_caption()

    @property
    def explorer(self) -> Explorer:
        """The explorer that shows the scenes."""
        return self._explorer

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """The scenes, in order."""
        return tuple(self._scenes)

    @property
    def at(self) -> int:
        """The number of the scene that is shown, from 0. -1 before the first one was played."""
        return self._at

    @property
    def height(self) -> int:
        """The height of the explorer, in CSS pixels."""
        return int(self._explorer.height)

    # -- making it ----------------------------------------------------------------------------------------

    @named_options
    def add(self, caption: str, *, at: int | None = None) -> None:
        """Add a scene: a caption, and what the explorer shows now.

        Parameters
        ----------
        caption
            One or two sentences.
        at
            Insert it before this scene. The default adds it at the end.

        Raises
        ------
        WrongArgument
            If the caption is not a text.
        NoSuchScene
            If there is no scene `at`.

        Examples
        --------
        >>> story = exir_viz.types.Story(exir_viz.types.Explorer(snapshot))
        >>> story.add("All of it.")
        >>> len(story.scenes)
        1
        """
        look = look_of(self._explorer)
        stage = getattr(self._explorer, "stage", None)
        scene = Scene(
            text("add", "caption", caption),
            "" if stage is None else stage.id,
            dict(look.view),
            tuple(look.selection),
            tuple(dict(order) for order in look.orders),
        )
        self._at = len(self._scenes) if at is None or at == len(self._scenes) else self._number(at)
        self._scenes.insert(self._at, scene)
        self._show_caption()

    def remove(self, at: int) -> None:
        """Remove a scene. If it is the one that is shown, its neighbor is played.

        Parameters
        ----------
        at
            Its number, from 0.

        Raises
        ------
        NoSuchScene
            If there is none.

        Examples
        --------
        >>> story = exir_viz.types.Story(exir_viz.types.Explorer(snapshot))
        >>> story.add("Not this one.")
        >>> story.remove(0)
        >>> len(story.scenes)
        0
        """
        del self._scenes[self._number(at)]
        if at == self._at and self._scenes:
            self.play(min(at, len(self._scenes) - 1))
            return
        if at <= self._at:
            self._at -= 1
        self._show_caption()

    def _add_written(self) -> None:
        """The button: with the caption that was written beside it."""
        self.add(self._written.value or f"Scene {len(self._scenes) + 1}")
        self._written.value = ""

    # -- playing it ---------------------------------------------------------------------------------------

    def play(self, at: int = 0) -> None:
        """Show a scene in the explorer. The buttons below it show the next one and the one before.

        Parameters
        ----------
        at
            The number of the scene, from 0.

        Raises
        ------
        NoSuchScene
            If there is none.

        Examples
        --------
        >>> explorer = exir_viz.types.Explorer(snapshot)
        >>> story = exir_viz.types.Story(explorer)
        >>> explorer.select("relu")
        >>> story.add("Here.")
        >>> explorer.select()
        >>> story.play()
        >>> explorer.selection
        ['forward/relu']
        """
        self._at = self._number(at)
        scene = self._scenes[self._at]
        explorer = self._explorer
        if scene.stage:
            explorer.go(scene.stage)
        if scene.view:
            explorer.view = scene.view
        else:
            explorer.fold()
            repeat(explorer, scene.orders)
        explorer.selection = list(scene.selection)
        self._show_caption()

    def _number(self, at: int) -> int:
        count = len(self._scenes)
        if not 0 <= at < count:
            there = f"It has {count}, from 0 to {count - 1}." if count else "Add one with story.add(caption)."
            raise NoSuchScene(f"The story has no scene {at}. {there}")
        return at

    def _show_caption(self) -> None:
        count = len(self._scenes)
        if self._at < 0 or not count:
            self._caption.value = html("{}", _EMPTY)
        else:
            self._caption.value = html(_CAPTION, self._at + 1, count, self._scenes[self._at].caption)
        self._back.disabled = self._at <= 0
        self._next.disabled = self._at >= count - 1

    # -- writing it ---------------------------------------------------------------------------------------

    @named_options
    def to_html(
        self, path: str | PathLike[str], *, sources: bool = True, absolute_paths: bool = False
    ) -> Path:
        """Write a page that plays the story: one file that needs no server and no network.

        Parameters
        ----------
        path
            The file to write.
        sources, absolute_paths
            Whether to include source text, and absolute paths instead of those within your project.
            Names of files and line numbers are included anyway.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NoSuchScene
            If the story has no scenes.
        NotBuilt
            If this installation has no front end.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> story = exir_viz.types.Story(exir_viz.types.Explorer(snapshot))
        >>> story.add("All of it.")
        >>> story.to_html(folder / "story.html").name
        'story.html'
        """
        from exir_viz.pages.html import write

        self._number(0)
        explorer = self._explorer
        return write(
            getattr(explorer, "session", None) or explorer.snapshot,
            path,
            title=self._title or explorer.title,
            profiles=costs_of(explorer),
            look=ViewState({}, paintings_of(explorer)),
            scenes=self._scenes,
            sources=sources,
            absolute_paths=absolute_paths,
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the captions and views as JSON, without the program. `Story.load` reads it.

        Parameters
        ----------
        path
            The file to write.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> story = exir_viz.types.Story(exir_viz.types.Explorer(snapshot))
        >>> story.add("All of it.")
        >>> story.save(folder / "story.json").name
        'story.json'
        """
        record = {"title": self._title, "scenes": self._scenes}
        content = msgspec.json.format(msgspec.json.encode(record), indent=1)
        return file_writing.write(path_of("save", path), content)

    @classmethod
    def load(cls, path: str | PathLike[str], explorer: Explorer) -> Story:
        """Read what `save` wrote, for an explorer of the same program. Nothing in the file is executed.

        Parameters
        ----------
        path
            The file.
        explorer
            The explorer that will show the scenes.

        Returns
        -------
        Story
            The story.

        Raises
        ------
        NotAStory
            If the file is not a story.

        Examples
        --------
        >>> story = exir_viz.types.Story(exir_viz.types.Explorer(snapshot))
        >>> story.add("All of it.")
        >>> path = story.save(folder / "story.json")
        >>> exir_viz.types.Story.load(path, exir_viz.types.Explorer(snapshot)).scenes == story.scenes
        True
        """
        file = path_of("load", path)
        try:
            record = json.loads(file.read_bytes())
            scenes = msgspec.convert(record["scenes"], list[Scene])
            title = str(record.get("title", ""))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise NotAStory(f"{file.name!r} is not a story: {problem}.") from problem
        story = cls(explorer, title=title)
        story._scenes = scenes
        story._show_caption()
        return story

    def __str__(self) -> str:
        head = self._title or self._explorer.title
        lines = [head, *(f"  {at}. {one.caption}" for at, one in enumerate(self._scenes, 1))]
        return printable("\n".join(lines))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data["text/plain"] = str(self)
        return bundle


def _button(label: str, tooltip: str, act: Any) -> ipywidgets.Button:
    button = ipywidgets.Button(description=label, tooltip=tooltip, layout={"width": "auto"})
    button.on_click(lambda _button: act())
    return button
