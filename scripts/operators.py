"""Write exir_viz/snapshot/operators.json: what rules and the report `delegation` need to know of operators.

python scripts/operators.py: Core ATen and other tags, what writes, aliases or returns nothing, what lacks a
meta kernel, what torch or to_edge decomposes by default, which kernels ExecuTorch's libraries have, and the
dtypes that its edge.yaml allows, as the installed packages have it. `--check` only says whether the file is
what this command would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
import yaml
from executorch.exir.dialects.edge.dtype.supported import regular_tensor_str_to_dtypes
from executorch.exir.passes.dim_order_ops_registry import DimOrderOpsMap
from executorch.exir.tracer import _default_decomposition_table
from executorch.exir.verification.verifier import EXIRATenDialectVerifier
from torch._decomp import decomposition_table
from torch._export.verifier import Verifier
from torch._subclasses import fake_impls
from torch.export import default_decompositions

from exir_viz.readers.targets import target_of
from exir_viz.stages.explain.op_card import DecompositionKind
from exir_viz.stages.explain.op_lookup import FoundOp
from exir_viz.stages.explain.op_rules import decomposition, out_variant
from exir_viz.torch_internals.runtime import kernel_names

PATH = Path(__file__).parents[1] / "exir_viz" / "snapshot" / "operators.json"
_NAMESPACES = ("aten", "prims", "quantized_decomposed", "dim_order_ops")
# What run_decompositions decomposes without being asked to.
_DEFAULTS = (DecompositionKind.TABLE, DecompositionKind.IMPLICIT)
# The libraries of ExecuTorch's kernels, with the file that lists each.
_LIBRARIES = {
    "portable": "kernels/portable/functions.yaml",
    "quantized": "kernels/quantized/quantized.yaml",
}
# Kernels from which torch can compute the shape of a result.
_SHAPE_KERNELS = (
    "Meta",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)


def facts() -> dict[str, Any]:
    """What the file holds."""
    operators = dict(_operators())
    tagged = {
        tag: [name for name, op in operators.items() if getattr(torch.Tag, tag) in op.tags]
        for tag in ("core", "view_copy")
    }
    # to_edge decomposes a little more than run_decompositions.
    edge_table: Any = _default_decomposition_table()
    more = set(edge_table.keys()) - set(default_decompositions().keys())
    allowed = EXIRATenDialectVerifier()._get_core_aten_ops_exception_list()
    return {
        "versions": {name: version(name).partition("+")[0] for name in ("torch", "executorch")},
        **tagged,
        "aliases": [name for name, op in operators.items() if _aliases(op)],
        "writes": [name for name, op in operators.items() if op._schema.is_mutable],
        "returns_nothing": [name for name, op in operators.items() if not op._schema.returns],
        "decomposes": [
            name for name, op in operators.items() if op in more or decomposition(_found(op)) in _DEFAULTS
        ],
        "kernels": _kernels(operators),
        "no_meta": [name for name, op in operators.items() if not _has_meta_kernel(name, op)],
        "edge_exceptions": sorted({_name(op) for op in allowed}),
        "dim_order": {_name(old): _name(new) for old, new in DimOrderOpsMap.items()},
        "builtins": sorted(f"{_module(one)}.{one.__name__}" for one in Verifier().allowed_builtin_ops()),
        "dtypes": dict(_dtypes()),
        "outs": dict(_outs(operators)),
    }


def _operators() -> Iterator[tuple[str, Any]]:
    """The operators that a graph can call, by name; TorchScript alone has others."""
    names = {schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
             for schema in torch._C._jit_get_all_schemas()}  # fmt: skip
    for name in sorted(names):
        namespace, _, rest = name.partition("::")
        if namespace in _NAMESPACES and torch._C._dispatch_has_kernel(name):
            base, _, overload = rest.partition(".")
            yield name, getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")


def _name(op: Any) -> str:
    return str(op.name())


def _module(function: Any) -> str:
    return str(function.__module__).lstrip("_")


def _aliases(op: Any) -> bool:
    """Does it return memory of an argument that it does not write to?"""
    return any(one.alias_info is not None and not one.alias_info.is_write for one in op._schema.returns)


def _has_meta_kernel(name: str, op: Any) -> bool:
    if any(torch._C._dispatch_has_kernel_for_dispatch_key(name, kernel) for kernel in _SHAPE_KERNELS):
        return True
    is_faked = op in fake_impls.op_implementations_dict or op in decomposition_table
    return is_faked or any(check(op) for check, _ in fake_impls.op_implementations_checks)


def _found(op: Any) -> FoundOp:
    return FoundOp(target_of(torch.fx.Graph().call_function(op)), op)


def _kernels(operators: dict[str, Any]) -> dict[str, str]:
    """The library with a kernel for an operator: for its out variant, which takes its place."""
    listed = {}
    for library, path in _LIBRARIES.items():
        for entry in yaml.load(files("executorch").joinpath(path).read_text("utf-8"), yaml.CSafeLoader):
            name = entry.get("op") or entry["func"].partition("(")[0]
            listed[name if "::" in name else f"aten::{name}"] = library
    # The runtime in the wheel has faster kernels of some, and kernels of a few more.
    more = (name for name in kernel_names() or () if name.startswith("aten::"))
    listed = {**dict.fromkeys(more, "optimized"), **listed}
    # Libraries that are not loaded declare no variants: their names tell which goes with which.
    found = {_functional(name): library for name, library in listed.items() if not name.startswith("aten::")}
    for name, op in operators.items():
        variant = out_variant(_found(op))
        namespace, _, rest = variant.partition(".")
        written = name if name in listed else f"{namespace}::{rest}"
        if written in listed:
            found[name] = listed[written]
    return dict(sorted(found.items()))


def _functional(name: str) -> str:
    """The operator of an out variant: of "_to_dim_order_copy.out", and of "embedding_byte.dtype_out"."""
    base, _, overload = name.partition(".")
    overload = overload.removesuffix("out").removesuffix("_")
    return f"{base}.{overload}" if overload else base


def _dtypes() -> Iterator[tuple[str, Any]]:
    text = files("executorch").joinpath("exir/dialects/edge/edge.yaml").read_text("utf-8")
    names = {key: str(value).removeprefix("torch.") for key, value in regular_tensor_str_to_dtypes.items()}
    for entry in yaml.load(text, yaml.CSafeLoader):
        aliases = {key: [names[one] for one in value] for key, value in entry["type_alias"].items()}
        yield entry["func"], {"aliases": aliases, "rows": entry["type_constraint"]}


def _outs(operators: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The out variants of operators with limited dtypes, and the operator of each."""
    for name, _ in _dtypes():
        variant = out_variant(_found(operators[name])) if name in operators else ""
        if variant:
            namespace, _, rest = variant.partition(".")
            yield f"{namespace}::{rest}", name


def _written(found: dict[str, Any]) -> str:
    """JSON with an operator a line, so that a change is read as one."""
    lines = []
    for key, value in found.items():
        if isinstance(value, list):
            inner = ",\n".join(f"  {json.dumps(one)}" for one in value)
            lines.append(f"{json.dumps(key)}: [\n{inner}\n]")
        else:
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    wanted = _written(facts())
    if "--check" in sys.argv:
        known = PATH.read_text("utf-8")
        sys.exit(0 if known == wanted else f"{PATH} is not as the packages have it.")
    PATH.write_text(wanted, "utf-8")
