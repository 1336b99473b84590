"""Progress: a bar in a terminal, one output in a notebook, nothing elsewhere; removed at the end."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import IPython
import pytest

from exir_viz.measure.progress import Progress, reported
from exir_viz.progress_display import ProgressDisplay, Terminal, progress_display

HALF = Progress("Measuring", 5, 10, 2.0, 2.0)
EARLY = HALF._replace(elapsed=0.2)
DRAWN = (str(HALF), 0.5, 2.0)


class Screen(io.StringIO):
    """A terminal of one encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    encoding = property(lambda self: self._encoding)  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a notebook's cell was told to show, one after the other."""
    told: list[dict[str, str]] = []

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        told.append(data)
        return SimpleNamespace(update=lambda data, raw: told.append(data))

    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    return told


@pytest.mark.parametrize(
    ("encoding", "bar"), [("utf-8", "█" * 12 + "░" * 12), ("ascii", "#" * 12 + "-" * 12)]
)
def test_a_terminal_has_a_bar_and_then_nothing(encoding: str, bar: str) -> None:
    screen = Screen(encoding)
    showing = ProgressDisplay(Terminal(screen))
    showing(str(EARLY), 0.5, 0.2)
    assert screen.getvalue() == ""
    showing(*DRAWN)
    showing(*DRAWN)  # too soon after the last
    assert screen.getvalue() == f"\r{bar}  Measuring: 5 of 10, 2 s, about 2 s left\x1b[K"
    showing.close()
    assert screen.getvalue().endswith("\r\x1b[K")


def test_without_a_known_end_there_is_no_bar(outputs: list[dict[str, str]]) -> None:
    screen = Screen()
    Terminal(screen).draw("To edge", None)
    assert screen.getvalue() == "\rTo edge\x1b[K"
    with progress_display() as show:
        assert show is not None
        show("To edge", None, 2.0)
    assert "<progress aria-label" in outputs[0]["text/html"]


def test_a_narrow_terminal_keeps_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    screen = Screen()
    Terminal(screen).draw(str(HALF), 0.5)
    assert len(screen.getvalue().removeprefix("\r").removesuffix("\x1b[K")) == 29


def test_a_notebook_has_one_output_that_ends_empty(
    outputs: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with reported(None) as callback:
        callback(EARLY)
        assert outputs == []
        callback(HALF._replace(what="<b>"))
    drawn, last = outputs
    assert "value='0.500'" in drawn["text/html"]
    assert "&lt;b&gt;: 5 of 10" in drawn["text/html"]
    assert drawn["text/plain"] == "<b>: 5 of 10, 2 s, about 2 s left"
    assert set(last.values()) == {""}
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_takes_it_away_too(outputs: list[dict[str, str]]) -> None:
    with pytest.raises(KeyboardInterrupt), reported(None) as callback:  # noqa: PT012  what happens within
        callback(HALF)
        raise KeyboardInterrupt
    assert set(outputs[-1].values()) == {""}


def test_where_nobody_looks_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with reported(None) as callback:
        callback(HALF)
    assert capsys.readouterr() == ("", "")


def test_a_callback_of_ones_own_is_called_instead(outputs: list[dict[str, str]]) -> None:
    seen: list[Progress] = []
    with reported(seen.append) as callback:
        callback(HALF)
    assert seen == [HALF]
    assert outputs == []
