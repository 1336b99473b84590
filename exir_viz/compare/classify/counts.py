"""Count changes: in total, per op, and per module including submodules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from exir_viz.compare.align.groups import Groups
from exir_viz.compare.align.modules import scopes_by_node
from exir_viz.compare.normalize.module_attribution import ModuleAttribution, is_whole
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.records import KINDS, SIGNS, Counts, MatchKind, ModuleChange, OpChange
from exir_viz.snapshot.call_change import counted_ops
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import Scope, ScopeNumber

Scopes = tuple[list[int], list[int]]
Chain = tuple[int, ...]
_WHOLE = Scope(ScopeNumber(NONE), "", "", "")
# The order in which kinds are listed.
_SPOKEN = ("added", "removed", "changed", "rewritten", "moved")


def count_kinds(kinds: Sequence[MatchKind]) -> Counts:
    """How many matches of each kind; inputs and outputs of the program count too."""
    return Counts(**Counter(kind.value for kind in kinds))


def calls_of(side: Side) -> list[str]:
    """By node: the op that it calls; "" if it is no call that counts. Parts of calls count with these."""
    names = counted_ops(side.snapshot)
    for number in side.parts:
        names[number] = ""
    for number, op in side.inlined.calls.items():
        names[number] = op
    return names


def op_changes(
    sides: tuple[Side, Side], calls: tuple[list[str], list[str]], groups: Groups
) -> tuple[OpChange, ...]:
    """Ops that are called more or less often, the greatest change first, of the calls that `call_change`
    counts.

    An op that only changes its overload, such as `.out`, is called as often as before.
    """
    counts: dict[str, list[int]] = {}
    titles: dict[str, Counter[str]] = {}
    for which in (0, 1):
        for number in _counted(groups, calls, which):
            counts.setdefault(calls[which][number], [0, 0])[which] += 1
    different = {op for op, (before, after) in counts.items() if before != after}
    for side, names in zip(sides, calls, strict=True):
        for number, op in enumerate(names):
            if op in different:
                title = side.inlined.calls.get(number) or op_name(side.node(number).target)
                titles.setdefault(op, Counter())[title] += 1
    found = [OpChange(max(sorted(titles[op]), key=titles[op].__getitem__), *counts[op]) for op in different]
    return tuple(sorted(found, key=lambda one: (-abs(one.after - one.before), one.op)))


def _counted(groups: Groups, calls: tuple[list[str], list[str]], which: int) -> Iterator[int]:
    """The nodes of one side whose calls count."""
    return (number for one in groups.groups for number in one.relevant[which] if calls[which][number])


@dataclass(slots=True)
class _Module:
    """One module call of either side while counting: its scopes, calls, and kinds, own and total."""

    scopes: list[int]
    scope: Scope
    depth: int
    calls: list[int] = field(default_factory=lambda: [0, 0])
    own: dict[str, int] = field(default_factory=dict)
    total: dict[str, int] = field(default_factory=dict)


def module_changes(
    sides: tuple[Side, Side],
    scopes: Scopes,
    groups: Groups,
    kinds: Sequence[MatchKind],
    calls: tuple[list[str], list[str]],
) -> tuple[ModuleChange, ...]:
    """Every module call of either side: b's in b's order, then those that only a has.

    If neither side has a call of the whole model, one that represents it comes first, with a = b = NONE. A
    match counts once in every module that one of its nodes is attributed to (see
    `normalize.module_attribution`), so the whole model counts every match. `scopes` are the shared numbers.
    `calls` are counted as in `op_changes`, so the whole model has as many more as all ops together.
    """
    owners = ModuleAttribution(sides[0].snapshot), ModuleAttribution(sides[1].snapshot)
    modules = _modules(sides, owners, scopes)
    whole = next((number for number, one in modules.items() if is_whole(one.scope)), NONE)
    if whole == NONE and modules:  # traced by fx, for example: every module call is an outermost one
        modules = {NONE: _Module([NONE, NONE], _WHOLE, 0)} | modules
    outermost = (whole,) if modules else ()
    chains = [_chains(*side, outermost) for side in zip(sides, owners, scopes, strict=True)]
    for which in (0, 1):
        for node in _counted(groups, calls, which):
            for number in {number for chain in chains[which][node] for number in chain}:
                modules[number].calls[which] += 1
    for group, found in zip(groups.groups, kinds, strict=True):
        kind = found.value
        inner = {chain for i in group.a for chain in chains[0][i]}
        inner |= {chain for j in group.b for chain in chains[1][j]}
        for number in {chain[0] for chain in inner}:
            own = modules[number].own
            own[kind] = own.get(kind, 0) + 1
        for number in {number for chain in inner for number in chain}:
            total = modules[number].total
            total[kind] = total.get(kind, 0) + 1
    return tuple(map(_record, modules.values()))


def _record(module: _Module) -> ModuleChange:
    (a, b), (before, after) = module.scopes, module.calls
    counts, own = Counts(**module.total), Counts(**module.own)
    return ModuleChange(module.scope.path, module.scope.cls, module.depth, a, b, before, after, counts, own)


def _modules(
    sides: tuple[Side, Side], owners: tuple[ModuleAttribution, ModuleAttribution], scopes: Scopes
) -> dict[int, _Module]:
    """By shared number: the modules that contain nodes on a side, parents before children."""
    found: dict[int, _Module] = {}
    for which in (1, 0):
        depths: list[int] = []
        for at, scope in enumerate(sides[which].snapshot.scopes):
            depths.append(0 if scope.parent == NONE else depths[scope.parent] + 1)
            if at not in owners[which].called:
                continue
            number = scopes[which][at]
            module = found.setdefault(number, _Module([NONE, NONE], scope, depths[at]))
            if module.scopes[which] == NONE:
                module.scopes[which] = at
    return found


def _chains(
    side: Side, owners: ModuleAttribution, numbers: Sequence[int], whole: Chain
) -> list[tuple[Chain, ...]]:
    """By node: its modules as shared numbers with their parents, innermost first, each once.

    `whole`: the module around everything, if this side has no call of the whole model.
    """
    around = (whole,) if whole else ()
    if not owners.called:
        return [around] * side.size
    by_scope: list[Chain] = []
    for at, scope in enumerate(side.snapshot.scopes):
        outer = by_scope[scope.parent] if scope.parent != NONE else () if is_whole(scope) else whole
        by_scope.append((numbers[at], *(one for one in outer if one != numbers[at])))
    alone = [(chain,) for chain in by_scope]
    return [
        alone[scope] if scope != NONE else tuple(by_scope[at] for at in owners.of(side.node(node))) or around
        for node, scope in enumerate(scopes_by_node(side))
    ]


def changes(counts: Counts) -> int:
    """How many matches differ."""
    return counts.added + counts.removed + counts.changed + counts.moved + counts.rewritten


def signed(counts: Counts) -> str:
    """ "+12 −3 ~4 ⇄2 ↷1", without zeros; "=" if nothing changed."""
    by_kind = ((kind, getattr(counts, kind)) for kind in _SPOKEN)
    signs = dict(zip(KINDS, SIGNS, strict=True))
    return " ".join(f"{signs[kind]}{count:,}" for kind, count in by_kind if count) or "="
