"""Change a Snapshot at random, and record which calls correspond: ground truth for unrelated programs.

The main graph is changed; nested graphs stay. A mutation removes rows, adds rows, or rewrites cells; the
mutant is built from the remaining rows.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE, OPS, SubgraphRef
from exir_viz.snapshot.records import Call, NodeArg, SequenceValue, Target, TargetType, TensorValue, Value

from .truth import Truth

CALL = OPS.index("call_function")
NEG = Target(TargetType.OP, "torch.ops.aten.neg.default", "aten", "neg", "default")
COLUMNS = ("calls", "traces", "torch_fns", "source_fns", "origins", "handles", "specs", "extras")

# The part of the calls that a mutation changes.
SHARE = 0.05


@dataclass(eq=False)
class Row:
    """One node; `old` is its position before, None for a new one; inputs are rows."""

    name: str
    op: int
    target: int
    value: int
    scope: int
    detail: dict[str, int]
    inputs: list[Row] = field(default_factory=list)
    old: int | None = None


class Mutant:
    """The rows of a main graph and growing tables; `finish` makes the Truth."""

    def __init__(self, snapshot: Snapshot, seed: int) -> None:
        self.before = snapshot
        self.random = random.Random(seed)
        self.targets: Interner[Target] = _table(snapshot.skeleton.targets)
        self.values: Interner[Value] = _table(snapshot.skeleton.values)
        self.calls: Interner[Call] = _table(snapshot.detail.calls)
        self.torch_fns: Interner[tuple[str, ...]] = _table(snapshot.detail.torch_fns)
        self.scopes = list(snapshot.skeleton.scopes)
        self.frames = list(snapshot.detail.frames)
        self.signature = snapshot.method.graph.signature
        self.state = snapshot.method.record.state
        graph = snapshot.method.graph
        columns, detail = graph.columns, graph.detail
        self.rows: list[Row] = []
        for at, name in enumerate(columns.names):
            more = {column: getattr(detail, column)[at] for column in COLUMNS}
            row = Row(
                name,
                columns.ops[at],
                columns.targets[at],
                columns.values[at],
                columns.scopes[at],
                more,
                [],
                at,
            )
            row.inputs = [self.rows[one] for one in graph[at].input_positions]
            self.rows.append(row)
        self.held = {self.rows[ref.node]: ref.graph for ref in columns.subgraphs}

    def some(self, share: float) -> list[Row]:
        """A share of the calls, at random; at least one."""
        calls = [row for row in self.rows if row.op == CALL and row.inputs and row not in self.held]
        return self.random.sample(calls, max(1, round(share * len(calls))))

    def finish(self) -> Truth:
        order = {id(row): at for at, row in enumerate(self.rows)}
        graph = self.before.method.graph
        columns = msgspec.structs.replace(
            graph.columns,
            names=tuple(row.name for row in self.rows),
            ops=tuple(row.op for row in self.rows),
            targets=tuple(row.target for row in self.rows),
            values=tuple(row.value for row in self.rows),
            scopes=tuple(row.scope for row in self.rows),
            arity=tuple(len(row.inputs) for row in self.rows),
            inputs=tuple(at - order[id(one)] for at, row in enumerate(self.rows) for one in row.inputs),
            subgraphs=tuple(SubgraphRef(order[id(row)], held) for row, held in self.held.items()),
            signature=self.signature,
        )
        detail = msgspec.structs.replace(
            graph.detail, **{name: tuple(row.detail[name] for row in self.rows) for name in COLUMNS}
        )
        assert min(columns.inputs, default=1) > 0
        skeleton = msgspec.structs.replace(
            self.before.skeleton,
            graphs=_with(self.before.skeleton.graphs, graph.number, columns),
            targets=tuple(self.targets),
            values=tuple(self.values),
            scopes=tuple(self.scopes),
            methods=tuple(
                msgspec.structs.replace(one, state=self.state) if one.graph == graph.number else one
                for one in self.before.skeleton.methods
            ),
        )
        rest = msgspec.structs.replace(
            self.before.detail,
            graphs=_with(self.before.detail.graphs, graph.number, detail),
            calls=tuple(self.calls),
            frames=tuple(self.frames),
            torch_fns=tuple(self.torch_fns),
        )
        pairs = ((row.old, at) for at, row in enumerate(self.rows) if row.old is not None and row.op == CALL)
        return Truth(self.before, Snapshot(skeleton, rest), frozenset(pairs))


def rename(mutant: Mutant, share: float) -> None:
    """Change every name: of nodes, modules, state, files; and torch's counters of functions."""
    names: dict[str, str] = {}
    fns = list(mutant.torch_fns)
    for row in mutant.rows:
        names[row.name] = f"v{mutant.random.getrandbits(48):x}"
        row.name = names[row.name]
        if OPS[row.op] == "placeholder":
            row.target = mutant.targets[Target(TargetType.INPUT, row.name)]
        fn = row.detail["torch_fns"]
        if fn != NONE:
            stem, _, number = fns[fn][0].rpartition("_")
            name = f"{stem}_{int(number) + 7}" if number.isdigit() else f"{number}_7"
            row.detail["torch_fns"] = mutant.torch_fns[name, *fns[fn][1:]]
    mutant.scopes = [
        msgspec.structs.replace(one, path=move(one.path), key=f"new_{one.key}") for one in mutant.scopes
    ]
    mutant.frames = [
        msgspec.structs.replace(one, file=f"/moved{one.file}", line=one.line + 40) for one in mutant.frames
    ]
    mutant.state = tuple(msgspec.structs.replace(one, name=move(one.name)) for one in mutant.state)
    signature = mutant.signature
    if signature is not None:

        def again(spec):
            return msgspec.structs.replace(
                spec,
                arg=msgspec.structs.replace(spec.arg, name=names.get(spec.arg.name, spec.arg.name)),
                target=names.get(spec.target, move(spec.target)) if spec.target else None,
            )

        mutant.signature = msgspec.structs.replace(
            signature,
            inputs=tuple(map(again, signature.inputs)),
            outputs=tuple(map(again, signature.outputs)),
        )


def move(path: str) -> str:
    """A module path with every name in it changed."""
    return ".".join(f"{part}x" if part.isalpha() else part for part in path.split(".")) if path else ""


def insert(mutant: Mutant, share: float) -> None:
    """Insert a `neg` between a call and one of its inputs."""
    for row in mutant.some(share):
        slot = mutant.random.randrange(len(row.inputs))
        source = row.inputs[slot]
        call = mutant.calls[Call((NodeArg(0),))]
        fn = mutant.torch_fns[f"neg_{mutant.random.randrange(1000)}", "builtin_function_or_method.neg"]
        more = dict.fromkeys(COLUMNS, NONE) | {"calls": call, "torch_fns": fn, "traces": row.detail["traces"]}
        new = Row(
            f"neg_new_{mutant.random.getrandbits(40)}",
            CALL,
            mutant.targets[NEG],
            source.value,
            row.scope,
            more,
            [source],
        )
        row.inputs[slot] = new
        mutant.rows.insert(mutant.rows.index(row), new)


def delete(mutant: Mutant, share: float) -> None:
    """Remove a call: its users read what it read first."""
    users = _users(mutant)
    for gone in mutant.some(share):
        first = gone.inputs[0]
        for row in users[gone]:
            row.inputs = [first if one is gone else one for one in row.inputs]
        users[first] += users.pop(gone)
        mutant.rows.remove(gone)


def reorder(mutant: Mutant, share: float) -> None:
    """Move a call to another position that its inputs and users allow."""
    users, place = _users(mutant), mutant.rows.index
    for row in mutant.some(share):
        first = max(map(place, row.inputs)) + 1
        last = min(map(place, users[row]), default=len(mutant.rows) - 1) - 1
        mutant.rows.remove(row)
        mutant.rows.insert(mutant.random.randint(first, max(first, last)), row)


def _users(mutant: Mutant) -> defaultdict[Row, list[Row]]:
    """The users of each row."""
    users = defaultdict(list)
    for row in mutant.rows:
        for one in dict.fromkeys(row.inputs):
            users[one].append(row)
    return users


def rescope(mutant: Mutant, share: float) -> None:
    """Move stretches of calls to the parent module, or to a sibling."""
    for row in mutant.some(share / 2):
        at, scope = mutant.rows.index(row), row.scope
        others = _others(mutant, scope)
        if others:
            to = mutant.random.choice(others)
            for one in mutant.rows[at : at + mutant.random.randint(1, 4)]:
                if one.op == CALL and one.scope == scope:
                    one.scope = to


def _others(mutant: Mutant, scope: int) -> list[int]:
    """The parent module call, and its siblings."""
    if scope == NONE or mutant.scopes[scope].parent == NONE:
        return []
    parent = mutant.scopes[scope].parent
    beside = [at for at, one in enumerate(mutant.scopes) if one.parent == parent and at != scope]
    return [parent, *beside]


def inline(mutant: Mutant, share: float) -> None:
    """Move all calls of a module to its parent."""
    parents = [one.parent for one in mutant.scopes]
    inner = [at for at, parent in enumerate(parents) if parent != NONE]
    for gone in mutant.random.sample(inner, min(len(inner), max(1, round(share * len(inner))))):
        for row in mutant.rows:
            if row.op == CALL and row.scope == gone:
                row.scope = parents[gone]


def retype(mutant: Mutant, share: float) -> None:
    """Change the dtype of a call's output."""
    _retype(mutant, mutant.some(share))


def cast(mutant: Mutant, share: float) -> None:
    """Halve the width of every float in the program."""
    _retype(mutant, mutant.rows)


def mixed(mutant: Mutant, share: float) -> None:
    """All mutations, a part of each."""
    rename(mutant, share)
    for one in (insert, delete, reorder, retype, rescope):
        one(mutant, share / 5)


MUTATIONS: dict[str, Callable[[Mutant, float], None]] = {
    one.__name__: one for one in (rename, insert, delete, reorder, rescope, inline, retype, cast, mixed)
}


def mutate(snapshot: Snapshot, name: str, share: float = SHARE, seed: int = 0) -> Truth:
    """The Snapshot and its mutant, with the pairs of calls that are the same node."""
    mutant = Mutant(snapshot, seed)
    MUTATIONS[name](mutant, share)
    return mutant.finish()


def bare(snapshot: Snapshot) -> Snapshot:
    """The Snapshot without what says where a node came from: modules, torch functions, source lines."""
    graphs = tuple(
        msgspec.structs.replace(one, scopes=(NONE,) * len(one.scopes)) for one in snapshot.skeleton.graphs
    )
    details = tuple(
        msgspec.structs.replace(
            one,
            torch_fns=(NONE,) * len(one.calls),
            traces=(NONE,) * len(one.calls),
            source_fns=(NONE,) * len(one.calls),
        )
        for one in snapshot.detail.graphs
    )
    return Snapshot(
        msgspec.structs.replace(snapshot.skeleton, graphs=graphs, scopes=()),
        msgspec.structs.replace(snapshot.detail, graphs=details),
    )


def _retype(mutant: Mutant, rows: Iterable[Row]) -> None:
    halves = {number: mutant.values[_half(value)] for number, value in enumerate(list(mutant.values))}
    for row in rows:
        row.value = halves.get(row.value, row.value)


def _half(value: Value) -> Value:
    if isinstance(value, TensorValue) and value.dtype == "float32":
        return msgspec.structs.replace(value, dtype="float16")
    if isinstance(value, SequenceValue):
        return msgspec.structs.replace(value, items=tuple(map(_half, value.items)))
    return value


def _table(records):
    table: Interner = Interner()
    for record in records:
        assert table[record] == len(table) - 1
    return table


def _with(records, number, record):
    return (*records[:number], record, *records[number + 1 :])
