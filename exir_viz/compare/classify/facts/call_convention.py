"""Changes in how a method is called: keywords, and the containers of inputs and outputs.

Enters: two methods; facts that only one of them has are not compared. The number of values is part of the
signature; here are their containers, and which are passed by keyword.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from exir_viz.compare.normalize.signatures import named_as
from exir_viz.compare.records import FactChange
from exir_viz.snapshot import Method
from exir_viz.snapshot.program import Tree
from exir_viz.snapshot.records import Literal, LiteralType

_MAPPINGS = frozenset(("dict", "collections.OrderedDict", "collections.defaultdict"))
_COUNTED = frozenset(("tuple", "list"))
_PLACE, _KEYWORD = "by place", "by keyword"


class _Argument(NamedTuple):
    """One argument: its name, or `args[0]` if only its position is known."""

    name: str
    passed: str
    tree: Tree


def calling_changes(a: Method, b: Method) -> Iterator[FactChange]:
    """Changes of the arguments that both take, then of the outputs."""
    ours, theirs = _arguments(a), _arguments(b)
    names = named_as([one.name for one in ours], [one.name for one in theirs])
    known = {one.name: one for one in ours}
    for name, after in zip(names, theirs, strict=True):
        before = known.get(name or "")
        if before is None:
            continue
        path = before.name if not before.name.startswith("args[") else after.name
        if before.passed != after.passed:
            yield _fact("input", path, before.passed, after.passed)
        yield from (_fact("input", *one) for one in _containers(path, before.tree, after.tree))
    if a.detail.out_spec is not None and b.detail.out_spec is not None:
        both = a.detail.out_spec, b.detail.out_spec
        yield from (_fact("output", *one) for one in _containers("", *both))


def _fact(topic: str, path: str, before: str, after: str) -> FactChange:
    what = f"{topic} `{path}`" if path else "what is handed back"
    return FactChange(topic, path, f"{what}: {before} → {after}", before, after)


def _arguments(method: Method) -> list[_Argument]:
    """In the order in which they are passed; none if the method does not say."""
    spec = method.detail.in_spec
    if spec is None or len(spec.children) != 2 or spec.children[1].type != "dict":
        return []
    signatures = (call.signature for call in method.detail.module_calls if not call.path)
    root = next((one for one in signatures if one is not None), None)
    names = root.arg_names or () if root is not None else ()
    args, kwargs = spec.children
    return [
        *(
            _Argument(names[at] if at < len(names) else f"args[{at}]", _PLACE, tree)
            for at, tree in enumerate(args.children)
        ),
        *(
            _Argument(key.text, _KEYWORD, tree)
            for key, tree in zip(kwargs.keys, kwargs.children, strict=False)
        ),
    ]


def _containers(path: str, a: Tree, b: Tree) -> Iterator[tuple[str, str, str]]:
    """Where two trees differ, outermost first: the path, and what each side has there."""
    if a.type != b.type:
        yield path, _words(a), _words(b)
    elif a.context != b.context and a.context is not None and b.context is not None:
        yield path, f"{_words(a)} {a.context}", f"{_words(b)} {b.context}"
    else:
        theirs = dict(_children(b))
        for step, child in _children(a):
            if step in theirs:
                yield from _containers(f"{path}{step}", child, theirs[step])


def _children(tree: Tree) -> Iterable[tuple[str, Tree]]:
    """By key for mappings, in any order, else by position."""
    if tree.type in _MAPPINGS and len(tree.keys) == len(tree.children):
        return zip(map(_key, tree.keys), tree.children, strict=True)
    return ((f"[{at}]", child) for at, child in enumerate(tree.children))


def _key(key: Literal) -> str:
    return f'["{key.text}"]' if key.type is LiteralType.STR else f"[{key.text}]"


def _words(tree: Tree) -> str:
    """ "list of 2", "one value", "OrderedDict"."""
    if tree.type == "leaf":
        return "one value"
    count = f" of {len(tree.children):,}" if tree.type in _COUNTED else ""
    return f"{tree.type.rpartition('.')[2]}{count}"
