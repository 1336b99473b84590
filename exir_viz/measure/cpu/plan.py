"""Prepare a graph once as a flat list of steps over registers: what to call, with what, and what to
free then.

Nested graphs (branches, loop bodies, delegates) become plans of their own, called by the higher-order op as
it would call the graph. All plans of a method number their nodes in one sequence, so that a run's times are
one list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.torch_internals.operators import HigherOrderOperator, OpOverload, wrapped

from .arguments import ArgumentCompiler, Fetch, Registers, has_nodes, plain
from .state import State

CALL_DELEGATE = "executorch_call_delegate"
ALLOC = "alloc"


class PlannedCall(NamedTuple):
    """One call. `keywords` is None if all keyword arguments are constants, which are bound in `call`."""

    number: int
    slot: int
    call: Callable[..., Any]
    arguments: Fetch
    keywords: Fetch | None
    dead: tuple[int, ...]
    holds_graphs: bool


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """A node that computes: its name in the whole Snapshot, and the backend that it is emulated for, if
    any.
    """

    id: str
    node: fx.Node
    backend: str = ""


class Runner(Protocol):
    """Runs plans: it decides whether steps are timed or observed."""

    def run(self, plan: Plan, values: Sequence[Any]) -> Any: ...


@dataclass(slots=True)
class Plan:
    """A prepared graph. `template` is the registers before a run: constants and attributes in place.

    `state` are the inputs of a delegate's program that are its weights and buffers. The first `size`
    registers are those of the graph's nodes, by position. `number` is its index in `Planner.plans`.
    """

    path: str
    size: int = 0
    number: int = 0
    template: Registers = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    state: frozenset[int] = frozenset()
    steps: list[PlannedCall] = field(default_factory=list)
    output: Fetch = tuple


class Subprogram(torch.nn.Module):
    """A nested graph as the callable that a higher-order op expects: each call runs its plan."""

    def __init__(self, plan: Plan, owner: Planner) -> None:
        super().__init__()
        self.plan = plan
        self._owner = owner

    def forward(self, *values: Any) -> Any:
        return self._owner.runner.run(self.plan, values)


class Planner:
    """Prepares the graphs of one method: `plans`, and `nodes`, all that compute, each by number."""

    def __init__(self) -> None:
        self.nodes: list[PlannedNode] = []
        self.plans: list[Plan] = []
        self.runner: Runner
        self.backends: set[str] = set()
        self.states: list[State] = []

    def plan(self, module: fx.GraphModule, path: str, backend: str = "") -> Plan:
        """Prepare a graph and its nested graphs."""
        slots = {node: slot for slot, node in enumerate(module.graph.nodes)}
        plan = Plan(path, len(slots), len(self.plans))
        self.plans.append(plan)
        plan.template.extend([None] * len(slots))
        compiler = ArgumentCompiler(slots, plan.template)
        dies = _last_uses(module.graph, slots)
        subprograms: dict[str, Subprogram] = {}
        for node, slot in slots.items():
            if node.op == "placeholder":
                plan.inputs.append(slot)
            elif node.op == "get_attr":
                plan.template[slot] = self._attribute(module, node, path, backend, subprograms)
            elif node.op == "call_function":
                plan.steps.append(
                    self._step(module, node, plan, compiler, slots, dies.get(node, ()), backend)
                )
            elif node.op == "output":
                plan.output = compiler.one(node.args[0])
            else:
                raise TypeError(f"{path}/{node.name} is a {node.op}, which an ExportedProgram does not have")
        return plan

    def _attribute(
        self,
        module: fx.GraphModule,
        node: fx.Node,
        path: str,
        backend: str,
        subprograms: dict[str, Subprogram],
    ) -> Any:
        name = str(node.target)
        found: Any = functools.reduce(getattr, name.split("."), module)
        if isinstance(found, fx.GraphModule):
            if name not in subprograms:
                subprograms[name] = Subprogram(self.plan(found, f"{path}/{name}", backend), self)
            return subprograms[name]
        return found

    def _step(
        self,
        module: fx.GraphModule,
        node: fx.Node,
        plan: Plan,
        compiler: ArgumentCompiler,
        slots: dict[fx.Node, int],
        dead: tuple[int, ...],
        backend: str,
    ) -> PlannedCall:
        number = len(self.nodes)
        call, args = kernel(node.target), node.args
        if getattr(call, "__name__", "") == ALLOC and _varies(node):
            call = _without_elements(call)
        is_higher = isinstance(node.target, HigherOrderOperator)
        if CALL_DELEGATE in str(node.target):
            name = _delegate_of(node, plan.path)
            lowered = getattr(module, name)
            # its own time is not that of the backend's call either
            self.nodes.append(PlannedNode(f"{plan.path}/{node.name}", node, lowered.backend_id))
            call, args = self._delegate(lowered, f"{plan.path}/{name}"), args[1:]
        else:
            self.nodes.append(PlannedNode(f"{plan.path}/{node.name}", node, backend))
        keywords = None
        if node.kwargs:
            if has_nodes(node.kwargs):
                keywords = compiler.keywords(dict(node.kwargs))
            else:
                call = functools.partial(call, **plain(node.kwargs))
        return PlannedCall(number, slots[node], call, compiler.positional(args), keywords, dead, is_higher)

    def _delegate(self, lowered: Any, path: str) -> Callable[..., Any]:
        """A delegate, run by eager torch from the program that the backend was given."""
        program: ExportedProgram = lowered.original_module
        self.backends.add(lowered.backend_id)
        inner = self.plan(program.graph_module, path, lowered.backend_id)
        state = State(program)
        inner.state = frozenset(inner.inputs[at] for at in state.places)
        self.states.append(state)

        def call(*operands: Any) -> list[Any]:
            return list(self.runner.run(inner, state.values(operands)))

        return call


def _delegate_of(node: fx.Node, path: str) -> str:
    """The attribute with the program that a delegate's call runs."""
    target = node.args[0]
    if not isinstance(target, fx.Node):
        raise TypeError(f"{path}/{node.name} calls a delegate that is no attribute of its program")
    return str(target.target)


def kernel(target: Any) -> Callable[..., Any]:
    """The function that is called for a target: an op's entry in torch's dispatcher, without wrappers."""
    inner = target if type(target) is OpOverload else wrapped(target)  # an edge op wraps an ATen op
    found: Callable[..., Any] = wrapped(inner) if type(inner) is OpOverload else inner
    return target if isinstance(target, HigherOrderOperator) else found


def _varies(node: fx.Node) -> bool:
    """Whether the size of a tensor is known only at run time."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and any(isinstance(size, torch.SymInt) for size in value.shape)


def _without_elements(alloc: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Memory of the greatest size, for an op to give it the size of its result: torch warns where a tensor
    with elements has another size.
    """
    return lambda *args: alloc(*args).resize_(0)


def _last_uses(graph: fx.Graph, slots: dict[fx.Node, int]) -> dict[fx.Node, tuple[int, ...]]:
    """By node: the registers that are not read after it. Outputs are never freed."""
    last: dict[fx.Node, fx.Node] = {}
    for node in graph.nodes:
        last[node] = node
        for used in node.all_input_nodes:
            last[used] = node
    dies: dict[fx.Node, list[int]] = {}
    for node, user in last.items():
        if user.op != "output" and node.op != "get_attr":
            dies.setdefault(user, []).append(slots[node])
    return {node: tuple(found) for node, found in dies.items()}
