"""nn_module_stack → scopes. Knows no torch: live programs and files share it.

Scopes are distinguished by key, not by path: the second call of a module has the same path as the first, and
the key "…dropout@1". An entry that names no module is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import Scope, ScopeNumber

# torch writes this where it makes a node (of sizes, of checks) from nothing that is in a module.
_NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"
_CALL = re.compile(r"@(\d{1,9})$")


class ScopeReader:
    """Entries (key, path, class), outermost first → number of the innermost scope."""

    def __init__(self, scopes: Interner[Scope]) -> None:
        self._scopes = scopes

    def __call__(self, entries: Iterable[tuple[str, str, str]]) -> int:
        parent = NONE
        for key, path, cls in entries:
            if key == _NO_MODULE:
                continue
            call = _CALL.search(key)
            parent = self._scopes[Scope(ScopeNumber(parent), key, path, cls, int(call[1]) if call else 0)]
        return parent
