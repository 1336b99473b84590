"""What torch and ExecuTorch log and print while they work."""

from __future__ import annotations

import itertools
import logging
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from .features import Feature, Note, missing
from .replacing import is_replaced, replaced

if TYPE_CHECKING:
    from torch import fx

# Capture the warnings that torch and ExecuTorch log while a step runs, or while an export fails.
#
# Why: torch's loggers have their own handlers and do not propagate, so a root handler receives nothing. Every
# record of every logger passes through `logging.Logger.callHandlers`, which is replaced meanwhile.

LOG_CAPTURE: Final = Feature(
    name="log_capture",
    purpose="Show what torch and ExecuTorch log during a step as notices of its stage, "
    "and of a failed export with its error",
    without="Logged warnings are not among the notices of a stage, and those of a failed export are printed.",
    uses=("logging.Logger.callHandlers(self, record)",),
)
_CALL_HANDLERS: Final = "logging.Logger.callHandlers"


@contextmanager
def captured_logs(note: Note) -> Iterator[None]:
    """Pass records of warning level or higher that this thread logs to `note`; others are not changed.

    Modules of backends change the level and handlers of the root logger when they are imported: this is
    undone. What the user's own code changes, such as a pass, stays. Modules also give loggers of their own a
    level: records below the user's level are dropped.
    """
    if not LOG_CAPTURE.is_usable():
        yield
        return
    root = _OwnRoot(threading.get_ident())

    def noting(handle: Callable[..., Any]) -> Callable[..., Any]:
        def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                note(f"log:{record.name}", record.getMessage())
            elif record.levelno >= root.level or not _follows_root(logger):
                handle(logger, record)

        return call_handlers

    with replaced(_CALL_HANDLERS, noting), root.watched():
        yield


class _OwnRoot:
    """The root logger as the user's own code leaves it: changes of modules that are imported are undone."""

    def __init__(self, thread: int) -> None:
        self._root = logging.getLogger()
        self._thread = thread
        self.level = self._root.level
        self._added: list[logging.Handler] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note who changes the root logger until the block ends, then undo what imports changed."""
        root = self._root
        outer = set(_frames())
        before = dict(vars(root))  # of a capture around this one
        set_level, add_handler = root.setLevel, root.addHandler

        def level_set(level: int | str) -> None:
            set_level(level)
            if not self._is_import(outer):
                self.level = root.level

        def handler_added(handler: logging.Handler) -> None:
            is_new = handler not in root.handlers
            add_handler(handler)
            if is_new and self._is_import(outer):
                self._added.append(handler)

        root.setLevel, root.addHandler = level_set, handler_added  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            for name in ("setLevel", "addHandler"):
                delattr(root, name)
                if name in before:
                    setattr(root, name, before[name])
            if root.level != self.level:
                root.setLevel(self.level)
            for added in self._added:
                root.removeHandler(added)

    def _is_import(self, outer: set[FrameType]) -> bool:
        """Whether the caller is a module that is being imported since the block began."""
        if threading.get_ident() != self._thread:
            return False
        inner = itertools.takewhile(lambda frame: frame not in outer, _frames())
        return any(frame.f_code.co_filename.startswith("<frozen importlib") for frame in inner)


def _frames() -> Iterator[FrameType]:
    """The frames of this thread, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _follows_root(logger: logging.Logger) -> bool:
    """Whether the level of the root logger counts: no logger of the user has another one."""
    if logger.name.startswith("executorch."):
        return True
    while logger.parent is not None and logger.level == logging.NOTSET:
        logger = logger.parent
    return logger.parent is None


@contextmanager
def no_logs_of_a_failure() -> Iterator[None]:
    """Hold back what this thread logs until the block ends; if it fails, add that to the error as notes.

    Inside a step nothing is held back: the step has its own record.
    """
    if not LOG_CAPTURE.is_usable() or is_replaced(_CALL_HANDLERS):
        yield
        return
    kept: list[tuple[logging.Logger, logging.LogRecord]] = []

    def keeping(handle: Callable[..., Any]) -> Callable[..., Any]:
        def keep(logger: logging.Logger, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                kept.append((logger, record))
            else:
                handle(logger, record)

        return keep

    try:
        with replaced(_CALL_HANDLERS, keeping):
            yield
    except Exception as error:
        for _, record in kept:
            error.add_note(f"{record.name} logged: {record.getMessage()}")
        kept.clear()
        raise
    finally:
        for logger, record in kept:
            logger.callHandlers(record)


# Why a partitioner does not take a node: its log messages while it decides.
#
# Why: ExecuTorch has helpers to which a partitioner reports its reasons, node by node, and which write them
# to a debug log; Vulkan has its own. Their methods are replaced while the partitioner works. For
# partitioners that only log, a message that contains an op's name is the reason for that op.

# Module, class, method: each is called with a node and a reason.
_TELLERS: Final = (
    ("executorch.exir.backend.utils", "WhyNoPartition", "__call__"),
    ("executorch.exir.backend.utils", "WhyNoPartitionReporter", "report_reject"),
    ("executorch.backends.vulkan.partitioner.vulkan_partitioner", "VulkanSupportedOperators", "log_skip"),
)
_LONGEST: Final = 300

PARTITIONER_LOGS: Final = Feature(
    name="partitioner_logs",
    purpose="Say why a backend does not accept a call",
    without="Some findings do not say why a backend did not accept a call.",
    attributes=tuple(f"{module}.{cls}.{method}(self, node, reason)" for module, cls, method in _TELLERS),
)


class PartitionerLog:
    """What a partitioner logged: about nodes, and in general."""

    def __init__(self) -> None:
        self._of: dict[fx.Node, str] = {}
        self._lines: list[str] = []

    def note(self, node: fx.Node, reason: object) -> None:
        """Keep the first reason: it decided."""
        self._of.setdefault(node, str(reason)[:_LONGEST])

    def noting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The method of a partitioner to which it gives its reasons, which notes them."""

        def give_reason(owner: object, node: fx.Node, reason: Any) -> None:
            self.note(node, reason)
            original(owner, node, reason)

        return give_reason

    def note_line(self, line: str) -> None:
        self._lines.append(line[:_LONGEST])

    def of(self, node: fx.Node, op: str) -> str:
        """The reason for a node, or "". General messages count if none is about the node."""
        if self._of or not op:
            return self._of.get(node, "")
        return next((line for line in self._lines if op in line), "")


@contextmanager
def captured_partitioner_logs() -> Iterator[PartitionerLog]:
    """Capture what this thread's partitioner logs."""
    log = PartitionerLog()
    with ExitStack() as stack:
        for module, cls, method in _TELLERS:
            if module in sys.modules and _is_there(f"{module}.{cls}.{method}(self, node, reason)"):
                stack.enter_context(replaced(f"{module}.{cls}.{method}", log.noting))
        stack.enter_context(_logged(log))
        yield log


def _is_there(use: str) -> bool:
    reason = missing(use)
    if reason is not None:
        PARTITIONER_LOGS.left_out(reason)
    return reason is None


@contextmanager
def _logged(log: PartitionerLog) -> Iterator[None]:
    handler = _Handler(log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Handler(logging.Handler):
    def __init__(self, log: PartitionerLog) -> None:
        super().__init__(logging.INFO)
        self._log = log
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self._log.note_line(record.getMessage())


# Capture the output of programs that ExecuTorch starts: they do not write to Python's streams.
#
# Why: ExecuTorch makes its files with flatc. If flatc fails, the error only quotes the call; the reason is in
# flatc's output. ExecuTorch starts it with `subprocess.run`, which is replaced meanwhile.

SUBPROCESS_OUTPUT: Final = Feature(
    name="subprocess_output",
    purpose="Show what flatc writes as notices and as the reason why a step failed",
    without="What flatc writes goes to the terminal and is not among the notices of a stage.",
    uses=("subprocess.run(command, *, stdout, stderr, check)",),
    attributes=("executorch.exir._serialize._flatbuffer.subprocess.run",),
)
_GIVEN: Final = ("stdout", "stderr", "capture_output")

FinishedProcess = subprocess.CalledProcessError | subprocess.CompletedProcess[Any]


@contextmanager
def captured_programs(note: Note) -> Iterator[None]:
    """Pass the output of `subprocess.run` to `note`, for this thread's calls that do not capture it."""
    if not SUBPROCESS_OUTPUT.is_usable():
        yield
        return

    def capturing(run: Callable[..., Any]) -> Callable[..., Any]:
        def run_captured(*args: Any, **options: Any) -> Any:
            if any(options.get(name) for name in _GIVEN):
                return run(*args, **options)
            try:
                done = run(*args, **options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except subprocess.CalledProcessError as error:
                _note_lines(note, error)
                raise
            _note_lines(note, done)
            return done

        return run_captured

    with replaced("subprocess.run", capturing):
        yield


def program_of(ran: FinishedProcess) -> str:
    """The name of the program that ran."""
    call = ran.cmd if isinstance(ran, subprocess.CalledProcessError) else ran.args
    return Path(str(call[0] if isinstance(call, list | tuple) else call)).name


def written_by(ran: FinishedProcess) -> list[str]:
    """The lines of its output. A file in a temporary folder, gone by now, is named without the folder."""
    out = ran.stdout or b""
    text = out if isinstance(out, str) else out.decode(errors="replace")
    text = re.sub(rf"{re.escape(gettempdir())}[\\/](?:[^\s\\/]+[\\/])*", "", text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def _note_lines(note: Note, ran: FinishedProcess) -> None:
    for line in written_by(ran):
        note(program_of(ran), line)
