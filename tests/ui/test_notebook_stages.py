"""A session in a real Notebook 7: the same by clicks and keys, a file of it, and what Python knows of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from exir_viz import Session
from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.standalone import choose

from .test_jupyter_stages import BLOCK, EVAL, HERE, SELECTED, ask, begin, make, python

pytestmark = [pytest.mark.nightly, pytest.mark.parametrize("notebook", ["notebook"], indirect=True)]


def test_a_session_is_walked_through_in_notebook_7(notebook: Notebook) -> None:
    picture = notebook.page.locator(".exirviz-explorer")
    begin(notebook, BLOCK + EVAL)
    make(notebook, picture, "To edge", "Edge")
    make(notebook, picture, "To ExecuTorch", "ExecuTorch")
    # What is selected is followed through the stages by the keys.
    picture.locator(".exirviz-stage").first.click()
    picture.locator("input").first.fill("op:linear")
    notebook.page.keyboard.press("Enter")
    expect(picture.locator(SELECTED)).to_contain_text("linear")
    expect(picture.get_by_text(re.compile(r"^instruction \d"))).to_be_attached()
    picture.locator(HERE).focus()
    notebook.page.keyboard.press("ArrowRight")
    expect(picture.locator(HERE)).to_contain_text("edge")
    expect(picture.locator(SELECTED).filter(has_text="addmm")).to_have_count(1)
    # A file of it, and the end of a stage.
    choose(picture, "About this stage")
    about = picture.get_by_label("About edge").last
    about.locator("form", has_text="All stages").get_by_role("button", name="Save session").click()
    wrote = about.get_by_role("status").filter(has_text="Wrote")
    expect(wrote).to_have_count(1, timeout=PATIENCE)
    saved = Session.load(notebook.server.folder / "session.exirviz")
    assert [stage.name for stage in saved] == ["export", "edge", "executorch"]
    about.get_by_role("button", name="Delete 2 stages").click()
    expect(picture.locator(".exirviz-stage")).to_have_count(1, timeout=PATIENCE)
    expect(picture.locator(HERE)).to_contain_text("export")
    picture.get_by_role("button", name="Undo").click()
    expect(picture.locator(".exirviz-stage")).to_have_count(3, timeout=PATIENCE)
    expect(picture.get_by_role("button", name="Undo")).to_have_count(0)
    expect(picture.locator(HERE)).to_contain_text("executorch")
    picture.locator(HERE).focus()
    notebook.page.keyboard.press("ArrowLeft")
    expect(picture.locator(HERE)).to_contain_text("edge")
    choose(picture, "About this stage")
    picture.get_by_label("About edge").last.get_by_role("button", name="Delete 2 stages").click()
    expect(picture.locator(".exirviz-stage")).to_have_count(1, timeout=PATIENCE)
    assert python(notebook, 0) == "[('export', False)] export"
    assert not ask(picture, "To edge").get_by_role("button", name="To edge").is_disabled()
    assert notebook.problems_but_jupyters() == []
