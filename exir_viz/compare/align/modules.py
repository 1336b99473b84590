"""Match module calls, also of renamed or shifted modules.

Enters: two sides. Leaves: a number by module call of each side, equal if the two are the same call. A module
that only one side has shares its number with none.

From the outermost modules inwards, a name and a class are trusted. In a container with numbered modules
("layers.0", "layers.1") a number is not: if more modules agree after a shift, one was added or removed.
Weights count before ops. Modules are compared by fingerprints: equal numbers mean equal contents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy

from exir_viz.compare.normalize.methods import methods
from exir_viz.compare.normalize.module_attribution import is_whole, outermost
from exir_viz.compare.normalize.side import Side, scope_key
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.index import index_of

from .sequence import align

Pair = tuple[int, int]


class _Calls:
    """The module calls of one side: by number, their names, classes, contents, and submodules."""

    def __init__(self, side: Side) -> None:
        scopes = side.snapshot.scopes
        self.size = len(scopes)
        self.parents = [scope.parent for scope in scopes]
        self.classes = [scope.cls.rpartition(".")[2] for scope in scopes]
        self.keys = [scope_key(scope) for scope in scopes]
        self.within: dict[int, list[int]] = defaultdict(list)
        for at, parent in enumerate(self.parents):
            self.within[parent].append(at)
        by_node = scopes_by_node(side)
        self.contents = of_contents(side, self.within, by_node)
        self.weights = of_weights(side, self.within, by_node)

    def name(self, at: int) -> tuple[str, int]:
        """Its name in the parent module, and which call of it this is."""
        _, path, call = self.keys[at]
        outer = "" if self.parents[at] == NONE else self.keys[self.parents[at]][1]
        return path.removeprefix(outer), call

    def containers(self, calls: Iterable[int]) -> dict[str, list[int]]:
        """By container, such as a ModuleList: the calls of modules whose name there is a number."""
        found: dict[str, list[int]] = defaultdict(list)
        for at in calls:
            container, _, last = self.name(at)[0].rpartition(".")
            if last.isdecimal():
                found[container].append(at)
        return found


class _Modules:
    """Pairs the module calls of two sides; nothing is undone."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = _Calls(a), _Calls(b)
        self.of_a: dict[int, int] = {}
        self.of_b: dict[int, int] = {}

    def pair_all(self, outermost: Iterable[Pair] = ()) -> None:
        """Pair what can be paired; `outermost` are matched calls of whole models."""
        for x, y in outermost:
            self._pair(x, y)
        self._descend(NONE, NONE)
        inwards = set(self.of_a)
        self._pair_named(range(self.a.size), range(self.b.size), self.a.keys, self.b.keys)
        for x in sorted(self.of_a.keys() - inwards):
            self._descend(x, self.of_a[x])
        self._pair_in_order(range(self.a.size), range(self.b.size))
        self._pair_out_of_order()

    def within(self, x: int, y: int) -> dict[int, int]:
        """The pairs inside two calls if these were paired, themselves included: by call of a, that of b."""
        found = copy(self)
        found.of_a, found.of_b = {}, {}
        found._pair(x, y)
        found._descend(x, y)
        return found.of_a

    def _pair(self, x: int, y: int) -> None:
        if x not in self.of_a and y not in self.of_b:
            self.of_a[x], self.of_b[y] = y, x

    def _descend(self, x: int, y: int) -> None:
        """Pair the submodules of two paired calls, and so on inwards."""
        todo = [(x, y)]
        while todo:
            outer, other = todo.pop()
            ours, theirs = self.a.within.get(outer, ()), self.b.within.get(other, ())
            self._pair_within(ours, theirs)
            todo += ((one, self.of_a[one]) for one in ours if one in self.of_a and self._is_inner(one))

    def _is_inner(self, x: int) -> bool:
        return x in self.a.within and self.of_a[x] in self.b.within

    def _pair_within(self, ours: Sequence[int], theirs: Sequence[int]) -> None:
        shifted = self._pair_shifted(ours, theirs)
        names = {x: self.a.name(x) for x in ours}, {y: self.b.name(y) for y in theirs}
        self._pair_named(ours, theirs, *names)
        # a module of that name and another class replaced it
        self._pair_named(
            (x for x in ours if x not in shifted), (y for y in theirs if ~y not in shifted), *names, False
        )
        self._pair_in_order(ours, theirs)

    def _pair_named(
        self,
        ours: Iterable[int],
        theirs: Iterable[int],
        names_a: Sequence[Hashable] | dict[int, tuple[str, int]],
        names_b: Sequence[Hashable] | dict[int, tuple[str, int]],
        by_class: bool = True,
    ) -> None:
        found: dict[Hashable, list[int]] = defaultdict(list)
        for y in theirs:
            found[names_b[y]].append(y)
        for x in ours:
            for y in found.get(names_a[x], ()):
                if not (by_class and self._differ(x, y)):
                    self._pair(x, y)

    def _differ(self, x: int, y: int) -> bool:
        one, other = self.a.classes[x], self.b.classes[y]
        return one != other and bool(one) and bool(other)

    def _pair_shifted(self, ours: Sequence[int], theirs: Sequence[int]) -> set[int]:
        """Pair the modules in containers whose numbers have shifted, with all their calls (of b, as ~y)."""
        there, shifted = self.b.containers(theirs), set()
        for container, left in self.a.containers(ours).items():
            right = there.get(container, [])
            rows = self._shift(left, right)
            if rows is not None:
                shifted |= {*left, *(~y for y in right)}
                for x, y in rows:
                    self._pair(x, y)
                self._pair_in_order(left, right, (self.a.contents, self.b.contents))
                self._pair_in_order(left, right)
        return shifted

    def _shift(self, ours: list[int], theirs: list[int]) -> list[Pair] | None:
        """The pairs by which more modules agree than by number; None if there are none.

        Weights count first, if both sides have them: so a layer that was removed from among equal ones is
        found. A model that was trained again is matched by the rest.
        """
        by_name = {self.b.name(y): y for y in theirs}
        named = [(x, by_name[name]) for x in ours if (name := self.a.name(x)) in by_name]
        equal = self._equal(ours, theirs)
        if not set(equal) <= set(named):
            return equal
        for left, right in ((self.a.contents, self.b.contents), (self.a.classes, self.b.classes)):
            rows = list(align([hash(left[x]) for x in ours], [hash(right[y]) for y in theirs]))
            if len(rows) > sum(left[x] == right[y] for x, y in named):
                return [(ours[i], theirs[j]) for i, j in rows]
        return None

    def _equal(self, ours: list[int], theirs: list[int]) -> list[Pair]:
        """Pairs of equal weights that equal no other module of the same side."""
        left, right = (
            _once((at, calls.weights[at]) for at in row if at in calls.weights)
            for calls, row in ((self.a, ours), (self.b, theirs))
        )
        return [(x, right[key]) for key, x in left.items() if key in right]

    def _pair_in_order(
        self,
        ours: Sequence[int],
        theirs: Sequence[int],
        alike: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
    ) -> None:
        """Pairs of one class, or alike, in the same order between paired calls."""
        if all(x in self.of_a for x in ours) or all(y in self.of_b for y in theirs):
            return
        one, other = alike or (self.a.classes, self.b.classes)
        left = [hash(("free", one[x])) if x not in self.of_a else x for x in ours]
        right = [hash(("free", other[y])) if y not in self.of_b else self.of_b[y] for y in theirs]
        for i, j in align(left, right):
            self._pair(ours[i], theirs[j])

    def _pair_out_of_order(self) -> None:
        """The rest of one class inside the same call: the first with the first."""
        left: dict[Hashable, list[int]] = defaultdict(list)
        for y in range(self.b.size):
            if y not in self.of_b:
                outer = self.b.parents[y]
                left[self.b.classes[y], self.of_b.get(outer, NONE) if outer != NONE else NONE - 1].append(y)
        for x in range(self.a.size):
            outer = self.a.parents[x]
            key = (self.a.classes[x], outer if outer != NONE else NONE - 1)
            if x not in self.of_a and left.get(key):
                self._pair(x, left[key].pop(0))


def _once(found: Iterable[Pair]) -> dict[int, int]:
    """By second number: the first, if only one has it."""
    pairs = list(found)
    counts = Counter(key for _, key in pairs)
    return {key: at for at, key in pairs if counts[key] == 1}


def scope_numbers(a: Side, b: Side) -> tuple[list[int], list[int]]:
    """A number by module call of each side, equal if the two are the same call.

    torch gives the whole model a second key where it writes to a buffer: both keys are one call. If methods
    shared a model and one has another class now, both models count as the shared one.
    """
    modules = _Modules(a, b)
    outermost = outermost_calls(a, b)
    modules.pair_all(outermost)
    size = modules.a.size
    ours = list(range(size))
    theirs = [modules.of_b.get(y, size + y) for y in range(modules.b.size)]
    for root, other in outermost:
        shared = modules.within(root, other) if modules.of_a.get(root) != other else {}
        for x, y in shared.items():
            if y not in modules.of_b:
                theirs[y] = ours[x]
            elif x not in modules.of_a:
                ours[x] = theirs[y]
    return _without_repeats(a, b, ours, theirs)


def _without_repeats(a: Side, b: Side, ours: list[int], theirs: list[int]) -> tuple[list[int], list[int]]:
    """The numbers; calls of the whole model that differ only in torch's key have one, on both sides."""
    roots: dict[int, int] = {}

    def root(number: int) -> int:
        while number in roots:
            number = roots[number]
        return number

    for side, numbers in ((a, ours), (b, theirs)):
        first: dict[Hashable, int] = {}
        for scope, number in zip(side.snapshot.scopes, numbers, strict=True):
            if is_whole(scope):
                pair = root(first.setdefault((scope.cls, scope.call), number)), root(number)
                if pair[0] != pair[1]:
                    roots[max(pair)] = min(pair)
    return [root(number) for number in ours], [root(number) for number in theirs]


def node_scopes(side: Side, numbers: Sequence[int]) -> list[int]:
    """By node: the number of its module call."""
    by_scope = [*numbers, NONE]
    return [by_scope[one] for one in scopes_by_node(side)]


def scopes_by_node(side: Side) -> list[int]:
    """By node: its module call in the side's own table. An item of a tuple is in that of the tuple's op.

    In a strict export the items of a `no_grad` block name the module inside it; a `.pt2` does not keep that.
    """
    found: list[int] = [scope for graph in side.snapshot.graphs for scope in graph.columns.scopes]
    for number, target in enumerate(side.targets):
        if target == side.getitem and side.inputs[number]:
            found[number] = found[side.inputs[number][0]]
    return found


class Owners:
    """Finds the owner of state by its name: "layers.0.weight" belongs to the module layers.0."""

    def __init__(self, a: Side, b: Side, numbers: tuple[Sequence[int], Sequence[int]]) -> None:
        self._paths = _by_path(a, numbers[0]), _by_path(b, numbers[1])

    def agree(self, name: str) -> bool:
        """Whether the same module owns the state of this name on both sides; True if no owner is known."""
        path = name
        while path:
            path = path.rpartition(".")[0]
            ours, theirs = (paths.get(path) for paths in self._paths)
            if path and ours and theirs:
                return not ours.isdisjoint(theirs)
        return True


def _by_path(side: Side, numbers: Sequence[int]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for scope, number in zip(side.snapshot.scopes, numbers, strict=True):
        found[scope_key(scope)[1]].add(number)
    return found


def outermost_calls(a: Side, b: Side) -> list[Pair]:
    """The calls of whole models that make methods of one name, if there are several of either."""
    if max(len(a.snapshot.methods), len(b.snapshot.methods)) < 2:
        return []
    found = ((_outermost(x), _outermost(y)) for x, y in methods(a.snapshot, b.snapshot))
    return list(dict.fromkeys((x, y) for x, y in found if NONE not in (x, y)))


def _outermost(method: Method) -> int:
    """The one module call that contains all of a method; NONE if there are several."""
    found = outermost(method.graphs())
    return found.pop() if len(found) == 1 else NONE


Within = Mapping[int, Sequence[int]]


def of_contents(side: Side, within: Within, scopes: Sequence[int]) -> list[int]:
    """By call: a hash of all ops and values in it; `scopes` are the calls by node."""
    return _inwards(list(zip(side.families, side.values, strict=True)), within, scopes)


def of_weights(side: Side, within: Within, scopes: Sequence[int]) -> dict[int, int]:
    """By call that reads state: a hash of everything in it, with the checksums of its state.

    State without a checksum equals no other.
    """
    sums = _checksums(side)
    read = [tuple(sums[one] for one in inputs if one in sums) for inputs in side.inputs]
    found = _inwards(list(zip(side.families, side.values, read, strict=True)), within, scopes)
    holds = {scope for scope, one in zip(scopes, read, strict=True) if one}
    for at in range(len(found) - 2, -1, -1):
        if any(inner in holds for inner in within.get(at, ())):
            holds.add(at)
    return {at: found[at] for at in range(len(found) - 1) if at in holds}


def _inwards(columns: Sequence[Hashable], within: Within, scopes: Sequence[int]) -> list[int]:
    """By call, and last for nodes outside any: a hash of its nodes' keys, and of its submodule calls."""
    found = [0] * (max((at for inner in within.values() for at in inner), default=-1) + 2)
    for scope, key in zip(scopes, columns, strict=True):
        found[scope] = hash((found[scope], key))
    for at in range(len(found) - 2, -1, -1):
        found[at] = hash((found[at], *(found[one] for one in within.get(at, ()))))
    return found


def _checksums(side: Side) -> dict[int, Hashable]:
    """By state node: its checksum, or a unique value."""
    found: dict[int, Hashable] = {}
    for method in side.snapshot.methods.values():
        sums = {entry.name: entry.crc32 for entry in method.state}
        for graph in method.graphs():
            base = side.bases[graph.number]
            for position, name in index_of(graph).states.items():
                crc32 = sums.get(name)
                found[base + position] = (id(side), base + position) if crc32 is None else crc32
    return found
