"""The rules of torch and ExecuTorch about an op: tags, effects, dialects, decomposition, dtypes."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import torch
from torchgen.model import FunctionSchema, SchemaKind

from exir_viz.snapshot.partial_reads import may_copy, may_return_input
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import TargetType
from exir_viz.snapshot.runtime_instructions import needs_no_kernel, primitive_of
from exir_viz.stages.decomposition_tables import core_table, decomposition_of
from exir_viz.stages.decompositions import is_implicit
from exir_viz.stages.steps.failures import first_sentence
from exir_viz.torch_internals.edge import edge_operator, is_runtime_primitive, verdict
from exir_viz.torch_internals.operators import OpOverload, arguments_of, is_mutable, schema_of

from .op_card import DecompositionKind, DialectRule, DtypeRule, OpTag
from .op_lookup import FoundOp

# The names that torch and ExecuTorch use for the rules of a dialect. "Core ATen" is ExecuTorch's check of the
# input of to_edge.
_RULES = ((Dialect.ATEN_TRAINING, "TRAINING"), (Dialect.ATEN, "ATEN"), (Dialect.ATEN_CORE, "OLD_EXIR_ATEN"))
_NOT_LOADED = "pass executorch=True to check ExecuTorch's rules"


def tags(found: FoundOp) -> tuple[OpTag, ...]:
    """The op's tags, with torch's description of each."""
    names = sorted(tag.name for tag in found.op.tags) if found.op is not None else []
    return tuple(OpTag(name, _tag_texts().get(name, "")) for name in names)


@cache
def _tag_texts() -> dict[str, str]:
    import yaml

    text = resources.files("torchgen").joinpath("packaged/ATen/native/tags.yaml").read_text("utf-8")
    return {entry["tag"]: " ".join(entry["desc"].split()) for entry in yaml.safe_load(text)}


def effects(found: FoundOp) -> tuple[str, ...]:
    """The arguments it writes to, and the inputs that its outputs share memory with."""
    if found.op is None:
        return ()
    marked = [one for one in arguments_of(found.op) if one.alias_info is not None]
    written = [one.name for one in marked if one.alias_info.is_write]
    viewed = [one.name for one in marked if not one.alias_info.is_write]
    reason = [f"writes to {', '.join(written)}"] if written else []
    schema = schema_of(found.op)
    bare = "" if schema is None else schema.name.rpartition("::")[2]
    copied = ", or a copy" if may_copy(bare) or may_return_input(bare) else ""
    return (*reason, *([f"returns a view of {', '.join(viewed)}{copied}"] if viewed else []))


def decomposition(found: FoundOp) -> DecompositionKind:
    """What decomposes the op."""
    op = found.op
    if op is None:
        return DecompositionKind.NONE
    if op in core_table():
        return DecompositionKind.TABLE
    takes_tensors = any("Tensor" in str(one.type) for one in arguments_of(op))
    if takes_tensors and torch.Tag.out not in op.tags and is_implicit(op):
        return DecompositionKind.IMPLICIT
    return DecompositionKind.NONE if decomposition_of(op) is None else DecompositionKind.BY_NAME


def out_variant(found: FoundOp) -> str:
    """The overload that writes to memory that is passed to it: equal except for its `out` arguments."""
    op = found.op
    if op is None or is_mutable(op):
        return ""
    wanted = _signature(op)
    if wanted is None:
        return ""
    for name in op.overloadpacket.overloads():
        other = getattr(op.overloadpacket, name)
        if is_mutable(other) and _signature(other, SchemaKind.out) == wanted:
            return str(other)
    return ""


def _signature(op: OpOverload, kind: SchemaKind | None = None) -> FunctionSchema | None:
    """The schema without the parts that differ between variants; None if it cannot be parsed."""
    text = str(schema_of(op)).partition("::")[2]
    try:
        schema = FunctionSchema.parse(text)
        return schema.signature() if kind is None or schema.kind() is kind else None
    except (AssertionError, RuntimeError, ValueError):
        return None


def dialects(found: FoundOp, executorch: bool) -> tuple[DialectRule, ...]:
    """Whether each dialect allows it: the verifiers decide, ExecuTorch's only if it is imported."""
    if found.live is None or found.target.type not in (*_OPERATORS, *_FUNCTIONS):
        return ()
    plain = found.op or found.live
    rules = [DialectRule(dialect, *_ask(name, plain, executorch)) for dialect, name in _RULES]
    if not executorch:
        return (*rules, *(DialectRule(one, None, _NOT_LOADED) for one in (Dialect.EDGE, Dialect.EXECUTORCH)))
    edge = DialectRule(Dialect.EDGE, *_ask("EDGE", _edge_of(found), executorch))
    return (*rules, edge, DialectRule(Dialect.EXECUTORCH, *_after_planning(found, edge)))


_OPERATORS = (TargetType.OP, TargetType.HIGHER_ORDER)
_FUNCTIONS = (TargetType.BUILTIN, TargetType.FUNCTION)


def _ask(rules: str, target: Any, executorch: bool) -> tuple[bool | None, str]:
    """Run the real verifier on a graph with one call."""
    if rules == "OLD_EXIR_ATEN" and not executorch:
        return _tagged_core(target)
    allowed, reason = verdict(rules, target)
    if allowed is False:
        reason = first_sentence(reason) or "this function is not allowed"
    return allowed, reason


def _tagged_core(target: Any) -> tuple[bool | None, str]:
    """torch's tag for Core ATen ops. ExecuTorch makes a few exceptions, which are not read here."""
    if not isinstance(target, OpOverload) or target.namespace != "aten":
        return None, _NOT_LOADED
    core = torch.Tag.core in target.tags
    return core, "" if core else "torch does not tag it core"


def _edge_of(found: FoundOp) -> Any:
    """The edge op that to_edge creates for an operator."""
    if found.op is None or type(found.live).__name__ == "EdgeOpOverload":
        return found.live
    return edge_operator(found.op) or found.live


def _after_planning(found: FoundOp, edge: DialectRule) -> tuple[bool | None, str]:
    """to_executorch replaces an op with its out variant, and refuses an op that has none."""
    if found.op is None:
        taking = primitive_of(found.target)
        if taking:
            return False, f"{taking} takes its place"
        return (
            (True, "") if needs_no_kernel(found.target) else (False, "the runtime has no instruction for it")
        )
    if is_runtime_primitive(found.op):
        return True, "a primitive of the runtime"
    if is_mutable(found.op):
        return torch.Tag.out in found.op.tags or None, ""
    if not edge.allowed:
        return False, "not in the edge dialect"
    variant = out_variant(found)
    return False, f"{variant} takes its place" if variant else "it has no out variant"


def dtype_rule(found: FoundOp) -> DtypeRule | None:
    """The dtypes that edge allows for an op; None if edge has no rule for it, or ExecuTorch is not installed.

    The file is read without importing ExecuTorch, which takes seconds.
    """
    if found.op is None:
        return None
    block = _dtype_entries().get(str(found.op.name()))  # type: ignore[no-untyped-call]
    return _read_dtypes(block) if block else None


@cache
def _dtype_entries() -> dict[str, str]:
    """The entries of the file by op, unparsed: a card needs one entry of its 138 kB."""
    spec = importlib.util.find_spec("executorch")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [Path(folder) / "exir" / "dialects" / "edge" / "edge.yaml" for folder in folders]
    text = next((file.read_text("utf-8") for file in files if file.is_file()), "")
    entries = text.split("- func: ")[1:]
    return {entry.partition("\n")[0].strip(): f"- func: {entry}" for entry in entries}


def _read_dtypes(block: str) -> DtypeRule:
    import yaml

    entry = yaml.safe_load(block)[0]
    rows = entry["type_constraint"]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    aliases = {alias: tuple(dtypes) for alias, dtypes in entry["type_alias"].items()}
    return DtypeRule(names, tuple(tuple(aliases.get(row.get(name), ()) for name in names) for row in rows))
