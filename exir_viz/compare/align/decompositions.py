"""Match calls with what decompositions made of them, where nothing names modules or torch functions.

A decomposition keeps the order of a program: each call becomes a run of adjacent calls, or vanishes.

    earlier   x → linear ──────────→ gelu → output
    later     x → permute → addmm → gelu → output

The search reads both programs side by side. A hypothesis (`_State`) says that the first calls of the earlier
program became the first `at` calls of the later one, and which later value is the image of each earlier value
that is still needed. For the next call, `_follow` tries every run of later calls from `at` on. A run fits if

1. it reads only images of what the call reads, and what the run itself makes;
2. it is not the last reader of an image that the earlier program still needs;
3. after it, the later values that still have a reader, and are no such image, have the dtypes and shapes of
   the call's outputs.

Runs that torch is known to make cost least (`decompositions.json`, written by `scripts/decompositions.py`).
The cheapest `_BEAM` hypotheses go on to the next call. The search ends at a call for which there is none:
other passes pair the later calls.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from exir_viz.compare.normalize.emitted_programs import is_none
from exir_viz.compare.normalize.side import Side, family, op_in_any_dialect
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import SequenceValue, TensorValue, Value

from .pairing import MatchEvidence, Pairing
from .rewrites import settle

# Hypotheses that are followed side by side; and the longest run of calls that one call becomes.
_BEAM, _LONGEST = 8, 80
# Costs: an input that is not read, an unknown sequence, an op in it that is not known, and a call that
# vanishes but is not known to.
_UNREAD, _UNKNOWN, _STRANGE, _VANISHED = 0.5, 1.0, 0.5, 2.0
# The share of the calls that must be explained; else the programs do not match.
_EXPLAINED = 0.5

Kinds = tuple[tuple[str, object], ...]


class DecomposedCall(NamedTuple):
    """A call of the earlier program, what it became, and the evidence; None where nothing is known."""

    call: int
    run: tuple[int, ...]
    evidence: MatchEvidence | None


def settle_decompositions(pairing: Pairing) -> None:
    """Match the free calls of programs of which one or both lack the names of torch functions."""
    a, b = pairing.a, pairing.b
    if _names_functions(a) and _names_functions(b):
        return
    if NONE not in pairing.of_a or NONE not in pairing.of_b or a.alloc in a.targets or b.alloc in b.targets:
        return
    graphs = [_graphs(side, at.graphs) for side, at in zip((a, b), pairing.places, strict=True)]
    for place in sorted(graphs[0].keys() & graphs[1].keys()):
        before, after = _Program(a, graphs[0][place]), _Program(b, graphs[1][place])
        is_turned = before.decomposable < after.decomposable
        if is_turned:
            before, after = after, before
        counterparts = pairing.of_b if is_turned else pairing.of_a
        for step in _Parser(before, after, counterparts).steps():
            if step.evidence is not None and step.run:
                ours, theirs = (step.run, (step.call,)) if is_turned else ((step.call,), step.run)
                settle(pairing, ours, theirs, step.evidence)


def _names_functions(side: Side) -> bool:
    return any(one != NONE for one in side.functions)


def _graphs(side: Side, places: Sequence[int]) -> dict[int, list[int]]:
    """By place: its nodes as they run. Places with delegates are left out."""
    found: dict[int, list[int]] = defaultdict(list)
    for number in side.order:
        found[places[number]].append(number)
    return {
        place: nodes
        for place, nodes in found.items()
        if len({side.node(one).graph.number for one in nodes}) == 1
    }


@cache
def _known() -> Mapping[str, frozenset[tuple[str, ...]]]:
    """By op: the sequences of ops that torch makes of it."""
    text = files(__package__).joinpath("decompositions.json").read_text("utf-8")
    return {
        name: frozenset(tuple(one.split()) for one in sequences)
        for name, sequences in json.loads(text)["ops"].items()
    }


@cache
def _vocabulary(op: str) -> frozenset[str]:
    """All ops that are known to come from one."""
    return frozenset(one for sequence in _known().get(op, ()) for one in sequence)


class _Call(NamedTuple):
    """A call. `outputs` are the tensors that others read: itself, or items of its tuple, by their index."""

    number: int
    op: str
    family: str
    reads: tuple[int, ...]
    outputs: tuple[int, ...]
    items: tuple[int, ...]


class _Program:
    """One graph of a side: the calls that lead to a result, and by node the place of its last reader."""

    def __init__(self, side: Side, nodes: Sequence[int]) -> None:
        self.side = side
        self._kinds: dict[int, Kinds] = {}
        needed = self._needed(nodes)
        within = [one for one in nodes if one in needed and side.calls[one]]
        heads = [one for one in within if side.targets[one] != side.getitem and self._is_about_tensors(one)]
        places = {one: at for at, one in enumerate(heads)}
        self.last: dict[int, int] = {}
        for one in nodes:
            if one in needed and side.targets[one] != side.getitem:
                at = places.get(one, len(heads))
                self.last.update(dict.fromkeys(side.inputs[one], at))
        self.calls = [self._call(one) for one in heads]
        self.decomposable = sum(
            one.op in _known() and one.family not in _vocabulary(one.op) for one in self.calls
        )

    def _needed(self, nodes: Sequence[int]) -> set[int]:
        """What leads to a result or has an effect. Calls that yield numbers are left out."""
        side, found = self.side, set[int]()
        for one in reversed(nodes):
            is_root = not side.calls[one] or self._value(one) is None or self._writes(one)
            if (one in found or is_root) and (self.kinds(one) or self._value(one) is None):
                found.add(one)
                found.update(side.inputs[one])
            else:
                found.discard(one)
        return found

    def _is_about_tensors(self, one: int) -> bool:
        return bool(self.kinds(one)) or any(self.kinds(x) for x in self.side.inputs[one])

    def _writes(self, one: int) -> bool:
        """Whether a call writes to its first input."""
        name = self.side.node(one).target.name
        return self.side.calls[one] and name.endswith("_") and not name.endswith("__")

    def _call(self, one: int) -> _Call:
        side, target = self.side, self.side.node(one).target
        items = [user for user in side.users[one] if side.targets[user] == side.getitem]
        items.sort(key=lambda item: str(side.node(item).args[1:]).zfill(9))
        outputs = items if isinstance(self._value(one), SequenceValue) else [one]
        return _Call(
            one,
            op_in_any_dialect(target),
            family(target),
            tuple(dict.fromkeys(x for x in side.inputs[one] if self.kinds(x))),
            tuple(x for x in outputs if x in self.last),
            tuple(items),
        )

    def kinds(self, one: int) -> Kinds:
        """The dtypes and shapes of the tensors of a value."""
        if one not in self._kinds:
            self._kinds[one] = tuple(_kinds(self._value(one)))
        return self._kinds[one]

    def _value(self, one: int) -> Value | None:
        value = self.side.node(one).value
        return None if is_none(value) else value

    def is_call(self, one: int) -> bool:
        return self.side.calls[one]


def _kinds(value: Value | None) -> Iterator[tuple[str, object]]:
    if isinstance(value, TensorValue):
        yield value.dtype, value.shape
    elif isinstance(value, SequenceValue):
        for item in value.items:
            yield from _kinds(item)


class _State(NamedTuple):
    """A hypothesis. `images`: by earlier value that is still needed, the later one. `at`: how many later
    calls are explained. `steps` are those since the hypothesis `before`.
    """

    cost: float
    at: int
    images: Mapping[int, int]
    before: _State | None = None
    steps: tuple[DecomposedCall, ...] = ()


class _Parser:
    """The beam search. `counterparts`: those known beforehand, by node of the earlier program."""

    def __init__(self, early: _Program, late: _Program, counterparts: Sequence[int]) -> None:
        self._early, self._late, self._fixed = early, late, counterparts
        self._owner = {j: i for i, j in enumerate(counterparts) if j != NONE}

    def steps(self) -> list[DecomposedCall]:
        """The steps of the best hypothesis; none where too little of the programs is explained."""
        states, explained_calls = [_State(0.0, 0, {})], 0
        for place, call in enumerate(self._early.calls):
            found = [after for state in states for after in self._follow(state, place, call)]
            if not found:
                break
            states, explained_calls = _best(found), place + 1
        # of the whole program, the best leaves no later call over
        is_whole = explained_calls == len(self._early.calls)
        best = min(states, key=lambda one: (is_whole and one.at < len(self._late.calls), one.cost))
        found_steps: list[DecomposedCall] = []
        last: _State | None = best
        while last is not None:
            found_steps += last.steps
            last = last.before
        explained = sum(step.evidence is not None for step in found_steps)
        return found_steps[::-1] if explained >= _EXPLAINED * explained_calls else []

    def _image(self, state: _State, one: int) -> int:
        return state.images.get(one, self._fixed[one] if not self._early.is_call(one) else NONE)

    def _follow(self, state: _State, place: int, call: _Call) -> Iterator[_State]:
        """All runs that a call can have become, from the empty one on."""
        early, late = self._early, self._late
        images = dict(state.images)
        read = {x: self._image(state, x) for x in call.reads}
        if any(y == NONE and early.is_call(x) for x, y in read.items()):
            return  # nothing is known of a value that it reads
        inputs = set(read.values())
        # program inputs whose images are still to be found, and those images
        nameless = [x for x, y in read.items() if y == NONE]
        found: dict[int, int] = {}
        needed_later = {x: y for x, y in images.items() if early.last.get(x, -1) > place}
        # rule 2: the run is not the last reader of these; rule 3: those become the outputs
        reserved = {y for y in needed_later.values() if late.is_call(y)}
        pending = {y for y in images.values() if late.is_call(y)} - reserved
        made: set[int] = set()  # by the run
        met: set[int] = set()  # what the run has read of the inputs and of its own values
        for end in range(state.at, min(state.at + _LONGEST, len(late.calls)) + 1):
            run = late.calls[state.at : end]
            outputs = self._outputs(call.outputs, pending, inputs, is_run=bool(run))
            if outputs is not None and self._allowed(call, run):
                unread = len(inputs - met - {NONE}) + len(nameless) - len(found)
                cost, evidence = self._cost(call, run, unread)
                steps = tuple(self._steps(call, run, outputs, evidence))
                after = {**needed_later, **found, **outputs}
                yield _State(state.cost + cost, end, after, state, steps)
            if end == len(late.calls):
                return
            for y in late.calls[end].reads:  # one more call for the run
                if y in made or y in inputs:
                    met.add(y)
                elif late.is_call(y) or not self._bind(y, nameless, found, images):
                    return  # rule 1
                if late.last[y] == end:
                    if y in reserved:
                        return  # rule 2
                    pending.discard(y)
            made.update(late.calls[end].outputs)
            pending.update(late.calls[end].outputs)

    def _steps(
        self, call: _Call, run: Sequence[_Call], outputs: Mapping[int, int], evidence: MatchEvidence | None
    ) -> Iterator[DecomposedCall]:
        """What the call became: of a run that is not known, the same op alone. Items become items."""
        same = [one for one in run if one.family == call.family]
        chosen = same if evidence is MatchEvidence.BOUNDARY and same else run
        items_after = {item for one in run for item in self._items(one)}
        items = {x: y for x, y in outputs.items() if x in call.items and y in items_after}
        nodes = (x for one in chosen for x in (one.number, *self._items(one)) if x not in items.values())
        yield DecomposedCall(call.number, tuple(nodes), evidence)
        yield from (DecomposedCall(x, (y,), evidence) for x, y in items.items())

    def _items(self, call: _Call) -> list[int]:
        """The tuple items that are read from what a call of the later program yields."""
        side = self._late.side
        return [one for one in side.users[call.number] if side.targets[one] == side.getitem]

    def _bind(
        self, y: int, nameless: Sequence[int], found: dict[int, int], images: Mapping[int, int]
    ) -> bool:
        """Take a program input without a counterpart for the first of equal kind that the call reads."""
        if y in found.values():
            return True
        if y in self._owner or y in images.values():
            return False
        kinds = self._late.kinds(y)
        for x in nameless:
            if x not in found and self._early.kinds(x) == kinds:
                found[x] = y
                return True
        return False

    def _outputs(
        self, wanted: Sequence[int], pending: set[int], inputs: set[int], *, is_run: bool
    ) -> dict[int, int] | None:
        """The images of the call's outputs, in order (rule 3); None if these cannot be its outputs.

        The output of a call that vanished, such as a dropout, is its only input of that kind.
        """
        kinds = self._early.kinds
        if len(pending) == len(wanted):
            found = zip(wanted, sorted(pending, key=self._late.side.rank.__getitem__), strict=True)
            pairs = dict(found)
            return pairs if all(kinds(x) == self._late.kinds(y) for x, y in pairs.items()) else None
        if is_run or pending or len(wanted) != 1:
            return None
        same = [y for y in inputs if y != NONE and self._late.kinds(y) == kinds(wanted[0])]
        return {wanted[0]: same[0]} if len(same) == 1 else None

    def _allowed(self, call: _Call, run: Sequence[_Call]) -> bool:
        """Whether it agrees with the pairs so far."""
        if self._fixed[call.number] != NONE and all(one.number != self._fixed[call.number] for one in run):
            return False
        return all(self._owner.get(one.number, call.number) == call.number for one in run)

    def _cost(self, call: _Call, run: Sequence[_Call], unread: int) -> tuple[float, MatchEvidence | None]:
        """How unlikely a run is, and with what evidence; `unread` inputs of the call are not read in it.

        From cheap to dear: the same op, a known sequence, other ops that are known to come from the call, a
        vanished call, ops that are not known to come from it.
        """
        made = tuple(one.family for one in run)
        sequences = _known().get(call.op, frozenset())
        if made == (call.family,):
            return _UNREAD * unread, MatchEvidence.DECOMPOSED
        if made in sequences:
            return _UNREAD * unread * bool(run), MatchEvidence.DECOMPOSED
        if not run:
            return _VANISHED, None
        strange = sum(one not in _vocabulary(call.op) and one != call.family for one in made)
        cost = _UNKNOWN + _UNREAD * unread + _STRANGE * strange
        if not strange:
            return cost, MatchEvidence.DECOMPOSED
        is_likely = made.count(call.family) == 1 or (not sequences and not unread)
        return cost, MatchEvidence.BOUNDARY if is_likely else None


def _best(states: Sequence[_State]) -> list[_State]:
    """The cheapest hypotheses, of equal ones the first."""
    found: dict[object, _State] = {}
    for state in sorted(states, key=lambda one: one.cost):
        found.setdefault((state.at, frozenset(state.images.items())), state)
        if len(found) == _BEAM:
            break
    return list(found.values())
