"""What ExecuTorch's runtime does without a kernel: control flow, delegates, arithmetic of sizes, memory.

These are the calls that ExecuTorch's emitter has a rule for, beside operators. It refuses all others. A test
compares the names with ExecuTorch's own.
"""

from __future__ import annotations

from typing import Final

from .opkind import op_name
from .records import Target, TargetType

# Control flow and delegates: the emitter writes their instructions. `while_loop` is not among them.
EMITTED: Final = frozenset(("cond", "map_impl", "scan", "executorch_call_delegate"))
# Elements of tuples, and memory.
_MEMORY: Final = frozenset(f"executorch.exir.memory.{name}" for name in ("alloc", "view", "free"))
# By Python's function of sizes: the operator of the runtime that takes its place.
PRIMITIVES: Final = {
    f"{module}.{name}": f"executorch_prim.{name}.Scalar"
    for module, names in {
        "operator": "add sub mul floordiv truediv mod neg eq gt lt ge le",
        "math": "ceil trunc",
        "builtins": "round",
        "torch": "sym_float sym_int sym_max sym_min sym_not sym_ite",
    }.items()
    for name in names.split()
}
# Questions about sizes and values: operators of ATen that the runtime answers itself.
_SIZES: Final = frozenset(
    (
        "aten.sym_size.int",
        "aten.sym_stride.int",
        "aten.sym_numel.default",
        "aten._local_scalar_dense.default",
    )
)
# Checks at run time that to_executorch removes from an edge program.
REMOVED: Final = frozenset(
    (
        "aten._assert_async.msg",
        "aten._assert_scalar.default",
        "aten._assert_tensor_metadata.default",
        "aten.sym_constrain_range.default",
        "aten.sym_constrain_range_for_size.default",
    )
)


def primitive_of(target: Target) -> str:
    """The runtime's operator that takes the place of a function of sizes: "executorch_prim.add.Scalar"."""
    return PRIMITIVES.get(target.text.replace("_operator.", "operator."), "")


def needs_no_kernel(target: Target) -> bool:
    """Whether the runtime does a call itself."""
    if target.type is TargetType.OP:
        return target.namespace == "executorch_prim" or op_name(target) in _SIZES
    if target.type is TargetType.HIGHER_ORDER:
        return target.name in EMITTED
    return op_name(target) == "getitem" or target.text in _MEMORY or bool(primitive_of(target))
