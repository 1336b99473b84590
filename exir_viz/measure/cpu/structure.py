"""Flatten a call's arguments to the leaves of a program; another structure is refused, as in torch.

Keys of a dict may come in any order; everything else must be as exported: containers, lengths, keys.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.snapshot.format import plural
from exir_viz.torch_internals.pytrees import pytree

from .check import unfit
from .describe import short_text
from .inputs import Place, argument_names, places


class _Part(NamedTuple):
    """A part of the arguments: its structure and its children."""

    spec: pytree.TreeSpec
    leaves: Sequence[Any]

    def children(self) -> list[_Part]:
        specs = self.spec.children()
        starts = accumulate((one.num_leaves for one in specs[:-1]), initial=0)
        return [
            _Part(one, self.leaves[at : at + one.num_leaves]) for one, at in zip(specs, starts, strict=False)
        ]


def flatten(program: ExportedProgram, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """A call's arguments as the program's leaves; raises MeasureError if their structure differs."""
    spec = program.call_spec.in_spec
    takes = places(program)
    is_known = spec is not None and spec.num_leaves == len(takes)
    if not is_known:  # a pass changed the inputs of the program
        return _counted(pytree.tree_leaves((tuple(args), dict(kwargs))), takes)
    positional, named = _Part(spec, takes).children()
    names = argument_names(program, len(positional.spec.children()))
    keywords = list(named.spec.context or ())
    _check_keywords(keywords, kwargs, names)
    if len(args) != len(names):
        raise MeasureError(_miscounted(len(args), names))
    wanted = [*positional.children(), *named.children()]
    given = [_given(one) for one in (*args, *(kwargs[name] for name in keywords))]
    pairs = zip((*names, *keywords), given, wanted, strict=True)
    return [leaf for name, one, other in pairs for leaf in _fitted(name, one, other)]


def examples(program: ExportedProgram) -> list[Any] | None:
    """The example inputs of the program, flat; None if it has none that fit."""
    kept = program.example_inputs
    if kept is None:
        return None
    args, kwargs = kept
    try:
        return flatten(program, args, kwargs)
    except MeasureError:  # a pass changed the inputs of the program: the examples belong to another program
        return None


def _counted(leaves: list[Any], takes: Sequence[Place]) -> list[Any]:
    if len(leaves) == len(takes):
        return leaves
    listed = _listed(place.path for place in takes)
    given = plural(len(leaves), "was", "were")
    raise MeasureError(f"The program takes {plural(len(takes), 'input')} ({listed}), and {given} given.")


def _check_keywords(takes: Sequence[str], given: Mapping[str, Any], positional: Sequence[str]) -> None:
    if set(takes) == set(given):
        return
    keywords_text = f"the keyword arguments {_listed(takes)}" if takes else "no keyword arguments"
    given_text = _listed(given) if given else "none"
    moved = [name for name in given if name in positional]
    hint = f" It takes {_listed(moved)} by position: inputs=({', '.join(positional)},)." if moved else ""
    raise MeasureError(f"The program takes {keywords_text}, and kwargs has {given_text}.{hint}")


def _miscounted(count: int, names: Sequence[str]) -> str:
    takes = f"{plural(len(names), 'argument')}"
    listed = f" ({', '.join(names)})" if names else ""
    call = f"inputs=({', '.join(names)}{',' if len(names) == 1 else ''})"
    were = "was" if count == 1 else "were"
    return (
        f"The program takes {takes} by position{listed}, and {count} {were} given. "
        f"Pass {call}. Pass one list as inputs=([…],), and arguments with names as kwargs={{…}}."
    )


def _given(value: Any) -> _Part:
    leaves, spec = pytree.tree_flatten(value)
    return _Part(spec, leaves)


def _fitted(path: str, given: _Part, wanted: _Part) -> list[Any]:
    """The given values in the order of the program's inputs."""
    if given.spec.is_leaf() and wanted.spec.is_leaf():
        return [*given.leaves]
    if not _is_alike(given.spec, wanted.spec):
        raise _unfit(path, given, wanted)
    by_step = dict(zip(_steps(given.spec), given.children(), strict=True))
    pairs = zip(_steps(wanted.spec), wanted.children(), strict=True)
    return [leaf for step, part in pairs for leaf in _fitted(path + step, by_step[step], part)]


def _unfit(path: str, given: _Part, wanted: _Part) -> MeasureError:
    ours, theirs = _written(given), _written(wanted)
    if ours == theirs:  # the class or its context differs
        ours, theirs = str(given.spec), str(wanted.spec)
    place = next((leaf for leaf in wanted.leaves if leaf.node.users), None)
    return unfit(f"The input {path} is {ours}, and the program takes {theirs}.", place, theirs, ours)


def _is_alike(one: pytree.TreeSpec, other: pytree.TreeSpec) -> bool:
    """Whether the outermost container is the same. torch.fx's dict and list count as Python's."""
    if one.is_leaf() or other.is_leaf():
        return False
    kinds = {_plain(one.type), _plain(other.type)}
    if kinds == {dict}:
        return set(one.context) == set(other.context)
    is_same = len(kinds) == 1 and one.num_children == other.num_children
    return is_same and bool(one.context == other.context)


def _plain(kind: Any) -> Any:
    for plain in (dict, list):
        if kind.__module__ == "torch.fx.immutable_collections" and issubclass(kind, plain):
            return plain
    return kind


def _steps(spec: pytree.TreeSpec) -> list[str]:
    """The user's notation of the path to each child."""
    keys = _keys(spec)
    if keys is not None:
        return [f"[{key!r}]" for key in keys]
    fields = getattr(spec.context, "_fields", None)  # the context of a named tuple is its class
    if fields is not None:
        return [f".{field}" for field in fields]
    return [f"[{at}]" for at in range(spec.num_children)]


def _keys(spec: pytree.TreeSpec) -> Iterable[Any] | None:
    kind = _plain(spec.type)
    if kind is defaultdict:
        return spec.context[1]  # type: ignore[no-any-return]  # beside what makes its defaults
    return spec.context if kind in (dict, OrderedDict) else None


def _written(part: _Part) -> str:
    """A structure in the user's notation, with its contents: "{'q': f32[2], 'r': [i64[3]]}"."""
    if part.spec.is_leaf():
        (leaf,) = part.leaves
        return _leaf_text(leaf)
    inner = [_written(child) for child in part.children()]
    kind, keys = _plain(part.spec.type), _keys(part.spec)
    if keys is not None:
        inner = [f"{key!r}: {text}" for key, text in zip(keys, inner, strict=True)]
    text = ", ".join(inner)
    if kind is tuple:
        return f"({text}{',' if len(inner) == 1 else ''})"
    text = f"{{{text}}}" if keys is not None else f"[{text}]" if kind is list else text
    name = getattr(part.spec.context, "__name__", kind.__name__)
    return text if kind in (dict, list) else f"{name}({text})"


def _leaf_text(leaf: Any) -> str:
    if not isinstance(leaf, Place):
        return short_text(leaf)
    return short_text(leaf.constant if leaf.is_constant else leaf.node.meta.get("val"))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(str, names))
