"""All features that need private parts of torch or ExecuTorch: one for each file of this package."""

from __future__ import annotations

import importlib
import pkgutil

import exir_viz.torch_internals as package

from .features import Feature

# Files of the package that are no feature.
_OTHERS = frozenset({"features", "registry"})


def features() -> tuple[Feature, ...]:
    """Every feature, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found = (importlib.import_module(f"{package.__name__}.{name}") for name in names if name not in _OTHERS)
    return tuple(module.FEATURE for module in found)
