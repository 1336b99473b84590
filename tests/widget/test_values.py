"""Values and costs of compared programs for a page: known, compared when it asks, stopped, refused."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.compare.measurements import Measured
from exir_viz.compare.values.records import ValuesRecord
from exir_viz.errors import ExirVizError
from exir_viz.pages.page_data import packed_json
from exir_viz.stages.live import NotPossible
from exir_viz.widget.diff_explorer import DiffExplorer
from exir_viz.widget.explorer import Explorer
from tests.pages.test_compared import carried
from tests.stages.modules import small

from .test_stages import Recorded


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(*small())
    session.root.decompose("core")
    return session


@pytest.fixture
def explorer(session: Session) -> Iterator[Recorded]:
    explorer = Recorded(session)
    yield explorer
    explorer.close()


def known(explorer: Recorded, session: Session) -> Measured:
    a, b = session.stages
    _, (found,) = explorer.ask("measured", a=a.id, b=b.id)
    return msgspec.json.decode(zlib.decompress(found), type=Measured)


def test_values_of_two_stages_are_compared_when_a_page_asks(explorer: Recorded, session: Session) -> None:
    a, b = session.stages
    assert known(explorer, session) == Measured()
    answer, (packed,) = explorer.ask("values", a=a.id, b=b.id, options={"rtol": 0.5})
    assert answer["kind"] == "values"
    record = msgspec.json.decode(zlib.decompress(packed), type=ValuesRecord)
    assert record.rtol == 0.5
    assert record.rows
    assert known(explorer, session).values == record
    told = [content for content, _ in explorer.sent if content["kind"] == "progress"]
    assert told[0]["title"] == "compare values"
    assert "stage" not in told[-1]  # it is over


def test_costs_are_there_once_both_stages_are_profiled(explorer: Recorded, session: Session) -> None:
    a, b = session.stages
    explorer.show(exir_viz.profile(a, repeats=2))
    assert known(explorer, session).costs is None
    explorer.show(exir_viz.profile(b, repeats=2))
    costs = known(explorer, session).costs
    assert costs is not None
    assert costs.matches


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"options": {"rtol": -1}}, "rtol is -1. Expected: a number"),
        ({"options": {"atol": "little"}}, "atol is 'little'. Expected: a number"),
        ({"b": "nowhere"}, "nowhere"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(
    explorer: Recorded, session: Session, fields: dict[str, Any], why: str
) -> None:
    a, b = session.stages
    answer, _ = explorer.ask("values", **{"a": a.id, "b": b.id, **fields})
    assert answer["kind"] == "refused"
    assert why in answer["reason"]


def test_stop_ends_it_and_keeps_nothing(explorer: Recorded, session: Session) -> None:
    a, b = session.stages
    send = explorer.send

    def stopping(content: Any, buffers: Any = None) -> None:
        send(content, buffers)
        if content.get("title") == "compare values":
            explorer._receive(explorer, {"kind": "ask", "what": "stop", "from": "view"}, [])

    explorer.send = stopping  # type: ignore[method-assign]
    answer, _ = explorer.ask("values", a=a.id, b=b.id)
    assert (answer["kind"], answer["reason"]) == ("refused", "Stopped. Nothing has changed.")
    explorer.send = send  # type: ignore[method-assign]
    assert known(explorer, session) == Measured()


class Alone(DiffExplorer):
    """Keeps what it sends."""

    send = Recorded.send
    ask = Recorded.ask
    _answer_to = Recorded._answer_to

    def __init__(self, *args: Any, **options: Any) -> None:
        self.sent: list[tuple[Any, Any]] = []
        self.answered = threading.Condition()
        super().__init__(*args, **options)


def test_a_diff_of_live_programs_compares_values_too(session: Session) -> None:
    a, b = (stage.programs["forward"] for stage in session.stages)
    widget = Alone(exir_viz.diff(a, b))
    assert widget._why_not_run == ""
    answer, _ = widget.ask("values", options={})
    assert answer["kind"] == "values"
    assert widget.values is not None
    assert widget.values.agree


def test_a_diff_of_stages_has_costs_once_both_are_profiled(session: Session) -> None:
    widget = Alone(exir_viz.diff(*session.stages))
    for side, has_costs in (("a", False), ("b", True)):
        answer, _ = widget.ask("profile", stage=side, options={"repeats": 2})
        assert answer["kind"] == "profile"
        assert (widget.costs is not None) is has_costs
    _, (found,) = widget.ask("measured")
    assert msgspec.json.decode(zlib.decompress(found), type=Measured).costs == widget.costs
    told = [content for content, _ in widget.sent if content["kind"] == "progress" and "stage" in content]
    assert {content["title"] for content in told} == {"profile"}
    answer, _ = widget.ask("profile", stage="c", options={})
    assert answer["reason"] == "Unknown side 'c'. A diff has the sides a and b."


def test_a_diff_of_files_says_why_it_cannot(session: Session) -> None:
    widget = Alone(exir_viz.diff(*(stage.snapshot for stage in session.stages)))
    assert ".values()" in widget._why_not_run
    for what, fields in (("values", {}), ("profile", {"stage": "a"})):
        answer, _ = widget.ask(what, options={}, **fields)
        assert answer["reason"] == widget._why_not_run


def test_a_page_carries_what_was_measured(session: Session, tmp_path: Path) -> None:
    a, b = session.stages
    values = exir_viz.diff(a, b).values()
    costs = values.diff.costs(exir_viz.profile(a, repeats=2), exir_viz.profile(b, repeats=2))
    assert values.explore().values is values
    with_both = values.diff.to_html(tmp_path / "both.html", values=values, costs=costs).read_text()
    assert 'id="exirviz-diff-0-1-measured"' in with_both
    other = exir_viz.diff(b, a)
    with pytest.raises(ExirVizError, match="of another diff"):
        other.to_html(tmp_path / "other.html", values=values)


def test_a_page_of_columns_carries_what_was_measured_of_each_two(tmp_path: Path) -> None:
    session = Session(*small())
    first = session.root
    second = first.decompose("core")
    third = second.decompose("core")
    columns = [stage.id for stage in (first, second, third)]
    widget = Recorded(session)
    widget.ask("values", a=first.id, b=second.id, options={})
    for stage in (second, third):
        widget.show(exir_viz.profile(stage, repeats=2))
    of_explorer = carried(widget.to_html(tmp_path / "explorer.html", compare=columns).read_text())
    names = ("diff-0-1-measured", "diff-1-2-measured", "diff-0-2-measured")
    both, costs, none = (of_explorer.get(f"exirviz-{name}") for name in names)
    assert both is not None
    assert costs is not None
    assert none is None
    assert json.loads(zlib.decompress(both)).keys() == {"values"}
    assert json.loads(zlib.decompress(costs)).keys() == {"costs"}
    told = json.loads(zlib.decompress(of_explorer["exirviz-profiles"]))
    assert [stage for stage, _ in told] == [second.id, third.id]

    values = exir_viz.diff(first, second).values()
    profiles = [exir_viz.profile(stage, repeats=2) for stage in (second, third)]
    page = session.to_html(tmp_path / "page.html", compare=columns, values=[values], profiles=profiles)
    of_session = carried(page.read_text())
    assert of_session.keys() == of_explorer.keys()
    assert of_session["exirviz-diff-0-1-measured"] == packed_json(Measured(values=values.record))
    with pytest.raises(NotPossible, match="to no stage of this session"):
        session.to_html(page, profiles=[exir_viz.profile(torch.nn.ReLU(), torch.ones(2), repeats=2)])


def test_an_explorer_without_stages_writes_its_profile_too(session: Session, tmp_path: Path) -> None:
    profile = exir_viz.profile(session.root, repeats=2)
    widget = Explorer(session.root.snapshot)
    assert "exirviz-profiles" not in carried(widget.to_html(tmp_path / "a.html").read_text())
    widget.show(profile)
    page = widget.to_html(tmp_path / "b.html", title="its costs").read_text()
    assert "<title>its costs</title>" in page
    assert json.loads(zlib.decompress(carried(page)["exirviz-profiles"]))[0][0] == ""
