"""A shortcut for the many decompositions of a test run: the one place where tests patch torch.

Whenever torch decomposes a program, it goes through the composite operators of all libraries once for each
library, in case one was registered since. That is the fixed price of every `run_decompositions` and every
lowering, however small the program: 76 times 2 ms, of 320 ms in all. Here it goes through them only when the
registered operators are others than the last time: 76 times 0.3 ms.

Without the patch every decomposition takes a tenth of a second longer: most tests lower a small program of
their own, which no cache of programs can spare them, and torch has no option for it. It changes no result:
torch's function does nothing when nothing was registered since. `tests/test_operator_lookup.py` checks that
new operators are found.
"""

from __future__ import annotations

from torch import _C
from torch._export import utils

_LOOKUP = "_materialize_cpp_cia_ops"
_KEY = "CompositeImplicitAutograd"


def look_up_new_operators_only() -> bool:
    """Shorten torch's lookup in this process; False where this torch does it another way."""
    look_up = getattr(utils, _LOOKUP, None)
    registered = getattr(_C, "_dispatch_get_registrations_for_dispatch_key", None)
    if look_up is None or registered is None:
        return False
    seen: list[str] = []

    def look_up_where_new() -> None:
        now = registered(_KEY)
        if now != seen:
            look_up()
            seen[:] = now

    if look_up.__name__ == _LOOKUP:
        setattr(utils, _LOOKUP, look_up_where_new)
    return True
