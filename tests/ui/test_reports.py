"""The tab of reports in a page without a kernel: the list, a report, its links and its colours."""

from __future__ import annotations

import re

import pytest
import torch
from playwright.sync_api import expect

import exir_viz
from exir_viz.pages import html as pages
from tests.reports.example import fails, ops, registered

from .standalone import Standalone

pytestmark = pytest.mark.browser


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x.relu() + x).sigmoid() + x


@pytest.fixture(scope="module")
def text() -> str:
    with registered(ops, fails):
        return pages.html(exir_viz.load(Net(), torch.ones(2)))


def test_reports_are_listed_with_their_outcomes_and_one_opens_below(
    standalone: Standalone, text: str
) -> None:
    page = standalone.open_text(text).page
    standalone.press("Shift+Digit4")
    listed = page.get_by_role("list", name="Reports")
    ops = listed.get_by_role("button", name=re.compile("^Ops"))
    expect(ops).to_contain_text("3 operators")
    expect(listed.get_by_role("button", name="Fails")).to_contain_text("The report failed: RuntimeError")
    expect(page.get_by_role("tab", name="Reports")).to_contain_text("2")
    assert "/home/ana" not in page.content()

    ops.click()
    report = page.get_by_role("article", name="Ops")
    expect(report).to_contain_text("Which operators there are.")
    report.get_by_role("button", name="add", exact=True).first.click()
    standalone.settle()
    assert standalone.ask("e.selectedNodes().map(node => e.snapshot.id(node))") == [
        "forward/add",
        "forward/add_1",
    ]

    listed.get_by_role("button", name="Fails").click()
    expect(page.get_by_role("article", name="Fails")).to_contain_text("no forward in net.py")
    listed.get_by_role("button", name="Fails").click()
    expect(page.get_by_role("article", name="Fails")).to_have_count(0)
    assert standalone.problems == []


def test_boxes_take_the_colours_of_a_report_and_a_link_to_them_works(
    standalone: Standalone, text: str
) -> None:
    page = standalone.open_text(text).page
    standalone.press("Shift+Digit4")
    page.get_by_role("list", name="Reports").get_by_role("button", name=re.compile("^Ops")).click()
    page.get_by_role("button", name="Color by ops").click()
    standalone.settle()
    expect(page.locator(".exirviz-legend")).to_contain_text("sigmoid")
    expect(page.get_by_label("Color", exact=True)).to_have_value("report:ops")

    link = standalone.ask("JSON.stringify(e.view())")
    again = standalone.open_text(text, f"#view={link}").page
    expect(again.locator(".exirviz-legend")).to_contain_text("sigmoid")
    expect(again.get_by_role("article", name="Ops")).to_contain_text("3 operators")
