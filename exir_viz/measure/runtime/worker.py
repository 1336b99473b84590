"""The process that runs programs in the ExecuTorch runtime: `python -P -m exir_viz.measure.runtime.worker`.

The runtime is native code: a faulty program or kernel ends the process that runs it. So comparisons run
programs here. Requests enter on stdin and answers leave on stdout, both as pickles between a parent and its
own child.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from typing import Any

import torch

from exir_viz.errors import ExirVizError, MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.torch_internals.runtime import import_bindings, threads

from .worker_messages import Advanced, Failed, Forget, Measure, MethodCall, Outputs, Proceed, Run

Send = Callable[[Any], None]


def main() -> None:
    # stdout is for answers only: the runtime prints there
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    import_bindings()
    from .pte import Loaded

    def send(answer: Any) -> None:
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    programs: dict[int, Loaded] = {}
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)  # noqa: S301  from the process that started this one
        except EOFError:
            return
        if isinstance(request, Forget):
            programs.clear()
            continue
        if isinstance(request, Measure):
            send(_measured(request, send))
        else:
            send(_answer(programs, request))


def _measured(request: Measure, send: Send) -> Any:
    """Run rounds; each step waits for a reply, which may stop them."""
    from .pte import Loaded
    from .rounds import Alone, DelegatePrograms, Rounds

    def report(what: str, done: int, total: int) -> None:
        send(Advanced(what, done, total))
        reply: Proceed = pickle.load(sys.stdin.buffer)  # noqa: S301  from the process that started this one
        if reply.is_stopped:
            raise KeyboardInterrupt

    loaded: dict[int, Loaded] = {}

    def alone(call: MethodCall) -> Alone:
        if id(call.data) not in loaded:
            loaded[id(call.data)] = Loaded(call.data, call.method)
        program = loaded[id(call.data)].sibling(call.method)
        return Alone(program, _wanted(program, call.inputs, call.constants))

    try:
        _load_libraries(request.libraries)
        with threads(request.threads):
            whole, parts, failed = alone(request.whole), dict[str, DelegatePrograms](), dict[str, str]()
            for name, part in request.parts.items():
                try:
                    parts[name] = DelegatePrograms(alone(part.alone), alone(part.empty))
                except MeasureError as error:
                    failed[name] = first_line(error)
            rounds = Rounds(whole, request.warmup, request.repeats, report, threads=request.threads)
            results = rounds.take(parts)
        results.failed |= failed
        return results
    except MeasureError as error:
        return Failed(error.reason, error.op, error.given)
    except Exception as error:  # noqa: BLE001  the runtime raises a dozen classes
        return Failed(f"{type(error).__name__}: {error}")


def _wanted(program: Any, inputs: tuple[Any, ...], constants: tuple[int, ...]) -> tuple[Any, ...]:
    """The inputs without those that the method does not have."""
    if len(inputs) == program.wants():
        return inputs
    return tuple(value for at, value in enumerate(inputs) if at not in constants)


def _answer(programs: dict[int, Any], request: Run) -> Outputs | Failed:
    from .pte import Loaded

    try:
        _load_libraries(request.libraries)
        if request.data is not None:
            programs[request.key] = Loaded(request.data)
        elif request.is_fresh:
            programs[request.key] = programs[request.key].renewed()
        program = programs[request.key].sibling(request.method)
        return Outputs(program.run(_wanted(program, request.inputs, request.constants)))
    except ExirVizError as error:
        return Failed(str(error))
    except Exception as error:  # noqa: BLE001  the runtime raises a dozen classes
        return Failed(f"{type(error).__name__}: {error}")


def _load_libraries(paths: Iterable[str]) -> None:
    """Load what the kernel has loaded; without a library the runtime names the ops that it lacks."""
    for path in paths:
        if path not in torch.ops.loaded_libraries:
            with contextlib.suppress(OSError):
                torch.ops.load_library(path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
