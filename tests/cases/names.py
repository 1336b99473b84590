"""Cases of names: of symbols, module paths and ops, with the kinds of ops and the modules of nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from exir_viz.compare.normalize.module_attribution import ModuleAttribution
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import PageSkeleton
from exir_viz.snapshot.opkind import does_work, is_instruction, op_kind, op_name
from exir_viz.snapshot.program import Symbol
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.snapshot.rollup import module_path
from exir_viz.snapshot.symbol_names import renamed_text, user_names
from exir_viz.snapshot.wire import page_data
from tests.cases.profiles import program
from tests.snapshot.sample import sample

_TEXTS = ("s27", "2*s27 + s3", "Max(1, s27)", "s277", "Eq(Mod(s3, 8), 0)", "u0 + s27//2")
# By torch's name: the user's, as the methods of a program name them.
_SYMBOLS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("s27", "batch"), ("s3", "seq"), ("u0", "")),
    (("s27", "batch"), ("s3", "batch")),
    (("s27", "batch"), ("s27", "rows"), ("s3", "seq")),
    (("s27", "s3"), ("s3", "seq")),
    (("s27", "batch"), ("s27", "batch")),
    (),
)
_PATHS = (
    "", "layers.0", "L['self']", "L['self'].layers[0].fc", "L['self'].", ".layers", "self.layers",
    "L['other'].fc", "a.L['self'].b",
)  # fmt: skip

_OPS = (
    "mm", "add_", "_softmax", "view_copy", "slice_backward", "embedding", "_assert_scalar", "cond", "mul",
    "executorch_call_delegate", "conv2d", "scaled_dot_product_attention", "_to_copy", "no_such_op", "_", "",
)  # fmt: skip
_NAMESPACES = ("aten", "edge", "mylib", "dim_order_ops", "")
_TARGETS = (
    *(
        Target(TargetType.OP, f"torch.ops.{space}.{name}.default", space, name, "default")
        for space in _NAMESPACES
        for name in _OPS
    ),
    Target(TargetType.OP, "torch.ops.aten.add", "aten", "add"),
    *(
        Target(kind, f"{start}{name}", name=name)
        for kind in TargetType
        if kind is not TargetType.OP
        for start in ("operator.", "math.", "torch.ops.higher_order.", "my.module.", "")
        for name in ("mul", "cond", "f", "_f")
    ),
    Target(TargetType.BUILTIN, "_operator.getitem", name="getitem"),
    Target(TargetType.FUNCTION, "executorch.exir.memory.alloc", name="alloc"),
    Target(TargetType.OP, "torch.ops.mylib.getitem.default", "mylib", "getitem", "default"),
    *(Target(kind, text) for kind in TargetType for text in ("operator.mul", "cond", "a.b.c", "")),
)


def cases() -> dict[str, list[Any]]:
    return {
        "symbols": [
            [
                given,
                text,
                renamed_text(
                    text, user_names(Symbol(name, "int", True, dim=dim or None) for name, dim in given)
                ),
            ]
            for given in map(list, _SYMBOLS)
            for text in _TEXTS
        ],
        "module paths": [[path, module_path(path)] for path in _PATHS],
        "ops": [
            [
                *(op, msgspec.to_builtins(target)),
                *(op_kind(op, target).value, op_name(target), is_instruction(target), does_work(target)),
            ]
            for target in _TARGETS
            for op in (("call_function", "placeholder") if target.text == "cond" else ("call_function",))
        ],
        "attribution": [_attribution(snapshot) for snapshot in (sample(), program())],
    }


def _attribution(snapshot: Snapshot) -> list[Any]:
    skeleton = PageSkeleton(**msgspec.structs.asdict(snapshot.skeleton), page=page_data(snapshot))
    modules = ModuleAttribution(snapshot)
    nodes = {node.id: list(modules.of(node)) for graph in snapshot.graphs for node in graph}
    return [msgspec.to_builtins(skeleton), nodes]
