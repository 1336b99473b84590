"""Charts can be read: each word against the ground it stands on, in both themes, in the product's font."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
import pytest

import exir_viz
from exir_viz import figures
from exir_viz.figures.style import DARK, LIGHT, log_ticks
from exir_viz.measure.profile import Profile
from tests.corpus.programs import core, exported

WORDS, LINES = 4.5, 3.0
LEAST_PX = 9.5
# What stands under the words of plotly's <sub>, as a share of the size around it.
SUB = 0.7


@pytest.fixture(scope="module")
def profile() -> Profile:
    return exir_viz.profile(core("dynamic_batch"), repeats=2)


@pytest.fixture(scope="module")
def last() -> Any:
    from executorch.exir import to_edge

    return exir_viz.load(copy.deepcopy(to_edge(exported("dynamic_batch"))).to_executorch()).method


@pytest.fixture(params=[("plotly", LIGHT), ("plotly_dark", DARK)], ids=["light", "dark"])
def ground(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    template, theme = request.param
    monkeypatch.setattr(pio.templates, "default", template)
    return theme.ground


@pytest.fixture
def drawn(profile: Profile, last: Any, ground: str) -> list[go.Figure]:
    one = [figures.bars, figures.modules, figures.memory, figures.roofline]
    return [*(draw(profile) for draw in one), figures.stages([profile] * 7), figures.arenas(last)]


def contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG has it."""
    high, low = sorted(map(_luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _fonts(value: Any, ground: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Every font that is named, with the ground under it."""
    if isinstance(value, dict):
        own = value.get("bgcolor", ground)
        here = own if own.startswith("#") else ground
        for key, inner in value.items():
            if key.endswith("font"):
                yield inner, here
            else:
                yield from _fonts(inner, here)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _fonts(inner, ground)


def _laid(tint: str, part: float, ground: str) -> str:
    """A colour of which so much covers the ground."""
    pairs = zip(
        map(int, tint.split(",")[:3]), (int(ground[at : at + 2], 16) for at in (1, 3, 5)), strict=True
    )
    return "#" + "".join(f"{round(under + (over - under) * part):02x}" for over, under in pairs)


def test_the_arithmetic_can_fail() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#757575", DARK.ground) < WORDS


def test_words_stand_out_from_their_ground(drawn: list[go.Figure], ground: str) -> None:
    for figure in drawn:
        layout = figure.to_dict()["layout"]
        assert layout["paper_bgcolor"] == ground
        found = list(_fonts({key: value for key, value in layout.items() if key != "template"}, ground))
        assert "color" in layout["font"]
        for font, under in found:
            if "color" in font:
                assert contrast(font["color"], under) >= WORDS, (figure.layout.title.text, font, under)
            assert font.get("size", LEAST_PX) >= LEAST_PX
            assert "system-ui" in font.get("family", "system-ui")
        assert layout["title"]["font"]["size"] * SUB >= LEAST_PX
        # a ground of its own would be left behind where a host's theme takes the chart's
        assert layout["legend"]["bgcolor"] == layout["modebar"]["bgcolor"] == layout["plot_bgcolor"]
        template = figure.layout.template.layout
        assert (template.font.color, template.plot_bgcolor) == (None, None)


def test_words_in_boxes_stand_out_from_every_box(profile: Profile, ground: str) -> None:
    (flame,) = figures.modules(profile).data
    tints = [color.removeprefix("rgba(").removesuffix(")") for _, color in flame.marker.colorscale]
    pale, full = (float(tint.split(",")[3]) for tint in tints)
    boxes = [_laid(tints[0], pale + (full - pale) * step / 20, ground) for step in range(21)]
    assert all(contrast(flame.textfont.color, box) >= WORDS for box in boxes)
    # the hotter, the further from the ground, on a dark one too
    shown = [contrast(box, ground) for box in boxes]
    assert shown == sorted(shown)
    assert flame.textfont.size >= LEAST_PX


def test_marks_and_bars_are_seen(drawn: list[go.Figure], ground: str) -> None:
    bars, _, memory, _, stages, _ = drawn
    quartiles = next(trace for trace in bars.data if trace.type == "scatter")
    for color in (quartiles.marker.color, quartiles.error_x.color, memory.layout.annotations[0].arrowcolor):
        assert contrast(color, ground) >= LINES
    assert len({trace.marker.color for trace in stages.data}) == 7
    assert all(contrast(trace.marker.color, ground) > 1.8 for trace in stages.data)


def test_numbers_of_a_logarithmic_axis_are_all_of_one_size() -> None:
    assert log_ticks([0.3, 12]) == [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
    assert log_ticks([0, -1]) == []


def test_charts_of_an_explorer_take_the_hosts_colours_in_pairs() -> None:
    """Where a host has no theme of its own, ground and words fall back together."""
    rules = (Path(__file__).parents[2] / "labextension/src/hosts/charts.css").read_text("utf-8")
    assert "var(--jp-layout-color0, var(--vscode-editor-background, #ffffff))" in rules
    for color in ("fill", "stroke"):
        words = "var(--jp-content-font-color1, var(--vscode-editor-foreground, #1f2328))"
        assert f"{color}: {words} !important" in rules
