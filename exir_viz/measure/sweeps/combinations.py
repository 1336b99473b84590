"""Run every combination of programs, thread counts and values of symbols, as a Sweep.

Measurements on one machine must not disturb each other: without an Executor they run one after the other,
each in its own process; programs that cannot be sent to one run here. Any `concurrent.futures.Executor` works
instead: of a Dask cluster (`client.get_executor()`), of Ray, or a pool of processes or threads. Programs and
Profiles are sent as bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from typing import Any

from exir_viz.errors import ExirVizError, MeasureError
from exir_viz.measure.cpu.symbols import by_torch_names
from exir_viz.measure.files import decode, problem
from exir_viz.measure.options import by_name, count, several
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.measure.records import Executor as Measuring
from exir_viz.options import named_options, wrong_argument
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.symbol_names import renamed_text

from .packed_program import NotSent, PackedProgram, pack
from .pending_answers import PendingAnswer, Turn, begun, failed
from .results import Outcome, Setting, Sweep
from .worker import measured, measured_here

_MEASURING = tuple(one.value for one in (Measuring.CPU, Measuring.RUNTIME))
_CUT = "The sweep was interrupted before this was measured."


@named_options
def sweep(  # noqa: PLR0913  every option of measuring, by name
    programs: Any,
    inputs: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    method: str | None = None,
    threads: Sequence[int] = (1,),
    symbols: Mapping[str, Sequence[int]] | None = None,
    repeats: int | None = None,
    warmup: int = 2,
    imports: str | Iterable[str] = (),
    executor: str | Executor | None = None,
    on: Executor | None = None,
    progress: Callback | None = None,
) -> Sweep:
    """Profile every combination of programs, thread counts and values of symbols.

    Parameters
    ----------
    programs
        What `profile` accepts, or a dict of several by name.
    threads, symbols
        The values to try, such as (1, 2, 4), and {"s77": (1, 8)} or {"seq": (1, 8)} for Dim("seq").
    inputs, kwargs, method, repeats, warmup, progress
        As for `exir_viz.profile`.
    imports
        Modules that each process imports first, such as those that register custom operators.
    executor
        What measures, as for `profile`: "cpu" or "executorch".
    on
        Where to run: any concurrent.futures.Executor. By default one after the other, each in its own
        process.

    Returns
    -------
    Sweep
        A profile or an error per combination. See `exir_viz.types.Sweep`.

    Raises
    ------
    WrongArgument
        If there is nothing to try, or an option has the wrong type.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as here:
    ...     sweep = exir_viz.measure.sweep(program, x, threads=(1, 2), repeats=1, on=here)
    >>> sweep
    <Sweep: 2 of 2 measured>
    """
    how, where = _executors(executor, on)
    named = dict(programs) if isinstance(programs, Mapping) else {"program": programs}
    counts = [count("threads", one) for one in several("threads", threads)]
    tried = by_name("symbols", symbols, "{'s77': (1, 8)}")
    values = {name: several(f"symbols[{name!r}]", some) for name, some in tried.items()}
    for name, number in (("repeats", 1 if repeats is None else repeats), ("warmup", warmup)):
        count(name, number)
    modules = (imports,) if isinstance(imports, str) else tuple(imports)
    packed = {
        name: _packed(named[name], inputs, kwargs, method, modules, how)
        for name in several("programs", [*named])
    }
    settings = list(_settings(_tried(packed, values), counts))
    options = {"inputs": inputs, "kwargs": kwargs, "repeats": repeats, "warmup": warmup, "executor": how}
    with reported(progress) as callback:
        return _Work(settings, packed, options, where, named, method).run(Reporter(callback))


def _executors(executor: str | Executor | None, on: Executor | None) -> tuple[str, Executor | None]:
    """The executor that measures, and the Executor it runs on."""
    if executor is not None and not isinstance(executor, str):
        if on is not None:
            raise wrong_argument("Pass on= only, not executor= too.")
        executor, on = None, executor
    if not (on is None or hasattr(on, "submit")):
        raise wrong_argument(f"A sweep needs a concurrent.futures.Executor for on=, not {on!r}.")
    how = executor or Measuring.CPU.value
    if how not in _MEASURING:
        raise wrong_argument(
            f"Unknown executor {how!r}. Available: {', '.join(map(repr, _MEASURING))}. To choose where it "
            "runs, pass a concurrent.futures.Executor as on=."
        )
    return how, on


@dataclass(frozen=True)
class _Work:
    """A running sweep: each setting with its pending answer, or its error."""

    settings: list[Setting]
    packed: Mapping[str, tuple[PackedProgram, Snapshot] | ExirVizError]
    options: dict[str, Any]
    executor: Executor | None
    programs: Mapping[str, Any]
    method: str | None

    def run(self, report: Reporter) -> Sweep:
        waiting = [self._begin(setting) for setting in self.settings]
        found: list[Outcome] = [MeasureError(_CUT)] * len(waiting)
        at, complete = 0, True
        try:
            for at, one in enumerate(waiting):
                report("Sweeping", at, len(waiting))
                found[at] = self._outcome(at, one)
            report("Sweeping", len(waiting), len(waiting))
        except KeyboardInterrupt:
            complete = False
            for left in range(at, len(waiting)):
                if not waiting[left].cancel() and waiting[left].done():
                    found[left] = self._outcome(left, waiting[left])
        return Sweep(list(zip(self.settings, found, strict=True)), complete=complete)

    def _begin(self, setting: Setting) -> PendingAnswer:
        name = setting["program"]
        packed = self.packed[name]
        if isinstance(packed, NotSent) and self.executor is None:
            return Turn(measured_here, self.programs[name], packed, self.method, setting, self.options)
        if isinstance(packed, ExirVizError):
            return failed(packed)
        symbols = by_torch_names(setting["symbols"], packed[0].symbols)
        return begun(self.executor, measured, packed[0], {**setting, "symbols": symbols}, self.options)

    def _outcome(self, at: int, waiting: PendingAnswer) -> Outcome:
        try:
            answer = waiting.result()
        except Exception as error:  # noqa: BLE001  an Executor raises what it likes
            return _reason(error)
        packed = self.packed[self.settings[at]["program"]]
        if isinstance(answer, str):
            # a program that was saved and loaded has torch's names only
            names = {} if isinstance(packed, ExirVizError) else packed[0].symbols
            return MeasureError(renamed_text(answer, {torch: user for user, torch in names.items()}))
        if isinstance(answer, Profile):
            return answer
        profile = decode(answer, "the answer of the worker")
        # the sender's Snapshot has its lineage; a loaded file may name a few nodes differently
        if isinstance(packed, ExirVizError) or problem(profile.record, packed[1]):
            return profile
        return Profile(profile.record, packed[1])


def _reason(error: Exception) -> MeasureError:
    if isinstance(error, MeasureError):
        return error
    if isinstance(error, ExirVizError):
        return MeasureError(str(error))
    if isinstance(error, BrokenExecutor):
        return MeasureError(
            f"A worker of the Executor died, at this combination or at one that ran with it ({error}). "
            "Without on= each combination has its own process."
        )
    return MeasureError(f"Cannot run it: {type(error).__name__}: {error}")


def _packed(
    x: Any, inputs: Any, kwargs: Any, method: str | None, imports: Iterable[str], executor: str
) -> tuple[PackedProgram, Snapshot] | ExirVizError:
    try:
        return pack(x, inputs, kwargs, method, imports, executor)
    except ExirVizError as error:
        return error


def _tried(
    packed: Mapping[str, tuple[PackedProgram, Snapshot] | ExirVizError], values: Mapping[str, Sequence[int]]
) -> dict[str, dict[str, Sequence[int]]]:
    """By program: the values to try for its symbols; for an unreadable program, all of them."""
    has = {name: _symbols(one) for name, one in packed.items()}
    known = {name for names in has.values() if names for pair in names.items() for name in pair}
    if None not in has.values():
        for name in values.keys() - known:
            symbols_text = ", ".join(sorted(set().union(*(names or () for names in has.values())))) or "none"
            raise wrong_argument(f"No program has a symbol {name!r}: they have {symbols_text}.")
    return {program: _of_program(values, names) for program, names in has.items()}


def _of_program(
    values: Mapping[str, Sequence[int]], names: Mapping[str, str] | None
) -> dict[str, Sequence[int]]:
    """The values for the symbols that a program has, by either name."""
    if names is None:
        return dict(values)
    by_torch_names(values, names)  # refuses one symbol under two names
    return {name: some for name, some in values.items() if name in names or name in names.values()}


def _symbols(packed: tuple[PackedProgram, Snapshot] | ExirVizError) -> Mapping[str, str] | None:
    if isinstance(packed, NotSent):
        return packed.symbols
    return None if isinstance(packed, ExirVizError) else packed[0].symbols


def _settings(
    programs: Mapping[str, Mapping[str, Sequence[int]]], threads: Sequence[int]
) -> Iterator[Setting]:
    for program, symbols in programs.items():
        for number, *values in itertools.product(threads, *symbols.values()):
            yield {"program": program, "threads": number, "symbols": dict(zip(symbols, values, strict=True))}
