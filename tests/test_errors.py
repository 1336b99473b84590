"""Errors as a notebook's cell shows them: the user's lines and the message, without torch's way to it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from exir_viz.errors import FileError, NotWritten
from exir_viz.measure.cpu.describe import first_line

CELLS = '''
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.colors = "nocolor"
shell.run_cell("""
import torch, exir_viz

class Clip(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x.clamp(max=1)
        return x

def mine():
    exir_viz.load(Clip(), torch.randn(4))

mine()
""")
print("=== the cause")
shell.run_cell("import sys; raise sys.last_value.__cause__")
'''


def test_a_cell_shows_the_users_lines_and_the_message() -> None:
    """In a process of its own: a shell of IPython's changes the interpreter that it runs in."""
    ran = subprocess.run([sys.executable, "-c", CELLS], capture_output=True, text=True, check=True)
    shown, cause = ran.stdout.split("=== the cause")
    assert "ExportFailed: Cannot export Clip" in shown
    assert "in mine()" in shown
    assert "if x.sum() > 0:" in shown
    assert "exporting.py" not in shown
    assert "site-packages" not in shown
    assert "sys.last_value.__cause__" in shown.splitlines()[-1]
    assert "GuardOnDataDependentSymNode" in cause
    assert "exporting.py" in cause


EXPORTS = """
import torch, exir_viz

class Clip(torch.nn.Module):
    def forward(self, x):
        return x.clamp(max=1) if x.sum() > 0 else x

x = torch.randn(4)
for strict in (False, True):
    for run in (exir_viz.load, exir_viz.Session):
        try:
            run(Clip(), x, strict=strict)
        except exir_viz.errors.ExportFailed as error:
            notes = getattr(error.__cause__, "__notes__", [])
            print(strict, [note.partition(" logged: ")[0] for note in notes])
"""


def test_a_failed_export_prints_neither_graphs_nor_logs() -> None:
    """What torch logs is kept with the error, and is not on the console. A session notes it itself."""
    command = [sys.executable, "-W", "ignore", "-c", EXPORTS]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        "False ['torch.fx.experimental.symbolic_shapes']",
        *("False []", "True []", "True []"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        str(FileError("a.pt2", "unknown format.")),
        str(FileError("a.pt2", "unknown format.", hint="Save it again.")),
        str(NotWritten("a.html", "disk full.", "Free some space.")),
        f"It failed: {first_line(RuntimeError('no kernel.'))}.",
    ],
)
def test_a_reason_that_ends_with_a_full_stop_is_not_given_another(text: str) -> None:
    assert ".." not in text
    assert "." in text
