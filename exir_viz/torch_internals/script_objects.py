"""The class of a script object: the registered one, not its Python wrapper.

Why: in Python, all objects of C++ classes registered with TorchScript are ScriptObjects.
"""

from __future__ import annotations

from typing import Final

import torch

from .features import Feature

FEATURE: Final = Feature(
    name="script_objects",
    purpose="Show the class of a TorchBind object",
    without="TorchBind objects are shown as ScriptObject, without their class.",
    uses=("torch.ScriptObject._type",),
)


def script_class(obj: torch.ScriptObject) -> str | None:
    """The qualified name of the class; None where torch does not tell."""
    return str(obj._type().qualified_name()) if FEATURE.is_usable() else None
