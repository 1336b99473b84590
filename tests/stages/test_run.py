"""How steps run: alone, heard, watched, and stopped without a trace. Torch alone; no ExecuTorch."""

from __future__ import annotations

import io
import logging
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import pytest
import torch

from exir_viz import Session
from exir_viz.stages.live import NotPossible
from exir_viz.stages.notices import NoticeLog
from exir_viz.stages.output_capture import captured_output
from exir_viz.stages.step_runner import Runner, StepProgress, runner
from exir_viz.torch_internals.decompositions import composite_ops

from .modules import ops, small
from .unchanged import unchanged

_PATIENCE = 60


@pytest.fixture
def session() -> Session:
    module, x = small()
    return Session(module, x)


class Endless:
    """A pass that runs until it is interrupted, and says when it has begun."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def __call__(self, module: torch.fx.GraphModule) -> None:
        self.begun.set()
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            time.sleep(0.005)


@contextmanager
def in_thread(work: Callable[[], object]) -> Iterator[list[BaseException]]:
    """Run `work` in a worker thread, and wait for its end; what it raised is in the list."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # the interrupt is what the test is about
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield raised
    thread.join(_PATIENCE)
    assert not thread.is_alive()


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own answer to Ctrl-C: what is started in the background may be told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# -- interrupts -------------------------------------------------------------------------------------------


def test_a_step_in_a_thread_can_be_stopped(session: Session) -> None:
    before, endless = session.record(), Endless()
    with unchanged(session.root), in_thread(lambda: session.transform(endless)) as raised:
        assert endless.begun.wait(_PATIENCE)
        assert runner.running == "Transform"
        with pytest.raises(NotPossible, match="'Decompose' now: 'Transform' is running"):
            session.decompose()
        assert session.stop()
    assert [type(error) for error in raised] == [KeyboardInterrupt]
    assert session.record() == before
    assert runner.running == ""
    assert not session.stop()
    assert not session.decompose().failed


@pytest.mark.usefixtures("ctrl_c")
def test_a_step_in_the_main_thread_is_interrupted_by_a_signal(session: Session) -> None:
    before, endless = session.record(), Endless()
    main = threading.main_thread().ident

    def interrupt() -> None:
        endless.begun.wait(_PATIENCE)
        signal.pthread_kill(main, signal.SIGINT)

    with in_thread(interrupt), pytest.raises(KeyboardInterrupt):
        session.transform(endless)
    assert session.record() == before
    assert not session.decompose().failed


def test_an_interrupt_that_something_swallows_stops_the_step_all_the_same(session: Session) -> None:
    begun = threading.Event()

    def stubborn(module: torch.fx.GraphModule) -> None:
        begun.set()
        try:
            time.sleep(0.2)
            for _ in range(_PATIENCE * 100):
                time.sleep(0.01)
        except KeyboardInterrupt:
            return

    before = session.record()
    with in_thread(lambda: session.transform(stubborn)) as raised:
        assert begun.wait(_PATIENCE)
        assert session.stop()
    assert [type(error) for error in raised] == [KeyboardInterrupt]
    assert session.record() == before


def test_a_stop_that_is_lost_ends_the_step_at_its_next_phase(session: Session) -> None:
    """Python drops what is raised in a `__del__`; torch makes and drops weak references all the time."""
    ran: list[str] = []

    def deaf(module: torch.fx.GraphModule) -> None:
        ran.append("deaf")
        with suppress(KeyboardInterrupt):
            assert session.stop()
            for _ in range(_PATIENCE * 100):
                time.sleep(0.01)
        assert session.stop()  # only the first one is raised
        ran.append("goes on")

    before = session.record()
    with pytest.raises(KeyboardInterrupt):
        session.root.do("transform", {"passes": [deaf, lambda module: ran.append("the next pass")]})
    assert ran == ["deaf", "goes on"]
    assert session.record() == before
    assert not session.decompose().failed


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_every_step_and_leaves_its_handler() -> None:
    for _ in range(100):
        with pytest.raises(KeyboardInterrupt):
            Runner().perform("a step", lambda _report: signal.raise_signal(signal.SIGINT))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # interrupts that are lost
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_stopping_a_decomposition_leaves_torch_unchanged(session: Session, share: float) -> None:
    """run_decompositions patches hundreds of kernels: stopped at any time, they must be back."""
    began = time.monotonic()
    expected = ops(session.root.decompose(["linear"]).snapshot)
    lasted = time.monotonic() - began
    kernels = {op: dict(op.py_kernels) for op in composite_ops()}
    with in_thread(lambda: session.root.decompose(["layer_norm"])):
        time.sleep(share * lasted)
        session.stop()
    assert {op: dict(op.py_kernels) for op in composite_ops()} == kernels
    assert ops(session.root.decompose(["linear"]).snapshot) == expected


# -- what is said -----------------------------------------------------------------------------------------


def say(module: torch.fx.GraphModule) -> None:
    for _ in range(3):
        warnings.warn("watch out", UserWarning, stacklevel=1)
        logging.getLogger("some.package").warning("a log of %s", "it")
    logging.getLogger("some.package").info("not worth a notice")


def test_warnings_and_logs_become_notices(
    session: Session, recwarn: pytest.WarningsRecorder, caplog: pytest.LogCaptureFixture
) -> None:
    warnings.simplefilter("always")
    caplog.clear()
    stage = session.transform(say)
    said = {notice.text: notice for notice in stage.step.notices}
    assert said["watch out"].code == "UserWarning"
    assert said["watch out"].count == 3
    assert said["a log of it"].count == 3
    assert "not worth a notice" not in said
    assert not [one for one in recwarn if str(one.message) == "watch out"]
    assert "a log of it" not in caplog.text
    logging.getLogger("some.package").warning("afterwards")
    assert "afterwards" in caplog.text


def test_what_another_thread_says_goes_where_it_went(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    heard, said = NoticeLog(), threading.Event()

    def other() -> None:
        print("from another thread")
        logging.getLogger("another").warning("logged by another thread")
        said.set()

    with captured_output(heard, streams=True), in_thread(other):
        print("from the step")
        print("progress 10%\rprogress 90%", end="", file=sys.stderr)
        assert said.wait(_PATIENCE)
    assert [(one.code, one.text) for one in heard.notices()] == [
        ("stdout", "from the step"),
        ("stderr", "progress 90%"),
    ]
    assert capsys.readouterr().out == "from another thread\n"
    assert "logged by another thread" in caplog.text


def test_a_notebooks_stream_is_reached_through_the_one_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutStream(io.StringIO):
        cell = ""

        def set_parent(self, cell: str) -> None:
            self.cell = cell

    stream = OutStream()
    monkeypatch.setattr(sys, "stdout", stream)
    with captured_output(NoticeLog(), streams=True):
        sys.stdout.set_parent("the cell that runs")  # type: ignore[attr-defined]
    assert stream.cell == "the cell that runs"
    assert sys.stdout is stream


def test_notices_are_bounded() -> None:
    heard = NoticeLog()
    for number in range(1000):
        heard.note("stdout", f"line {number} " + "x" * 10_000)
    notices = heard.notices()
    assert notices[-1].code == "more"
    assert sum(notice.count for notice in notices) == 1000
    assert sum(len(notice.text) for notice in notices) < 1_000_000


# -- what it is doing -------------------------------------------------------------------------------------


def test_progress_is_reported(session: Session) -> None:
    reports: list[StepProgress] = []
    session.root.do("decompose", {}, reports.append)
    texts = [report.text for report in reports]
    assert texts == [
        "copying the graph",
        "Decompose",
        "decomposing forward",
        "linking nodes",
        "reading the program",
    ]
    seconds = [report.seconds for report in reports]
    assert seconds == sorted(seconds)


def test_a_step_shows_its_progress_in_a_terminal(
    session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.decompose()
    assert capsys.readouterr().err == ""  # no one would see it
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr("exir_viz.progress_display._PATIENCE", 0.0)
    session.transform(lambda module: None)
    written = screen.getvalue()
    assert written.startswith("\rTransform: copying the graph, 0 s\x1b[K")
    assert written.endswith("\r\x1b[K")


def test_the_seconds_of_a_phase_are_counted_and_its_name_is_printable(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A phase can take minutes without a report."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    for name in ("progress_display._PATIENCE", "progress_display._PAUSE"):
        monkeypatch.setattr(f"exir_viz.{name}", 0.0)
    monkeypatch.setattr("exir_viz.stages.session._SECOND", 0.01)

    def waits(module: torch.fx.GraphModule) -> None:
        until = time.monotonic() + _PATIENCE
        while screen.getvalue().count("Op\\x1b[31m, 1 s") < 2 and time.monotonic() < until:
            time.sleep(0.01)

    waits.__name__ = "Op\x1b[31m"
    session.transform(waits)
    assert "\rTransform: Op\\x1b[31m, 0 s\x1b[K" in screen.getvalue()
    assert screen.getvalue().count("Op\\x1b[31m, 1 s") >= 2


AFTER_A_STOP = """
import sys, threading
from exir_viz.stages.step_runner import runner

def endless(_tell):
    threading.Timer(0.1, runner.stop).start()
    while True:
        pass

try:
    runner.perform("endless", endless)
except KeyboardInterrupt:
    print("stopped")
calls = []
sys.setprofile(lambda frame, event, arg: calls.append(event))
(lambda: None)()
sys.setprofile(None)
print(calls.count("call"))
"""


def test_a_stop_leaves_the_interpreter_unchanged() -> None:
    """A profiler set after it comes to an end: no interrupt is looked out for any more."""
    done = subprocess.run(
        [sys.executable, "-c", AFTER_A_STOP], capture_output=True, text=True, timeout=_PATIENCE, check=True
    )
    assert done.stdout.split() == ["stopped", "1"]


OF_A_BACKEND = """
import logging

root = logging.getLogger()
root.setLevel(logging.INFO)
root.addHandler(logging.NullHandler())
logging.getLogger("executorch.backends.acme").setLevel(logging.INFO)
"""


def test_importing_a_backend_leaves_the_root_logger(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules of backends set levels and add handlers when they are imported."""
    (tmp_path / "acme_backend.py").write_text(OF_A_BACKEND)
    monkeypatch.syspath_prepend(str(tmp_path))
    root, own = logging.getLogger(), logging.getLogger("user.own")
    of_backend = logging.getLogger("executorch.backends.acme")
    level, handlers, own_level = root.level, list(root.handlers), own.level
    root.setLevel(logging.WARNING)  # other tests may have left another level
    own.setLevel(logging.INFO)
    try:
        with captured_output(NoticeLog(), streams=True):
            with captured_output(NoticeLog(), streams=True):
                import_module("acme_backend")
            root.info("of the root")
            of_backend.info("of the backend")
            own.info("of the user")
        after = root.level, list(root.handlers)
    finally:
        root.setLevel(level)
        own.setLevel(own_level)
        of_backend.setLevel(logging.NOTSET)
        sys.modules.pop("acme_backend", None)
    assert after == (logging.WARNING, handlers)
    assert [one.getMessage() for one in caplog.records] == ["of the user"]


OF_A_PASS = """
import logging
from exir_viz.stages.notices import NoticeLog
from exir_viz.stages.output_capture import captured_output

root = logging.getLogger()
before = list(root.handlers)
own = logging.StreamHandler()
with captured_output(NoticeLog(), streams=True):
    root.setLevel(logging.INFO)
    root.addHandler(own)
    with captured_output(NoticeLog(), streams=True):
        root.info("logged in the block")
kept = root.level == logging.INFO and root.handlers == [*before, own]
root.removeHandler(own)
root.setLevel(logging.WARNING)
methods = {"setLevel", "addHandler"} & vars(root).keys()
"""


@pytest.mark.parametrize("is_imported", [False, True])
def test_what_a_pass_changes_of_the_root_logger_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_imported: bool
) -> None:
    """Also if the step runs in a module of the user that is being imported."""
    (tmp_path / "user_module.py").write_text(OF_A_PASS)
    monkeypatch.syspath_prepend(str(tmp_path))
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    names: dict[str, object] = {}
    try:
        if is_imported:
            names.update(vars(import_module("user_module")))
        else:
            exec(OF_A_PASS, names)
    finally:
        sys.modules.pop("user_module", None)
        root.setLevel(level)
        root.handlers[:] = handlers
    assert names["kept"]
    assert names["methods"] == set()
