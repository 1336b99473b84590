"""Whose a line is: the same table is held against the front end's rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.records import Frame

TABLE: dict[str, list[str]] = json.loads(Path(__file__).with_name("frames.json").read_text())
MINE, TORCH, MADE = "model.py", "/v/site-packages/torch/nn/modules/linear.py", "<eval_with_key>.7"


@pytest.mark.parametrize("whose", TABLE)
def test_whose_a_file_is(whose: str) -> None:
    assert {file: is_users(file) for file in TABLE[whose]} == dict.fromkeys(TABLE[whose], whose == "users")


@pytest.mark.parametrize(
    ("files", "at"),
    [
        ([MINE, "block.py", TORCH], 1),
        ([TORCH, MINE, MADE, MADE], 1),
        ([TORCH, MADE], 1),  # nothing else leads there
        ([], None),
    ],
)
def test_the_innermost_of_the_users(files: list[str], at: int | None) -> None:
    frames = [Frame(file, line, "forward") for line, file in enumerate(files)]
    assert users_frame(frames) == (None if at is None else frames[at])
