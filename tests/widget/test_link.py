"""Two explorers that follow each other, without a page: what one side does is what the other is set to."""

from __future__ import annotations

from typing import Any

import ipywidgets
import msgspec
import pytest

from exir_viz.snapshot import Snapshot
from exir_viz.widget.explorer import Explorer
from tests.snapshot.sample import hostile, sample

FC = "forward:L__self__fc"
CAMERA = {"x": 1.0, "input": 2.0, "zoom": 0.5}


def view(*opened: str, selected: tuple[str, ...] = (), x: float = 1.0) -> dict[str, Any]:
    """A view as a page tells it."""
    return {
        "graph": "forward",
        "folded": True,
        "open": list(opened),
        "unrolled": [],
        "selected": list(selected),
        "camera": {**CAMERA, "x": x},
        "tab": "node",
    }


class Looking(Explorer):
    """An explorer that keeps where it was told to look."""

    def look(self, *keys: str) -> Explorer:
        self.looked = [*getattr(self, "looked", []), keys]
        return self


@pytest.fixture
def two() -> tuple[Explorer, Explorer]:
    return Explorer(sample()), Explorer(sample())


@pytest.fixture
def other() -> Snapshot:
    """Another program; what the two have in common is the output."""
    mine = {node.id for node in sample().method.graph}
    assert mine & {node.id for node in hostile().method.graph} == {"forward/output"}
    return hostile()


def test_a_selection_is_shared_both_ways_until_unlinked(two: tuple[Explorer, Explorer]) -> None:
    one, other = two
    link = one.link(other)
    one.select("x")
    assert other.selection == ["forward/x"]
    other.select("input", "add")
    assert one.selection == ["forward/input", "forward/add"]
    link.unlink()
    link.unlink()
    one.select("x")
    assert other.selection == ["forward/input", "forward/add"]


def test_the_second_takes_what_the_first_has(two: tuple[Explorer, Explorer]) -> None:
    one, other = two
    other.select("x")
    one.link(other)
    assert one.selection == ["forward/x"]


def test_of_another_program_what_it_has_is_selected_and_ours_stays(other: Snapshot) -> None:
    one, two = Explorer(sample()), Explorer(other)
    one.link(two)
    one.select("add", "output")
    assert two.selection == ["forward/output"]
    assert one.selection == ["forward/add", "forward/output"]
    two.selection = []
    assert one.selection == []


def test_ipywidgets_links_selections_too(two: tuple[Explorer, Explorer], other: Snapshot) -> None:
    one, same = two
    third = Explorer(other)
    ipywidgets.link((one, "selection"), (same, "selection"))
    ipywidgets.link((one, "selection"), (third, "selection"))
    one.select("add", "output")
    assert same.selection == ["forward/add", "forward/output"]
    assert third.selection == ["forward/output"]


def test_one_program_is_seen_at_one_place(two: tuple[Explorer, Explorer]) -> None:
    one, other = two
    one.view, other.view = view(FC), view(x=7, selected=("forward/x",)) | {"tab": "code"}
    one.link(other, selection=False, view=True)
    assert other.view == view(FC, selected=("forward/x",)) | {"tab": "code"}
    other.view = view(x=9)
    assert one.view["camera"]["x"] == 9
    assert one.view["open"] == []


def test_of_another_program_only_what_both_have_is_opened(other: Snapshot) -> None:
    one, two = Explorer(sample()), Looking(other)
    theirs = f"forward:{other.scopes[0].key}"
    one.view, two.view = view(), view(theirs, "forward#ours", x=7)
    one.link(two, view=True)
    one.view = view(FC, "forward#ours too", x=3)
    # It keeps what only it has, takes nothing that it lacks, and stays where it looks.
    assert two.view == view("forward#ours", theirs, x=7)
    two.view = view(x=7)
    assert one.view["open"] == ["forward#ours too", FC]
    assert not hasattr(two, "looked")


def test_what_was_opened_in_both_comes_into_view(two: tuple[Explorer, Explorer]) -> None:
    one, _ = two
    origin = msgspec.structs.replace(sample().origin, name="another")
    other = Looking(Snapshot(msgspec.structs.replace(sample().skeleton, origin=origin), sample().detail))
    one.view, other.view = view(), view(x=7)
    one.link(other, view=True)
    one.view = view(FC)
    assert (other.view["open"], other.view["camera"]["x"]) == ([FC], 7)
    assert other.looked == [(FC,)]


def test_a_view_that_comes_later_to_the_screen_joins_in(two: tuple[Explorer, Explorer]) -> None:
    one, other = two
    one.link(other, view=True)
    one.view = view(FC, x=5)
    assert other.view["camera"]["x"] == 5
    late = Looking(hostile())
    one.link(late, view=True)
    late.view = view("forward#ours", x=8)
    assert (one.view["camera"]["x"], one.view["open"]) == (5, [FC])
    assert late.view == view("forward#ours", x=8)


def test_an_explorer_is_not_linked_with_itself(two: tuple[Explorer, Explorer]) -> None:
    with pytest.raises(ValueError, match="pass another one"):
        two[0].link(two[0])
