"""Find where the values of two programs diverge: both run on the same inputs with the bundled CPU executor.

Enters: two live programs (or stages), and optionally a Diff of them. Leaves: `Values`. Both run on copies of
all that they write to; neither program, nor the user's module, nor the inputs are changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import torch

from exir_viz.compare.align.known_links import between
from exir_viz.compare.diff import Diff
from exir_viz.compare.diff import diff as compared
from exir_viz.compare.values.origins import origins, producers
from exir_viz.compare.values.precision import coarser, coarsest
from exir_viz.compare.values.records import SCHEMA, NumberRow, Numbers, Producer, Uncompared, ValuesRecord
from exir_viz.compare.values.value_pairs import Counterparts, counterparts, places
from exir_viz.compare.values.values import Values
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.program import CpuProgram, Inputs
from exir_viz.measure.cpu.real import check_state
from exir_viz.measure.live import resolved
from exir_viz.measure.options import amount, arguments, by_name, check_callback
from exir_viz.measure.profilable import is_stage
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.options import instance
from exir_viz.snapshot import Snapshot

from .distance import Tolerance, misfit, numbers, scaled
from .feeding import Fed, shared
from .folding import folded
from .lockstep import Held, Side, run
from .outputs import Dtypes, outputs

_NOT_RUN = "at least one side did not run"
_OTHER_METHOD = "of a method that was not run"


def compare_values(  # noqa: PLR0913  every option, by name
    a: Any,
    b: Any,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, int] | None = None,
    method: str | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-5,
    diff: Diff | None = None,
    progress: Callback | None = None,
) -> Values:
    """Run both on the same inputs and compare every matched value; see `exir_viz.compare_values`.

    progress: is called with a Progress after each node; without it a line says how long it will take.

    Raises MeasureError for inputs that do not fit one of the two, and for a node that cannot run.
    """
    check_callback("compare_values", progress)
    kwargs = by_name("kwargs", kwargs, "{'mask': …}")
    symbols = by_name("symbols", symbols, "{'s77': 16}")
    tolerance = Tolerance(amount("rtol", rtol), amount("atol", atol))
    (first, before, name), (second, after, other) = (resolved(x, inputs, kwargs, method) for x in (a, b))
    if name != other:
        raise MeasureError(f"Methods {name!r} and {other!r} were chosen: pass method= with one both have.")
    for program in (first, second):
        check_state(program)
    if diff is not None:
        instance("compare_values", "diff", diff, Diff, "exir_viz.diff(a, b) makes one.")
    found = _diff(a, b, before, after) if diff is None else _checked(diff, before, after)
    links = between(a, b).links if is_stage(a) and is_stage(b) else ()
    prepared = CpuProgram(first, name), CpuProgram(second, name)
    folds = folded(found, first, second, name)
    pairs = counterparts(found, links, folds.ends, folds.weights)
    given, fed = shared(prepared[0], second, arguments(inputs), kwargs, symbols)
    sides = (
        Side(prepared[0], before, [pair.a for pair in pairs.pairs]),
        Side(prepared[1], after, [pair.b for pair in pairs.pairs]),
    )
    with reported(progress) as callback:
        comparing = _Comparing(pairs, sides, tolerance, name)
        record = comparing.record(found, given, fed, Reporter(callback))
    return Values(found, record)


def _diff(a: Any, b: Any, before: Snapshot, after: Snapshot) -> Diff:
    live = (a, b)
    both_stages = is_stage(a) and is_stage(b)
    return compared(a, b, live=live) if both_stages else compared(before, after, live=live)


def _checked(given: Diff, before: Snapshot, after: Snapshot) -> Diff:
    if given.a != before or given.b != after:
        raise MeasureError("The diff is of other programs. Pass the diff of these two, or none.")
    return Diff(before, after, given.comparison, given.live)


class _Comparing:
    """One comparison, with its results so far."""

    def __init__(
        self, pairs: Counterparts, sides: tuple[Side, Side], tolerance: Tolerance, method: str
    ) -> None:
        self._pairs = pairs
        self._sides = sides
        self._tolerance = tolerance
        self._dtypes = tuple(coarsest(side.numbering) for side in sides)
        self._used: set[str] = set()
        self._method = method
        self._rows: dict[int, NumberRow] = {}
        self._misfits: dict[int, str] = {}

    def record(self, compared: Diff, given: Inputs, fed: Fed, tell: Reporter) -> ValuesRecord:
        """Run both and return the result."""
        a, b = self._sides
        waited = run(a, b, (given.values, fed.values), self._meet, tell)
        found = [self._rows[pair] for pair in sorted(self._rows, key=self._when)]
        handed_back = tuple(outputs(a, b, fed.paths, self._ends(), self._tolerance_by))
        ends_part = any(row.numbers is not None and row.numbers.parted for row in handed_back)
        rows = origins(compared, tuple(found), ends_part=ends_part)
        reasons, uncompared = self._uncompared(compared)
        return ValuesRecord(
            schema=SCHEMA,
            a=compared.comparison.a,
            b=compared.comparison.b,
            rtol=self._tolerance.rtol,
            atol=self._tolerance.atol,
            rows=rows,
            outputs=handed_back,
            first=next((at for at, row in enumerate(rows) if row.origin), -1),
            producers=tuple(self._producers(compared)),
            uncompared=uncompared,
            reasons=reasons,
            notes=tuple(self._notes(fed)),
            inputs=tuple((one.path, one.value) for one in given.described()),
            inputs_from=given.source,
            waited_bytes=waited,
            coarse=tuple((dtype, self._tolerance.of(dtype).rtol) for dtype in sorted(self._used)),
        )

    def _meet(self, pair: int, a: Held, b: Held) -> None:
        """Compare a pair of values; of several turns of a loop the worst is kept."""
        match, one, other, emulated, scales = self._pairs.pairs[pair]
        ours, theirs = (scaled(side[0], scale) for side, scale in zip((a, b), scales, strict=True))
        if why := misfit(ours, theirs):
            self._misfits[pair] = why
            return
        found = numbers(ours, theirs, self._tolerance_of(one, other))
        row = NumberRow(
            *(match, one, other, found),
            emulated=emulated,
            scaled=any(scales),
            health_a=a[1],
            health_b=b[1],
        )
        former = self._rows.get(pair)
        if former is not None:
            worst = row if _badness(found) > _badness(former.numbers) else former
            row = msgspec.structs.replace(worst, turns=former.turns + 1)
        self._rows[pair] = row

    def _tolerance_of(self, one: int, other: int) -> Tolerance:
        """The tolerance for the values of two nodes, by the coarser dtype that either was computed
        through.
        """
        return self._tolerance_by(coarser(self._dtypes[0][one], self._dtypes[1][other]))

    def _tolerance_by(self, dtype: str) -> Tolerance:
        found = self._tolerance.of(dtype)
        if found is not self._tolerance:
            self._used.add(dtype)
        return found

    def _ends(self) -> tuple[Dtypes, Dtypes]:
        """For either side, by position in the method's graph: the coarsest dtype that it was computed
        through.
        """
        bases = (places(side.numbering)[self._method] for side in self._sides)
        a, b = (
            dtypes[base : base + side.total]
            for dtypes, base, side in zip(self._dtypes, bases, self._sides, strict=True)
        )
        return a, b

    def _when(self, pair: int) -> tuple[int, int]:
        """The order of the pair's first value in b."""
        return self._sides[1].order.get(pair, -1), pair

    def _uncompared(self, compared: Diff) -> tuple[tuple[str, ...], tuple[Uncompared, ...]]:
        """Matches with nodes on both sides and no row, with the reasons as a list."""
        found = dict(self._pairs.reasons)
        for number, pair in enumerate(self._pairs.pairs):
            if number not in self._rows:
                method = compared.numbering_a.node(pair.a).graph.path.split("/")[0]
                why = _NOT_RUN if method == self._method else _OTHER_METHOD
                found[pair.match] = self._misfits.get(number, why)
        for row in self._rows.values():
            found.pop(row.match, None)
        reasons = tuple(dict.fromkeys(found.values()))
        at = {reason: number for number, reason in enumerate(reasons)}
        return reasons, tuple(Uncompared(match, at[found[match]]) for match in sorted(found))

    def _producers(self, compared: Diff) -> list[Producer]:
        a, b = self._sides
        return [
            *producers("a", compared.numbering_a, a.healths),
            *producers("b", compared.numbering_b, b.healths),
        ]

    def _notes(self, fed: Fed) -> list[str]:
        backends = sorted(set().union(*(side.prepared.planner.backends for side in self._sides)))
        others = sorted({name for side in self._sides for name in side.snapshot.methods} - {self._method})
        notes = [fed.note] if fed.note else []
        if others:
            notes.append(
                f"Only the method {self._method} was run. Not compared: {', '.join(others)}; pass method=."
            )
        if backends:
            notes.append(
                f"What {', '.join(backends)} took was run in eager torch from the program it was given, as "
                "one block: these are not the backend's own numbers."
            )
        unequal = sum(one != other for one, other in zip(*(side.turns for side in self._sides), strict=True))
        if unequal:
            notes.append(
                f"{unequal} pairs ran a different number of times: as many as both had are compared."
            )
        return notes


def _badness(found: Numbers) -> tuple[int, float]:
    return found.unlike, found.max_abs or 0.0
