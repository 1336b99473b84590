"""Find what in a module's inputs and outputs torch.export cannot flatten, and code with which it exports."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.errors import ExportFailed
from exir_viz.readers.exporting import CACHE_OFF, has_cache
from exir_viz.stages.output_capture import discarded_output

from .blockers import EXPLANATIONS
from .records import Blocker, BlockerKind, Fix
from .trial import is_equal

if TYPE_CHECKING:
    import torch

# By place in the output, as Python writes it: "", "[0]", "['logits']", ".pair".
Leaves = dict[str, Any]
# How torch names the type of an input.
_CLASS: Final = re.compile(r"<class '(?:[\w.<>]*\.)?(\w+)'>")
# Exports a module as a mode does; returns why it fails.
Export = Callable[["torch.nn.Module", str], ExportFailed | None]

# The most values that the code of a wrapper returns, and the most places that a sentence names.
_MOST_RETURNED: Final = 12
_MOST_NAMED: Final = 3

_WRAPPER: Final = """\
class ExportableOutput(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, {parameters}):
        output = self.model({arguments})
        return {returned}

model = ExportableOutput(model)"""


@dataclass(frozen=True)
class UnregisteredTypes:
    """The types in the inputs and outputs of a module that are not registered with pytree.

    module, args, kwargs: the module and its example inputs, of which copies run. export: see `Export`.
    """

    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    export: Export

    def explained(self, found: Sequence[Blocker]) -> list[Blocker]:
        """The blockers; one about inputs or outputs says where in them the type is, with code that helps.

        A failure for which torch names no line is about an output if the module exports without that output.
        """
        found = [self._of_input(one) if one.kind is BlockerKind.INPUT else one for one in found]
        if not any(map(_may_be_of_output, found)):
            return found
        leaves = self._leaves(lambda: copy.deepcopy(self.module)) or {}
        unknown = {place: leaf for place, leaf in leaves.items() if not _is_known(leaf)}
        known = {place: leaf for place, leaf in leaves.items() if place not in unknown}
        if not unknown:
            return found
        return [self._of_output(one, known, unknown) if _may_be_of_output(one) else one for one in found]

    def _of_input(self, one: Blocker) -> Blocker:
        named = _CLASS.search(one.reason)
        leaves = dict(_places(list(self.args), "args")) | dict(_places(dict(self.kwargs), "kwargs"))
        unknown = {place: leaf for place, leaf in leaves.items() if named and type(leaf).__name__ == named[1]}
        return _at(one, unknown, ()) if unknown else one

    def _of_output(self, one: Blocker, known: Leaves, unknown: Leaves) -> Blocker:
        working = next((fix for fix in self._fixes(known) if self._works(fix, known, one.modes[0])), None)
        if working is None and one.kind is not BlockerKind.OUTPUT:
            return one
        places = {f"output{place}": leaf for place, leaf in unknown.items()}
        fixes = () if working is None else (replace(working, is_tried=True),)
        return _at(replace(one, kind=BlockerKind.OUTPUT), places, fixes)

    def _fixes(self, known: Leaves) -> Iterator[Fix]:
        """What may help, the best first: each makes another module of `model`."""
        if has_cache(self.module):
            yield Fix("Return no cache", CACHE_OFF)
        if known and len(known) <= _MOST_RETURNED:
            yield Fix("Wrap the module, and return the rest of its output", self._wrapper(list(known)))

    def _wrapper(self, places: Sequence[str]) -> str:
        names = _parameters(self.module, self.args, self.kwargs)
        returned = [f"output{place}" for place in places]
        return _WRAPPER.format(
            parameters="*args, **kwargs" if names is None else ", ".join(names),
            arguments="*args, **kwargs" if names is None else ", ".join(f"{one}={one}" for one in names),
            returned=returned[0] if len(returned) == 1 else f"({', '.join(returned)})",
        )

    def _works(self, fix: Fix, known: Leaves, mode: str) -> bool:
        """Whether a copy of the module with the code exports, and returns the rest as before."""
        import torch

        names: dict[str, Any] = {"torch": torch, "model": copy.deepcopy(self.module)}
        exec(fix.code, names)  # noqa: S102  our own code, with names from the module's signature and output
        failed = self.export(names["model"], mode)
        if failed is not None and not failed.line:  # else what stops it now is at another place
            return False
        leaves = self._leaves(lambda: names["model"])
        return leaves is not None and is_equal([*known.values()], [*leaves.values()])

    def _leaves(self, copied: Callable[[], torch.nn.Module]) -> Leaves | None:
        """What the copy of a module returns for the example inputs, by place; None if it does not run."""
        import torch

        try:
            module, args, kwargs = copied(), *copy.deepcopy((self.args, dict(self.kwargs)))
            with torch.no_grad(), torch.random.fork_rng(devices=()), discarded_output():
                torch.manual_seed(0)
                return dict(_places(module(*args, **kwargs), ""))
        except Exception:  # noqa: BLE001  the user's code runs: whatever it raises, there is nothing to compare
            return None


def _may_be_of_output(one: Blocker) -> bool:
    """Whether a blocker of the whole module is, or may be, about what it returns."""
    is_python = one.kind is BlockerKind.PYTHON and not one.line
    return not one.module and (is_python or one.kind is BlockerKind.OUTPUT)


def _places(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """The leaves of an output, by place. What torch flattens in another way than these is one leaf."""
    from exir_viz.torch_internals.pytrees import pytree

    children: list[tuple[str, Any]] = []
    if not pytree.tree_is_leaf(value):
        if isinstance(value, Mapping) and all(type(key) in (str, int) for key in value):
            children = [(f"[{key!r}]", each) for key, each in value.items()]
        elif hasattr(value, "_fields"):
            children = [(f".{name}", getattr(value, name)) for name in value._fields]
        elif isinstance(value, Sequence):
            children = [(f"[{at}]", each) for at, each in enumerate(value)]
    if not children:
        yield place, value
    for step, child in children:
        yield from _places(child, place + step)


def _is_known(leaf: object) -> bool:
    """Whether torch.export can return a leaf: it knows the types of all its parts."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    parts = [leaf] if pytree.tree_is_leaf(leaf) else pytree.tree_leaves(leaf)
    numbers = (int, float, bool, str, type(None), torch.SymInt, torch.SymFloat, torch.SymBool)
    return all(isinstance(part, (torch.Tensor, *numbers)) for part in parts)


def _at(one: Blocker, unknown: Leaves, fixes: Sequence[Fix]) -> Blocker:
    """A blocker that says where the types are, and what to register; with other fixes that work."""
    names = dict.fromkeys(type(leaf).__name__ for leaf in unknown.values() if _is_of_dataclass(leaf))
    code = "\n".join(f"torch.export.register_dataclass({name})" for name in names)
    sentences = [f"{place} is of type {type(leaf).__name__}" for place, leaf in unknown.items()]
    more = [f"and {len(sentences) - _MOST_NAMED} more"] if len(sentences) > _MOST_NAMED else []
    return replace(
        one,
        explanation=f"{', '.join([*sentences[:_MOST_NAMED], *more])}. {EXPLANATIONS[one.kind]}",
        fixes=(*([Fix("Register the dataclass before exporting", code)] if code else []), *fixes)
        or one.fixes,
    )


def _is_of_dataclass(leaf: object) -> bool:
    return is_dataclass(leaf) and not isinstance(leaf, type)


def _parameters(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[str] | None:
    """The parameters that the example inputs are for; None if some have no name of their own."""
    signature = inspect.signature(module.forward)
    names = list(signature.bind(*args, **kwargs).arguments)
    kinds = {signature.parameters[name].kind for name in names}
    return (
        names if kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY} else None
    )
