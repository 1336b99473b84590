"""Runs the worker process that reads files, within limits of time, memory and number."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

import msgspec
from traitlets import Float, Int
from traitlets.config import LoggingConfigurable

from .answers import Problem
from .worker import ANSWERED, REFUSED, Task

_WORKER: Final = (sys.executable, "-P", "-m", "exir_viz.server.worker")
_LOGGED_BYTES: Final = 4_000


class Unreadable(Exception):
    """Raised for a file that is not shown. `crashed`: the worker ended without a reason."""

    def __init__(self, problem: Problem, *, crashed: bool = False) -> None:
        super().__init__(problem.reason)
        self.problem = problem
        self.crashed = crashed


class ProgramReader(LoggingConfigurable):
    """Reads program files, each in its own process. Configure it as `c.ProgramReader`."""

    timeout = Float(60, help="Seconds that reading may take.").tag(config=True)
    memory = Int(3 << 30, help="Bytes that a worker process may allocate.").tag(config=True)
    answer = Int(256 << 20, help="Bytes of an answer, without weights.").tag(config=True)
    processes = Int(2, help="How many files are read at the same time.").tag(config=True)

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self._turns = asyncio.Semaphore(self.processes)

    async def read(
        self,
        paths: Sequence[Path],
        out: IO[bytes],
        stages: tuple[str, ...] = (),
        *,
        root: Path | None = None,
    ) -> None:
        """Write the answer for one file, for two to compare, or for two stages of one, to `out`. Raises
        Unreadable.

        root: the folder that the files must be in; where their paths have become symbolic links, they are
        not read.

        If the caller is cancelled, the worker ends.
        """
        names, below = tuple(map(str, paths)), "" if root is None else str(root)
        task = msgspec.json.encode(Task(names, self.memory, self.answer, stages=stages, root=below))
        name = paths[0].name if len(paths) == 1 else " and ".join(path.name for path in paths)
        async with self._turns:
            with tempfile.TemporaryFile() as log:
                code = await self._run(task, out, log)
                self._check(code, name, out, log)

    async def _run(self, task: bytes, out: IO[bytes], log: IO[bytes]) -> int | None:
        """The exit code of a worker; None if it took too long."""
        # its own session: Ctrl-C in Jupyter's terminal does not reach it
        worker = subprocess.Popen(  # noqa: S603  no shell
            _WORKER, stdin=subprocess.PIPE, stdout=out, stderr=log, start_new_session=True
        )
        ending = asyncio.get_running_loop().run_in_executor(None, _finish, worker, task, self.timeout)
        try:
            return await asyncio.shield(ending)
        except asyncio.CancelledError:
            worker.kill()
            await ending  # its output is complete only then
            raise

    def _check(self, code: int | None, name: str, out: IO[bytes], log: IO[bytes]) -> None:
        out.seek(0)
        if code == ANSWERED:
            return
        if code == REFUSED:
            raise Unreadable(msgspec.json.decode(out.read(), type=Problem))
        if code is None:
            reason = f"reading it took more than {self.timeout:g} seconds"
            remedy = (
                "Try again when the machine is idle, or raise c.ProgramReader.timeout in Jupyter's config."
            )
            raise Unreadable(Problem(name, reason, remedy))
        log.seek(0)
        log_text = log.read(_LOGGED_BYTES).decode(errors="replace")
        self.log.error("exir_viz: the worker that read %s ended with code %s. %s", name, code, log_text)
        reason = f"the process that read it ended unexpectedly (exit code {code})"
        remedy = "Try again. If it fails again, the log of Jupyter's server has the details."
        raise Unreadable(Problem(name, reason, remedy), crashed=True)


def _finish(worker: subprocess.Popen[bytes], task: bytes, timeout: float) -> int | None:
    """The worker's exit code; None if it took too long and was killed."""
    try:
        worker.communicate(task, timeout)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.communicate()
        return None
    return worker.returncode
