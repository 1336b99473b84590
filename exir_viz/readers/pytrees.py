"""Pytree specs as text → Tree, and from a Tree the paths a user would write: `batch["mask"][0]`.

Enters: what torch's `treespec_dumps` wrote, in a file or just now of a live program; knows no torch. The text
may be hostile: it is bounded, it is data, and a class that it names is only ever a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from exir_viz.readers.kept_data import json_text
from exir_viz.snapshot.arguments import literal_of, python_value
from exir_viz.snapshot.program import Tree
from exir_viz.snapshot.records import Literal, LiteralType

# A key-value cache of 80 layers writes 40 KB.
MAX_CHARS = 4 << 20
MAX_DEPTH = 100
# A path longer than this names nothing a person would write; it is cut short with an ellipsis.
MAX_PATH = 1000

_SHORT = {"builtins.tuple": "tuple", "builtins.list": "list", "builtins.dict": "dict"}
_MAPPINGS = frozenset({"dict", "collections.OrderedDict", "collections.defaultdict"})
_SEQUENCES = frozenset({"tuple", "list", "collections.deque"})
_NAMED_TUPLE = "collections.namedtuple"
_LEAF = Tree("leaf")


class _Spec(msgspec.Struct):
    """One node of torch's JSON: a leaf has no type, context or children."""

    type: str | None
    context: object
    children_spec: list[_Spec]


_decoder = msgspec.json.Decoder(tuple[int, _Spec])


def parse_treespec(text: str, fields: Mapping[str, Sequence[str]] | None = None) -> Tree:
    """Read a spec. `fields` names the fields of named tuples by class, where the program keeps them.

    Raises ValueError for what is no spec.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"the pytree spec has {len(text):,} characters, more than {MAX_CHARS:,}")
    try:
        version, spec = _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ValueError(f"it is not a pytree spec: {error}") from error
    if version != 1:
        raise ValueError(f"the pytree spec is of version {version}, and only version 1 is supported")
    return _tree(spec, fields or {}, MAX_DEPTH)


def _tree(spec: _Spec, fields: Mapping[str, Sequence[str]], depth: int) -> Tree:
    if spec.type is None:
        return _LEAF
    if depth == 0:
        raise ValueError(f"the pytree spec is nested deeper than {MAX_DEPTH} levels")
    children = tuple(_tree(child, fields, depth - 1) for child in spec.children_spec)
    kind = _SHORT.get(spec.type, spec.type)
    if kind == _NAMED_TUPLE:
        named = str(_loaded(spec.context))
        keys = tuple(literal_of(field) for field in fields.get(named, ()))
        return Tree(named, children, keys if len(keys) == len(children) else ())
    context = _loaded(spec.context)
    if kind in ("tuple", "list") and context is None:
        return Tree(kind, children)
    keys, rest = keys_of(kind, context, len(children))
    return Tree(kind, children, keys, None if rest is None else json_text(rest))


def _loaded(context: object) -> object:
    """Decode a context: torch writes most as JSON within JSON; other text is kept as it is."""
    if not isinstance(context, str):
        return context
    try:
        return msgspec.json.decode(context)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return context


def keys_of(kind: str, context: object, size: int) -> tuple[tuple[Literal, ...], object]:
    """The keys of the children, and the rest of the context."""
    if kind == "collections.defaultdict" and isinstance(context, dict):
        rest = {key: value for key, value in context.items() if key != "dict_context"}
        keys, other = keys_of("dict", context.get("dict_context"), size)
        return keys, rest if other is None else context
    if not isinstance(context, list):
        return (), context
    if len(context) == size and kind not in _SEQUENCES and not any(isinstance(key, list) for key in context):
        return tuple(map(_key, context)), None
    # torch.export.register_dataclass keeps [names of the children, names of the fields that are None]
    if len(context) == 2 and all(isinstance(part, list) for part in context) and len(context[0]) == size:
        return tuple(map(_key, context[0])), {"none": context[1]} if context[1] else None
    return (), context


def _key(key: object) -> Literal:
    if key is None or isinstance(key, (bool, int, float, str)):
        return literal_of(key)
    if isinstance(key, dict) and key.get("__enum__"):
        return Literal(LiteralType.STR, f"{str(key.get('fqn')).partition(':')[2]}.{key.get('name')}")
    return Literal(LiteralType.STR, json_text(key))


def user_paths(tree: Tree, names: Sequence[str] | None) -> tuple[str, ...]:
    """One path for each leaf, in order.

    With `names` (of the arguments; an empty sequence where they are not known) the tree is the spec of the
    inputs, (args, kwargs): the paths begin with the argument. Without, it is of the outputs: with "output".
    """
    if names is None:
        return tuple(_walk(tree, "output"))
    if tree.type != "tuple" or len(tree.children) != 2 or tree.children[1].type != "dict":
        return tuple(_walk(tree, "input"))
    args, kwargs = tree.children
    paths: list[str] = []
    for position, child in enumerate(args.children):
        paths += _walk(child, names[position] if position < len(names) else f"args[{position}]")
    for key, child in zip(kwargs.keys, kwargs.children, strict=False):
        paths += _walk(child, key.text)
    return tuple(paths)


def _walk(tree: Tree, path: str) -> Iterator[str]:
    if tree.type == "leaf":
        yield path if len(path) <= MAX_PATH else path[: MAX_PATH - 1] + "…"
        return
    prefix = path[: MAX_PATH + 1]  # what is too long stays too long, and no longer
    for position, child in enumerate(tree.children):
        yield from _walk(child, prefix + _step(tree, position))


def _step(tree: Tree, position: int) -> str:
    if position >= len(tree.keys):
        return f"[{position}]"
    key = tree.keys[position]
    if tree.type not in _MAPPINGS and key.text.isidentifier():
        return f".{key.text}"
    if key.type is LiteralType.STR:
        return f"[{json.dumps(key.text, ensure_ascii=False)}]"
    return f"[{python_value(key)!r}]"
