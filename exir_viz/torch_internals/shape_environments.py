"""The example values behind symbolic sizes, and the names that users gave to dimensions.

Why: a symbol's hint, "s77 was 4 when this was exported", and its name, "seq" of `Dim("seq")`, are only in the
shape environment. Only these are read: any other query of a symbolic size could add a guard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .features import Feature

_NAME: Final = re.compile(r"[A-Za-z_]\w*")

FEATURE: Final = Feature(
    name="shape_environments",
    purpose="Show the example value of each symbol, and the name that its Dim has",
    without="Symbols are shown without their example values, by torch's names.",
    attributes=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.backed_var_to_val",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.var_to_sources",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.source_name_to_debug_name",
    ),
)


def example_values(node: Any) -> Mapping[Any, Any]:
    """The values by symbol, from the `node` of a symbolic number."""
    environment = node.shape_env
    if not environment:
        return {}
    found: Mapping[Any, Any] = FEATURE.attribute(environment, "backed_var_to_val", {})
    return found


def dimension_names(node: Any) -> Mapping[str, str]:
    """The names of users' dimensions, `Dim("seq")`, by symbol, from the `node` of a symbolic number."""
    environment = node.shape_env
    if not environment:
        return {}
    names = FEATURE.attribute(environment, "source_name_to_debug_name", {})
    if not names:
        return {}
    found: dict[str, str] = {}
    # A Dim that is no size itself, such as "h" where one is "2*h", is the source of its symbol by its name.
    dims = {name for text in names.values() for name in _NAME.findall(text)}
    for symbol, source in size_sources(environment):
        name = source if source in dims else names.get(source)
        if name is not None and name.isidentifier():
            found.setdefault(symbol, name)
    return found


def size_sources(environment: Any) -> Iterator[tuple[str, str]]:
    """Each symbol with the input size that it is, as in ("s77", "L['x'].size()[0]"), or its Dim ("h")."""
    if environment is None:
        return
    for symbol, sources in FEATURE.attribute(environment, "var_to_sources", {}).items():
        for source in sources:
            yield str(symbol), source.name() if callable(source.name) else source.name
