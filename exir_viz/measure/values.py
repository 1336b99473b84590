"""Where the numbers of two programs part: both run on the same inputs with the bundled CPU executor.

Enters: two live programs (or stages), and a Diff of them or none. Leaves: `Values`. Both run on copies of
all that they write to; neither program, nor your module, nor the inputs are changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from exir_viz.compare.counterparts import Counterparts, counterparts
from exir_viz.compare.diff import Diff, diff
from exir_viz.compare.links import between
from exir_viz.compare.numbers import SCHEMA, NumberRow, Numbers, OutputRow, Producer, Uncompared, ValuesRecord
from exir_viz.compare.origins import origins, producers
from exir_viz.compare.values import Values
from exir_viz.errors import MeasureError
from exir_viz.snapshot import Snapshot

from .cpu.check import check
from .cpu.inputs import examples, places
from .cpu.program import CpuProgram, Inputs
from .cpu.writes import written
from .distance import Tolerance, leaves, misfit, numbers
from .live import resolved
from .lockstep import Held, Side, run
from .progress import Callback, Reporter
from .shown import shown
from .subject import is_stage

_MISFIT = "the values of the run have other shapes: "
_NOT_RUN = "at least one side did not run"


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
    (first, before, name), (second, after, other) = (resolved(x, inputs, kwargs, method) for x in (a, b))
    if name != other:
        raise MeasureError(f"Methods {name!r} and {other!r} were chosen: pass method= with one both have.")
    found = _diff(a, b, before, after) if diff is None else _checked(diff, before, after)
    links = between(a, b).links if is_stage(a) and is_stage(b) else ()
    pairs = counterparts(found, links)
    prepared = CpuProgram(first, name), CpuProgram(second, name)
    args = (inputs,) if isinstance(inputs, torch.Tensor) else None if inputs is None else tuple(inputs)
    given = _given(prepared[0], second, args, kwargs, symbols)
    sides = (
        Side(prepared[0], before, [pair.a for pair in pairs.pairs]),
        Side(prepared[1], after, [pair.b for pair in pairs.pairs]),
    )
    with shown(progress) as callback:
        record = _Comparing(pairs, sides, Tolerance(rtol, atol)).record(found, given, Reporter(callback))
    return Values(found, record)


def _diff(a: Any, b: Any, before: Snapshot, after: Snapshot) -> Diff:
    live = (a, b)
    return diff(a, b, live=live) if is_stage(a) and is_stage(b) else diff(before, after, live=live)


def _checked(given: Diff, before: Snapshot, after: Snapshot) -> Diff:
    if given.a != before or given.b != after:
        raise MeasureError("The diff is of other programs: pass the diff of these two, or none.")
    return Diff(before, after, given.comparison, given.live)


def _given(
    first: CpuProgram,
    second: ExportedProgram,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    symbols: Mapping[str, int] | None,
) -> Inputs:
    """Inputs that fit both: given, the examples that a keeps, else those that b keeps, else made."""
    found = first.inputs(args, kwargs, symbols)
    kept = examples(second) if found.source == "made" and not symbols else None
    if kept is not None and len(kept) == len(found.places):
        bound, unread = check(first.program, found.places, kept)
        found = Inputs(found.places, kept, "example", bound, unread)
    _fits(second, found)
    return found


def _fits(program: ExportedProgram, given: Inputs) -> None:
    """Raise MeasureError where the inputs of a are none for b."""
    takes = places(program)
    if len(takes) != len(given.values):
        raise MeasureError(
            f"The programs take {len(given.values)} and {len(takes)} inputs: they cannot be run on the same."
        )
    check(program, takes, given.values)


class _Comparing:
    """One comparison: what has met so far."""

    def __init__(self, pairs: Counterparts, sides: tuple[Side, Side], tolerance: Tolerance) -> None:
        self._pairs = pairs
        self._sides = sides
        self._tolerance = tolerance
        self._rows: dict[int, NumberRow] = {}
        self._misfits: dict[int, str] = {}

    def record(self, compared: Diff, given: Inputs, tell: Reporter) -> ValuesRecord:
        """Run, and tell all."""
        a, b = self._sides
        waited = run(a, b, (given.values, given.values), self._meet, tell)
        found = [self._rows[pair] for pair in sorted(self._rows, key=self._when)]
        rows = origins(compared, tuple(found))
        reasons, uncompared = self._uncompared()
        return ValuesRecord(
            schema=SCHEMA,
            a=compared.comparison.a,
            b=compared.comparison.b,
            rtol=self._tolerance.rtol,
            atol=self._tolerance.atol,
            rows=rows,
            outputs=tuple(_outputs(a, b, self._tolerance)),
            first=next((at for at, row in enumerate(rows) if row.numbers.parted), -1),
            producers=tuple(self._producers(compared)),
            uncompared=uncompared,
            reasons=reasons,
            notes=tuple(self._notes()),
            inputs=tuple((one.path, one.value) for one in given.described()),
            inputs_from=given.source,
            waited_bytes=waited,
        )

    def _meet(self, pair: int, a: Held, b: Held) -> None:
        """Both values of a pair are there: compare them; of several turns the worst is kept."""
        if misfit(a[0], b[0]):
            shapes = (", ".join(str(tuple(one.shape)) for one in held) for held in (a[0], b[0]))
            self._misfits[pair] = _MISFIT + " and ".join(shapes)
            return
        found = numbers(a[0], b[0], self._tolerance)
        match, one, other, emulated = self._pairs.pairs[pair]
        row = NumberRow(match, one, other, found, 1, False, emulated, a[1], b[1])
        former = self._rows.get(pair)
        if former is not None:
            worst = row if _badness(found) > _badness(former.numbers) else former
            row = _with_turns(worst, former.turns + 1)
        self._rows[pair] = row

    def _when(self, pair: int) -> tuple[int, int]:
        """When the value of b was there first."""
        return self._sides[1].order.get(pair, -1), pair

    def _uncompared(self) -> tuple[tuple[str, ...], tuple[Uncompared, ...]]:
        """Matches that have both sides and no row, with the reasons as a list."""
        found = dict(self._pairs.reasons)
        for number, pair in enumerate(self._pairs.pairs):
            if number not in self._rows:
                found[pair.match] = self._misfits.get(number, _NOT_RUN)
        reasons = tuple(dict.fromkeys(found.values()))
        at = {reason: number for number, reason in enumerate(reasons)}
        return reasons, tuple(Uncompared(match, at[found[match]]) for match in sorted(found))

    def _producers(self, compared: Diff) -> list[Producer]:
        a, b = self._sides
        return [
            *producers("a", compared.numbering_a, a.healths),
            *producers("b", compared.numbering_b, b.healths),
        ]

    def _notes(self) -> list[str]:
        backends = sorted(set().union(*(side.prepared.planner.backends for side in self._sides)))
        notes = []
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
    return found.unlike, found.max_abs


def _with_turns(row: NumberRow, turns: int) -> NumberRow:
    return NumberRow(
        row.match, row.a, row.b, row.numbers, turns, False, row.emulated, row.health_a, row.health_b
    )


# --- what the programs hand back -------------------------------------------------------------------------


def _outputs(a: Side, b: Side, tolerance: Tolerance) -> list[OutputRow]:
    """What both hand back, by position, and what both wrote to, by name."""
    ours, theirs = _handed(a), _handed(b)
    found = []
    for name in ours:
        if name in theirs:
            one, other = leaves(ours[name]), leaves(theirs[name])
            if one and not misfit(one, other):
                found.append(OutputRow(name, numbers(one, other, tolerance)))
    return found


def _handed(side: Side) -> dict[str, Any]:
    """By name: user outputs, and state and inputs that were written to, as they are after the run."""
    program = side.prepared.program
    signature = program.graph_signature
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    marked = written(program.graph_module)
    paths = {place.node.name: place.path for place in places(program)}
    outputs: dict[str, Any] = {}
    writes: dict[str, Any] = {}
    for node, spec, value in zip(nodes, signature.input_specs, side.values, strict=True):
        if node.name in marked:
            if spec.kind is InputKind.USER_INPUT:
                writes[f"input {paths[node.name]}"] = value
            elif isinstance(spec.target, str):
                writes[f"state {spec.target}"] = value
    for spec, value in zip(signature.output_specs, side.outputs, strict=True):
        if spec.kind is OutputKind.USER_OUTPUT:
            outputs[f"output {len(outputs)}"] = value
        elif spec.kind is OutputKind.USER_INPUT_MUTATION:
            writes[f"input {paths.get(spec.target or '', spec.target)}"] = value
        elif spec.kind is OutputKind.BUFFER_MUTATION:
            writes[f"state {spec.target}"] = value
    return outputs | writes
