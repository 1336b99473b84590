"""Batch norms that one side folded into the op before them, as quantization does; found by computing
the bias.

If a bias equals the folded bias of the other side, the norm was folded; otherwise not. The op then matches op
and norm together, and its weights differ from the original ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.compare.diff import Diff
from exir_viz.compare.records import MatchKind
from exir_viz.compare.values.precision import coarser
from exir_viz.measure.distance import Tolerance, dtype_name
from exir_viz.snapshot import Node

_BIAS = 2  # the bias argument of convolutions and aten.linear
_EPS, _TRAINS = 7, 5
_USUAL = Tolerance(1e-3, 1e-5)


@dataclass(frozen=True, slots=True)
class Folded:
    """`ends`: the op that a norm was folded into → the norm on the other side.

    `weights`: matches of state that differ because of folding.
    """

    ends: dict[Node, Node] = field(default_factory=dict)
    weights: set[int] = field(default_factory=set)


def folded(diff: Diff, a: ExportedProgram, b: ExportedProgram, method: str) -> Folded:
    """All norms that were folded on either side."""
    found = Folded()
    ours, theirs = _state(a), _state(b)
    for is_b, here, there in ((False, ours, theirs), (True, theirs, ours)):
        for op, norm in _followed(diff.b if is_b else diff.a, method):
            match, norm_match = diff.of(op), diff.of(norm)
            others = match.a if is_b else match.b
            kept = norm_match.a if is_b else norm_match.b
            if len(others) != 1 or (kept and norm_match.number != match.number):
                continue
            state = [one for one in (*op.inputs[1:], *others[0].inputs[1:]) if one.op == "placeholder"]
            weights = {match.number: match for match in map(diff.of, state)}
            bias = _folded_bias(op, norm, here)
            if bias is None or all(one.kind is MatchKind.SAME for one in weights.values()):
                continue  # a norm without effect may simply have been removed
            if _is(bias, there.get(_name(others[0], _BIAS))):
                found.ends[op] = norm
                found.weights.update(weights)
    return found


def _state(program: ExportedProgram) -> dict[str, Any]:
    """The state of a program, by placeholder."""
    state = {**program.constants, **program.state_dict}
    specs = program.graph_signature.input_specs
    return {spec.arg.name: state.get(spec.target) for spec in specs if isinstance(spec.target, str)}


def _followed(snapshot: Any, method: str) -> Iterator[tuple[Node, Node]]:
    """Ops whose only user is a batch norm that does not train, each with the norm."""
    for norm in snapshot.methods[method].graph:
        if norm.target.name == "batch_norm" and norm.op == "call_function" and not norm.args[_TRAINS]:
            op = norm.inputs[0]
            if op.op == "call_function" and len(op.users) == 1:
                yield op, norm


def _folded_bias(op: Node, norm: Node, state: Mapping[str, Any]) -> torch.Tensor | None:
    """(bias - mean) × weight / √(variance + eps) + shift; None if one of these is not state."""
    scale, shift, mean, variance = (state.get(_name(norm, at)) for at in range(1, 5))
    bias, eps = state.get(_name(op, _BIAS), 0.0), norm.args[_EPS]
    if not (isinstance(mean, torch.Tensor) and isinstance(variance, torch.Tensor) and isinstance(eps, float)):
        return None
    with torch.no_grad():
        unit = (bias - mean) * torch.rsqrt(variance + eps)
        found: torch.Tensor = (1 if scale is None else scale) * unit + (0 if shift is None else shift)
    return found


def _tolerance(bias: torch.Tensor, other: torch.Tensor) -> Tolerance:
    dtypes = (dtype_name(one.dtype) for one in (bias, other))
    return _USUAL.of(coarser(*dtypes))


def _is(bias: torch.Tensor, other: Any) -> bool:
    return (
        isinstance(other, torch.Tensor)
        and bias.shape == other.shape
        and torch.allclose(
            bias, other.detach().to(bias.dtype), rtol=_tolerance(bias, other).rtol, atol=_USUAL.atol
        )
    )


def _name(node: Node, at: int) -> str:
    """The name of the node that is an argument; "" if the argument is no node."""
    given = node.args[at] if at < len(node.args) else None
    return given.name if isinstance(given, Node) else ""
