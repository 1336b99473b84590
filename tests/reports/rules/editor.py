"""Edit a Snapshot node by node, to break a rule at a place that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE, OPS, SubgraphRef
from exir_viz.snapshot.program import MethodDetail, MethodRecord, Signature
from exir_viz.snapshot.records import Call, MemorySpec, Value

DETAIL = ("calls", "traces", "torch_fns", "source_fns", "origins", "handles", "specs", "extras")


class Row:
    """One node; its inputs are rows."""

    def __init__(self, name: str, columns: dict[str, int]) -> None:
        self.name = name
        self.columns = columns
        self.inputs: list[Row] = []


class Editor:
    """One graph of a Snapshot as rows that can be changed; `finish` makes the new Snapshot."""

    def __init__(self, snapshot: Snapshot, graph: int = 0) -> None:
        self.before = snapshot
        self.graph = snapshot.graphs[graph]
        self.targets = _interner(snapshot.skeleton.targets)
        self.values = _interner(snapshot.skeleton.values)
        self.calls = _interner(snapshot.detail.calls)
        self.specs = _interner(snapshot.detail.spec_lists)
        self.signature = self.graph.signature
        self.delegate = self.graph.delegate
        self.record: MethodRecord = snapshot.skeleton.methods[0]
        self.method: MethodDetail = snapshot.detail.methods[0]
        columns, detail = self.graph.columns, self.graph.detail
        self.rows = [
            Row(
                name,
                {
                    "ops": columns.ops[at],
                    "targets": columns.targets[at],
                    "values": columns.values[at],
                    "scopes": columns.scopes[at],
                    **{column: getattr(detail, column)[at] for column in DETAIL},
                },
            )
            for at, name in enumerate(columns.names)
        ]
        for at, row in enumerate(self.rows):
            row.inputs = [self.rows[one] for one in self.graph[at].input_positions]
        self.held = {id(self.rows[ref.node]): ref.graph for ref in columns.subgraphs}

    def __getitem__(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def op(self, name: str, op: str) -> Self:
        self[name].columns["ops"] = OPS.index(op)
        return self

    def target(self, name: str, /, **fields: Any) -> Self:
        row = self[name]
        target = self.before.targets[row.columns["targets"]]
        row.columns["targets"] = self.targets[msgspec.structs.replace(target, schema=None, **fields)]
        return self

    def value(self, name: str, /, value: Value | None = None, **fields: Any) -> Self:
        """Another value; of fields, the same value with these changed."""
        row = self[name]
        if fields:
            value = msgspec.structs.replace(self.before.values[row.columns["values"]], **fields)
        row.columns["values"] = NONE if value is None else self.values[value]
        return self

    def call(self, name: str, change: Callable[[Call], Call]) -> Self:
        row = self[name]
        row.columns["calls"] = self.calls[change(self.before.detail.calls[row.columns["calls"]])]
        return self

    def spec(self, name: str, /, **fields: Any) -> Self:
        """Change the first entry of a node's memory plan."""
        row = self[name]
        first, *rest = self.before.detail.spec_lists[row.columns["specs"]]
        changed: tuple[MemorySpec, ...] = (msgspec.structs.replace(first, **fields), *rest)
        row.columns["specs"] = self.specs[changed]
        return self

    def move(self, name: str, after: str) -> Self:
        row = self[name]
        self.rows.remove(row)
        self.rows.insert(self.rows.index(self[after]) + 1, row)
        return self

    def remove(self, name: str) -> Self:
        self.rows.remove(self[name])
        return self

    def copy(self, name: str, as_name: str, after: str | None = None) -> Self:
        row = self[name]
        copied = Row(as_name, dict(row.columns))
        copied.inputs = list(row.inputs)
        at = len(self.rows) if after is None else self.rows.index(self[after]) + 1
        self.rows.insert(at, copied)
        return self

    def rename(self, name: str, new: str) -> Self:
        self[name].name = new
        return self

    def input(self, name: str, at: int, source: str) -> Self:
        self[name].inputs[at] = self[source]
        return self

    def sign(self, inputs: Any = None, outputs: Any = None) -> Self:
        """Change the specs of the signature with functions from a list to a list."""
        assert self.signature is not None
        changed = [
            tuple(change(list(specs))) if change else specs
            for change, specs in ((inputs, self.signature.inputs), (outputs, self.signature.outputs))
        ]
        self.signature = Signature(*changed)
        return self

    def finish(self) -> Snapshot:
        order = {id(row): at for at, row in enumerate(self.rows)}
        replace = msgspec.structs.replace
        columns = replace(
            self.graph.columns,
            names=tuple(row.name for row in self.rows),
            **{
                column: tuple(row.columns[column] for row in self.rows)
                for column in ("ops", "targets", "values", "scopes")
            },
            arity=tuple(len(row.inputs) for row in self.rows),
            inputs=tuple(at - order[id(one)] for at, row in enumerate(self.rows) for one in row.inputs),
            subgraphs=tuple(
                SubgraphRef(order[row], graph) for row, graph in self.held.items() if row in order
            ),
            signature=self.signature,
            delegate=self.delegate,
        )
        detail = replace(
            self.graph.detail,
            **{column: tuple(row.columns[column] for row in self.rows) for column in DETAIL},
        )
        skeleton = replace(
            self.before.skeleton,
            graphs=_with(self.before.skeleton.graphs, self.graph.number, columns),
            targets=tuple(self.targets),
            values=tuple(self.values),
            methods=(self.record, *self.before.skeleton.methods[1:]),
        )
        rest = replace(
            self.before.detail,
            graphs=_with(self.before.detail.graphs, self.graph.number, detail),
            calls=tuple(self.calls),
            spec_lists=tuple(self.specs),
            methods=(self.method, *self.before.detail.methods[1:]),
        )
        return Snapshot(skeleton, rest)


def _interner(table: tuple[Any, ...]) -> Interner[Any]:
    found: Interner[Any] = Interner()
    for one in table:
        found[one]
    return found


def _with(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])
