"""The worker of a sweep: profile one program from bytes, and answer in bytes.

Programs that cannot be sent are measured in the sweep's own process.
"""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

import msgspec

from exir_viz.errors import ExirVizError, MeasureError
from exir_viz.measure.files import encode
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Remark

from .packed_program import NotSent, PackedProgram, unpack
from .results import Setting

# A Profile, as a .exirprofile file if it is sent; or an error.
Answer: TypeAlias = Profile | bytes | str

# Threads of one worker disturb each other: torch has one thread count, and loads one program at a time.
_ALONE = threading.Lock()


def measured(packed: PackedProgram, setting: Setting, options: dict[str, Any]) -> Answer:
    """Profile a program; never raises, because the class of another process's error may be unknown here."""
    try:
        with _ALONE:
            return encode(_profile(unpack(packed), packed.method, setting, options))
    except MeasureError as error:
        return error.reason  # without the words on its profile, which is not sent
    except ExirVizError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  whatever it is, it is this combination's
        return f"{type(error).__name__}: {error}"


def measured_here(
    x: Any, why: NotSent, method: str | None, setting: Setting, options: dict[str, Any]
) -> Answer:
    """Profile a program that cannot be sent, with a remark; an interrupt ends the sweep."""
    found = _profile(x, method, setting, options)
    if not found.complete:
        raise KeyboardInterrupt
    remarks = (*found.remarks, Remark("here", f"It had no process of its own. {why.reason}"))
    return Profile(msgspec.structs.replace(found.record, remarks=remarks), found.snapshot)


def _profile(x: Any, method: str | None, setting: Setting, options: dict[str, Any]) -> Profile:
    from exir_viz.measure.live import profile

    given = {"threads": setting["threads"], "symbols": setting["symbols"], "progress": _ignore, **options}
    return profile(x, method=method, **given)


def _ignore(_: object) -> None:
    """Progress inside a worker is not shown."""
