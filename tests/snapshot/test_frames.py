"""Whose a line is: the same table is held against the front end's rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exir_viz.snapshot.frames import assigned_variable, is_graph_code, is_users, users_frame
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


def test_graph_code_and_what_it_assigns() -> None:
    assert is_graph_code("<eval_with_key>.7")
    assert not is_graph_code("<string>")
    lines = {
        "cos = torch.ops.aten.cos.default(x);  x = None": "cos",
        """add_1: "f32[s77 + 1, 3][3, 1]cpu" = torch.ops.aten.add.Tensor(x, 1)""": "add_1",
        "    mul : torch.Tensor = torch.ops.aten.mul.Tensor(x, other = 2)": "mul",
        "return (cos,)": "",
        "assert x == 2": "",
        "x.shape = 3": "",
    }
    assert {line: assigned_variable(line) for line in lines} == lines
