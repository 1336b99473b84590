"""Run programs in the ExecuTorch runtime in a process of their own, so that a crash does not end the kernel.

The process starts with the first program and stays until the kernel ends. After a crash the next program
starts a new one. A program that crashes after others ran is tried again in a new process, because one of
those may have damaged the memory of the process.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from exir_viz.errors import MeasureError, as_clause
from exir_viz.torch_internals.runtime import RUNTIME_LOADING, RUNTIME_THREADS

from .rounds import RoundResults
from .runtime_log import RuntimeLog
from .worker_messages import Advanced, Failed, Forget, Measure, MethodCall, PartCalls, Proceed, Run

_WORKER = (sys.executable, "-P", "-m", "exir_viz.measure.runtime.worker")


_KEYS = itertools.count()


class NotRun(MeasureError):
    """Raised for a program that the runtime could not run; `crashed`: its process died."""

    def __init__(self, reason: str, *, crashed: bool = False) -> None:
        super().__init__(reason)
        self.crashed = crashed


class RuntimeProcess:
    """The runtime in another process. Threads take turns."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: set[int] = set()
        self._has_run = False  # a program, in the current process
        self._log = RuntimeLog()  # since the last request
        self._turns = threading.Lock()

    def run(
        self,
        program: RuntimeProgram,
        inputs: Sequence[Any],
        constants: Sequence[int] = (),
        *,
        is_fresh: bool = False,
    ) -> list[Any]:
        """The outputs of a method; raises NotRun if it fails, or if the process dies.

        constants: positions of inputs that the method may not have, because export specialized them.
        is_fresh: whether its state is that of a first run; otherwise it is what the run before wrote.
        """
        given = tuple(map(_compact, inputs))

        def request() -> Run:
            is_there = program.key in self._sent and self._is_alive()
            data = None if is_there else program.data
            return Run(program.key, data, program.method, given, tuple(constants), _libraries(), is_fresh)

        with self._turns:
            has_run = self._has_run and self._is_alive()
            try:
                answer = self._ask(request())
            except NotRun:
                if not has_run:
                    raise
                answer = self._ask(request())
            self._sent.add(program.key)
            if isinstance(answer, Failed):
                raise NotRun(self._why(answer))
        found: list[Any] = answer.values
        return found

    def measure(
        self,
        whole: MethodCall,
        parts: Mapping[str, PartCalls],
        *,
        warmup: int,
        repeats: int,
        threads: int,
        report: Callable[[str, int, int], None],
    ) -> RoundResults:
        """Run rounds of a program and its parts; an interrupt keeps complete ones. Raises MeasureError."""
        RUNTIME_LOADING.required()
        RUNTIME_THREADS.is_usable()  # the notice, which the other process cannot give
        request = Measure(whole, parts, warmup, repeats, threads, _libraries())
        with self._turns:
            try:
                answer, is_stopped = self._follow(request, report)
            except NotRun as error:
                raise MeasureError(f"The program could not be measured: {as_clause(error)}.") from error
            if isinstance(answer, Failed):
                raise MeasureError(self._why(answer), op=answer.op, given=answer.given)
        found: RoundResults = answer
        found.is_interrupted = found.is_interrupted or is_stopped
        return found

    def _follow(self, request: Measure, report: Callable[[str, int, int], None]) -> tuple[Any, bool]:
        """The answer to a request, with a report of each step before it; whether it was interrupted."""
        process, is_stopped = self._started(), False
        self._log.clear()
        try:
            self._send(process, request)
            while True:
                is_stopped = self._wait(process) or is_stopped
                answer = self._receive(process)
                if not isinstance(answer, Advanced):
                    return answer, is_stopped
                try:
                    report(*answer)
                except KeyboardInterrupt:
                    is_stopped = True
                self._send(process, Proceed(is_stopped))
        except BrokenPipeError as error:
            self._end(process)
            raise NotRun(self._cause(process), crashed=True) from error
        except NotRun:
            raise
        except BaseException:
            self._abandon()
            raise

    def _wait(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait for an answer; whether an interrupt came meanwhile. A second one is raised."""
        is_interrupted = False
        while sys.platform != "win32":  # where pipes cannot be waited for
            try:
                select.select([process.stdout.fileno()], [], [])  # type: ignore[union-attr]  # it is a pipe
                break
            except KeyboardInterrupt:
                if is_interrupted:
                    raise
                is_interrupted = True
        return is_interrupted

    def _abandon(self) -> None:
        """End a process that is at work: its answer would be read as that of the next request."""
        if self._process is not None:
            self._process.kill()
            self._end(self._process)

    def forget(self) -> None:
        """Free all programs in the process."""
        with self._turns:
            self._sent.clear()
            if self._process is not None and self._is_alive():
                with contextlib.suppress(BrokenPipeError):  # a dead process has freed them
                    self._send(self._process, Forget())

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _ask(self, request: Run) -> Any:
        process = self._started()
        self._log.clear()
        self._has_run = True
        try:
            self._send(process, request)
        except BrokenPipeError as error:
            self._end(process)
            raise NotRun(self._cause(process), crashed=True) from error
        except BaseException:
            self._abandon()
            raise
        return self._receive(process)

    def _receive(self, process: subprocess.Popen[bytes]) -> Any:
        """The next answer of the process that was asked."""
        try:
            return pickle.load(process.stdout)  # type: ignore[arg-type]  # noqa: S301  our child
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            self._end(process)
            raise NotRun(self._cause(process), crashed=True) from error
        except BaseException:  # an interrupt
            self._abandon()
            raise

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or not self._is_alive():
            self._sent.clear()
            self._has_run = False
            # its own session: Ctrl-C in the terminal does not reach it
            self._process = subprocess.Popen(  # noqa: S603  no shell
                _WORKER,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log.file,
                start_new_session=True,
            )
        return self._process

    def _send(self, process: subprocess.Popen[bytes], request: Run | Measure | Proceed | Forget) -> None:
        stdin = process.stdin
        if stdin is not None:
            pickle.dump(request, stdin, pickle.HIGHEST_PROTOCOL)
            stdin.flush()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # bytes that it did not read any more
                    pipe.close()
        self._process = None
        self._sent.clear()

    def _why(self, failed: Failed) -> str:
        """The reason of a failure, with what was logged unless an operator is missing."""
        return failed.reason if failed.op else self._log.explained(failed.reason)

    def _cause(self, process: subprocess.Popen[bytes]) -> str:
        """How a process ended, and what it logged before."""
        code = process.returncode
        how = f"died by signal {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return self._log.explained(f"the process that ran it {how}")


class RuntimeProgram:
    """A method of a `.pte` that runs in the other process."""

    def __init__(self, data: bytes, method: str = "forward") -> None:
        self.data = data
        self.method = method
        self.key = next(_KEYS)

    def run(
        self, inputs: Sequence[Any], constants: Sequence[int] = (), *, is_fresh: bool = False
    ) -> list[Any]:
        """The outputs; raises NotRun. See `RuntimeProcess.run`."""
        return runtime_process().run(self, inputs, constants, is_fresh=is_fresh)


@functools.cache
def runtime_process() -> RuntimeProcess:
    """The process of this kernel."""
    return RuntimeProcess()


def _libraries() -> tuple[str, ...]:
    """The files that this process has loaded with `torch.ops.load_library`."""
    return tuple(sorted(map(str, torch.ops.loaded_libraries)))


def _compact(value: Any) -> Any:
    """A tensor without the rest of its storage."""
    if not isinstance(value, torch.Tensor):
        return value
    tensor = value.detach()
    is_whole = tensor.untyped_storage().nbytes() == tensor.numel() * tensor.element_size()
    return tensor if is_whole else tensor.clone()
