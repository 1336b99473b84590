"""A `.pte` file → a Profile by the ExecuTorch runtime: the whole, its delegates, and its ops one by one.

There is no program of torch for it: the parts are cut out of the file itself, and inputs are made to what the
file says of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from executorch.exir import schema
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.tensor import scalar_type_table

from exir_viz.errors import MeasureError, NotAllowed
from exir_viz.measure.conditions import taken
from exir_viz.measure.cpu.describe import said
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter
from exir_viz.measure.records import Executor, GivenInput
from exir_viz.measure.shown import shown
from exir_viz.measure.subject import chosen
from exir_viz.readers.files import load
from exir_viz.snapshot import Snapshot

from .cut import Cut, cut
from .instructions import by_instruction
from .pte import Loaded, threads
from .rounds import Alone, Part, Rounds
from .summing import REPEATS, Row, record
from .tensors import filled

_DTYPES = {number: dtype for dtype, number in scalar_type_table.items()}


def profile_file(
    path: str | os.PathLike[str],
    inputs: Sequence[Any] | None = None,
    *,
    trust: bool = False,
    method: str | None = None,
    by_op: bool = True,
    options: Options | None = None,
    progress: Callback | None = None,
) -> Profile:
    """Run a `.pte` in the runtime; each op by itself too, or with `by_op=False` only the delegates.

    inputs: of the method, in order; None: random floats, integers of 0, in the largest shapes it takes.

    The runtime is native code that reads the file and runs what it says, so it needs `trust=True`. Raises
    NotAllowed without, and MeasureError where the runtime cannot load or run the program.
    """
    path = Path(path)
    if trust is not True:
        raise NotAllowed(
            f"Will not run {path.name!r}: the ExecuTorch runtime is native code, and a file made to attack "
            "it can do on this machine what you can. To look at it, use exir_viz.load(path), which executes "
            "nothing. If you or someone you trust made it, pass trust=True."
        )
    snapshot = load(path)
    data, how = path.read_bytes(), options or Options()
    name = chosen(snapshot.methods, method)
    with shown(progress) as callback, threads(how.threads):
        return _run(data, snapshot, name, inputs, by_op, how, Reporter(callback))


def _run(
    data: bytes,
    snapshot: Snapshot,
    method: str,
    inputs: Sequence[Any] | None,
    by_op: bool,
    options: Options,
    report: Reporter,
) -> Profile:
    values = _made(data, method) if inputs is None else list(inputs)
    conditions = taken(
        Executor.RUNTIME_OPS if by_op else Executor.RUNTIME,
        threads=options.threads,
        inputs=tuple(GivenInput(f"input {at}", said(value)) for at, value in enumerate(values)),
        inputs_from="made" if inputs is None else "given",
    )
    whole = Alone(Loaded(data, method), values)
    report("Cutting the program into its ops", 0, 1)
    pieces = cut(data, method, delegates_only=not by_op)
    rounds = Rounds(whole, options.warmup, options.repeats or REPEATS, report, threads=options.threads)
    found = rounds.take(_parts(pieces))
    nodes = by_instruction(snapshot.methods[method])
    parts: dict[int, tuple[str | None, str]] = {number: (None, op) for number, op in pieces.jumped.items()}
    parts |= {number: (str(kind), pieces.kinds[kind].op) for number, kind in pieces.of.items()}
    rows = [Row(nodes[number].id, *parts[number]) for number in sorted(parts) if number in nodes]
    return Profile(record(snapshot, method, conditions, options, rows, found), snapshot)


def _parts(pieces: Cut) -> dict[str, Part]:
    """The methods of the cut file, by position of their kind."""
    if not pieces.kinds:
        return {}
    loaded = Loaded(pieces.data, pieces.kinds[0].alone)
    parts = {}
    for at, kind in enumerate(pieces.kinds):
        inputs = tuple(map(_tensor, kind.inputs))
        alone, empty = loaded.sibling(kind.alone), loaded.sibling(kind.empty)
        parts[str(at)] = Part(Alone(alone, inputs), Alone(empty, inputs))
    return parts


def _made(data: bytes, method: str) -> list[Any]:
    """Inputs of a method by what the file says of them."""
    plans = deserialize_pte_binary(data).program.execution_plan
    plan = next(one for one in plans if one.name == method)
    return [_value(plan.values[number].val) for number in plan.inputs]


def _value(value: Any) -> Any:
    if isinstance(value, schema.Tensor):
        return _tensor(value)
    for name in ("int_val", "double_val", "bool_val", "string_val"):
        if hasattr(value, name):
            return getattr(value, name)
    return None


def _tensor(tensor: schema.Tensor) -> torch.Tensor:
    dtype = _DTYPES.get(tensor.scalar_type)
    if dtype is None:
        raise MeasureError(f"No input can be made of the type {tensor.scalar_type}: pass inputs=(…).")
    strides, step = [0] * len(tensor.sizes), 1
    for dim in reversed(tensor.dim_order):
        strides[dim], step = step, step * max(tensor.sizes[dim], 1)
    return filled(tensor.sizes, strides, dtype)
