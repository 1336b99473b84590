"""Keeps two explorers in sync: the selection, and the viewport.

Nodes are paired by name, so the programs may differ: names that one side does not have are ignored there, and
each side keeps what only it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .explorer import Explorer

# The parts of a view: lists of keys; and the rest, if the programs are the same.
_LISTS = ("open", "unrolled")
_PLACE = ("graph", "folded", "camera")


class ExplorerLink:
    """Keeps two explorers in sync until `unlink()`. `selection` and `view` say what is synced."""

    def __init__(self, one: Explorer, other: Explorer, *, selection: bool = True, view: bool = False) -> None:
        if one is other:
            raise ValueError("An explorer cannot be linked with itself: pass another one.")
        self.selection = selection
        self.view = view
        self._is_same = one.snapshot is other.snapshot or one.snapshot.skeleton == other.snapshot.skeleton
        self._is_busy = False
        self._offs: list[Callable[[], None]] = []
        self._watch(one, other)
        self._watch(other, one)
        with self._alone():
            # The second takes the first one's state; if that is empty, the reverse.
            first, second = (one, other) if one.selection or one.view else (other, one)
            self._share(first, second, {})

    def unlink(self) -> None:
        """Stop the sync. Each explorer keeps what it shows. A second call does nothing."""
        for off in self._offs:
            off()
        self._offs.clear()

    def _watch(self, source: Explorer, target: Explorer) -> None:
        def changed(change: Mapping[str, object]) -> None:
            if self._is_busy:
                return
            old = change["old"] if isinstance(change["old"], dict) else {}
            with self._alone():
                if change["name"] == "selection":
                    self._share_selection(source, target)
                elif not old and target.view:
                    self._share_view(target, source, {})  # a view that opens later joins
                else:
                    self._share_view(source, target, old)

        names = [name for name in ("selection", "view") if getattr(self, name)]
        if names:
            source.observe(changed, names)
            self._offs.append(lambda: source.unobserve(changed, names))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Ignore changes that this link makes itself."""
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False

    def _share(self, source: Explorer, target: Explorer, old: Mapping[str, object]) -> None:
        if self.selection:
            self._share_selection(source, target)
        if self.view:
            self._share_view(source, target, old)

    def _share_selection(self, source: Explorer, target: Explorer) -> None:
        target.selection = list(source.selection)

    def _share_view(self, source: Explorer, target: Explorer, old: Mapping[str, object]) -> None:
        if not source.view or not (target.view or self._is_same):
            return
        view = dict(target.view) or {**source.view, "selected": []}
        for name in _LISTS:
            view[name] = self._merged(source, target, _keys(source.view, name), _keys(target.view, name))
        if self._is_same:
            view |= {name: source.view[name] for name in _PLACE if name in source.view}
        if self.selection:
            view["selected"] = [key for key in _keys(source.view, "selected") if self._has(target, key)]
        if view == target.view:
            return
        target.view = view
        changed = set(_keys(source.view, "open")) ^ set(_keys(old, "open"))
        here = sorted((key for key in changed if self._has(target, key)), key=len)
        if here and not self._is_same:
            target.look(*here)

    def _merged(
        self, source: Explorer, target: Explorer, wanted: Iterable[str], own: Iterable[str]
    ) -> list[str]:
        """The source's keys that both have, and those that only the target has."""
        shared = {key for key in wanted if self._has(target, key)}
        return sorted(shared | {key for key in own if not self._has(source, key)})

    def _has(self, explorer: Explorer, key: str) -> bool:
        """Groups without a module have equal names only in equal programs."""
        known = explorer.names.has_key(key)
        return self._is_same if known is None else known


def _keys(view: Mapping[str, object], name: str) -> list[str]:
    keys = view.get(name)
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
