"""What the ExecuTorch runtime logs: its errors are a number, and its log says why."""

from __future__ import annotations

import re
import tempfile
import weakref

# "[op_mul.cpp:37] Check failed (tensors_have_same_dim_order(a, b, out)): ". Asking for the processor fails on
# any machine that is no phone.
_LINE = re.compile(r"^\[(?!cpuinfo)([\w.]+:\d+)\] +(\S.*)$", re.MULTILINE)
_MOST = 1 << 20
_LONGEST = 200


class RuntimeLog:
    """The file that the process of the runtime has as stderr. Both processes share its position."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115  it stays open as long as this object
        weakref.finalize(self, self.file.close)

    def clear(self) -> None:
        """Forget what was logged for earlier requests."""
        self.file.seek(0)
        self.file.truncate()

    def explained(self, reason: str) -> str:
        """A reason with the first line that was logged, which is nearest to the cause."""
        self.file.seek(0)
        found = _LINE.search(self.file.read(_MOST).decode("utf-8", "replace"))
        if found is None:
            return reason
        where, text = found.groups()
        text = text.rstrip(" :.")[:_LONGEST]
        return f"{reason.rstrip('.')}. It logged: {text} ({where})"
