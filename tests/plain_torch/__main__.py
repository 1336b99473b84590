"""python -m tests.plain_torch [NAME …]: lower larger models by a session and by its code, and compare.

Two Llamas on XNNPACK, one for sequences of any length and one with a static cache, and a quantized ResNet.
Prints the seconds of both sides, and what differs. Exit code 1 if anything does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.plain_torch.comparing import compared, lower
from tests.plain_torch.programs import LARGE


def main(names: list[str]) -> int:
    """Compare each of these models, all if there are none."""
    is_equal = True
    for name in names or LARGE:
        with tempfile.TemporaryDirectory() as folder:
            lower("session", Path(folder), [name])
            lower("plain", Path(folder), [name])
            for one in compared(Path(folder), [name]):
                is_equal = is_equal and not one.differences
                print(f"{name}, {one.way}: {one.by_session} by the session, {one.by_code} by its code")
                print("; ".join(one.differences) or "Equal at each stage, and the same .pte")
    return int(not is_equal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
