"""Stories: what a scene keeps, how it is played in a notebook, and what the page carries."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

import exir_viz
from exir_viz.widget.explorer import Explorer
from exir_viz.widget.session_explorer import SessionExplorer
from exir_viz.widget.story import NoSuchScene, NotAStory, Story
from tests.snapshot.sample import sample

VIEW = {
    "graph": "forward",
    "folded": True,
    "open": [],
    "unrolled": [],
    "selected": [],
    "camera": {"x": 0, "y": 0, "zoom": 1},
}


@pytest.fixture
def explorer() -> Explorer:
    return Explorer(sample(), title="sample")


@pytest.fixture
def names(explorer: Explorer) -> list[str]:
    return [node.id for node in explorer.snapshot.method.graph][:2]


def carried(page: Path) -> list[dict[str, object]]:
    """The scenes in a page."""
    found = re.search(r'id="exirviz-story"[^>]*>([^<]+)<', page.read_text("utf-8"))
    assert found
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def test_a_scene_keeps_what_its_page_reported(explorer: Explorer, names: list[str]) -> None:
    explorer.view = VIEW
    explorer.selection = names[:1]
    story = Story(explorer)
    story.add("Here.")
    explorer.view = {**VIEW, "open": ["forward:fc1"]}
    [scene] = story.scenes
    assert (scene.caption, scene.view, scene.selection, scene.orders) == ("Here.", VIEW, (names[0],), ())


def test_before_it_is_displayed_a_scene_keeps_what_was_asked_for(explorer: Explorer) -> None:
    story = Story(explorer)
    explorer.open(depth=1)
    story.add("All of it.")
    explorer.search("op:*mm*")
    story.add("Products.")
    actions = [[order["action"] for order in scene.orders] for scene in story.scenes]
    assert actions == [["open"], ["open", "search"]]


def test_playing_shows_a_scene_as_it_was(explorer: Explorer, names: list[str]) -> None:
    story = Story(explorer)
    for name in names:
        explorer.view = {**VIEW, "query": name}
        explorer.selection = [name]
        story.add(name)
    story.play(0)
    assert (explorer.view["query"], explorer.selection, story.at) == (names[0], [names[0]], 0)
    assert (story._back.disabled, story._next.disabled) == (True, False)
    story._next.click()
    assert (explorer.view["query"], explorer.selection, story.at) == (names[1], [names[1]], 1)
    assert (story._back.disabled, story._next.disabled) == (False, True)
    assert "<b>2 of 2</b>" in story._caption.value


def test_a_scene_of_a_session_knows_its_stage() -> None:
    session = exir_viz.Session(sample())
    explorer = SessionExplorer(session)
    story = Story(explorer)
    story.add("The first stage.")
    assert story.scenes[0].stage == session.root.id
    story.play()
    assert explorer.stage is session.root


def test_the_button_adds_what_is_shown_under_the_written_caption(explorer: Explorer) -> None:
    story = Story(explorer)
    story._written.value = "Written <by hand>"
    story._add.click()
    story._add.click()
    assert [scene.caption for scene in story.scenes] == ["Written <by hand>", "Scene 2"]
    story.play(0)
    assert "Written &lt;by hand&gt;" in story._caption.value


def test_scenes_are_inserted_and_removed(explorer: Explorer) -> None:
    story = Story(explorer)
    for caption in ("a", "c"):
        story.add(caption)
    story.add("b", at=1)
    assert [scene.caption for scene in story.scenes] == ["a", "b", "c"]
    assert story.at == 1
    story.remove(0)
    assert [scene.caption for scene in story.scenes] == ["b", "c"]
    with pytest.raises(NoSuchScene, match=r"no scene 2\. It has 2, from 0 to 1"):
        story.play(2)


def test_of_two_equal_scenes_the_added_one_is_shown(explorer: Explorer) -> None:
    story = Story(explorer)
    for caption in ("same", "other", "same"):
        story.add(caption)
    assert story.at == 2
    assert "<b>3 of 3</b>" in story._caption.value


@pytest.mark.parametrize("at", [-1, 2])
def test_a_scene_is_not_inserted_where_there_is_none(at: int, explorer: Explorer) -> None:
    story = Story(explorer)
    story.add("a")
    with pytest.raises(NoSuchScene, match=rf"no scene {at}\."):
        story.add("b", at=at)


@pytest.mark.parametrize(
    ("removed", "caption", "selected"), [(0, "2 of 2", 2), (1, "2 of 2", 2), (2, "2 of 2", 1)]
)
def test_a_removed_scene_leaves_its_caption_with_what_is_shown(
    removed: int, caption: str, selected: int, explorer: Explorer
) -> None:
    names = [node.id for node in explorer.snapshot.method.graph][:3]
    story = Story(explorer)
    for name in names:
        explorer.selection = [name]
        story.add(name)
    if removed == 1:
        story.play(1)
    story.remove(removed)
    assert f"<b>{caption}</b> &nbsp; {names[selected]}" in story._caption.value
    assert explorer.selection == [names[selected]]


def test_a_page_carries_the_scenes_and_lists_captions_without_scripts(
    explorer: Explorer, tmp_path: Path
) -> None:
    story = Story(explorer, title="A walk")
    with pytest.raises(NoSuchScene, match=re.escape("story.add(caption)")):
        story.to_html(tmp_path / "empty.html")
    story.add("First </script> it is read.")
    story.add("Then it is drawn.")
    page = story.to_html(tmp_path / "story.html")
    assert [scene["caption"] for scene in carried(page)] == [scene.caption for scene in story.scenes]
    text = page.read_text("utf-8")
    assert "<title>A walk</title>" in text
    assert "<li>First &lt;/script&gt; it is read.</li><li>Then it is drawn.</li>" in text


def test_a_saved_story_comes_back(explorer: Explorer, tmp_path: Path) -> None:
    explorer.view = VIEW
    story = Story(explorer, title="A walk")
    story.add("Here.")
    path = story.save(tmp_path / "story.json")
    again = Story.load(path, Explorer(sample()))
    assert again.scenes == story.scenes
    assert str(again).startswith("A walk\n  1. Here.")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"scenes": [{"title": 1}]}', '{"scenes": 3}', "[" * 100_000]
)
def test_what_is_no_story_is_refused(text: str, explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    path.write_text(text)
    with pytest.raises(NotAStory, match=r"'story\.json' is not a story"):
        Story.load(path, explorer)


def test_a_terminal_gets_no_control_characters_of_a_story(explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    path.write_text('{"scenes": [], "title": "\\u001b[31m\\ud800"}')
    assert str(Story.load(path, explorer)) == r"\x1b[31m\ud800"


def test_a_saved_notebook_has_its_captions(explorer: Explorer) -> None:
    story = Story(explorer)
    story.add("Here.")
    assert story._repr_mimebundle_()["text/plain"] == "sample\n  1. Here."
