"""Run torch's and ExecuTorch's verifiers on a single operator.

Why: only a dialect's verifier knows which operators the dialect allows, and a verifier takes whole programs.
Here it checks a graph of one call.
"""

from __future__ import annotations

import re
from typing import Any, Final

import torch
from torch import fx

from .features import Feature

FEATURE: Final = Feature(
    name="verifiers",
    purpose="Say which dialects allow an operator",
    without="Operator cards do not say which dialects allow the operator.",
    uses=(
        "torch._export.verifier._VerifierMeta._registry.get(name)",
        "torch._export.verifier.Verifier._check_graph_module(self, gm)",
        "torch._export.verifier.Verifier.check_additional",
        "torch._export.verifier.SpecViolationError",
    ),
    attributes=(
        "executorch.exir.verification.verifier.EXIRATenDialectVerifier()",
        "executorch.exir.verification.verifier.EXIREdgeDialectVerifier()",
        "executorch.exir.passes.executorch_prim_ops_registry._EXECUTORCH_SYM_OPS",
    ),
)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")


def verdict(rules: str, target: Any) -> tuple[bool | None, str]:
    """Whether a call of `target` is allowed, and the verifier's reason if not; None if there is no verifier.

    rules: "TRAINING" and "ATEN" are torch's; "OLD_EXIR_ATEN" (the input of to_edge) and "EDGE" ExecuTorch's.
    """
    if not FEATURE.is_usable():
        return None, "torch's verifiers have changed"
    from torch._export import verifier

    checker = _checker(rules)
    graph = fx.Graph()
    graph.call_function(target, (0, 0)).meta["val"] = None
    graph.output(None)
    # Its other checks need a whole program.
    checker.check_additional = lambda _module: None
    try:
        checker._check_graph_module(fx.GraphModule(torch.nn.Module(), graph))
    except (verifier.SpecViolationError, AssertionError) as error:
        return False, _ADDRESS.sub("", str(error))
    return True, ""


def _checker(rules: str) -> Any:
    from torch._export import verifier

    if rules == "OLD_EXIR_ATEN":
        from executorch.exir.verification.verifier import EXIRATenDialectVerifier

        return EXIRATenDialectVerifier()
    if rules == "EDGE":
        # Not the registered verifier: that has the exceptions of the to_edge call that ran last.
        from executorch.exir.verification.verifier import EXIREdgeDialectVerifier

        return EXIREdgeDialectVerifier()
    return verifier._VerifierMeta._registry[rules]()


def is_runtime_primitive(op: Any) -> bool:
    """Whether the runtime has an operator itself: arithmetic of sizes."""
    from executorch.exir.passes import executorch_prim_ops_registry as prims

    known = FEATURE.attribute(prims, "_EXECUTORCH_SYM_OPS", ())
    return op in known or op.namespace == "executorch_prim"
