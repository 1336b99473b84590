"""Preview what one call becomes when its operator is decomposed: a small graph; nothing is applied.

The call is traced with the values that the node has in its graph: its shapes, dtypes and constants. The
program is not changed.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.decomposition_tables import core_table, decomposition_of
from exir_viz.stages.decompositions import is_implicit
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.step_runner import runner
from exir_viz.stages.steps.decompose import CORE
from exir_viz.torch_internals.decompositions import functionalized, kept_whole, traced
from exir_viz.torch_internals.edge import aten_operator
from exir_viz.torch_internals.export import rename
from exir_viz.torch_internals.features import CODE, pass_on

if TYPE_CHECKING:
    from torch import fx

    from exir_viz.stages.stage import Stage

OP: Final = "op"


def preview(stage: Stage, node: str | Node, table: str = OP) -> Snapshot:
    """The graph that a call of `stage` becomes.

    table: "op" decomposes this operator only, as selecting it does; "core" goes all the way to Core ATen.
    Raises NotPossible if torch has no decomposition for it, and while a step runs, because a step changes
    torch's operators.
    """
    live = stage.live
    if live is None:
        raise NotPossible(f"Stage {stage.name!r} has no live program, so its calls cannot be decomposed.")
    found = find(live, stage.node(node))
    ran = runner.perform("preview", lambda _report: _capture(trace(found, table)))
    pass_on(notice.text for notice in ran.notices if notice.code == CODE)
    return ran.value


def _capture(traced: fx.GraphModule) -> Snapshot:
    from exir_viz.readers.live import capture

    return capture(traced, dialect=Dialect.FX)


def find(live: LivePrograms, node: Node) -> fx.Node:
    """The FX node of a Snapshot's node."""
    method, *path = node.graph.path.split("/")
    module: Any = live.programs[method].graph_module.get_submodule(".".join(path))
    found: fx.Node = next(one for one in module.graph.nodes if one.name == node.name)
    return found


def trace(node: fx.Node, table: str = OP) -> fx.GraphModule:
    """Trace the decomposition of a node's call."""
    import torch

    from exir_viz.torch_internals.fake_values import FakeCopies
    from exir_viz.torch_internals.pytrees import pytree

    op: Any = aten_operator(node.target)
    rule = _implicit_rule(op) or decomposition_of(op)
    if rule is None:
        raise NotPossible(f"Cannot decompose {op}: torch has no decomposition of it.")
    fakes = FakeCopies()
    values = torch.fx.map_arg((node.args, node.kwargs), lambda one: fakes.of(one.meta["val"]))
    given, spec = pytree.tree_flatten(values)
    places = [at for at, value in enumerate(given) if isinstance(value, torch.Tensor | torch.SymInt)]

    def call(*values: Any) -> Any:
        filled = list(given)
        for at, value in zip(places, values, strict=True):
            filled[at] = value
        args, kwargs = pytree.tree_unflatten(filled, spec)
        return rule(*args, **kwargs)

    whole = table == CORE
    mode = fakes.mode(_fake_mode(node)) or nullcontext()
    # An op without tensor arguments creates its tensor in the fake mode of the graph's other values.
    with torch.no_grad(), mode, nullcontext() if whole else kept_whole(op):
        graph = traced(call, [given[at] for at in places], core_table() if whole else None)
    graph.graph.eliminate_dead_code()
    _name_inputs(graph, [one.name for one in _inputs(node)])
    return graph


def mutations(traced: fx.GraphModule) -> list[fx.Node]:
    """The calls in a traced decomposition that write to a tensor, which torch.export refuses."""
    from exir_viz.torch_internals.operators import is_mutable, is_operator

    return [node for node in traced.graph.nodes if is_operator(node.target) and is_mutable(node.target)]


def _implicit_rule(op: Any) -> Any:
    """The functionalization of an operator that is always decomposed; None for other operators."""
    from exir_viz.torch_internals.operators import OpOverload

    return functionalized(op) if isinstance(op, OpOverload) and is_implicit(op) else None


def _inputs(node: fx.Node) -> list[fx.Node]:
    """The nodes that a call reads tensors and sizes from, once per use."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    leaves = pytree.tree_leaves((node.args, node.kwargs))
    return [
        one
        for one in leaves
        if isinstance(one, torch.fx.Node) and isinstance(one.meta["val"], torch.Tensor | torch.SymInt)
    ]


def _name_inputs(traced: fx.GraphModule, names: list[str]) -> None:
    """Name the placeholders like the nodes that are passed to the call."""
    holders = [one for one in traced.graph.nodes if one.op == "placeholder"]
    if len(holders) == len(names):
        for holder, name in zip(holders, names, strict=True):
            rename(holder, name)
        traced.recompile()


def _fake_mode(node: fx.Node) -> Any:
    from exir_viz.torch_internals.fake_values import fake_mode_of

    return fake_mode_of(one.meta.get("val") for one in node.graph.nodes)
