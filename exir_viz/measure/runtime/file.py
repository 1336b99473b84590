"""Profile a `.pte` file in the ExecuTorch runtime: the whole, and each delegate separately.

There is no torch program for it: the parts are cut from the file itself, and inputs are generated from the
file's description of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from exir_viz.errors import NotAllowed
from exir_viz.measure.conditions import initial_conditions
from exir_viz.measure.cpu.describe import short_text
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.notices import with_notices
from exir_viz.measure.options import arguments, count, thread_count
from exir_viz.measure.profilable import chosen
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.measure.records import Executor, GivenInput
from exir_viz.readers.files import load
from exir_viz.readers.flatbuffer.bundle import program_bytes
from exir_viz.snapshot import Snapshot

from .instructions import by_instruction
from .method_inputs import checked, made, tensor_of
from .process import runtime_process
from .single_delegates import SplitFile, split
from .summing import REPEATS, Row, record
from .worker_messages import MethodCall, PartCalls


@with_notices
def profile_file(  # noqa: PLR0913  every option of measuring, by name
    path: str | os.PathLike[str],
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    trust: bool = False,
    method: str | None = None,
    threads: int = 1,
    repeats: int | None = None,
    warmup: int = 2,
    progress: Callback | None = None,
) -> Profile:
    """Measure a `.pte` file in the ExecuTorch runtime. This can EXECUTE CODE from the file.

    Parameters
    ----------
    path
        A `.pte`, or a bundled program (`.bpte`), whose `.pte` runs.
    inputs
        The inputs of the method, flat and in order. By default random floats and zeros for integers, in the
        largest shapes that the method takes.
    trust
        Pass True only for a file from you or from someone you trust: the runtime is native code.
    method
        The method to run, if there are several.
    threads, repeats, warmup
        As for `exir_viz.profile`. The default is 20 runs.
    progress
        Called with a Progress.

    Returns
    -------
    Profile
        The cost of each node.

    Raises
    ------
    NotAllowed
        Without `trust=True`.
    MeasureError
        If the inputs do not fit, or the runtime cannot load or run the program.

    Examples
    --------
    >>> path = session.edge().executorch().save_pte(folder / "model.pte")
    >>> profile = exir_viz.measure.profile_file(path, x, trust=True, repeats=2)
    >>> profile.complete
    True
    """
    path = Path(path)
    if trust is not True:
        raise NotAllowed(
            f"Will not run {path.name!r}: a malicious file can attack ExecuTorch's runtime, which is native "
            "code with your permissions. If it is from you or from someone you trust, pass trust=True. To "
            "look at the file, use exir_viz.load(path), which executes nothing."
        )
    args = arguments(inputs)
    often = None if repeats is None else count("repeats", repeats)
    options = Options(thread_count(threads), often, count("warmup", warmup))
    snapshot = load(path)
    name = chosen(snapshot.methods, method)
    with reported(progress) as callback:
        return _run(program_bytes(path), snapshot, name, args, options, Reporter(callback))


def _run(
    data: bytes,
    snapshot: Snapshot,
    method: str,
    inputs: Sequence[Any] | None,
    options: Options,
    report: Reporter,
) -> Profile:
    values = made(data, method) if inputs is None else checked(data, method, inputs)
    conditions = initial_conditions(
        Executor.RUNTIME,
        threads=options.threads,
        inputs=tuple(GivenInput(f"input {at}", short_text(value)) for at, value in enumerate(values)),
        inputs_from="made" if inputs is None else "given",
    )
    report("Separating the delegates", 0, 1)
    pieces = split(data, method)
    found = runtime_process().measure(
        MethodCall(data, method, tuple(values)),
        _parts(pieces),
        warmup=options.warmup,
        repeats=options.repeats or REPEATS,
        threads=options.threads,
        report=report,
    )
    nodes = by_instruction(snapshot.methods[method])
    parts: dict[int, tuple[str | None, str]] = {
        number: (None, backend) for number, backend in pieces.jumped.items()
    }
    parts |= {number: (str(kind), pieces.kinds[kind].backend) for number, kind in pieces.of.items()}
    rows = [Row(nodes[number].id, *parts[number]) for number in sorted(parts) if number in nodes]
    return Profile(record(snapshot, method, conditions, options, rows, found), snapshot)


def _parts(pieces: SplitFile) -> dict[str, PartCalls]:
    """The methods of the split file, by position of their kind."""
    data, parts = bytes(pieces.data), dict[str, PartCalls]()
    for at, kind in enumerate(pieces.kinds):
        inputs = tuple(map(tensor_of, kind.inputs))
        parts[str(at)] = PartCalls(MethodCall(data, kind.alone, inputs), MethodCall(data, kind.empty, inputs))
    return parts
