"""What a worker of a sweep does: profile one program that came in bytes, and answer in bytes."""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

from exir_viz.errors import ExirVizError
from exir_viz.measure.files import encode

from .parcel import Parcel, unpack
from .results import Setting

# ("profile", a .exirprofile file) or ("error", why there is none)
Answer: TypeAlias = tuple[str, bytes | str]

# Threads of one worker disturb each other: torch has one number of threads, and loads one program at a time.
_ALONE = threading.Lock()


def measured(parcel: Parcel, setting: Setting, options: dict[str, Any]) -> Answer:
    """Profile a program; never raises, as an error of another process may be of a class that is not known."""
    from exir_viz.measure.live import profile

    try:
        with _ALONE:
            found = profile(
                unpack(parcel),
                method=parcel.method,
                threads=setting["threads"],
                symbols=setting["symbols"],
                progress=_ignore,
                **options,
            )
    except ExirVizError as error:
        return "error", str(error)
    except Exception as error:  # noqa: BLE001  whatever it is, it is this combination's
        return "error", f"{type(error).__name__}: {error}"
    return "profile", encode(found)


def _ignore(_: object) -> None:
    """Progress within a worker is nobody's to see."""
