"""The verb `profile`: choose the program and the executor for what a user wants measured.

Importing this does not import torch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from exir_viz.extras import needs_extra
from exir_viz.options import described, is_text, named_options, wrong_argument
from exir_viz.readers.accepted_inputs import is_path, is_runtime_file
from exir_viz.snapshot import Snapshot

from .notices import with_notices
from .options import arguments, by_name, check_callback, count, thread_count
from .profilable import chosen, is_manager, is_stage
from .profile import Profile
from .progress import Callback, reported
from .records import Executor

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram


@named_options
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
    """Measure what each node of a program costs. The program and your module are not changed.

    Ctrl-C stops the measurement and keeps the results so far.

    Parameters
    ----------
    x
        An ExportedProgram of any dialect, an EdgeProgramManager or ExecutorchProgramManager, a stage, or an
        nn.Module, which is exported with `inputs`.
    inputs, kwargs
        A tensor or a tuple of arguments, and keyword arguments. Without them, the program's example inputs
        are used, or inputs synthesized from its metadata.
    executor
        "cpu" (eager torch, node by node) or "executorch" (the real runtime, as a whole and per delegate).
    symbols
        Values of symbols by name, such as {"s77": 16}, or {"seq": 16} for Dim("seq").
    method
        The method to run, if there are several.
    threads
        How many threads torch uses.
    repeats
        How many runs to measure. The default measures for about three seconds.
    warmup
        How many runs to make before measuring.
    progress
        Called with a Progress.

    Returns
    -------
    Profile
        The cost of each node.

    Raises
    ------
    MeasureError
        If the inputs do not fit, or a node cannot run. Its `profile` then holds the results so far.
    UnsupportedTorch
        If the installed torch or ExecuTorch lacks what `executor="executorch"` needs.
    WrongArgument
        If another argument is refused, such as an unknown executor or symbol.

    Examples
    --------
    >>> profile = exir_viz.profile(program, x, repeats=3)
    >>> len(profile)
    3
    >>> profile["linear"].calls
    1
    """
    needs_extra("profile()", "torch")
    from .cpu.measuring import Measurement, Options
    from .cpu.program import CpuProgram

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
    import torch
    from torch.export import ExportedProgram

    from exir_viz.readers.exporting import export
    from exir_viz.readers.live import capture

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
