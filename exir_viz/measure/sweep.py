"""Many profiles: over thread counts, batch sizes, values of symbols, programs; here, or on a cluster.

Measurements on one machine must not disturb each other: without an Executor they run one after the other, in
a process of their own. Any `concurrent.futures.Executor` is taken instead: of a Dask cluster
(`client.get_executor()`), of Ray, or a process pool. Programs and Profiles travel as bytes of `.pt2` and
`.exirprofile` files.
"""

from __future__ import annotations

import io
import itertools
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

from exir_viz.errors import MeasureError

from .files import decode, encode
from .profile import Profile
from .progress import Callback, Reporter
from .shown import shown

if TYPE_CHECKING:
    import pandas as pd
    from torch.export import ExportedProgram

Setting = dict[str, Any]


class Sweep:
    """The profiles of a sweep, each with its setting; a setting that failed has its error instead."""

    def __init__(self, results: Sequence[tuple[Setting, Profile | MeasureError]]) -> None:
        self.results = tuple(results)

    def __iter__(self) -> Iterator[tuple[Setting, Profile]]:
        """The settings that were measured."""
        return ((setting, found) for setting, found in self.results if isinstance(found, Profile))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def failed(self) -> list[tuple[Setting, MeasureError]]:
        """The settings that could not be measured, and why."""
        return [(setting, found) for setting, found in self.results if isinstance(found, MeasureError)]

    @property
    def frame(self) -> pd.DataFrame:
        """One row a setting: its values, then time_us, min_us (the whole), overhead_us, peak_bytes, error."""
        import pandas as pd

        return pd.DataFrame.from_records([_row(setting, found) for setting, found in self.results])

    @property
    def nodes(self) -> pd.DataFrame:
        """`profile.frame` of every setting under each other, the setting's values as the first columns."""
        import pandas as pd

        frames = []
        for setting, profile in self:
            frame = profile.frame
            for at, (name, value) in enumerate(_flat(setting).items()):
                frame.insert(at, name, value)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def sweep(
    programs: ExportedProgram | Mapping[str, ExportedProgram],
    *,
    threads: Sequence[int] = (1,),
    symbols: Mapping[str, Sequence[int]] | None = None,
    executor: Executor | None = None,
    progress: Callback | None = None,
    **options: Any,
) -> Sweep:
    """Profile every combination of programs, thread counts and values of symbols.

    programs: one, or several by name.
    symbols: the values to try, by name: {"s77": (1, 8, 64)}; a batch size is the symbol of a dynamic batch.
    executor: where to run. None: one process at a time on this machine.
    options: of `profile`: repeats, warmup.

    A setting that fails does not stop the others: see `Sweep.failed`. Ctrl-C keeps what is done.
    """
    named = programs if isinstance(programs, Mapping) else {"program": programs}
    archives = {name: _saved(program) for name, program in named.items()}
    settings = list(_settings(list(archives), threads, symbols or {}))
    with shown(progress) as callback:
        report = Reporter(callback)
        if executor is not None:
            return Sweep(_run(executor, archives, settings, options, report, at_once=True))
        spawn = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
        with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as own:
            return Sweep(_run(own, archives, settings, options, report, at_once=False))


def measured(archive: bytes, setting: Setting, options: Setting) -> tuple[str, bytes | str]:
    """What a worker does: profile a program in bytes; the answer is ("profile", bytes) or ("error", text)."""
    import torch

    from .live import profile

    program = torch.export.load(io.BytesIO(archive))
    try:
        found = profile(
            program, threads=setting["threads"], symbols=setting["symbols"], progress=_ignore, **options
        )
    except MeasureError as error:
        return "error", str(error)
    return "profile", encode(found)


def _run(
    executor: Executor,
    archives: Mapping[str, bytes],
    settings: Sequence[Setting],
    options: Setting,
    report: Reporter,
    *,
    at_once: bool,
) -> list[tuple[Setting, Profile | MeasureError]]:
    def submit(setting: Setting) -> Future[tuple[str, bytes | str]]:
        return executor.submit(measured, archives[setting["program"]], setting, options)

    waiting = [submit(setting) for setting in settings] if at_once else []
    results: list[tuple[Setting, Profile | MeasureError]] = []
    try:
        for at, setting in enumerate(settings):
            report("Sweeping", at, len(settings))
            _, answer = (waiting[at] if at_once else submit(setting)).result()
            results.append((setting, decode(answer) if isinstance(answer, bytes) else MeasureError(answer)))
    except KeyboardInterrupt:
        for future in waiting[len(results) :]:
            future.cancel()
    report("Sweeping", len(results), len(settings))
    return results


def _settings(
    programs: Sequence[str], threads: Sequence[int], symbols: Mapping[str, Sequence[int]]
) -> Iterator[Setting]:
    for program, count, *values in itertools.product(programs, threads, *symbols.values()):
        yield {"program": program, "threads": count, "symbols": dict(zip(symbols, values, strict=True))}


def _saved(program: ExportedProgram) -> bytes:
    import torch

    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    return buffer.getvalue()


def _row(setting: Setting, found: Profile | MeasureError) -> Setting:
    row = _flat(setting)
    if isinstance(found, MeasureError) or found.whole is None or found.overhead is None:
        return {**row, "error": str(found) if isinstance(found, MeasureError) else "no run came to its end"}
    peak = found.peak
    return {
        **row,
        "time_us": found.whole.time / 1e3,
        "min_us": found.whole.min / 1e3,
        "overhead_us": found.overhead.time / 1e3,
        "peak_bytes": None if peak is None else peak.live_bytes,
        "error": None,
    }


def _flat(setting: Setting) -> Setting:
    return {"program": setting["program"], "threads": setting["threads"], **setting["symbols"]}


def _ignore(_: object) -> None:
    """Progress within a worker is nobody's to see."""
