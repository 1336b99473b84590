"""The names of one graph in its Python text: what FX calls its namespace.

A node's name may be a keyword, a builtin or no identifier at all, and a function of the graph may have the
name of a node; in the Python form each gets a name of its own. The rules are those of torch's FX code
generator, so that the text is equal to torch's.
"""

from __future__ import annotations

import builtins
import keyword
import re

_ILLEGAL_RUN = re.compile("[^0-9a-zA-Z_]+")
# A number of more digits than any real name has is taken for a part of the name.
_NAME = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_([0-9]{1,18}))?")

# What FX itself puts into the globals of every graph.
_GIVEN = ("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree")
# FX calls torch's functions by their full names, except those of the compilers.
_NOT_OF_TORCH = ("torch._dynamo.", "torch._inductor.")
_ILLEGAL = frozenset((*keyword.kwlist, *vars(builtins), *_GIVEN))


class Namespace:
    """Names in use, and how far each base name was counted."""

    def __init__(self) -> None:
        self._used = set(_GIVEN)
        self._counts: dict[str, int] = {}
        self._functions: dict[str, str] = {}

    def node(self, name: str) -> str:
        """A name for a node that has none yet."""
        return self._create(name, builtin=False)

    def function(self, qualified: str) -> str:
        """How the text calls a function, given by its full name; the same function has one name."""
        if qualified.startswith("torch.") and not qualified.startswith(_NOT_OF_TORCH):
            return qualified
        name = self._functions.get(qualified)
        if name is None:
            name = self._functions[qualified] = self._create(qualified, builtin=hasattr(builtins, qualified))
        return name

    def _create(self, candidate: str, *, builtin: bool) -> str:
        match = _NAME.fullmatch(candidate)
        if match is None:
            candidate = _ILLEGAL_RUN.sub("_", candidate) or "_unnamed"
            if candidate[0].isdigit():
                candidate = f"_{candidate}"
            match = _NAME.fullmatch(candidate)
        base, digits = match.group(1, 2) if match else (candidate, None)
        if digits is None or candidate in self._used:
            number = self._counts.get(base, 0)
            if candidate in _ILLEGAL and not builtin:
                number += 1
                candidate = f"{base}_{number}"
        else:
            number = int(digits)
        while candidate in self._used:
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._counts[base] = number
        return candidate
