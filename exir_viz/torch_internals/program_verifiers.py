"""Run the verifiers of a whole program: those that it names, and the one of its memory plan.

Why: torch's method to verify a whole program is private, and ExecuTorch's check of a memory plan is a class
that only its planning passes use. Both must leave the program unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from .fake_tensors import fake_mode_of
from .features import Feature

FEATURE: Final = Feature(
    name="program_verifiers",
    purpose="Ask the verifiers of torch and ExecuTorch about a whole program",
    without="check() applies its own rules only.",
    uses=("torch._export.verifier.Verifier.check(self, ep)",),
    attributes=(
        "torch.export.ExportedProgram.verifiers",
        "executorch.exir.memory_planning.Verifier(graph_module, True, True, True)",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.pending_fresh_unbacked_symbols",
    ),
)


def verified(program: Any) -> Iterator[tuple[str, str | None]]:
    """Each verifier that the program names, with the reason if it rejects the program, else None."""
    if not FEATURE.is_usable():
        return
    for verifier in FEATURE.attribute(program, "verifiers", ()):
        yield str(verifier.dialect), _rejection(program, lambda one=verifier: one().check(program))


def verified_plan(program: Any) -> Iterator[tuple[str, str | None]]:
    """The verdict of ExecuTorch's memory plan verifier; none for a program without a plan."""
    if not FEATURE.is_usable():
        return
    from executorch.exir.memory_planning import Verifier

    module = program.graph_module
    specs = {op: list(_specs(module, op)) for op in ("placeholder", "output")}
    if not any("spec" in node.meta for node in module.graph.nodes):
        return
    allocated = {op: any(spec.mem_offset is not None for spec in found) for op, found in specs.items()}
    plan = Verifier(module, allocated["placeholder"], allocated["output"], True, program.graph_signature)
    yield "memory plan", _rejection(program, plan.verify_storage_reuse)


def _specs(module: Any, op: str) -> Iterator[Any]:
    for node in module.graph.nodes:
        if node.op == op:
            found = node.meta.get("spec")
            for spec in found if isinstance(found, list | tuple) else (found,):
                if hasattr(spec, "mem_offset") and not spec.const:  # a number has none
                    yield spec


def _rejection(program: Any, ask: Any) -> str | None:
    try:
        with _no_new_symbols(program):
            ask()
    except Exception as error:  # noqa: BLE001  # verifiers raise what they like: AssertionError, InternalError
        return str(error) or type(error).__name__
    return None


@contextmanager
def _no_new_symbols(program: Any) -> Iterator[None]:
    """Remove new pending symbols: the verifier runs the graph, and torch refuses a program that has them."""
    mode = fake_mode_of(node.meta.get("val") for node in program.graph.nodes)
    environment = getattr(mode, "shape_env", None)
    pending = getattr(environment, "pending_fresh_unbacked_symbols", None)
    before = None if pending is None else list(pending)
    try:
        yield
    finally:
        if before is not None and pending is not None:
            pending[:] = before
