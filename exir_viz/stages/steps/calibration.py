"""Calibration inputs of quantization: calls of a module that may write only to its own state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from exir_viz.stages.live import LivePrograms, NotPossible

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

Call = tuple[tuple[Any, ...], dict[str, Any]]


def calls(given: Iterable[Any]) -> Iterator[Call]:
    """Calibration inputs as calls: each a tensor, a tuple of arguments, a dict of them by name, or both."""
    for one in given:
        if isinstance(one, Mapping):
            yield (), dict(one)
        elif (
            isinstance(one, tuple)
            and len(one) == 2
            and isinstance(one[0], tuple)
            and isinstance(one[1], dict)
        ):
            yield one
        else:
            yield (tuple(one) if isinstance(one, tuple | list) else (one,)), {}


def given(inputs: Any, method: str, live: LivePrograms) -> Iterable[Any] | None:
    """The calibration inputs of one method; None if there are none.

    A text is the name of a variable of the notebook or script: a form can send nothing else.
    """
    if isinstance(inputs, str):
        inputs = _variable(inputs) if inputs.strip() else None
    if _is_tensor(inputs):
        inputs = [inputs]
    if inputs is None or (len(live.programs) == 1 and not isinstance(inputs, Mapping)):
        return inputs
    if not isinstance(inputs, Mapping) or not set(inputs) <= set(live.programs):
        raise NotPossible(
            f"Pass calibration inputs by method: inputs={{{method!r}: [(x,), …]}}. The program has: "
            f"{', '.join(live.programs)}."
        )
    return inputs.get(method)


def _is_tensor(inputs: object) -> bool:
    """A single tensor is one call; as a sequence it would be split into its rows."""
    import torch

    return isinstance(inputs, torch.Tensor)


def _variable(name: str) -> Any:
    import __main__

    found = vars(__main__).get(name.strip())
    if not isinstance(found, Iterable):
        what = "no variable" if found is None else f"a {type(found).__qualname__}"
        raise NotPossible(
            f"Cannot calibrate with {name.strip()!r}: there is {what} of that name in the notebook. Give a "
            "list of calls a name in a cell, and run it: calls = [(x,), (y,)]."
        )
    return found


def example(program: ExportedProgram) -> Call:
    """The example inputs of the program."""
    example: Any = program.example_inputs
    if example is None:
        raise NotPossible(
            "The program has no example inputs, so it cannot be exported again. Start the session "
            "with the module and its inputs: Session(module, x)."
        )
    return tuple(example[0]), dict(example[1])


def own_state(module: torch.nn.Module) -> torch.nn.Module:
    """A copy of the module with its own buffers and constants: calibration may write to them."""
    import torch

    for part in module.modules():
        for name, buffer in list(part.named_buffers(recurse=False, remove_duplicate=False)):
            setattr(part, name, buffer.clone())
        for name, held in list(vars(part).items()):
            if isinstance(held, torch.Tensor):
                setattr(part, name, held.clone())
    return module


def cloned(inputs: Any) -> Any:
    """Copies of inputs: a program may write to them."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, inputs)


@contextmanager
def own_random_numbers(seed: int = 0) -> Iterator[None]:
    """Draw the same random numbers every time, and none of the user's.

    torchao draws inputs for its patterns, and dropout in training mode decides which ranges are observed.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield
