"""Two texts in a terminal: however narrow, all of what changed is seen, and where in the line it changed."""

from __future__ import annotations

import re

import pytest

from exir_viz.cli.columns import side_by_side
from exir_viz.compare.records import TextCell, TextRow

LONG = "    softmax = torch.ops.aten.softmax.int(a_very_long_name_of_a_value, "
ROW = TextRow(
    "changed",
    TextCell(1, f"{LONG}-1);", marks=((len(LONG), len(LONG) + 2),)),
    TextCell(1, f"{LONG}11);", marks=((len(LONG), len(LONG) + 2),)),
)


def columns(rows: list[TextRow], width: int) -> tuple[str, str]:
    """What either column says, its lines as one; without the lines of marks."""
    lines = [line for line in side_by_side(rows, width, colored=False) if line.strip(" ^")]
    sides = [line[:width] for line in lines], [line[width + 3 :] for line in lines]
    return tuple("".join(part.strip() for part in side) for side in sides)


@pytest.mark.parametrize("width", [38, 60, 100])
def test_what_changed_is_broken_and_what_is_the_same_is_cut(width: int) -> None:
    squeezed = LONG.replace(" ", "")
    assert [side.replace(" ", "") for side in columns([ROW], width)] == [f"{squeezed}-1);", f"{squeezed}11);"]
    (same,) = side_by_side([TextRow("same", ROW.a, ROW.b)], width, colored=False)
    assert ("…" in same) == (width < len(LONG))
    assert max(map(len, side_by_side([ROW], width, colored=False))) <= 2 * width + 3


@pytest.mark.parametrize("width", [38, 60, 100])
def test_marks_stand_under_what_changed(width: int) -> None:
    lines = list(side_by_side([ROW], width, colored=False))
    at = next(number for number, line in enumerate(lines) if "^" in line)
    spans = [match.span() for match in re.finditer(r"\^+", lines[at])]
    assert [lines[at - 1][start:stop] for start, stop in spans] == ["-1", "11"]
    assert sum("~" in line for line in lines) == 1


def test_marks_are_colored_where_there_are_colours() -> None:
    text = "\n".join(side_by_side([ROW], 38, colored=True))
    assert re.findall(r"\x1b\[7;33m(.*?)\x1b\[0m", text) == ["-1", "11"]
    assert "^" not in text
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert plain.replace(" ", "").count("softmax=") == 2


def test_a_control_character_moves_no_mark() -> None:
    row = TextRow(
        "changed", TextCell(1, "a\x1bb 1", marks=((4, 5),)), TextCell(1, "a\x1bb 2", marks=((4, 5),))
    )
    line, under = side_by_side([row], 20, colored=False)
    assert line.index("1", line.index("b")) == under.index("^")
    assert "\x1b" not in line
