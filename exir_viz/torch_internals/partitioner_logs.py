"""Why a partitioner does not take a node: its log messages while it decides.

Why: ExecuTorch has helpers to which a partitioner reports its reasons, node by node, and which write them to
a debug log; Vulkan has its own. Their methods are replaced while the partitioner works. For partitioners that
only log, a message that contains an op's name is the reason for that op.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from .features import Feature, missing, resolve

if TYPE_CHECKING:
    from torch import fx

# Module, class, method: each is called with a node and a reason.
_TELLERS: Final = (
    ("executorch.exir.backend.utils", "WhyNoPartition", "__call__"),
    ("executorch.exir.backend.utils", "WhyNoPartitionReporter", "report_reject"),
    ("executorch.backends.vulkan.partitioner.vulkan_partitioner", "VulkanSupportedOperators", "log_skip"),
)
_LONGEST: Final = 300

FEATURE: Final = Feature(
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
                stack.enter_context(_tapped(resolve(f"{module}.{cls}"), method, log))
        stack.enter_context(_logged(log))
        yield log


def _is_there(use: str) -> bool:
    reason = missing(use)
    if reason is not None:
        FEATURE.left_out(reason)
    return reason is None


@contextmanager
def _tapped(cls: type, method: str, log: PartitionerLog) -> Iterator[None]:
    original: Callable[..., None] = getattr(cls, method)
    thread = threading.get_ident()

    def record_reason(self: object, node: fx.Node, reason: Any) -> None:
        if threading.get_ident() == thread:
            log.note(node, reason)
        original(self, node, reason)

    setattr(cls, method, record_reason)
    try:
        yield
    finally:
        setattr(cls, method, original)


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
