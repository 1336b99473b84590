"""Change the process in one thread at a time, and leave it as it was if that is interrupted.

Why: torch replaces parts of itself while it exports and decomposes: kernels of operators, methods of
`torch.nn.Module`, modes, whether gradients are computed. It restores them, but an interrupt can arrive just
before it begins to. Two threads that do this at the same time restore what the other one has replaced.
`exir_viz` replaces Python's streams and logging meanwhile. `undisturbed` runs such work.

An interrupt is raised only in the work, never in the code that restores:

- Ctrl-C runs `signalled` in the main thread. Outside of the work it only notes that the interrupt came. In
  the work it waits while a context manager is entered or left, or C++ asks Python (see `_DELICATE`).
- `interrupt` raises in the thread of the work, once: under a lock, and while `is_open`. It looks at the frame
  once and waits like Ctrl-C; Python raises in the frame that a thread waits in. At its end the work
  sets `is_open` to False, waits for the lock, and runs a loop. Python raises what is pending where a loop
  jumps back or a function is called, and the first such place after the work is in the `try` that catches it.
- Before the handler is set nothing has changed, and after it is reset everything is restored.

Python loses an interrupt that arrives in a `__del__`, and torch may catch it. Then `came` says so: to the
step, when it reports its next phase, and at the end of the work, whose result is discarded.
"""

from __future__ import annotations

import _thread
import ctypes
import gc
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final, TypeVar

from .features import Feature
from .replacing import depths, remove_deeper

PROCESS_STATE: Final = Feature(
    name="process_state",
    purpose="Leave torch unchanged when a step or an export is interrupted",
    without="If you stop a step, restart the kernel: torch's operators may be left changed.",
    uses=(
        "torch._export.utils._collect_all_valid_cia_ops()",
        "torch.ops.aten.reshape.default.py_kernels",
        "torch.ops.aten.reshape.default._dispatch_cache.clear()",
        "torch._subclasses.fake_impls.op_implementations_dict",
        "torch.utils._python_dispatch._get_current_dispatch_mode_stack()",
        "torch.utils._python_dispatch._push_mode(mode)",
        "torch.utils._python_dispatch._pop_mode()",
        "torch.overrides._get_current_function_mode_stack()",
        "torch.overrides._push_mode(mode)",
        "torch.overrides._pop_mode()",
        "torch._C._dispatch_tls_set_dispatch_key_included",
        "torch._C._dispatch_tls_set_dispatch_key_excluded",
        "torch._guards._TLS",
        "torch._ops._mode_stack_state_for_pre_dispatch",
        "torch._functorch.config.get_config_copy()",
    ),
)

T = TypeVar("T")
# Functions in which no interrupt is raised. What the first two restore would stay changed, and a `__del__`
# loses it. C++ calls the others, and for some operators it ends the process if they raise.
_DELICATE: Final = frozenset(
    {"__enter__", "__exit__", "__del__", "__torch_dispatch__", "find_torch_dispatch_rule"}
)
# Seconds until a postponed interrupt is tried again, and how often.
_AGAIN: Final = 0.005
_MOST: Final = 200
_ABSENT: Final = object()


class Interruption:
    """Whether the work that runs was interrupted, and a way to interrupt it."""

    def __init__(self) -> None:
        self.came = False
        # Whether the work runs, and an interrupt may be raised in it.
        self.is_open = False
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._is_sent = False
        self._postponed = 0

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the thread of the work, at its next bytecode; only once."""
        self.came = True
        if not self._send():
            _thread.start_new_thread(self._send_again, ())

    def _send(self) -> bool:
        """False if it is to be sent again: the thread is where it must not be interrupted."""
        with self._lock:
            if not self.is_open or self._is_sent:
                return True
            if self._postponed < _MOST and _is_delicate(_frame_of(self._thread)):
                self._postponed += 1
                return False
            self._is_sent = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt)
            )
            return True

    def _send_again(self) -> None:
        while not self._send():
            time.sleep(_AGAIN)

    def check(self) -> None:
        """Raise KeyboardInterrupt if an interrupt came."""
        if self.came:
            raise KeyboardInterrupt

    def run(self, work: Callable[[Interruption], T]) -> T:
        """Run the work; interrupts are raised in it, and nowhere after it."""
        try:
            self.is_open = True
            return work(self)
        except KeyboardInterrupt:
            self.came = True
            raise
        finally:
            self.is_open = False
            try:
                with self._lock:
                    pass
                for _ in range(2):
                    pass
            except KeyboardInterrupt:
                self.came = True

    def signalled(self, _number: int, frame: FrameType | None) -> None:
        """The handler of Ctrl-C."""
        self.came = True
        if not self.is_open:
            return
        if self._postponed < _MOST and _is_delicate(frame):
            self._postponed += 1
            _thread.start_new_thread(self._signal_again, ())
            return
        self._postponed = 0
        raise KeyboardInterrupt

    def _signal_again(self) -> None:
        time.sleep(_AGAIN)
        with self._lock:
            if self.is_open:
                signal.raise_signal(signal.SIGINT)


def _frame_of(thread: int) -> FrameType | None:
    """The innermost frame of a thread.

    On Python 3.11 a collection while frames are made can let that thread go on, and crash the process.
    """
    is_collecting = gc.isenabled()
    try:
        gc.disable()
        return sys._current_frames().get(thread)
    finally:
        if is_collecting:
            gc.enable()


def _is_delicate(frame: FrameType | None) -> bool:
    """Whether the work must not be interrupted in this frame: see `_DELICATE`."""
    while frame is not None and frame.f_code is not Interruption.run.__code__:
        if frame.f_code.co_name in _DELICATE:
            return True
        frame = frame.f_back
    return False


@dataclass(slots=True)
class _Turn:
    """Whose turn it is to change the process: the work that runs, and what is restored afterwards."""

    lock: Any = field(default_factory=threading.RLock)
    interruption: Interruption | None = None
    thread: int = 0
    before: _ProcessState | None = None


_turn = _Turn()


def undisturbed(work: Callable[[Interruption], T]) -> T:
    """Run the work while no other thread runs such work; if it is interrupted, restore the process.

    Raises KeyboardInterrupt if it was interrupted, also if the work caught that. Work within work belongs to
    the outer one.
    """
    with _turn.lock:
        if _turn.interruption is not None:
            return work(_turn.interruption)
        interruption = Interruption()
        is_main = threading.current_thread() is threading.main_thread()
        catches = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        try:
            if catches:
                signal.signal(signal.SIGINT, interruption.signalled)
            before = _ProcessState()
            _turn.interruption, _turn.thread, _turn.before = interruption, threading.get_ident(), before
            try:
                return interruption.run(work)
            finally:
                if interruption.came:
                    before.restore()
        finally:
            _turn.interruption = _turn.before = None
            if catches:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            # Also if the work caught it, or torch made another error of it.
            interruption.check()


def _after_fork() -> None:
    """In a child process: the thread of the work does not exist there, unless it made the child."""
    before = _turn.before
    if before is not None and _turn.thread != threading.get_ident():
        before.restore(of_thread=False)
        if _turn.interruption is not None:
            _turn.interruption.is_open = False
        _turn.lock, _turn.interruption, _turn.before = threading.RLock(), None, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _ProcessState:
    """What exir_viz and torch change in the process while they work."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._replaced = depths(self._thread)
        self._attributes = [(one, name, vars(one).get(name, _ABSENT)) for one, name in _attributes()]
        self._filters = list(warnings.filters)
        self._handlers = list(logging.getLogger().handlers)
        self._is_collecting = gc.isenabled()
        self._tracing = sys.gettrace(), sys.getprofile()
        self._torch = _TorchState() if PROCESS_STATE.available() is None else None

    def restore(self, *, of_thread: bool = True) -> None:
        """of_thread: also what each thread has of its own."""
        remove_deeper(self._thread, self._replaced)
        for one, name, value in self._attributes:
            if value is not _ABSENT:
                setattr(one, name, value)
            elif name in vars(one):
                delattr(one, name)
        if warnings.filters != self._filters:
            warnings.filters[:] = self._filters  # type: ignore[index]
            warnings._filters_mutated()  # type: ignore[attr-defined]
        logging.getLogger().handlers[:] = self._handlers
        (gc.enable if self._is_collecting else gc.disable)()
        if self._torch is not None:
            self._torch.restore(of_thread=of_thread)
        if of_thread:
            sys.settrace(self._tracing[0])
            sys.setprofile(self._tracing[1])


def _attributes() -> Iterator[tuple[Any, str]]:
    root = logging.getLogger()
    yield from ((sys, "stdout"), (sys, "stderr"))
    yield from ((warnings, "showwarning"), (warnings, "filters"), (warnings, "_showwarnmsg_impl"))
    yield from ((root, "level"), (root, "setLevel"), (root, "addHandler"))
    for module, names in _IN_TORCH.items():
        path, _, cls = module.partition(":")
        if path in sys.modules:
            one = sys.modules[path]
            yield from ((getattr(one, cls) if cls else one, name) for name in names)


# By the module, or its class, that has them: attributes that torch or exir_viz replaces.
_IN_TORCH: Final = {
    "torch.nn.modules.module:Module": ("__call__", "__getattr__"),
    "torch.fx._symbolic_trace": ("_is_fx_tracing_flag",),
    "torch.fx.traceback": (
        "current_meta",
        "current_replay_node",
        "should_preserve_node_meta",
        "_should_preserve_node_meta",
    ),
    "torch.compiler": ("_is_compiling_flag", "_is_exporting_flag"),
}
# torch's settings: an interrupted block leaves those that it sets.
_SETTINGS: Final = ("torch._dynamo.config", "torch._functorch.config", "torch.fx.experimental._config")


# Dispatch keys that torch includes or excludes while it traces.
_KEYS: Final = (
    "ADInplaceOrView",
    "AutogradFunctionality",
    "Functionalize",
    "PreDispatch",
    "Python",
    "PythonDispatcher",
    "PythonTLSSnapshot",
)


class _TorchState:
    def __init__(self) -> None:
        import torch
        from torch import _guards, _ops
        from torch._subclasses import fake_impls
        from torch.utils import _python_dispatch

        from .decompositions import composite_ops

        self._kernels = {op: dict(op.py_kernels) for op in composite_ops()}
        self._fake_rules = dict(fake_impls.op_implementations_dict)
        self._modes = _python_dispatch._get_current_dispatch_mode_stack()
        modes: Any = torch.overrides  # its functions have no types
        self._pre_dispatch_modes = _copied_lists(vars(_ops._mode_stack_state_for_pre_dispatch))
        self._function_modes = modes._get_current_function_mode_stack()
        self._has_gradients = torch.is_grad_enabled()
        self._dispatch_keys = _dispatch_keys()
        self._random = torch.get_rng_state()
        self._threads = torch.get_num_threads()
        self._settings = {name: _settings(name) for name in _SETTINGS}
        self._thread_local = dict(vars(_guards._TLS))

    def restore(self, *, of_thread: bool) -> None:
        import torch
        from torch._subclasses import fake_impls

        for op, kernels in self._kernels.items():
            if op.py_kernels != kernels:
                op.py_kernels.clear()
                op.py_kernels.update(kernels)
                op._dispatch_cache.clear()
        fake_impls.op_implementations_dict.clear()
        fake_impls.op_implementations_dict.update(self._fake_rules)
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        if of_thread:
            self._restore_thread()

    def _restore_thread(self) -> None:
        import torch
        from torch import _guards, _ops
        from torch.utils import _python_dispatch

        modes: Any = torch.overrides
        if modes._get_current_function_mode_stack() != self._function_modes:
            while modes._get_current_function_mode_stack():
                modes._pop_mode()
            for mode in self._function_modes:
                modes._push_mode(mode)
        if _python_dispatch._get_current_dispatch_mode_stack() != self._modes:
            while found := _python_dispatch._get_current_dispatch_mode_stack():
                _python_dispatch._pop_mode(getattr(found[-1], "_mode_key", None))
            for mode in self._modes:
                _python_dispatch._push_mode(mode)
        vars(_ops._mode_stack_state_for_pre_dispatch).update(_copied_lists(self._pre_dispatch_modes))
        for key, (included, excluded) in self._dispatch_keys.items():
            torch._C._dispatch_tls_set_dispatch_key_included(key, included)
            torch._C._dispatch_tls_set_dispatch_key_excluded(key, excluded)
        torch.set_grad_enabled(self._has_gradients)
        torch.set_rng_state(self._random)
        for name, settings in self._settings.items():
            for key, value in _settings(name).items():
                if key in settings and value != settings[key]:
                    setattr(sys.modules[name], key, settings[key])
        vars(_guards._TLS).clear()
        vars(_guards._TLS).update(self._thread_local)


def _copied_lists(values: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, list) else value for name, value in values.items()}


def _dispatch_keys() -> dict[Any, tuple[bool, bool]]:
    """Whether this thread includes and excludes the dispatch keys that tracing needs."""
    import torch

    return {
        key: (
            torch._C._dispatch_tls_is_dispatch_key_included(key),
            torch._C._dispatch_tls_is_dispatch_key_excluded(key),
        )
        for key in (getattr(torch._C.DispatchKey, name) for name in _KEYS)
    }


def _settings(name: str) -> dict[str, Any]:
    module: Any = sys.modules.get(name)
    return {} if module is None else module.get_config_copy()
