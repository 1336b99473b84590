"""Choose the program and the executor for what a user wants profiled."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.extras import needs_extra
from exir_viz.options import described, is_text, wrong_argument
from exir_viz.readers.accepted_inputs import is_path, is_runtime_file
from exir_viz.readers.exporting import export
from exir_viz.readers.live import capture
from exir_viz.snapshot import Snapshot

from .cpu.measuring import Measurement, Options
from .cpu.program import CpuProgram
from .notices import with_notices
from .options import arguments, by_name, check_callback, count, thread_count
from .profilable import chosen, is_manager, is_stage
from .profile import Profile
from .progress import Callback, reported
from .records import Executor


@with_notices
def profile(  # noqa: PLR0913  every option of measuring, by name
    x: Any,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    executor: str = "cpu",
    kwargs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, int] | None = None,
    method: str | None = None,
    threads: int = 1,
    repeats: int | None = None,
    warmup: int = 2,
    progress: Callback | None = None,
) -> Profile:
    """Measure what each node of a program costs on this CPU; see `exir_viz.profile`.

    inputs: a tensor or a tuple of arguments, with `kwargs`; without them the program's example inputs, or,
       where it keeps none or `symbols` are given, values made to its metadata.
    symbols: what symbols are to be, by name: {"s77": 16}. Beside inputs, these must agree.
    threads: how many torch uses. With one, two runs agree best.
    repeats: how often the program runs after `warmup` runs; None: 5 to 50 times, about three seconds.
    progress: is called with a Progress; without it a terminal or a notebook shows how long it will take.

    Raises MeasureError for inputs that do not fit, and for a node that cannot run; its `profile` then has
    what was measured before.
    """
    if not is_text(executor) or executor not in (Executor.CPU, Executor.RUNTIME):
        raise wrong_argument(f"Unknown executor {described(executor)}. Available: 'cpu', 'executorch'.")
    args = arguments(inputs)
    check_callback("profile", progress)
    kwargs = by_name("kwargs", kwargs, "{'mask': …}")
    symbols = by_name("symbols", symbols, "{'s77': 16}")
    often = None if repeats is None else count("repeats", repeats)
    options = Options(thread_count(threads), often, count("warmup", warmup))
    if executor == Executor.RUNTIME:
        needs_extra(f"profile(executor={str(executor)!r})", "executorch")
        from .runtime.measuring import profile as in_runtime  # ExecuTorch takes seconds to import

        with reported(progress) as callback:
            return in_runtime(x, args, kwargs, symbols, method, options, callback)
    program, snapshot, method = resolved(x, inputs, kwargs, method)
    prepared = CpuProgram(program, method)
    given = prepared.inputs(args, kwargs, symbols)
    with reported(progress) as callback:
        return Measurement(prepared, given, options, callback).profile(snapshot, method)


def resolved(x: Any, inputs: Any, kwargs: Any, method: str | None) -> tuple[ExportedProgram, Snapshot, str]:
    """The program to run, the Snapshot with its nodes, and the method's name in it."""
    if isinstance(x, ExportedProgram):
        return x, capture(x), _only(method)
    if isinstance(x, torch.nn.Module):
        if inputs is None:
            raise wrong_argument("A module needs example inputs to be exported. Pass inputs=(x, …).")
        program, _ = export(x, arguments(inputs) or (), kwargs=kwargs)
        return program, capture(program), _only(method)
    if is_stage(x):
        name = chosen(x.programs, method)
        return x.programs[name], x.snapshot, name
    if is_manager(x):
        name = chosen(x.methods, method)
        return x.exported_program(name), capture(x), name
    if is_runtime_file(x):
        raise wrong_argument(
            f"The file {os.fspath(x)!r} has no program whose nodes could run one by one. Pass the stage or "
            "the manager that it was made from; to compare its outputs, diff(a, path).values("
            "executor='executorch')."
        )
    what = f"the file {os.fspath(x)!r} as it is" if is_path(x) else f"an object of type {type(x).__name__}"
    raise wrong_argument(
        f"Cannot run {what}. Pass an ExportedProgram, an EdgeProgramManager, a stage, or an nn.Module with "
        "its example inputs. For a file, call load(path, trust=True) first. For a session, pass a "
        "stage, such as session.root."
    )


def _only(method: str | None) -> str:
    if method is not None and not (is_text(method) and method == "forward"):
        raise wrong_argument(f"The program has one method, 'forward', and {method!r} was asked for.")
    return "forward"
