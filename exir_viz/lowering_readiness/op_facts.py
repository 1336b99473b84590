"""Recorded facts about ops in ExecuTorch: Core ATen, dtypes, kernels.

Needs no torch: these are the facts that the rules of `exir_viz.check` have (see `checks.operators`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from exir_viz.checks.findings import Findings
from exir_viz.checks.operators import OperatorFacts, facts_of, known_operators
from exir_viz.checks.rules import BY_NAME
from exir_viz.checks.run import check_snapshot
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.opkind import ASSERTS, op_name
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Target, TargetType

CORE, DECOMPOSES, NOT_CORE, CUSTOM = "core", "decomposes", "not core", "custom"
ALLOWED, NOT_ALLOWED = "allowed", "not allowed"
RUNTIME, NONE = "runtime", "none"
_LOWERED = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)
# The namespaces whose operators are known; others are custom.
_KNOWN = ("aten", "prims", "prim", "executorch_prim", "quantized_decomposed", "dim_order_ops", "et_copy")


@dataclass
class OpFacts:
    """The facts about a node, or about all nodes that it becomes; of several answers the worst."""

    core: str = ""
    dtypes: str = ""
    kernel: str = ""
    is_removed: bool = False
    reasons: list[str] = field(default_factory=list)
    fixes: list[str] = field(default_factory=list)

    @property
    def is_blocked(self) -> bool:
        """Whether the program cannot be lowered because of it."""
        return self.core == NOT_CORE or self.dtypes == NOT_ALLOWED

    def add(self, reason: str, fix: str) -> None:
        """Say something once."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        if fix and fix not in self.fixes:
            self.fixes.append(fix)


class FactsOfNodes:
    """The facts about the nodes of a Snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.is_lowered = snapshot.method.dialect in _LOWERED
        self._is_emitted = snapshot.method.dialect is Dialect.EXECUTORCH
        found = check_snapshot(snapshot, Dialect.EDGE, (BY_NAME["edge-dtypes"],)) if self.is_lowered else ()
        self._dtypes = _by_node(found)

    def of(self, node: Node) -> OpFacts:
        """The facts about a call before anything is lowered."""
        facts, target = facts_of(node.target), node.target
        if target.name in ASSERTS and not self.is_lowered:
            return OpFacts(core=CORE, is_removed=True)  # lowering removes run-time assertions
        if delegate_around(node.graph) is not None:
            return OpFacts()  # a backend has its own rules, and needs no kernel
        core = "" if self._is_emitted else _core(facts, target)  # out variants are not of Core ATen
        found = OpFacts(core=core, kernel=_kernel(facts, target))
        name = op_name(target)
        if found.core == NOT_CORE:
            found.add(
                f"{name} is not of Core ATen, and torch does not decompose it by default.",
                "Rewrite the line with Core ATen operators, or pass a decomposition to run_decompositions.",
            )
        if found.core == DECOMPOSES and not self.is_lowered:
            return OpFacts(core=DECOMPOSES)
        if self.is_lowered and facts.is_edge and facts.name in known_operators().dtypes:
            found.dtypes = NOT_ALLOWED if node.id in self._dtypes else ALLOWED
            for message, remedy in self._dtypes.get(node.id, ()):
                found.add(message, remedy)
        if found.kernel == NONE and found.core != NOT_CORE:
            found.add(
                f"ExecuTorch's libraries have no kernel for {name}.",
                "Register a kernel of your own for it, or rewrite the line with other operators.",
            )
        return found


def _by_node(findings: Findings | tuple[()]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for one in findings:
        found.setdefault(one.node, []).append((one.message, one.remedy))
    return found


def _core(facts: OperatorFacts, target: Target) -> str:
    if target.type is not TargetType.OP or facts.is_runtime:
        return CORE
    if target.namespace not in _KNOWN:
        return CUSTOM
    if facts.is_core:
        return CORE
    return DECOMPOSES if facts.decomposes or facts.writes else NOT_CORE


def _kernel(facts: OperatorFacts, target: Target) -> str:
    if target.type is not TargetType.OP or facts.is_runtime:
        return RUNTIME
    copies = known_operators().kernels  # lowering replaces a view by its copying variant
    name, dot, overload = facts.name.partition(".")
    return facts.kernel or (copies.get(f"{name}_copy{dot}{overload}", "") if facts.is_alias else "") or NONE


_RANKS = {
    "core": (NOT_CORE, CUSTOM, DECOMPOSES, CORE, ""),
    "dtypes": (NOT_ALLOWED, ALLOWED, ""),
    "kernel": (NONE, "optimized", "quantized", "portable", RUNTIME, ""),
}


def worst(several: Iterable[OpFacts]) -> OpFacts:
    """The facts of several nodes as those of one."""
    found = OpFacts()
    for one in several:
        for name, ranks in _RANKS.items():
            values = (getattr(found, name), getattr(one, name))
            setattr(found, name, min(values, key=ranks.index))
        for reason in one.reasons:
            found.add(reason, "")
        found.fixes += [fix for fix in one.fixes if fix not in found.fixes]
    return found
