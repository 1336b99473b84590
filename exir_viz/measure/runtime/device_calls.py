"""Run a lowered program step by step, with its delegates and ops in the ExecuTorch runtime.

A delegate is a program of its own, and an op outside of delegates becomes one. Steps that are no
computation, such as taking an item of a tuple, stay in Python. What the runtime cannot run is computed by
eager torch instead, and says why.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from exir_viz.compare.values.records import Ran
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.cpu.plan import CALL_DELEGATE, PlannedCall, PlannedNode
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.snapshot.format import plural
from exir_viz.torch_internals.operators import (
    HigherOrderOperator,
    OpOverload,
    arguments_of,
    aten_operator,
    aten_schema_of,
    is_random_operator,
    wrapped,
)
from exir_viz.torch_internals.pytrees import pytree

from .process import NotRun, RuntimeProgram
from .single_node import OneNode, silenced

NOT_ALONE = (
    "an op of an executorch program runs alone only if its session has the stage that it was made from"
)
_NESTED = "branches and loops do not run alone"
RANDOM = "generates random numbers, and those of the runtime differ from those of torch"
_UNKNOWN = "one of its arguments is a number that is known only at run time"
_TRAINING = ("train", "training")

# Called with a node's name, and what eager torch and the runtime return for the same inputs.
Isolated = Callable[[str, Any, Any], None]


@dataclass(slots=True)
class DeviceCalls:
    """The calls of the steps of one program, by the name of the node. `why`: what did not run, with reasons.

    `origin`: for an executorch stage, by name of a node the node of the stage before that it was made from.
    """

    alone: OneNode
    origin: Mapping[str, fx.Node] | None = None
    programs: dict[str, RuntimeProgram] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    ran: dict[str, Ran] = field(default_factory=dict)

    def build(self, nodes: list[PlannedNode], report: Callable[[str, int, int], None]) -> None:
        """Build a program for each delegate and each op; equal ops share one."""
        shared: dict[str, RuntimeProgram | str] = {}
        for at, planned in enumerate(nodes):
            report("Building programs for the runtime", at, len(nodes))
            node, made = planned.node, self._subject(planned.node)
            if not _computes(node):
                continue
            self.ran[planned.id] = Ran.EMULATED
            if isinstance(made, str):
                self.why[planned.id] = made
                continue
            try:
                key = planned.id if is_delegate(node) else self.alone.key(made)
            except MeasureError:  # a number without a range, such as that of `x.item()`
                self.why[planned.id] = _UNKNOWN
                continue
            if key not in shared:
                shared[key] = self._built(made)
            found = shared[key]
            if isinstance(found, str):
                self.why[planned.id] = found
            else:
                self.programs[planned.id] = found
                self.ran[planned.id] = Ran.RUNTIME

    def _subject(self, node: fx.Node) -> fx.Node | str:
        """The node to build a program of, or why there is none."""
        if is_delegate(node):
            return node
        if isinstance(node.target, HigherOrderOperator):
            return _NESTED
        if draws_random_numbers(node):
            return f"it {RANDOM}"
        if self.origin is None:
            return node
        return self.origin.get(node.name, NOT_ALONE)

    def _built(self, node: fx.Node) -> RuntimeProgram | str:
        try:
            with silenced():
                return RuntimeProgram(self.alone.data(node))
        except Exception as error:  # noqa: BLE001  torch and ExecuTorch raise a dozen classes here
            return f"no program can be made of it alone ({first_line(error)})"

    def run(self, planned: PlannedNode, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What the runtime computes for a step; raises NotRun."""
        node = planned.node
        if is_delegate(node):
            pairs = zip(args, node.args[1:], strict=True)
            return self.programs[planned.id].run([laid_out(value, given) for value, given in pairs])
        results = result_arguments(node)
        given_kwargs, own_kwargs = (
            {name: value for name, value in each.items() if name not in results}
            for each in (kwargs, node.kwargs)
        )
        ours = pytree.tree_leaves((args, given_kwargs))
        theirs = pytree.tree_leaves((node.args, own_kwargs))
        both = [*zip(ours, theirs, strict=True)]
        for value, other in both:
            self._check_size(value, other)
        given = [laid_out(value, other) for value, other in both if isinstance(value, torch.Tensor)]
        return _structured(node, self.programs[planned.id].run(given))

    def _check_size(self, value: Any, node: Any) -> None:
        """Raise NotRun for a size known only at run time: the op's program was built for another."""
        for built, now in zip(self._sizes(node), _sizes_of(value), strict=False):
            if built != now:
                raise NotRun(f"a size is known only at run time: its program has {built}, the run has {now}")

    def _sizes(self, node: Any) -> list[Any]:
        """The sizes of a node's value that its program was built for."""
        value = node.meta.get("val") if isinstance(node, fx.Node) else None
        if isinstance(value, torch.Tensor):
            return [self.alone.number(size) for size in value.shape]
        return [] if value is None else [self.alone.number(value)]


def _sizes_of(value: Any) -> list[int]:
    if isinstance(value, torch.Tensor):
        return [*value.shape]
    return [value] if isinstance(value, int) else []


def is_delegate(node: fx.Node) -> bool:
    """Whether a node calls a delegate."""
    return CALL_DELEGATE in str(node.target)


def draws_random_numbers(node: fx.Node) -> bool:
    """Whether a node's result is random: dropout's is only in training."""
    op = aten_operator(node.target)
    if op is None or not is_random_operator(op):
        return False
    names = [one.name for one in arguments_of(op)]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    return all(given.get(name) is not False for name in _TRAINING)


def is_random(program: Any) -> bool:
    """Whether an op of a program, also in a branch or loop, draws random numbers."""
    graphs = [one.graph for one in program.graph_module.modules() if isinstance(one, fx.GraphModule)]
    return any(draws_random_numbers(node) for graph in graphs for node in graph.nodes)


def in_sequence(program: CpuProgram, calls: DeviceCalls, kept: dict[str, Any]) -> None:
    """Let the steps of a prepared program's own graph run in the runtime, each on what the steps before it
    computed; their values are kept by name.
    """

    def take(name: str, found: Any, results: list[torch.Tensor], _eager: Callable[[], Any]) -> Any:
        if results:
            for result, value in zip(results, pytree.tree_leaves(found), strict=True):
                result.resize_(value.shape).copy_(value)
        kept[name] = found
        return found

    _replace(program, calls, take)


def isolated(program: CpuProgram, calls: DeviceCalls, meet: Isolated) -> None:
    """Let the steps run in eager torch, and each also in the runtime on the same inputs."""

    def take(name: str, found: Any, results: list[torch.Tensor], eager: Callable[[], Any]) -> Any:
        reference = eager()
        meet(name, results or reference, found)
        return reference

    _replace(program, calls, take)


# What to do with a step's value of the runtime, what it writes its results to, and how eager torch runs it.
_Take = Callable[[str, Any, list[torch.Tensor], Callable[[], Any]], Any]


def _replace(program: CpuProgram, calls: DeviceCalls, take: _Take) -> None:
    nodes, plan = program.planner.nodes, program.plan
    plan.steps = [_replaced(step, nodes[step.number], calls, take) for step in plan.steps]


def _replaced(step: PlannedCall, planned: PlannedNode, calls: DeviceCalls, take: _Take) -> PlannedCall:
    if planned.id not in calls.programs:
        return step
    eager = step.call
    constants = {} if step.keywords is not None else dict(getattr(eager, "keywords", {}))
    names = result_arguments(planned.node)

    def call(*args: Any, **kwargs: Any) -> Any:
        if planned.id in calls.why:  # it would end the process again
            return eager(*args, **kwargs)
        try:
            found = calls.run(planned, args, {**constants, **kwargs})
        except NotRun as error:
            calls.why[planned.id] = str(error)
            calls.ran[planned.id] = Ran.NOT_RUN
            return eager(*args, **kwargs)
        by_name = {**constants, **kwargs}
        results = pytree.tree_leaves([by_name.get(name) for name in names])
        return take(
            planned.id, found, [one for one in results if one is not None], lambda: eager(*args, **kwargs)
        )

    return step._replace(call=call)


def _computes(node: fx.Node) -> bool:
    """Whether a node is an op or a delegate; a tuple's item, a size and a new buffer are none."""
    target = node.target
    if is_delegate(node) or isinstance(target, HigherOrderOperator):
        return True
    inner = target if type(target) is OpOverload else wrapped(target)
    has_tensors = any(isinstance(one, torch.Tensor) for one in pytree.tree_leaves(node.meta.get("val")))
    return target is not operator.getitem and type(inner) is OpOverload and has_tensors


def result_arguments(node: fx.Node) -> list[str]:
    """The keyword arguments that an executorch program's op writes its results to, in order."""
    schema = aten_schema_of(node.target)
    if schema is None:
        return []
    named = [(one.name, one.alias_info) for one in schema.arguments if one.kwarg_only]
    return [name for name, alias in named if alias is not None and alias.is_write]


def laid_out(value: Any, node: Any) -> Any:
    """A tensor with its dimensions in memory in the order that the program was lowered with."""
    like = node.meta.get("val") if isinstance(node, fx.Node) else None
    if not isinstance(value, torch.Tensor) or not isinstance(like, torch.Tensor):
        return value
    order = sorted(range(value.dim()), key=lambda dim: -_hint(like.stride(dim)))
    back = [order.index(dim) for dim in range(value.dim())]
    return value.permute(order).contiguous().permute(back)


def _hint(step: Any) -> int:
    """The number of a stride, for a symbolic one its example."""
    return step if isinstance(step, int) else int(step.node.hint or 0)


def _structured(node: fx.Node, found: list[Any]) -> Any:
    """The flat outputs of the runtime as the node returns them."""
    if is_delegate(node):
        return found
    leaves, spec = pytree.tree_flatten(node.meta.get("val"))
    if len(leaves) != len(found):
        raise NotRun(f"it returned {plural(len(found), 'value')}, and the op returns {len(leaves)}")
    return pytree.tree_unflatten(found, spec)
