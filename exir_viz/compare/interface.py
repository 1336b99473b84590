"""The inputs of two methods, without what only one of them knows: that is no difference.

A `.pte` does not say which buffers are saved, and what ExecuTorch serialises has no names of arguments: an
input is then `args[0]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from exir_viz.snapshot.program import InputKind, InputSpec

Inputs: TypeAlias = tuple[InputSpec, ...]
_UNNAMED = "args["
replace = msgspec.structs.replace


def comparable(a: Inputs, b: Inputs) -> tuple[Inputs, Inputs]:
    """Both, with what the other does not know left out of each, and b's inputs called as a's."""
    if not (_knows_persistence(a) and _knows_persistence(b)):
        a, b = (tuple(replace(spec, persistent=None) for spec in specs) for specs in (a, b))
    return a, _named_as(a, b)


def _knows_persistence(specs: Inputs) -> bool:
    buffers = [spec for spec in specs if spec.kind is InputKind.BUFFER]
    return all(spec.persistent is not None for spec in buffers)


def _named_as(a: Inputs, b: Inputs) -> Inputs:
    """b's inputs, those called as a's that have a name on one side only; they go by their place."""
    before, after = _paths(a), _paths(b)
    if len(before) != len(after):
        return b
    paths = iter(
        [old if _is_named(old) != _is_named(new) else new for old, new in zip(before, after, strict=True)]
    )
    return tuple(replace(spec, path=next(paths)) if spec.kind is InputKind.USER_INPUT else spec for spec in b)


def _paths(specs: Sequence[InputSpec]) -> list[str | None]:
    return [spec.path for spec in specs if spec.kind is InputKind.USER_INPUT]


def _is_named(path: str | None) -> bool:
    return path is not None and not path.startswith(_UNNAMED)
