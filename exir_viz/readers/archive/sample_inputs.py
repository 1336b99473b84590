"""The sample inputs of a program, which are a pickle → where the user passed what. Nothing is executed.

The pytree spec of the inputs says how they are nested; the pickle is read along it. An input
of a user's class cannot be read without running its code: it is left out, with a notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.pickles import Built, Mapping, Name
from exir_viz.readers.archive.tensors import mapping_of, value_of
from exir_viz.snapshot.program import Tree
from exir_viz.snapshot.records import Literal, Value

_MISSING: Final = object()


def sample_leaves(tree: Tree, saved: object, unread: Callable[[str], None]) -> Iterator[Value | None]:
    """A value for each leaf of the tree, in order; None, and a call of `unread`, where it cannot be known."""
    if tree.type == "leaf":
        value = None if saved is _MISSING else value_of(saved)
        if value is None and saved is not _MISSING:
            unread(_class(saved))
        yield value
        return
    children = _children(tree, saved)
    if children is None and saved is not _MISSING:
        unread(_class(saved))
    for position, child in enumerate(tree.children):
        yield from sample_leaves(child, _MISSING if children is None else children[position], unread)


def count_leaves(tree: Tree) -> int:
    """Leaves of a tree, at most MAX_SAMPLES + 1 of them counted."""
    stack, count = [tree], 0
    while stack and count <= limits.MAX_SAMPLES:
        node = stack.pop()
        count += node.type == "leaf"
        stack += node.children
    return count


def _children(tree: Tree, saved: object) -> list[object] | None:
    """What the children of a container are, in the order of the tree; None where that cannot be known."""
    size = len(tree.children)
    if isinstance(saved, (list, tuple)):
        return list(saved) if len(saved) == size else None
    if isinstance(saved, Built) and saved.fn == Name("collections.deque"):
        return saved.items if len(saved.items) == size else None
    pairs = mapping_of(saved)
    if pairs is None and isinstance(saved, Built):
        if isinstance(saved.state, Mapping):
            pairs = saved.state.pairs
        elif (
            isinstance(saved.args, tuple) and len(saved.args) == size and not saved.items and not saved.pairs
        ):
            return list(saved.args)  # a named tuple is made of its fields
    if pairs is None or len(tree.keys) != size:
        return None
    # A key is read as a leaf is, which bounds its text.
    found = {_key(key): value for key, value in ((value_of(key), value) for key, value in pairs)}
    return [found.get(_key(key), _MISSING) for key in tree.keys]


def _key(key: Value | None) -> tuple[str, str]:
    return (key.type.value, key.text) if isinstance(key, Literal) else ("", "")


def _class(saved: object) -> str:
    """The class of something that is not read, by the name that the pickle has for it."""
    if isinstance(saved, Built) and isinstance(saved.fn, Name):
        return saved.fn.text
    return "a container" if isinstance(saved, (list, tuple, Mapping)) else type(saved).__name__
