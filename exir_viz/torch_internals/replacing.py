"""Functions of torch, ExecuTorch and Python that are replaced for a while, to hear what they are called with.

Each is listed in `REPLACED`, with the reason and why there is no public way. None is replaced to be faster.
`replaced` is the only place that sets and restores them. It affects only the thread that calls it, and it
restores the function after an exception and after an interrupt.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final

from .features import resolve


@dataclass(frozen=True)
class ReplacedFunction:
    """A function that exir_viz replaces. path: its dotted name.

    purpose: what that is for. no_other_way: why no public function, handler or subclass does it.
    """

    path: str
    purpose: str
    no_other_way: str


REPLACED: Final = tuple(
    ReplacedFunction(*row)
    for row in (
        (
            "torch.fx.experimental.symbolic_shapes.ShapeEnv._get_stack_summary",
            "The line of yours that called the function of torch that fixed a size",
            "Only while torch exports is the caller on the stack. torch notes a line of its own.",
        ),
        (
            "torch.fx.proxy.TracerBase._filter_traceback_frames",
            "For coverage: stack traces with functions that are not called `forward`",
            "The tracer has a switch, and no option of torch.export sets it.",
        ),
        (
            "torch.fx.experimental.symbolic_shapes.ShapeEnv._log_real_tensor_propagation",
            "The doctor: each place where an export needs the value of a tensor",
            "torch's log of these places has no lines of helper functions.",
        ),
        (
            "torch.fx.experimental.symbolic_shapes.ShapeEnv.guard_or_defer_runtime_assert",
            "The doctor: later lines that need the same value",
            "torch remembers the first answer, and does not report the others.",
        ),
        (
            "torch._subclasses.fake_tensor.inferred_fake_kernel_from_real_out",
            "The doctor: each operator without a fake kernel",
            "torch's log of these operators has no lines of helper functions.",
        ),
        (
            "executorch.exir.backend.utils.WhyNoPartition.__call__",
            "Why a backend does not take a node",
            "It writes to a debug log of the backend's own, which is off and names the node only as text.",
        ),
        (
            "executorch.exir.backend.utils.WhyNoPartitionReporter.report_reject",
            "Why a backend does not take a node",
            "The reporter is a local variable of the partitioner.",
        ),
        (
            "executorch.backends.vulkan.partitioner.vulkan_partitioner.VulkanSupportedOperators.log_skip",
            "Why Vulkan does not take a node",
            "It writes to a log that names the node only as text.",
        ),
        (
            "logging.Logger.callHandlers",
            "Notices: what torch and ExecuTorch log during a step",
            "torch's loggers have their own handlers and do not propagate; a handler cannot keep them quiet.",
        ),
        (
            "warnings.showwarning",
            "Notices: the warnings of a step",
            "Python has no other way to pass on the warnings of other threads.",
        ),
        (
            "subprocess.run",
            "Notices: what flatc writes, which is the reason if it fails",
            "ExecuTorch starts flatc itself, and its error only quotes the call.",
        ),
    )
)


@dataclass(eq=False)
class _StandIn:
    """The function in the place of another, and what each thread calls instead, innermost last."""

    owner: Any
    name: str
    original: FunctionType
    by_thread: dict[int, list[Callable[..., Any]]] = field(default_factory=dict)

    def put_in_place(self) -> None:
        original, by_thread = self.original, self.by_thread

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            own = by_thread.get(threading.get_ident())
            return (own[-1] if own else original)(*args, **kwargs)

        # torch looks for the user's line on the stack: this is a line of the file that has the original.
        code = inspect.unwrap(original).__code__
        stand_in.__code__ = stand_in.__code__.replace(
            co_filename=code.co_filename, co_firstlineno=code.co_firstlineno
        )
        setattr(self.owner, self.name, functools.wraps(original)(stand_in))

    def remove(self, thread: int, function: Callable[..., Any] | None) -> bool:
        """Remove what a thread calls, and restore the function if no thread replaces it: then True."""
        own = self.by_thread.get(thread, [])
        if function in own:
            own.remove(function)
        if not own:
            self.by_thread.pop(thread, None)
        if not self.by_thread:
            setattr(self.owner, self.name, self.original)
        return not self.by_thread


_lock: Final = threading.RLock()
_stand_ins: Final[dict[str, _StandIn]] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]


@contextmanager
def replaced(path: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """While the block runs, this thread calls `make(function)` in the place of the function at `path`."""
    thread = threading.get_ident()
    function = None
    try:
        with _lock:
            stand_in = _stand_ins.get(path) or _new_stand_in(path)
            own = stand_in.by_thread.setdefault(thread, [])
            function = make(own[-1] if own else stand_in.original)
            own.append(function)
        yield
    finally:
        with _lock:
            if path in _stand_ins and _stand_ins[path].remove(thread, function):
                del _stand_ins[path]


def is_replaced(path: str) -> bool:
    """Whether this thread calls something else in the place of a function."""
    return path in _stand_ins and threading.get_ident() in _stand_ins[path].by_thread


def depths(thread: int) -> dict[str, int]:
    """By path: how many functions a thread has put in the place of one."""
    return {path: len(one.by_thread[thread]) for path, one in _stand_ins.items() if thread in one.by_thread}


def remove_deeper(thread: int, before: dict[str, int]) -> None:
    """Remove what a thread has put in place since it had these depths: after an interrupt."""
    with _lock:
        for path, stand_in in list(_stand_ins.items()):
            for function in stand_in.by_thread.get(thread, [])[before.get(path, 0) :]:
                if stand_in.remove(thread, function):
                    del _stand_ins[path]


def _new_stand_in(path: str) -> _StandIn:
    assert any(one.path == path for one in REPLACED), f"{path} is not listed"
    owner_path, _, name = path.rpartition(".")
    owner = resolve(owner_path)
    stand_in = _stand_ins[path] = _StandIn(owner, name, getattr(owner, name))
    stand_in.put_in_place()
    return stand_in
