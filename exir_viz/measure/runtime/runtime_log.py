"""What the ExecuTorch runtime logs: its errors are a number, and its log says why."""

from __future__ import annotations

import re
import tempfile
import weakref

from exir_viz.errors import as_clause

# "[op_mul.cpp:37] Check failed (tensors_have_same_dim_order(a, b, out)): ". Asking for the processor fails on
# any machine that is no phone, and the size of the thread pool is no error.
_LINE = re.compile(r"^\[(?!cpuinfo|threadpool\.cpp)([\w.]+:\d+)\] +(\S.*)$", re.MULTILINE)
_RESIZED = re.compile(r"resize a static tensor.*shape \(([\d, ]+)\).*received \(([\d, ]+)\)")
# What a line of the log means, for lines that do not say what to do.
_OTHER_ORDER = (
    "an op's tensors have their dimensions in different orders in memory, such as channels last, and its "
    "kernel takes one order only. Call .contiguous() on the tensor before it."
)
_OTHER_SCALE = (
    "XNNPACK cannot slice a quantized value whose scale or zero point differs from that of the result."
)
_MEANINGS = (
    (re.compile("different dim orders"), _OTHER_ORDER),
    (re.compile("create static slice node .*invalid_parameter"), _OTHER_SCALE),
)
_CHANNELS_LAST = (
    "the delegate has inputs in channels last, and no op that computes in it, such as a convolution: XNNPACK "
    "then mixes up the dimensions. Call .contiguous() on the tensor before it."
)
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
        """A reason with the first line about an error that was logged, which is nearest to the cause."""
        self.file.seek(0)
        found = _LINE.search(self.file.read(_MOST).decode("utf-8", "replace"))
        if found is None:
            return reason
        where, text = found.groups()
        text = text.rstrip(" :.")[:_LONGEST]
        meaning = _meaning(text)
        logged = f"{as_clause(reason)}. It logged: {text} ({where})"
        return f"{logged}. It means: {meaning}" if meaning else logged


def _meaning(text: str) -> str:
    """What a line of the log means for the program; "" if the line says it, or it is not known."""
    resized = _RESIZED.search(text)
    if resized is not None:
        built, now = ([int(size) for size in shape.split(", ")] for shape in resized.groups())
        return _CHANNELS_LAST if len(built) > 2 and now == [built[0], *built[2:], built[1]] else ""
    return next((meaning for line, meaning in _MEANINGS if line.search(text)), "")
