"""The inputs of a comparison: one call, several, or those of a bundled program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram

from exir_viz.errors import FileError
from exir_viz.extras import needs_extra
from exir_viz.measure.options import arguments, several
from exir_viz.options import wrong_argument
from exir_viz.readers.files import is_bundle
from exir_viz.readers.flatbuffer.bundle import without_program
from exir_viz.readers.flatbuffer.corrupt import Corrupt
from exir_viz.torch_internals.pytrees import pytree

_NUMBERS = ("int_val", "double_val", "bool_val")


class RunInputs(NamedTuple):
    """The arguments of a run; `args` is None for the program's own examples, or synthesized ones."""

    args: tuple[Any, ...] | None
    kwargs: Mapping[str, Any]


def several_inputs(
    program: ExportedProgram, samples: Any, inputs: Any, kwargs: Mapping[str, Any], method: str
) -> list[RunInputs]:
    """The arguments of each run.

    samples: several inputs, each as `inputs` has it; or a bundled program: its file, or the object.
    """
    if samples is None:
        return [RunInputs(arguments(inputs), kwargs)]
    if inputs is not None:
        raise wrong_argument("Pass inputs= for one run, or samples= for several, not both.")
    if _is_bundle(samples):
        return [_unflattened(program, leaves) for leaves in _bundled_inputs(samples, method)]
    return [RunInputs(arguments(one), kwargs) for one in several("samples", samples)]


def own_samples(b: Any, inputs: Any, samples: Any, method: str | None) -> Any:
    """The samples of a comparison with `b`: without inputs, a bundled program, once read, has its own."""
    if inputs is not None or samples is not None or not _is_bundle_path(b):
        return samples
    bundle = _bundle(b)
    return bundle if _test_cases(bundle, method or "forward") else None


def export_inputs(a: Any, inputs: Any, samples: Any) -> Any:
    """The inputs that a module is exported with: those given, else the first of the samples."""
    if not isinstance(a, torch.nn.Module) or inputs is not None or samples is None:
        return inputs
    if _is_bundle(samples):
        return tuple(next(_bundled_inputs(samples, "forward")))
    return several("samples", samples)[0]


def _unflattened(program: ExportedProgram, leaves: list[Any]) -> RunInputs:
    """Flat inputs as the arguments of a call of the program."""
    spec = program.call_spec.in_spec
    if spec is None or spec.num_leaves != len(leaves):
        return RunInputs(tuple(leaves), {})
    args, kwargs = pytree.tree_unflatten(leaves, spec)
    return RunInputs(tuple(args), kwargs)


def _is_bundle_path(x: Any) -> bool:
    return isinstance(x, str | os.PathLike) and os.fspath(x).endswith(".bpte")


def _is_bundle(samples: Any) -> bool:
    return isinstance(samples, str | os.PathLike) or hasattr(samples, "method_test_suites")


def _bundled_inputs(bundle: Any, method: str) -> Iterator[list[Any]]:
    """The flat inputs of each test case of a method in a bundled program."""
    bundle = _bundle(bundle)
    cases = _test_cases(bundle, method)
    if not cases:
        names = ", ".join(suite.method_name for suite in bundle.method_test_suites) or "none"
        raise wrong_argument(f"The bundled program has no inputs for {method!r}. It has inputs for: {names}.")
    return ([_value(one) for one in pytree.tree_leaves(case.inputs)] for case in cases)


def _test_cases(bundle: Any, method: str) -> list[Any]:
    suites = (suite for suite in bundle.method_test_suites if suite.method_name == method)
    return [case for suite in suites for case in suite.test_cases]


def _bundle(bundle: Any) -> Any:
    """A bundled program: the object, or what its file holds."""
    return bundle if hasattr(bundle, "method_test_suites") else _read(Path(bundle))


def _read(path: Path) -> Any:
    needs_extra("samples from a bundled program", "executorch")
    from executorch.devtools.bundled_program.serialize import (
        deserialize_from_flatbuffer_to_bundled_program,
    )

    data = path.read_bytes()
    try:
        if not is_bundle(data):
            raise ValueError("it does not begin as one")
        return deserialize_from_flatbuffer_to_bundled_program(without_program(data))
    except Corrupt as error:
        raise error.error(path.name) from None
    except (subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise FileError(path.name, "it is no bundled program", hint="Pass a .bpte file.") from error


def _value(raw: Any) -> Any:
    """A value of a test case, as torch has it."""
    value = getattr(raw, "val", raw)
    if not hasattr(value, "scalar_type"):
        return next((getattr(value, name) for name in _NUMBERS if hasattr(value, name)), value)
    from executorch.exir.tensor import scalar_type_table

    dtypes = {number: dtype for dtype, number in scalar_type_table.items()}
    data, dtype = bytearray(value.data), dtypes[value.scalar_type]
    found = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    order = list(value.dim_order)
    dense = found.reshape([value.sizes[dim] for dim in order])
    return dense.permute([order.index(dim) for dim in range(len(order))])
