"""Calibration inputs of quantization: calls of a module that may write only to its own state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.format import plural
from exir_viz.stages.live import LivePrograms, NotPossible

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

CalibrationInput = tuple[tuple[Any, ...], dict[str, Any]]
_LONGEST: Final = 80
_UNCHECKED: Final = 2


class InputsDoNotFit(Exception):
    """Raised for a calibration call that the program cannot take. `node`: the input, if it is one."""

    def __init__(self, text: str, node: str = "") -> None:
        self.node = node
        super().__init__(text)


def calls(given: Iterable[Any]) -> Iterator[CalibrationInput]:
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
            f"Cannot calibrate with {name.strip()!r}: there is {what} of that name in the notebook. Assign a "
            "list of calls in a cell, and run it: calls = [(x,), (y,)]."
        )
    return found


def example(program: ExportedProgram) -> CalibrationInput:
    """The example inputs of the program."""
    example: Any = program.example_inputs
    if example is None:
        raise NotPossible(
            "The program has no example inputs, so it cannot be exported again. Start the session "
            "with the module and its inputs: Session(module, x)."
        )
    return tuple(example[0]), dict(example[1])


def in_positions(program: ExportedProgram, count: int, call: CalibrationInput) -> CalibrationInput:
    """A call whose arguments are given by name, as the program takes them: its first `count` by position."""
    from exir_viz.stages.dynamic_shapes.dimension_rows import argument_names

    args, kwargs = call
    names = (argument_names(program) or [])[len(args) : count]
    if not kwargs.keys() >= set(names):
        return call
    rest = {name: value for name, value in kwargs.items() if name not in names}
    return (*args, *(kwargs[name] for name in names)), rest


def check_call(
    program: ExportedProgram, method: str, number: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Raise InputsDoNotFit if a call has other inputs than the program: observers name no line."""
    from exir_viz.stages.dynamic_shapes.dimension_rows import input_paths
    from exir_viz.torch_internals.pytrees import pytree

    names = input_paths(program)
    leaves, structure = pytree.tree_flatten((args, dict(kwargs)))
    if structure != program.call_spec.in_spec:
        has = plural(len(leaves), "value")
        raise InputsDoNotFit(
            f"Calibration call {number} has {has} of another structure than the program's inputs: "
            f"{', '.join(names)}."
        )
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    users = [spec.arg for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    for name, argument, leaf in zip(names, users, leaves, strict=True):
        node = nodes.get(argument.name)
        wanted = node.meta.get("val") if node is not None else getattr(argument, "value", leaf)
        if not _fits(leaf, wanted, program):
            raise InputsDoNotFit(
                f"Calibration call {number}: {name} is {_described(leaf)}, and the program takes "
                f"{_described(wanted)}.",
                f"{method}/{argument.name}",
            )


def _fits(given: Any, wanted: Any, program: ExportedProgram) -> bool:
    """Whether an input has the dtype and sizes of a placeholder; torch checks relations between sizes."""
    import torch

    if not isinstance(wanted, torch.Tensor):
        return not isinstance(given, torch.Tensor)
    if not isinstance(given, torch.Tensor) or given.dtype != wanted.dtype or given.dim() != wanted.dim():
        return False
    sizes: Iterable[tuple[int, Any]] = zip(given.shape, wanted.shape, strict=True)
    for size, known in sizes:
        if not isinstance(known, torch.SymInt):
            if size != known:
                return False
        elif (limits := program.range_constraints.get(known.node.expr)) is not None:
            # torch's own least sizes, 0 to 2, are not checked when a program runs
            least = limits.lower if limits.lower > _UNCHECKED else 0
            if not least <= size <= limits.upper:
                return False
    return True


def _described(value: Any) -> str:
    import torch

    if not isinstance(value, torch.Tensor):
        return f"{value!r}"[:_LONGEST]
    return f"{str(value.dtype).removeprefix('torch.')}[{', '.join(map(str, value.shape))}]"


def own_state(module: torch.nn.Module) -> torch.nn.Module:
    """A copy of the module with its own buffers and constants: calibration may write to them."""
    import torch

    for part in module.modules():
        for name, buffer in list(part.named_buffers(recurse=False, remove_duplicate=False)):
            setattr(part, name, buffer.clone())
        for name, value in list(vars(part).items()):
            if isinstance(value, torch.Tensor):
                setattr(part, name, value.clone())
    return module


def cloned(inputs: Any) -> Any:
    """Copies of inputs: a program may write to them."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, inputs)


@contextmanager
def own_random_numbers(seed: int = 0) -> Iterator[None]:
    """Draw the same random numbers every time, and leave the user's generator as it is.

    torchao draws inputs for its patterns, and dropout in training mode decides which ranges are observed.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield
