"""Read and write `.pte` files as ExecuTorch's own objects.

Why: to time each instruction separately, a program is split into many methods and written again. Reading only
(`exir_viz.load`) does not need this.
"""

from __future__ import annotations

from typing import Any, Final

from .features import Feature

_MODULE: Final = "executorch.exir._serialize._program"

FEATURE: Final = Feature(
    name="pte_files",
    purpose="Profile a .pte file, op by op",
    without="A .pte file cannot be profiled; exir_viz.load(path) reads it.",
    uses=(
        f"{_MODULE}.deserialize_pte_binary(program_data)",
        f"{_MODULE}.serialize_pte_binary(pte_file)",
        f"{_MODULE}.PTEFile(program, mutable_data, named_data)",
    ),
)


def read_pte(data: bytes) -> Any:
    """The file as ExecuTorch's PTEFile; raises UnsupportedTorch if ExecuTorch cannot read it."""
    FEATURE.required()
    from executorch.exir._serialize._program import deserialize_pte_binary

    return deserialize_pte_binary(data)


def operators_of(data: bytes) -> frozenset[str] | None:
    """The operators that a file calls; None where ExecuTorch cannot read it."""
    if not FEATURE.is_usable():
        return None
    return frozenset(
        f"{operator.name}.{operator.overload}" if operator.overload else operator.name
        for plan in read_pte(data).program.execution_plan
        for operator in plan.operators
    )


def write_pte(program: Any, mutable_data: Any, named_data: Any) -> bytes:
    """The bytes of a file."""
    FEATURE.required()
    from executorch.exir._serialize._program import PTEFile, serialize_pte_binary

    return bytes(serialize_pte_binary(PTEFile(program, mutable_data, named_data)))
