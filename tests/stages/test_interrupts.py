"""An interrupt leaves the process as it was, wherever it arrives; so do threads that export at once."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch
from torch import overrides
from torch.utils import _python_dispatch

import exir_viz
from exir_viz import Session
from exir_viz.errors import StepFailed
from exir_viz.stages.step_runner import Runner, StepProgress, runner
from exir_viz.torch_internals.decompositions import composite_ops
from exir_viz.torch_internals.process_state import undisturbed

from .modules import small

_PATIENCE = 300
_SETTINGS = ("torch._dynamo.config", "torch._functorch.config", "torch.fx.experimental._config")


def process() -> dict[str, Any]:
    """What exir_viz and torch change in a process while they work."""
    root = logging.getLogger()
    keys = {name: getattr(torch._C.DispatchKey, name) for name in ("Python", "PreDispatch", "Functionalize")}
    return {
        "collector": gc.isenabled(),
        "threads": torch.get_num_threads(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "modes": _python_dispatch._get_current_dispatch_mode_stack(),
        "function modes": overrides._get_current_function_mode_stack(),
        "included keys": {
            name: torch._C._dispatch_tls_is_dispatch_key_included(key) for name, key in keys.items()
        },
        "excluded keys": {
            name: torch._C._dispatch_tls_is_dispatch_key_excluded(key) for name, key in keys.items()
        },
        "random numbers": torch.get_rng_state().tolist(),
        "tracing": torch.compiler.is_exporting(),
        "streams": (sys.stdout, sys.stderr),
        "warnings": (warnings.showwarning, list(warnings.filters)),
        "logs": (logging.Logger.callHandlers, root.level, list(root.handlers), sorted(vars(root))),
        "programs": subprocess.run,
        "Ctrl-C": signal.getsignal(signal.SIGINT),
        "calls": (torch.nn.Module.__call__, torch.nn.Module.__getattr__),
        "kernels": {op: dict(op.py_kernels) for op in composite_ops()},
        "settings": {name: sys.modules[name].get_config_copy() for name in _SETTINGS if name in sys.modules},
        "running": runner.running,
        "environment": dict(os.environ),
    }


def _enters_or_leaves(frame: FrameType) -> bool:
    """Whether a call belongs to a context manager: what is interrupted there is not restored."""
    code = frame.f_code
    return code.co_name in ("__enter__", "__exit__") or "contextlib" in code.co_filename


def _all(_frame: FrameType) -> bool:
    return True


class At:
    """Interrupts the work when it makes a call for the n-th time; -1: never, and only counts."""

    def __init__(
        self, number: int, wanted: Callable[[FrameType], bool], interrupt: Callable[[], Any]
    ) -> None:
        self.count = 0
        self.where = ""
        self._number, self._wanted, self._interrupt = number, wanted, interrupt

    def __call__(self, work: Callable[[], Any]) -> BaseException | None:
        sys.settrace(self._trace)
        try:
            work()
        except KeyboardInterrupt as error:
            return error
        finally:
            sys.settrace(None)
        return None

    def _trace(self, frame: FrameType, _event: str, _arg: object) -> None:
        if not self._wanted(frame):
            return
        self.count += 1
        if self.count == self._number:
            self.where = "".join(traceback.format_stack(frame, limit=2))
            self._interrupt()


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Python's own answer to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _verbs() -> dict[str, Callable[[], Any]]:
    module, x = small()
    session = Session(module, x)
    return {
        "capture": lambda: exir_viz.load(module, x),
        "decompose": lambda: session.root.decompose(["gelu"]),
        "profile": lambda: exir_viz.profile(session.root, repeats=1, warmup=1),
        "diff": lambda: exir_viz.diff(session.root, session.root),
    }


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # lost in a `__del__`
@pytest.mark.parametrize(
    ("verb", "wanted"),
    [
        *(
            (verb, wanted)
            for verb in ("capture", "decompose", "profile")
            for wanted in (_all, _enters_or_leaves)
            if (verb, wanted) != ("decompose", _all)
        ),
        ("diff", _all),
        pytest.param("decompose", _all, marks=pytest.mark.nightly),
    ],
)
def test_ctrl_c_anywhere_leaves_the_process_as_it_was(verb: str, wanted: Callable[[FrameType], bool]) -> None:
    work = _verbs()[verb]
    work()  # the first one fills caches
    counting = At(-1, wanted, lambda: None)
    counting(work)
    assert counting.count > 10
    before = process()
    places = random.Random(0)
    for _ in range(6):
        at = At(places.randrange(1, counting.count), wanted, lambda: signal.raise_signal(signal.SIGINT))
        error = at(work)  # kept: what it holds on to is not released and restored by that
        assert process() == before, at.where
        del error
    work()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("wanted", [_all, _enters_or_leaves])
def test_stopping_a_step_anywhere_leaves_the_process_as_it_was(wanted: Callable[[FrameType], bool]) -> None:
    module, x = small()
    counting = At(-1, wanted, lambda: None)
    counting(lambda: Session(module, x))
    before, places = process(), random.Random(1)
    for _ in range(12):
        at = At(places.randrange(1, counting.count), wanted, runner.stop)
        own: list[dict[str, Any]] = []
        errors: list[BaseException | None] = []

        def stopped(at: At = at, own: list[Any] = own, errors: list[Any] = errors) -> None:
            own.append(process())
            errors.append(at(lambda: Session(module, x)))
            own.append(process())

        thread = threading.Thread(target=stopped)
        thread.start()
        thread.join(_PATIENCE)
        assert not thread.is_alive()
        assert own[0] == own[1], at.where
        assert process() == before, at.where


def test_threads_that_export_restore_what_they_replaced() -> None:
    module, x = small()
    exir_viz.load(module, x)
    before = process()
    snapshots: list[object] = []
    threads = [threading.Thread(target=lambda: snapshots.append(exir_viz.load(module, x))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_PATIENCE)
    assert len(snapshots) == 3
    assert process() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_of_a_process_with_a_running_step_can_run_steps() -> None:
    own, begun, done = Runner(), threading.Event(), threading.Event()

    def step(_report: object) -> None:
        begun.set()
        done.wait(_PATIENCE)

    stderr = sys.stderr
    thread = threading.Thread(target=lambda: own.perform("a step", step))
    thread.start()
    assert begun.wait(_PATIENCE)
    assert sys.stderr is not stderr
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            is_restored = sys.stderr is stderr and own.running == ""
            signal.alarm(_PATIENCE)
            os._exit(own.perform("its own", lambda _report: 7 if is_restored else 1).value)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert own.running == "a step"
    done.set()
    thread.join(_PATIENCE)
    assert sys.stderr is stderr


@pytest.mark.parametrize("name", ["find_torch_dispatch_rule", "__torch_dispatch__", "__exit__"])
def test_an_interrupt_is_not_raised_where_torch_does_not_survive_it(name: str) -> None:
    """torch's C++ ends the process if some of the functions that it calls raise."""
    after: list[str] = []

    def delicate() -> None:
        signal.raise_signal(signal.SIGINT)
        after.append("returned")

    delicate.__code__ = delicate.__code__.replace(co_name=name)

    def work(_interruption: object) -> None:
        delicate()
        for _ in range(10**9):
            pass

    with pytest.raises(KeyboardInterrupt):
        undisturbed(work)
    assert after == ["returned"]


LOWERED = """
import hashlib

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower


def plain():
    torch.manual_seed(0)
    layers = torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Softmax(-1)
    shapes = ({0: torch.export.Dim.DYNAMIC},)
    program = torch.export.export(torch.nn.Sequential(*layers), (torch.ones(2, 8),), dynamic_shapes=shapes)
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    return hashlib.sha256(lowered.to_executorch().buffer).hexdigest()
"""


@pytest.mark.nightly
def test_torch_lowers_as_in_a_new_process_after_steps_that_end_badly() -> None:
    script = f"{LOWERED}\nprint(plain())"
    fresh = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    wanted = fresh.stdout.split()[-1]
    names: dict[str, Any] = {}
    exec(LOWERED, names)
    assert names["plain"]() == wanted

    module, x = small()
    session = Session(module, x)

    def fails(_module: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(StepFailed):
        session.root.transform(fails)
    assert names["plain"]() == wanted

    phases: list[str] = []
    session.do("export", "backend", {}, lambda progress: phases.append(progress.text))
    assert phases[0] != phases[-1]
    for phase in (phases[0], phases[-1]):
        for interrupt in (runner.stop, lambda: signal.raise_signal(signal.SIGINT)):

            def at_phase(progress: StepProgress, phase: str = phase, interrupt: Any = interrupt) -> None:
                if progress.text == phase:
                    interrupt()

            with pytest.raises(KeyboardInterrupt):
                session.do("export", "backend", {}, at_phase)
        assert names["plain"]() == wanted, phase
