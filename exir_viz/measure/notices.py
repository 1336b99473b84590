"""Report features that a measurement lacks, because a private part of torch or ExecuTorch has changed, as
remarks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec

import msgspec

from exir_viz.torch_internals.features import collecting

from .profile import Profile
from .records import Remark

P = ParamSpec("P")


def with_notices(measure: Callable[P, Profile]) -> Callable[P, Profile]:
    """Wrap a function so that the notices of a call become remarks of the profile that it returns."""

    @functools.wraps(measure)
    def call(*args: P.args, **kwargs: P.kwargs) -> Profile:
        remarks: list[Remark] = []
        with collecting(lambda code, text: remarks.append(Remark(code, text))):
            found = measure(*args, **kwargs)
        if not remarks:
            return found
        record = msgspec.structs.replace(found.record, remarks=(*found.record.remarks, *remarks))
        return Profile(record, found.snapshot)

    return call
