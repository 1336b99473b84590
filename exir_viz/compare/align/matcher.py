"""The structural matcher as a list of passes: which nodes of two Snapshots match.

Enters: two sides and, for related stages, trusted links. Leaves: a Pairing. Each pass pairs what it can prove
and leaves the rest to the next, in the order of trust: what must be the same (inputs, state), what is the
same with all neighbors, what is next to something matched, what is between matched nodes. `python -m
tests.bench ablation` measures what each pass adds, and a test fails if one is removed.

Nodes are alike by tokens of increasing strictness; equal tokens of the two sides mean likeness.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from exir_viz.compare.normalize.methods import Paths, named_as, paths_of
from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import InputKind

from .cross_module import pair_computed, pair_elsewhere
from .decompositions import settle_decompositions
from .graphs import Places
from .groups import attach_unread
from .modules import Owners
from .pairing import MatchEvidence, Pairing
from .rewrites import settle_holes, settle_regions
from .sequence import align

Pairs = list[tuple[int, int]]
Both = tuple[Sequence[int], Sequence[int]]


class Likeness:
    """Keys of similar nodes of two sides, from loose to strict: by node of either side, its token."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        a, b = both_tokens(pairing.a, pairing.b, pairing.node_scopes, pairing.places)
        self._tokens = a, b
        self.modules: Both = a.place, b.place
        self.family: Both = a.family, b.family
        self.valued: Both = a.valued, b.valued
        self.exact: Both = a.exact, b.exact

    @cached_property
    def around(self) -> Both:
        """With all neighbors of a node; paired neighbors are distinguished from all others."""
        pairing, (a, b) = self._pairing, self._tokens
        ours, theirs = pairing.paired()
        return a.around(pairing.a, ours), b.around(pairing.b, theirs)


Pass = Callable[[Pairing, Likeness], object]

# In the order of trust: the pairs of one pass are landmarks for the next.
PASSES: Mapping[str, Pass] = {
    "interface": lambda pairing, _: pair_interface(pairing),
    "structure": lambda pairing, like: pair_in_order(pairing, like.around, MatchEvidence.STRUCTURE),
    "neighbours": lambda pairing, like: spread(pairing, like.exact, _pairs(pairing)),
    "computed": lambda pairing, like: spread(pairing, like.exact, pair_computed(pairing, like.modules)),
    "decompositions": lambda pairing, _: settle_decompositions(pairing),
    "source calls": lambda pairing, like: settle_regions(pairing, like.modules),
    "unique": lambda pairing, like: spread(pairing, like.exact, pair_unique(pairing, like.around)),
    "order": lambda pairing, like: _in_order(pairing, like.valued),
    "neighbours of one op": lambda pairing, like: spread(pairing, like.family, _pairs(pairing)),
    "elsewhere": lambda pairing, like: spread(pairing, like.family, pair_elsewhere(pairing, like.modules)),
    "holes": lambda pairing, _: settle_holes(pairing),
    "inputs": lambda pairing, like: pair_read(pairing, like.valued),
    "unread items": lambda pairing, _: attach_unread(pairing),
}


def match(
    a: Side, b: Side, links: Iterable[tuple[int, int]] = (), passes: Mapping[str, Pass] = PASSES
) -> Pairing:
    """Pair the nodes of two sides; links are taken as they are, the rest is found by structure."""
    pairing = Pairing(a, b, links)
    likeness = Likeness(pairing)
    for run in passes.values():
        run(pairing, likeness)
    return pairing


def _in_order(pairing: Pairing, tokens: Both) -> None:
    """Pair similar nodes in order, and then the neighbors of these pairs."""
    spread(pairing, tokens, pair_in_order(pairing, tokens, MatchEvidence.SEQUENCE))


def _pairs(pairing: Pairing) -> Pairs:
    """The pairs that have free neighbors."""
    a, of_a, of_b = pairing.a, pairing.of_a, pairing.of_b
    free = [i for i, j in enumerate(of_a) if j == NONE]
    neighbours = dict.fromkeys(one for i in free for one in (*a.inputs[i], *a.users[i]))
    return [(i, of_a[i]) for i in neighbours if of_a[i] != NONE and of_b[of_a[i]] == i]


Key = tuple[object, ...]

# Names with counters, from torch and the reader of `.pte` files: one more node shifts them all.
_COUNTED = re.compile(r"(^|\.)_?((c_)?lifted_(tensor|custom)|tensor_constant|constant|buffer)_?\d+$")


def pair_interface(pairing: Pairing) -> None:
    """Pair inputs by the state they read or the user's path, and the outputs.

    State of one name is the same if its module is; a number ("constant_7") is no name. Where delegates have
    copies of state, those inside and those outside of delegates are paired first, each in order.
    """
    ours, theirs = (
        _passed(side, at.graphs) for side, at in zip((pairing.a, pairing.b), pairing.places, strict=True)
    )
    theirs = {place: named_as(ours.get(place, ()), paths) for place, paths in theirs.items()}
    before = _by_key(_interface(pairing.a, pairing.places[0].graphs, ours))
    after = _by_key(_interface(pairing.b, pairing.places[1].graphs, theirs))
    owners = Owners(pairing.a, pairing.b, pairing.scopes)
    for key, several in after.items():
        if key in before and (key[0] != "state" or owners.agree(str(key[-1]))):
            for i, j in _counterparts(pairing, before[key], several):
                pairing.pair(i, j, MatchEvidence.INTERFACE)


def _by_key(interface: Iterable[tuple[Key, int]]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for key, number in interface:
        found.setdefault(key, []).append(number)
    return found


def _counterparts(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of what has one key: in graphs of one type, and then the rest, each in order."""
    types = [pairing.a.node(i).graph.type for i in ours], [pairing.b.node(j).graph.type for j in theirs]
    pairs: list[tuple[int, int]] = []
    for kind in dict.fromkeys(types[0]):
        left = [i for i, own in zip(ours, types[0], strict=True) if own == kind]
        right = [j for j, own in zip(theirs, types[1], strict=True) if own == kind]
        pairs += zip(left, right, strict=False)
    done = ({i for i, _ in pairs}, {j for _, j in pairs})
    left, right = [i for i in ours if i not in done[0]], [j for j in theirs if j not in done[1]]
    return [*pairs, *zip(left, right, strict=False)]


def _passed(side: Side, places: Sequence[int]) -> dict[int, Paths]:
    """By place of a graph: the user's paths of its inputs, in order."""
    return {
        places[side.bases[graph.number]]: paths_of(graph.signature.inputs)
        for graph in side.snapshot.graphs
        if len(graph) and graph.parent is None and graph.signature is not None
    }


def _interface(side: Side, places: Sequence[int], passed: Mapping[int, Paths]) -> Iterator[tuple[Key, int]]:
    for graph in side.snapshot.graphs:
        base = side.bases[graph.number]
        roles, states = index_of(graph).roles, index_of(graph).states
        specs = () if graph.signature is None else graph.signature.inputs
        names = [spec.arg.name for spec in specs if spec.kind is InputKind.USER_INPUT]
        paths = dict(zip(names, passed.get(places[base], ()), strict=False)) if len(graph) else {}
        free = 0
        for position, role in roles.items():
            number = base + position
            if number in side.equal_state:
                yield ("equal state", places[number], side.equal_state[number]), number
                continue
            if position in states and _COUNTED.search(states[position]):
                continue
            if position in states:
                yield ("state", places[number], states[position]), number
            elif graph.parent is None:
                path = paths.get(graph.columns.names[position])
                yield ("input", places[number], role, path or free), number
                free += 1
            elif graph.type == "subgraph":
                yield ("branch", places[number], position), number
        last = len(graph) - 1
        is_inner = graph.type == "delegate" or graph.number in side.inlined.graphs
        if last >= 0 and graph[last].op == "output" and not is_inner:
            yield ("output", places[base + last]), base + last


def pair_in_order(
    pairing: Pairing, tokens: tuple[Sequence[int], Sequence[int]], evidence: MatchEvidence, calls: bool = True
) -> list[tuple[int, int]]:
    """Align the two orders by tokens; paired nodes are landmarks. Returns the new pairs.

    Pairs calls, or else inputs and attributes, which are better found through their users.
    """
    a, b = pairing.a, pairing.b
    of_a, of_b, ours, theirs = pairing.of_a, pairing.of_b, *tokens
    if NONE not in of_a or NONE not in of_b:
        return []
    # a landmark's token is its number in a, which hardly any hash of a tuple equals
    left = [ours[i] if of_a[i] == NONE else (i if of_b[of_a[i]] == i else -2) for i in a.order]
    right = [theirs[j] if of_b[j] == NONE else (of_b[j] if of_a[of_b[j]] == j else -3) for j in b.order]
    found = []
    for x, y in align(left, right):
        i, j = a.order[x], b.order[y]
        if of_a[i] == NONE and a.calls[i] == b.calls[j] == calls and pairing.pair(i, j, evidence):
            found.append((i, j))
    return found


def spread(
    pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]], start: Iterable[tuple[int, int]]
) -> None:
    """From pairs, pair similar neighbors at the same position; and so on from there."""
    ours, theirs = likeness
    queue = deque(start)
    while queue:
        i, j = queue.popleft()
        for x, y in (*_paired_inputs(pairing, i, j), *_paired_users(pairing, likeness, i, j)):
            if ours[x] == theirs[y] and pairing.pair(x, y, MatchEvidence.NEIGHBOUR, found_from=i):
                queue.append((x, y))


def _paired_inputs(pairing: Pairing, i: int, j: int) -> list[tuple[int, int]]:
    before, after = pairing.a.inputs[i], pairing.b.inputs[j]
    if len(before) != len(after):
        return []
    of_a, of_b = pairing.of_a, pairing.of_b
    return [(x, y) for x, y in zip(before, after, strict=True) if of_a[x] == NONE and of_b[y] == NONE]


def _paired_users(
    pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]], i: int, j: int
) -> list[tuple[int, int]]:
    """The free users of both that are unique by token and by how they use the node."""
    ours = pairing.free_a(pairing.users_a[i])
    theirs = pairing.free_b(pairing.users_b[j]) if ours else []
    if not theirs:
        return []
    inputs_a, inputs_b = pairing.a.inputs, pairing.b.inputs
    left = _once(ours, [(likeness[0][x], inputs_a[x].index(i)) for x in ours])
    right = _once(theirs, [(likeness[1][y], inputs_b[y].index(j)) for y in theirs])
    return [(x, right[key]) for key, x in left.items() if x != NONE and right.get(key, NONE) != NONE]


def _once(numbers: Sequence[int], keys: Sequence[Hashable]) -> dict[Hashable, int]:
    """By key: the node that has it; NONE if several do."""
    found: dict[Hashable, int] = {}
    for number, key in zip(numbers, keys, strict=True):
        found[key] = NONE if key in found else number
    return found


def pair_unique(pairing: Pairing, tokens: tuple[Sequence[int], Sequence[int]]) -> list[tuple[int, int]]:
    """Pair the free calls that occur once on each side, at any position: they were moved."""
    a, b = pairing.a, pairing.b
    ours = [i for i in pairing.free_a(a.order) if a.calls[i]]
    theirs = [j for j in pairing.free_b(b.order) if b.calls[j]]
    left = _once(ours, [tokens[0][i] for i in ours])
    right = _once(theirs, [tokens[1][j] for j in theirs])
    found = [(x, right[key]) for key, x in left.items() if x != NONE and right.get(key, NONE) != NONE]
    return [(i, j) for i, j in found if pairing.pair(i, j, MatchEvidence.UNIQUE)]


# No user; or no user with a counterpart, per side. (In Python, -1 and -2 have the same hash.)
_UNREAD, _STRANGE = -10, (-20, -30)


def pair_read(pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]]) -> None:
    """Pair similar inputs of matched nodes, in order."""
    of_a, of_b = pairing.of_a, pairing.of_b
    # a group is represented by one of its nodes in a, which both sides reach
    in_a = [NONE if j == NONE else of_b[j] for j in of_a]
    ours = _reader_tokens(likeness[0], pairing.users_a, in_a, _STRANGE[0])
    theirs = _reader_tokens(likeness[1], pairing.users_b, of_b, _STRANGE[1])
    pair_in_order(pairing, (ours, theirs), MatchEvidence.SEQUENCE, calls=False)


def _reader_tokens(
    likeness: Sequence[int], users: Iterable[Sequence[int]], group: Sequence[int], strange: int
) -> list[int]:
    return [hash((own, _reader(by, group, strange))) for own, by in zip(likeness, users, strict=True)]


def _reader(users: Sequence[int], group: Sequence[int], strange: int) -> int:
    if not users:
        return _UNREAD
    return min((group[user] for user in users if group[user] != NONE), default=strange)


class Tokens:
    """Tokens of one side, by node, from tables that both sides share."""

    def __init__(
        self, side: Side, scopes: Sequence[int], places: Places, bases: Sequence[int], roles: Sequence[int]
    ) -> None:
        place = [hash(key) for key in zip(places.graphs, places.subgraphs, scopes, roles, strict=True)]
        self.place = place
        self.family = [hash(pair) for pair in zip(side.families, place, strict=True)]
        for number, target in enumerate(side.targets):
            if target == side.getitem:  # items of one tuple are distinguished by index
                self.family[number] = hash((self.family[number], side.arguments[number]))
        self.valued = [hash(pair) for pair in zip(self.family, side.values, strict=True)]
        columns = (side.targets, side.values, side.arguments, place, bases)
        self.exact = [hash(key) for key in zip(*columns, strict=True)]

    def around(self, side: Side, paired: Sequence[int]) -> list[int]:
        """The exact token with those of inputs (in order) and users (each with how it uses the node).

        paired: by node, the number of its pair; such a node equals no other.
        """
        exact = [
            token if number == NONE else hash((token, number))
            for token, number in zip(self.exact, paired, strict=True)
        ]
        used = [0] * side.size
        for number, inputs in enumerate(side.inputs):
            for slot, one in enumerate(inputs):
                used[one] += hash((exact[number], slot))
        return [
            hash((exact[number], used[number], *[exact[one] for one in inputs]))
            for number, inputs in enumerate(side.inputs)
        ]


def both_tokens(
    a: Side, b: Side, scopes: tuple[list[int], list[int]], places: tuple[Places, Places]
) -> tuple[Tokens, Tokens]:
    """The tokens of the two sides; `scopes` are the numbers of module calls, by node."""
    numbers: Interner[Hashable] = Interner()
    if not all(any(one != NONE for one in side) for side in scopes):  # a `.pte` file has no modules
        scopes = [NONE] * a.size, [NONE] * b.size
    roles = _roles(a), _roles(b)
    if not (any(roles[0]) and any(roles[1])):  # a graph without a signature has no roles
        roles = [0] * a.size, [0] * b.size
    functions = _function_bases(a, numbers), _function_bases(b, numbers)
    if not all(any(one != NONE for one in side) for side in functions):  # nor functions of torch
        functions = [NONE] * a.size, [NONE] * b.size
    return (
        Tokens(a, scopes[0], places[0], functions[0], roles[0]),
        Tokens(b, scopes[1], places[1], functions[1], roles[1]),
    )


def _roles(side: Side) -> list[int]:
    """By node: 1 for state, 2 for user inputs, 0 for the rest; state never becomes an input."""
    found = [0] * side.size
    for graph in side.snapshot.graphs:
        if graph.signature is not None:
            states = index_of(graph).states
            for position in index_of(graph).roles:
                found[side.bases[graph.number] + position] = 1 if position in states else 2
    for number in side.inlined.constants:
        found[number] = 1
    return found


def _function_bases(side: Side, numbers: Interner[Hashable]) -> list[int]:
    """By node: the torch function that made it, without its counter (which any earlier call shifts)."""
    by_fn = [*(numbers[fn[-1]] for fn in side.snapshot.detail.torch_fns), NONE]
    return [by_fn[one] for graph in side.snapshot.graphs for one in graph.detail.torch_fns]
