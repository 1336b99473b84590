"""Parts of a line of the Python form: a value's annotation, a path of attributes, a module's heading."""

from __future__ import annotations

from exir_viz.snapshot.describe import DTYPES, dims
from exir_viz.snapshot.records import Scope, SymValue, TensorValue, Value

# Layouts for which torch writes no annotation.
_BARE_LAYOUTS = ("sparse_csc", "sparse_csr")


def annotation(value: Value | None) -> str:
    """What torch writes between a name and its `=`: `: "f32[s77, 3]"`, `: "Sym(u0)"`, or nothing."""
    if isinstance(value, TensorValue) and value.layout not in _BARE_LAYOUTS:
        core = f"{DTYPES.get(value.dtype, value.dtype)}[{dims(value.shape)}]"
        return f': "{value.cls.rpartition(".")[2]}({core})"' if value.cls else f': "{core}"'
    return f': "Sym({value.expr})"' if isinstance(value, SymValue) else ""


def heading(scope: Scope) -> str:
    """A module call as a heading: "layers.3.self_attn (LlamaAttention)"."""
    cls = scope.cls.rpartition(".")[2]
    again = f", call {scope.call + 1}" if scope.call else ""
    return f"{scope.path or 'the whole model'} ({cls}{again})"


def attribute(base: str, target: str) -> str:
    """`base.a.b`, with `getattr` for a part that is no identifier."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base
