"""Values to color boxes by: the user's values by node, as the message that contains them.

What enters: a mapping or a pandas Series keyed by node. What leaves: the names of nodes and the numbers as
little-endian float64; for categories, their indices in a list. Nodes without a value (None, NaN, infinite)
are not painted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import SupportsFloat

from exir_viz.errors import ExirVizError
from exir_viz.snapshot import Node

from .node_names import NodeNames

# A legend is much shorter; more different texts than this are names, not categories.
_MOST_CATEGORIES = 1000
# Types are checked by name: neither pandas nor numpy is imported for it.
_MISSING = ("NAType", "NaTType")
_BOOLEANS = ("bool", "bool_")


class NotPaintable(ExirVizError):
    """Raised for values that are neither numbers nor categories, or keys that are no nodes."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values by node: their description for the page, and the packed numbers."""

    head: Mapping[str, object]
    data: bytes


def series_of(values: Mapping[object, object], names: NodeNames, label: str, unit: str) -> Series:
    """`values`: a mapping, or an object with `items()` such as a pandas Series, by node or node name."""
    named = _named(values, names)
    figures = {node: value for node, value in named.items() if isinstance(value, float)}
    if len(figures) == len(named):
        return _packed(label, unit, figures, {})
    texts = {node: value for node, value in named.items() if isinstance(value, str)}
    if figures:
        (text_at, text), (figure_at, figure) = next(iter(texts.items())), next(iter(figures.items()))
        raise NotPaintable(
            f"Cannot paint {label!r}: it mixes numbers and categories. {text_at!r} is {text!r} and "
            f"{figure_at!r} is {figure!r}: make all of them texts, or none."
        )
    categories = {text: float(at) for at, text in enumerate(dict.fromkeys(texts.values()))}
    if len(categories) > _MOST_CATEGORIES:
        raise NotPaintable(f"Cannot paint {label!r}: {len(categories)} categories are too many.")
    return _packed(label, unit, {node: categories[text] for node, text in texts.items()}, categories)


def _named(values: Mapping[object, object], names: NodeNames) -> dict[str, float | str]:
    """By name within the Snapshot. All keys must be known, also those without a value."""
    if not hasattr(values, "items"):
        raise NotPaintable(
            f"Cannot paint a {type(values).__name__}: pass a pandas Series or a mapping, keyed by node."
        )
    named: dict[str, float | str] = {}
    unknown: list[str] = []
    for key, raw in values.items():
        node = names.find(key) if isinstance(key, str | Node) else None
        if node is None:
            unknown.append(str(key))
            continue
        value = _value(node, raw)
        if value is not None:
            named[node] = value
    if unknown:
        raise names.unknown("node", unknown[0], others=len(unknown) - 1)
    return named


def _value(node: str, raw: object) -> float | str | None:
    if isinstance(raw, str):
        return raw
    if raw is None or type(raw).__name__ in _MISSING:
        return None
    if type(raw).__name__ in _BOOLEANS:
        return str(raw)
    if isinstance(raw, SupportsFloat):
        number = float(raw)
        return number if math.isfinite(number) else None
    raise NotPaintable(f"Cannot paint {node!r} by a {type(raw).__name__}: values are numbers or texts.")


def _packed(label: str, unit: str, values: Mapping[str, float], categories: Mapping[str, float]) -> Series:
    head: dict[str, object] = {"label": label, "unit": unit, "nodes": list(values)}
    if categories:
        head["categories"] = list(categories)
    return Series(head, struct.pack(f"<{len(values)}d", *values.values()))
