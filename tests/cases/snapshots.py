"""Cases of which Snapshots are refused: a valid program, and changes to it.

A change is a list of places (["skeleton", "scopes", 0, "parent"]) with what is put there. The last item says
whether the changed program is refused: by `snapshot/validate.py`, and by `snapshot/narrow.ts` on a page.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from exir_viz.snapshot.columns import Detail, Skeleton
from exir_viz.snapshot.validate import MAX_DEPTH, MAX_NESTING, problem
from tests.snapshot.sample import sample

Place = list[str | int]
Change = Sequence[tuple[Place, Any]]

_LEAF = {"kind": "literal", "type": "int", "text": "1"}


def cases() -> dict[str, list[Any]]:
    program = {"skeleton": _plain(sample().skeleton), "detail": _plain(sample().detail)}
    program["detail"]["origins"] = [
        {"name": name, "target": "aten.add", "pass_name": "", "action": "create", "graph": 0, **more}
        for name, more in (("x", {}), ("y", {"parents": [0]}))
    ]
    program["detail"]["sources"] = [{"file": "model.py", "lines": [7], "text": ["h = self.fc(x)"]}]
    changes = [[what, change, _is_refused(program, change)] for what, change in _changes(program)]
    return {"program": [[program["skeleton"], program["detail"]]], "changes": changes}


def _plain(record: Skeleton | Detail) -> Any:
    return msgspec.json.decode(msgspec.json.encode(record))


def _is_refused(program: dict[str, Any], change: Change) -> bool:
    changed = copy.deepcopy(program)
    for place, value in change:
        at: Any = changed
        for step in place[:-1]:
            at = at[step]
        at[place[-1]] = value
    skeleton = msgspec.convert(changed["skeleton"], Skeleton)
    return problem(skeleton, msgspec.convert(changed["detail"], Detail)) is not None


def _changes(program: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    """By what is wrong: nothing, a number, a length, or a depth at its limit and one above."""
    skeleton, detail = program["skeleton"], program["detail"]
    graph, first, calls = skeleton["graphs"][0], detail["graphs"][0], detail["calls"]
    count = len(graph["names"])

    def put(*place: str | int, value: Any) -> Change:
        return [(list(place), value)]

    def in_graph(name: str, value: Any) -> Change:
        return put("skeleton", "graphs", 0, name, value=value)

    def with_call(**call: Any) -> Change:
        return put("detail", "calls", value=[*calls, call])

    yield "nothing", []
    tensor = {"name": "t", "dtype": "float32", "shape": [2], "role": "input"}
    op = {"type": "Abs", "inputs": [0], "outputs": [0], "nodes": [0], "evidence": "order"}

    def with_payload(**changed: Any) -> Change:
        made = {"format": "F", "reader": "r", "tensors": [tensor], "ops": [{**op, **changed}]}
        return put("detail", "graphs", 0, "payload", value=made)

    yield "a payload", with_payload()
    yield "a payload's op without an input", with_payload(inputs=[1])
    yield "a payload's op without an output", with_payload(outputs=[-1])
    yield "a payload's op of no node", with_payload(nodes=[99])
    yield "no method", put("skeleton", "methods", value=[])
    yield "a method without a graph", put("skeleton", "methods", 0, "graph", value=9)
    yield (
        "two methods of one name",
        [
            (["skeleton", "methods"], skeleton["methods"] * 2),
            (["detail", "methods"], detail["methods"] * 2),
        ],
    )
    yield "a state entry without a value", put("skeleton", "methods", 0, "state", 0, "value", value=99)
    yield (
        "an example without a value",
        put("detail", "methods", 0, "examples", value=[{"path": "x", "value": 99}]),
    )
    yield "a detail of fewer graphs", put("detail", "graphs", value=detail["graphs"][1:])
    yield "a scope that is its own parent", put("skeleton", "scopes", 0, "parent", value=0)
    yield "an origin that is its own parent", put("detail", "origins", 1, "parents", value=[1])
    yield "an origin list without an origin", put("detail", "origin_lists", value=[[7]])
    yield "a trace without a frame", put("detail", "traces", 0, value=[99])
    yield "a source of more lines than texts", put("detail", "sources", 0, "lines", value=[7, 8])
    yield "a column of another length", in_graph("values", graph["values"][1:])
    yield "two nodes of one name", in_graph("names", [graph["names"][0]] * 2 + graph["names"][2:])
    yield "a graph that holds itself", in_graph("parent", 0)
    yield "an op without a name", in_graph("ops", [99, *graph["ops"][1:]])
    yield "a node without a target", in_graph("targets", [99, *graph["targets"][1:]])
    yield "a node of no value", in_graph("values", [-1, *graph["values"][1:]])
    yield "a value that is not there", in_graph("values", [99, *graph["values"][1:]])
    yield "a value below none", in_graph("values", [-2, *graph["values"][1:]])
    yield "a scope that is not there", in_graph("scopes", [99, *graph["scopes"][1:]])
    yield "a node that uses itself", in_graph("inputs", [0, *graph["inputs"][1:]])
    yield "a node that uses what is before the graph", in_graph("inputs", [99, *graph["inputs"][1:]])
    yield "fewer inputs than are counted", in_graph("inputs", graph["inputs"][1:])
    yield "a negative count of inputs", in_graph("arity", [-1, 1, *graph["arity"][2:]])
    held = graph["subgraphs"][0]
    yield "a graph held by no node", in_graph("subgraphs", [{**held, "node": count}])
    yield "a graph that is held and is not there", in_graph("subgraphs", [{**held, "graph": 99}])
    yield "a held graph of another parent", put("skeleton", "graphs", held["graph"], "parent", value=-1)
    for column in ("calls", "traces", "torch_fns", "source_fns", "origins", "specs", "extras"):
        yield (
            f"a number of {column} that is not there",
            put("detail", "graphs", 0, column, value=[99, *first[column][1:]]),
        )
    yield "a node without a call", put("detail", "graphs", 0, "calls", value=[-1, *first["calls"][1:]])
    yield "handles of another length", put("detail", "graphs", 0, "handles", value=first["handles"][1:])
    # Node 0 is a placeholder without inputs.
    reached = put("detail", "calls", first["calls"][0], value={"args": [{"kind": "node", "at": 0}]})
    yield "an argument beyond the inputs", reached
    yield (
        "an argument before the inputs",
        put("detail", "calls", first["calls"][-1], value={"args": [{"kind": "node", "at": -1}]}),
    )
    yield "a keyword without a value", put("detail", "calls", first["calls"][0], value={"names": ["out"]})
    sequence = {"kind": "sequence", "type": "list"}
    for depth in (MAX_DEPTH - 1, MAX_DEPTH):
        arg = _nested(sequence, "items", depth, _LEAF)
        yield f"an argument in {depth} lists", with_call(args=[arg])
        yield f"a keyword's value in {depth} lists", with_call(names=["out"], values=[arg])
        value = _nested(sequence, "items", depth, {"kind": "object", "role": "token", "cls": "Token"})
        yield f"a value in {depth} lists", put("skeleton", "values", value=[*skeleton["values"], value])
        tree = _nested({"type": "list"}, "children", depth, {"type": "leaf"})
        yield f"a pytree in {depth} lists", put("detail", "methods", 0, "out_spec", value=tree)
        called = {"inputs": [], "outputs": [], "in_spec": tree, "out_spec": {"type": "leaf"}}
        yield (
            f"a pytree of a module's call in {depth} lists",
            put("detail", "methods", 0, "module_calls", value=[{"path": "fc", "signature": called}]),
        )
    mapped = _nested({"kind": "map", "keys": [_LEAF]}, "items", MAX_DEPTH, _LEAF)
    yield f"an argument in {MAX_DEPTH} dicts", with_call(args=[mapped])
    sliced: Any = _LEAF
    for _ in range(MAX_DEPTH):
        sliced = {"kind": "slice", "start": _LEAF, "stop": sliced, "step": _LEAF}
    yield f"an argument in {MAX_DEPTH} slices", with_call(args=[sliced])
    size = len(skeleton["graphs"])
    # The last graph of the program is in the first.
    inner = [_empty_graph(size - 1 + number) for number in range(MAX_NESTING)]
    yield (
        f"a graph nested {MAX_NESTING + 1} deep",
        [
            (["skeleton", "graphs"], [*skeleton["graphs"], *inner]),
            (["detail", "graphs"], [*detail["graphs"], *(_empty_detail() for _ in inner)]),
        ],
    )


def _nested(outer: dict[str, Any], name: str, depth: int, inner: dict[str, Any]) -> dict[str, Any]:
    for _ in range(depth):
        inner = {**outer, name: [inner]}
    return inner


def _empty_graph(parent: int) -> dict[str, Any]:
    columns = ("names", "ops", "targets", "values", "scopes", "arity", "inputs")
    return {"name": "inner", "type": "subgraph", "parent": parent, **{column: [] for column in columns}}


def _empty_detail() -> dict[str, Any]:
    columns = ("calls", "traces", "torch_fns", "source_fns", "origins", "handles", "specs", "extras")
    return {column: [] for column in columns}
