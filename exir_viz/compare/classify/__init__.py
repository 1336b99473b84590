"""Step 3: decide what became of each group of nodes, in which fields it differs, and count that."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from exir_viz.compare.align import Alignment
from exir_viz.compare.align.groups import Group
from exir_viz.compare.normalize import Normalized
from exir_viz.compare.records import Contents, Counts, MatchKind, MethodChange, ModuleChange, OpChange
from exir_viz.snapshot.call_change import CallChange, call_change

from .contents import Comparer
from .counts import calls_of, count_kinds, module_changes, op_changes
from .methods import method_changes, with_names
from .node_fields import PLACE_FIELDS, Fields, Inputs
from .not_compared import missing_from_files, other_names


class Verdict(NamedTuple):
    """What became of one group; `fields` differ, and `inputs` says which inputs do."""

    kind: MatchKind
    fields: tuple[str, ...] = ()
    inputs: Inputs | None = None


class Classification(NamedTuple):
    """One verdict for each group, and what changed in ops, modules, methods and stored bytes."""

    verdicts: list[Verdict]
    counts: Counts
    ops: tuple[OpChange, ...]
    calls: CallChange
    modules: tuple[ModuleChange, ...]
    methods: tuple[MethodChange, ...]
    contents: Contents


def classify(programs: Normalized, alignment: Alignment) -> Classification:
    """Compare the two nodes of each pair field by field, and the methods fact by fact."""
    sides, pairing, groups = (programs.a, programs.b), alignment.pairing, alignment.groups
    a, b = (side.snapshot for side in sides)
    contents = Comparer(*programs.contents)
    fields = Fields(pairing, (groups.of_a, groups.of_b), contents)
    verdicts = [_verdict(one, fields) for one in groups.groups]
    kinds = [one.kind for one in verdicts]
    calls = calls_of(programs.a), calls_of(programs.b)
    methods = with_names(contents.with_unread(method_changes(a, b, pairing)))
    found = contents.found()
    return Classification(
        verdicts,
        count_kinds(kinds),
        op_changes(sides, calls, groups),
        call_change(*calls, (one.relevant for one in groups.groups)),
        module_changes(sides, pairing.scopes, groups, kinds, calls),
        methods,
        msgspec.structs.replace(
            found, left=(*found.left, *missing_from_files(*sides), *other_names(a, b, pairing))
        ),
    )


def _verdict(one: Group, fields: Fields) -> Verdict:
    if not one.a:
        return Verdict(MatchKind.ADDED)
    if not one.b:
        return Verdict(MatchKind.REMOVED)
    ours, theirs = one.relevant
    if len(ours) > 1 or len(theirs) > 1:
        return Verdict(MatchKind.REWRITTEN)
    i, j = ours[0], theirs[0]
    differ = fields.differ(i, j)
    if one.moved:
        differ = ("order", *differ)
    if not differ:
        return Verdict(MatchKind.SAME)
    kind = MatchKind.MOVED if PLACE_FIELDS.issuperset(differ) else MatchKind.CHANGED
    return Verdict(kind, differ, fields.inputs(i, j) if "inputs" in differ else None)
