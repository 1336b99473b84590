"""Facts about operators, without torch, and the sentences that say them.

They are read from operators.json, which scripts/operators.py writes, or from an operator's schema. The rules
of `exir_viz.check`, the report `delegation` and the errors of lowering have them from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from exir_viz.snapshot.records import Target, TargetType
from exir_viz.snapshot.runtime_instructions import EMITTED, needs_no_kernel

_EDGE = "executorch.exir.dialects.edge."
# Namespaces of operators that every ExecuTorch runtime supports unchanged.
_RUNTIME = ("executorch_prim", "prim", "prims")


class DtypeRule(msgspec.Struct, frozen=True):
    """The dtypes that the edge dialect allows for an operator: each row has an alias by argument."""

    aliases: dict[str, frozenset[str]]
    rows: tuple[dict[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments and results that the rule is about."""
        return tuple(self.rows[0]) if self.rows else ()

    def allows(self, dtypes: Mapping[str, str]) -> bool:
        """Whether one row fits all dtypes. Two arguments of one alias must have the same dtype.

        Names that are not in the rule are not checked.
        """
        return any(self._fits(row, dtypes) for row in self.rows)

    def _fits(self, row: Mapping[str, str], dtypes: Mapping[str, str]) -> bool:
        bound: dict[str, str] = {}
        for name, dtype in dtypes.items():
            alias = row.get(name)
            if alias is None:
                continue
            if dtype not in self.aliases[alias] or bound.setdefault(alias, dtype) != dtype:
                return False
        return True

    def results(self, arguments: Mapping[str, str]) -> tuple[str, ...]:
        """The dtypes that the rule allows for the first result with these arguments; empty if none."""
        rows = [row for row in self.rows if "__ret_0" in row and self._fits(row, arguments)]
        bound = (
            {row[name]: dtype for name, dtype in arguments.items() if name in row}.get(row["__ret_0"])
            for row in rows
        )
        pairs = zip(rows, bound, strict=True)
        found = [{one} if one else self.aliases[row["__ret_0"]] for row, one in pairs]
        return tuple(sorted(set().union(*found)))

    def allowed(self, name: str) -> tuple[str, ...]:
        """Every dtype that some row allows for an argument, sorted by name."""
        return tuple(sorted({dtype for row in self.rows if name in row for dtype in self.aliases[row[name]]}))


class Operators(msgspec.Struct, frozen=True):
    """The contents of operators.json. Operators are named as their schemas are: "aten::add.Tensor"."""

    versions: dict[str, str]
    core: frozenset[str]
    view_copy: frozenset[str]
    aliases: frozenset[str]
    writes: frozenset[str]
    returns_nothing: frozenset[str]
    decomposes: frozenset[str]
    kernels: dict[str, str]
    no_meta: frozenset[str]
    edge_exceptions: frozenset[str]
    dim_order: dict[str, str]
    builtins: frozenset[str]
    dtypes: dict[str, DtypeRule]
    outs: dict[str, str]

    def dtypes_of(self, name: str) -> DtypeRule | None:
        """The dtypes that edge allows for an operator; for an out variant, those of its operator."""
        return self.dtypes.get(self.outs.get(name, name))


@cache
def known_operators() -> Operators:
    """The facts that torch and ExecuTorch reported when the file was written."""
    return msgspec.json.decode(files(__package__).joinpath("operators.json").read_bytes(), type=Operators)


class OperatorFacts(NamedTuple):
    """The facts about one target. `name` is "" if it is no operator.

    decomposes: run_decompositions or to_edge decomposes it by default. kernel: the library of ExecuTorch that
    has a kernel for it.
    """

    name: str = ""
    is_edge: bool = False
    is_core: bool = False
    is_runtime: bool = False
    is_alias: bool = False
    writes: bool = False
    returns_nothing: bool = False
    has_no_meta: bool = False
    decomposes: bool = False
    kernel: str = ""


def facts_of(target: Target) -> OperatorFacts:
    """The facts about a target, by its schema or by its name."""
    if target.type is not TargetType.OP:
        return OperatorFacts()
    known, name = known_operators(), schema_name(target)
    arguments, arrow, results = (target.schema or "").rpartition(" -> ")
    has_schema = bool(arrow)
    return OperatorFacts(
        name,
        is_edge=target.text.startswith(_EDGE),
        is_core=target.namespace != "aten" or name in known.core or name in known.view_copy,
        is_runtime=name in known.edge_exceptions or target.namespace in _RUNTIME,
        is_alias=_is_alias(arguments, results) if has_schema else name in known.aliases,
        writes="!" in arguments if has_schema else name in known.writes,
        returns_nothing=results == "()" if has_schema else name in known.returns_nothing,
        has_no_meta=name in known.no_meta,
        decomposes=name in known.decomposes,
        kernel=known.kernels.get(name, ""),
    )


def _is_alias(arguments: str, results: str) -> bool:
    """Whether a result shares memory with an argument that is not written to."""
    marks = (part.partition(")")[0] for part in results.split("Tensor(")[1:])
    return any(not mark.endswith("!") and f"({mark}" in arguments for mark in marks)


def schema_name(target: Target) -> str:
    """The name of an operator as its schema has it: "aten::add.Tensor", "aten::relu"."""
    overload = "" if target.overload in ("", "default") else f".{target.overload}"
    return f"{target.namespace}::{target.name}{overload}"


def is_builtin(target: Target) -> bool:
    """Whether a program may call it: arithmetic of sizes, or getitem."""
    return target.text.replace("_operator.", "operator.") in known_operators().builtins


# --- A call on its way to ExecuTorch ---------------------------------------------------------------------

CORE, DECOMPOSES, NOT_CORE, CUSTOM = "core", "decomposes", "not core", "custom"
RUNTIME, NO_KERNEL = "runtime", "none"
# The namespaces whose operators are known; others are custom.
_KNOWN = ("aten", "prims", "prim", "executorch_prim", "quantized_decomposed", "dim_order_ops", "et_copy")
# torch's functions of sizes, and Python's: lowering to edge keeps them.
_SIZE_FUNCTIONS = ("operator.", "_operator.", "math.", "builtins.", "torch.sym_", "torch._sym_")
WHILE = "while_loop"


def core_status(target: Target, *, is_lowered: bool, is_verified: bool) -> str:
    """Whether the edge dialect has what a call calls: core, decomposes, not core, custom; "" if not known.

    is_lowered: the program is an edge program already. is_verified: the rules of edge are checked.
    """
    if target.type is TargetType.HIGHER_ORDER:
        return CORE if target.name in (*EMITTED, WHILE) else ""
    if target.type is not TargetType.OP:
        if is_builtin(target):
            return CORE
        stays = is_lowered or target.text.startswith(_SIZE_FUNCTIONS)  # lowering replaces others
        return NOT_CORE if stays and is_verified else ""
    facts = facts_of(target)
    if facts.is_runtime:
        return CORE
    if target.namespace not in _KNOWN:
        return CUSTOM
    if facts.is_core:
        return CORE
    return DECOMPOSES if facts.decomposes or facts.writes else NOT_CORE


def kernel_of(target: Target, *, is_lowered: bool) -> str:
    """The library of ExecuTorch with a kernel for a call: also RUNTIME, NO_KERNEL; "" if not known."""
    if needs_no_kernel(target):
        return RUNTIME
    is_kept = target.type is TargetType.OP or target.name == WHILE or target.text.startswith(_SIZE_FUNCTIONS)
    if not is_kept and not is_lowered:
        return ""  # lowering inlines or replaces some of them
    facts = facts_of(target)
    name, dot, overload = facts.name.partition(".")
    copying = f"{name}_copy{dot}{overload}" if facts.is_alias else ""  # lowering puts it in place of a view
    return facts.kernel or known_operators().kernels.get(copying, "") or NO_KERNEL


def not_core(name: str = "") -> str:
    """Why edge refuses an operator. Without its name where a view shows that too."""
    subject = f"{name} is not" if name else "Not"
    return f"{subject} a Core ATen operator, and not decomposed by default."


def dtypes_refused(dtypes: Mapping[str, str], name: str = "") -> str:
    """Why edge refuses a call with dtypes, by argument. Without its name where a view shows that too."""
    subject = f"{name} with" if name else "these dtypes:"
    return f"The edge dialect does not allow {subject} {dtypes_text(dtypes)}."


def dtypes_text(dtypes: Mapping[str, str]) -> str:
    """Dtypes by argument in words: "self float32, result float32"."""
    return ", ".join(f"{word_of(name)} {dtype}" for name, dtype in dtypes.items())


def word_of(name: str) -> str:
    """The word for an argument or a result of a rule."""
    return "result" if name.startswith("__ret") else name
