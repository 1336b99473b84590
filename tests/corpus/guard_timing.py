"""A torch that does not measure how long its guards take.

Whenever TorchDynamo has compiled a function, torch runs the guards once to log their time, and empties the
cache of the processor before: 20 ms, a tenth of the time of the tests of `exir_viz.doctor`.
"""

from __future__ import annotations

import sys

_MEASURE = "profile_guard_manager"


def measure_no_guards() -> bool:
    """Skip the measurement in this process; False where this torch does it another way."""
    try:
        from torch._C._dynamo import guards
    except ImportError:
        return False
    modules = [one for one in (guards, sys.modules.get("torch._dynamo.guards")) if hasattr(one, _MEASURE)]
    for module in modules:
        setattr(module, _MEASURE, lambda *_: 0.0)
    return bool(modules)
