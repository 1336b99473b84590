"""Recorded facts about ops in ExecuTorch: Core ATen, dtypes, kernels.

Needs no torch: these are the facts that the rules of `exir_viz.check` have (see `checks.operators`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from exir_viz.reports.rules.all_rules import BY_NAME
from exir_viz.reports.rules.operators import OperatorFacts, facts_of, is_builtin, known_operators
from exir_viz.reports.rules.records import Finding
from exir_viz.reports.rules.run import check_snapshot
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.opkind import ASSERTS, op_name
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.snapshot.runtime_instructions import EMITTED, REMOVED, needs_no_kernel, primitive_of
from exir_viz.stages.steps.remedies import Remedy

CORE, DECOMPOSES, NOT_CORE, CUSTOM = "core", "decomposes", "not core", "custom"
ALLOWED, NOT_ALLOWED = "allowed", "not allowed"
RUNTIME, NONE = "runtime", "none"
# torch's functions of sizes, and Python's: lowering to edge keeps them.
_SIZE_FUNCTIONS = ("operator.", "_operator.", "math.", "builtins.", "torch.sym_", "torch._sym_")
_WHILE = "while_loop"
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
    """The facts about the nodes of a Snapshot. `is_trial`: it was lowered without checking edge's rules."""

    def __init__(self, snapshot: Snapshot, is_trial: bool = False) -> None:
        self.snapshot = snapshot
        self.is_lowered = snapshot.method.dialect in _LOWERED
        self._is_emitted = snapshot.method.dialect is Dialect.EXECUTORCH
        rules = (BY_NAME["edge-dtypes"],)
        found = check_snapshot(snapshot, Dialect.EDGE, rules).findings if self.is_lowered else ()
        self._dtypes = _by_node(found)
        self._must_pass_edge = is_trial or not self.is_lowered

    def of(self, node: Node) -> OpFacts:
        """The facts about a call before anything is lowered."""
        facts, target = facts_of(node.target), node.target
        if self._removes(target):
            return OpFacts(core=CORE, is_removed=True)  # lowering removes run-time assertions
        if delegate_around(node.graph) is not None:
            return OpFacts()  # a backend has its own rules, and needs no kernel
        core = "" if self._is_emitted else self._core(facts, target)  # out variants are not of Core ATen
        found = OpFacts(core=core, kernel=self._kernel(facts, target))
        name = op_name(target)
        if found.core == NOT_CORE and target.type is not TargetType.OP:
            found.add(f"The rules of the edge dialect do not allow {name}.", _not_allowed(target))
        elif found.core == NOT_CORE:
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
        if found.kernel == NONE and target.type is not TargetType.OP:
            found.add(f"ExecuTorch's runtime has no instruction for {name}.", _no_instruction(target))
        elif found.kernel == NONE and found.core != NOT_CORE:
            found.add(
                f"ExecuTorch's libraries have no kernel for {name}.",
                "Register a kernel of your own for it, or rewrite the line with other operators.",
            )
        return found

    def _removes(self, target: Target) -> bool:
        if self.is_lowered:
            return op_name(target) in REMOVED and not self._is_emitted
        return target.name in ASSERTS

    def _core(self, facts: OperatorFacts, target: Target) -> str:
        if target.type is TargetType.HIGHER_ORDER:
            return CORE if target.name in (*EMITTED, _WHILE) else ""
        if target.type is not TargetType.OP:
            if is_builtin(target):
                return CORE
            stays = self.is_lowered or target.text.startswith(_SIZE_FUNCTIONS)  # lowering replaces others
            return NOT_CORE if stays and self._must_pass_edge else ""
        if facts.is_runtime:
            return CORE
        if target.namespace not in _KNOWN:
            return CUSTOM
        if facts.is_core:
            return CORE
        return DECOMPOSES if facts.decomposes or facts.writes else NOT_CORE

    def _kernel(self, facts: OperatorFacts, target: Target) -> str:
        if needs_no_kernel(target):
            return RUNTIME
        is_kept = (
            target.type is TargetType.OP or target.name == _WHILE or target.text.startswith(_SIZE_FUNCTIONS)
        )
        if not is_kept and not self.is_lowered:
            return ""  # lowering inlines or replaces some of them
        copies = known_operators().kernels  # lowering replaces a view by its copying variant
        name, dot, overload = facts.name.partition(".")
        return (
            facts.kernel or (copies.get(f"{name}_copy{dot}{overload}", "") if facts.is_alias else "") or NONE
        )


def _by_node(findings: Iterable[Finding]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for one in findings:
        found.setdefault(one.node, []).append((one.message, one.remedy))
    return found


def _not_allowed(target: Target) -> str:
    if primitive_of(target):
        return (
            "Lower without verifying edge rules, edge(check_ir=False): the runtime has an instruction for it."
        )
    return "Rewrite the line without it."


def _no_instruction(target: Target) -> str:
    return Remedy.LOOP if target.name == _WHILE else "Rewrite the line without it."


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
