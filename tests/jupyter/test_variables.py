"""The list of a kernel's programs: complete, cheap, and without a call of the user's code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import exir_viz
from exir_viz.jupyter import variables
from exir_viz.widget.diff_explorer import DiffExplorer
from exir_viz.widget.session_explorer import SessionExplorer
from tests.corpus.programs import exported


@pytest.fixture(scope="module")
def namespace() -> dict[str, object]:
    program = exported("dynamic_batch")
    session = exir_viz.Session(program)
    edge = session.edge()
    return {
        "program": program,
        "session": session,
        "edge": edge,
        "manager": edge.live.manager,
        "lowered": edge.backend("xnnpack").live.manager,
        "snapshot": exir_viz.load(program),
        "diff": exir_viz.diff(session.root, edge),
        "profile": exir_viz.profile(program, repeats=1),
        "number": 3,
        "_hidden": program,
    }


def rows(namespace: dict[str, object]) -> dict[str, dict[str, Any]]:
    bundle = variables.list_variables(namespace)._repr_mimebundle_()
    data = json.loads(json.dumps(bundle["application/json"]))
    return {row["name"]: row for row in data["variables"]}


def test_each_kind_is_listed_with_dialect_and_nodes(namespace: dict[str, object]) -> None:
    found = rows(namespace)
    assert {name: (row["kind"], row["dialect"], row["can_compare"]) for name, row in found.items()} == {
        "program": ("program", "aten.training", True),
        "session": ("session", "backend", True),
        "edge": ("stage", "edge", True),
        "manager": ("program", "edge", True),
        "lowered": ("program", "backend", True),
        "snapshot": ("snapshot", "aten.training", True),
        "diff": ("diff", "", False),
        "profile": ("profile", "aten.training", True),
    }
    assert found["program"]["nodes"] == found["snapshot"]["nodes"] == 13


def test_explorers_are_listed_with_their_sessions(namespace: dict[str, object]) -> None:
    """Their stages are there, too, when the page no longer shows them."""
    session = namespace["session"]
    assert isinstance(session, exir_viz.Session)
    named, shown = SessionExplorer(session), SessionExplorer(session)
    names: dict[str, object] = {"one": named, "_3": named, "_4": shown, "_": shown, "_5": session, "__": 3}
    assert {name: row["kind"] for name, row in rows(names).items()} == {"one": "session", "_4": "session"}
    again = variables.show(names, "_4")
    assert isinstance(again, SessionExplorer)
    assert again.session is session
    assert isinstance(variables.compare({**names, "a": session.root}, "a", "_4"), DiffExplorer)


def test_dialects_are_those_of_a_snapshot(namespace: dict[str, object]) -> None:
    found = rows(namespace)
    for name in ("program", "manager", "lowered"):
        assert found[name]["dialect"] == exir_viz.load(namespace[name]).method.dialect.value


class Trap:
    """Whatever is asked of it raises."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise AssertionError("asked for its class")

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"asked for {name}")


class TrapType(type):
    def __getattribute__(cls, name: str) -> object:
        raise AssertionError(f"its class was asked for {name}")


def test_nothing_of_the_user_runs() -> None:
    trap_class = TrapType("Trapped", (), {})
    assert rows({"trap": Trap(), "trapped": trap_class(), "cls": trap_class}) == {}


def test_a_long_list_is_cut(namespace: dict[str, object]) -> None:
    many = {f"v{i}": namespace["snapshot"] for i in range(variables.MOST_ROWS + 7)}
    listed = variables.list_variables(many)
    assert (len(listed.variables), listed.left_out) == (variables.MOST_ROWS, 7)


def test_each_row_can_be_shown_and_two_compared(namespace: dict[str, object]) -> None:
    found = rows(namespace)
    for name in found:
        assert variables.show(namespace, name) is not None
    assert isinstance(variables.show(namespace, "session"), SessionExplorer)
    assert isinstance(variables.show(namespace, "diff"), DiffExplorer)
    compared = variables.compare(namespace, "program", "session")
    assert isinstance(compared, DiffExplorer)
    assert "session" in str(compared.diff)


def test_listing_imports_no_torch() -> None:
    code = (
        "import sys; from exir_viz.jupyter.variables import list_variables; list_variables({'x': 1});"
        "print([name for name in ('torch', 'pandas', 'ipywidgets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
