"""Modules and state that match under other names: no difference, but reported in a sentence.

Names that follow from a new module name are not repeated: if `body` is now `trunk`, `trunk.0` is not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from exir_viz.compare.align.pairing import Pairing
from exir_viz.compare.normalize.paired_methods import methods
from exir_viz.compare.normalize.side import scope_key
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.rollup import starred

from .counterpart_names import called

# More of them are counted, not named.
_MOST = 3
_WHOLE = "the whole model"


def other_names(a: Snapshot, b: Snapshot, pairing: Pairing) -> Iterator[str]:
    """A sentence on modules, and one on state; none if a side is emitted, which has no such names."""
    if a.is_pte or b.is_pte:
        return
    now = _modules(a, b, pairing)
    modules = ((old, new) for old, new in now.items() if new != _follows(old, now))
    yield from _sentences("module", "modules", modules)
    states = {
        old: new
        for ours, theirs in methods(a, b)
        for new, old in called(ours, theirs, pairing).states.items()
    }
    state = ((old, new) for old, new in states.items() if new != _follows(old, now))
    yield from _sentences("parameter or buffer", "parameters and buffers", state)


def _modules(a: Snapshot, b: Snapshot, pairing: Pairing) -> dict[str, str]:
    """By path in a: the path in b of its first matched call."""
    ours, theirs = pairing.scopes
    after = dict(zip(reversed(theirs), reversed([scope_key(scope)[1] for scope in b.scopes]), strict=True))
    found: dict[str, str] = {}
    for scope, number in zip(a.scopes, ours, strict=True):
        if number in after:
            found.setdefault(scope_key(scope)[1], after[number])
    return found


def _follows(name: str, now: dict[str, str]) -> str:
    """The names of nested modules if only the outer names changed."""
    outer = name
    while outer:
        outer = outer.rpartition(".")[0]
        if outer in now:
            return ".".join(filter(None, (now[outer], name.removeprefix(outer).removeprefix("."))))
    return name


def _sentences(one: str, several: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for old, new in pairs:
        alike.setdefault((starred(old), starred(new)), []).append((old, new))
    count = sum(map(len, alike.values()))
    if not count:
        return
    words = [_words(*found[0], len(found) - 1) for found in islice(alike.values(), _MOST)]
    left = len(alike) - len(words)
    words += [f"and {left:,} more"] if left else []
    matched = f"1 {one} is matched under another name"
    if count > 1:
        matched = f"{count:,} {several} are matched under other names"
    yield f"{matched}: {', '.join(words)}"


def _words(old: str, new: str, more: int) -> str:
    alike = f" (and {more:,} alike)" if more else ""
    return f"`{old or _WHOLE}` as `{new or _WHOLE}`{alike}"
