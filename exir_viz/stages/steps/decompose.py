"""Decompose: `ExportedProgram.run_decompositions`, for all ops, for none, or for exactly those named.

Functionalization always happens: in-place ops become functional ones, and composite ops (`reshape`,
`dropout`, …) are decomposed, whatever the table contains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.program import Dialect
from exir_viz.stages.decomposition_tables import core_table, decomposition_of
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.plain_code import CodeWriter, operator_text, sequence_text
from exir_viz.stages.records import Failure, Finding, Option, OptionType, StepKind

from . import Options, PhaseCallback, StepResult, StepSpec
from .failures import explained, failure, finding, op_text
from .remedies import Remedy

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage
    from exir_viz.torch_internals.operators import OpOverload

FUNCTIONAL: Final = "functional"
CORE: Final = "core"
_MOST_NAMED: Final = 12

Table = dict[Any, Any]


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`ops`: "core", "functional" or a list of ops; `but`: ops of the core table to keep."""
    table, name, title, dialect = _chosen(live, options)
    programs = {}
    for method, program in live.programs.items():
        report(f"decomposing {method}")
        programs[method] = program.run_decompositions(None if table is None else dict(table))
    return StepResult(live.programs_become(programs, dialect), name=name, title=title)


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """`run_decompositions`, with the table that `run` passes."""
    ops, but = options.get("ops", CORE), options.get("but", ())
    if isinstance(ops, str) and not but:
        writer.each_program(live, f"program.run_decompositions({'{}' if ops == FUNCTIONAL else ''})")
        return
    writer.imports("torch")
    rules = writer.assigned("rules", "torch.export.default_decompositions()")
    if but:
        kept = sequence_text(map(operator_text, operators(live, but)))
        table = writer.assigned("table", f"{{op: rule for op, rule in {rules}.items() if op not in {kept}}}")
    else:
        chosen = operators(live, ops)
        known = sequence_text(operator_text(op) for op in chosen if op in core_table())
        table = writer.assigned("table", f"{{op: {rules}[op] for op in {known}}}")
        others = [operator_text(op) for op in chosen if op not in core_table()]
        if others:
            writer.imports("torch._decomp", "decomposition_table")
            more = sequence_text(others)
            writer.line(f"{table} |= {{op: decomposition_table[op] for op in {more}}}")
    writer.each_program(live, f"program.run_decompositions({table})")


def _chosen(live: LivePrograms, options: Options) -> tuple[Table | None, str, str, Dialect | None]:
    """The table, a name, a title, and the dialect of the result."""
    ops, but = options.get("ops", CORE), options.get("but", ())
    if ops == FUNCTIONAL and not but:
        return {}, FUNCTIONAL, "Functional ATen", Dialect.ATEN
    if ops == CORE and not but:
        return None, CORE, "Core ATen", Dialect.ATEN_CORE
    if ops == CORE:
        kept = operators(live, but)
        rest = {op: rule for op, rule in core_table().items() if op not in kept}
        return rest, "core but", f"Core ATen but {_list(kept)}", Dialect.ATEN
    if isinstance(ops, str) or but:
        raise NotPossible(
            f"Cannot decompose {ops!r}{' with but=' if but else ''}: ops is 'core', 'functional' or a list "
            "of ops. but=, a list of ops to keep, needs ops='core'."
        )
    chosen = operators(live, ops)
    if not chosen:
        raise NotPossible("No ops given. Name some, or pass ops='functional'.")
    table = {op: decomposition_of(op) for op in chosen}
    without = [op for op, rule in table.items() if rule is None]
    if without:
        raise NotPossible(f"Cannot decompose {_list(without)}: torch has no decomposition of it.")
    return table, "decomposed", f"Decomposed {_list(chosen)}", Dialect.ATEN


def operators(live: LivePrograms, chosen: Iterable[Any]) -> list[OpOverload]:
    """The operators of the programs that a name means: "aten.linear.default", "linear" or the op itself."""
    from exir_viz.torch_internals.operators import OpOverload

    counts = Counter(
        node.target
        for program in live.programs.values()
        for module in program.graph_module.modules()
        for node in getattr(getattr(module, "graph", None), "nodes", ())
        if isinstance(node.target, OpOverload)
    )
    found: list[OpOverload] = []
    for one in [chosen] if isinstance(chosen, str) else chosen:
        matching = [op for op in counts if one in (op, op.overloadpacket) or _means(str(one), op)]
        if not matching:
            have = ", ".join(f"{op} ({count})" for op, count in counts.most_common(_MOST_NAMED))
            more = ", …" if len(counts) > _MOST_NAMED else ""
            raise NotPossible(
                f"Cannot find {str(one)!r} in this graph. It has: {have}{more}. Pass one of these, or 'core' "
                "for all."
            )
        found += [op for op in matching if op not in found]
    return found


def _means(text: str, op: OpOverload) -> bool:
    name = str(op)
    packet = str(op.overloadpacket)
    return text.removeprefix("torch.ops.") in (name, packet, packet.rpartition(".")[2])


def _list(ops: Iterable[Any]) -> str:
    names = [str(op) for op in ops]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def why_not(stage: Stage) -> str:
    """Why it cannot run: torch's table has no edge operators, so only ATen programs can be decomposed."""
    if stage.dialect in (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH):
        return (
            f"it is in the {stage.dialect.value} dialect, and only ATen operators can be decomposed. "
            "Start from an earlier stage."
        )
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Mapping[str, Any]) -> Failure | None:
    """Name the node, the op and the line at which a decomposition failed."""
    if isinstance(error, AssertionError) and (found := _in_place(live, options)):
        return failure(
            error, "Some of torch's decompositions write in place, which torch.export does not allow.", found
        )
    return explained(error, live)


def _in_place(live: LivePrograms, options: Options) -> tuple[Finding, ...]:
    """The calls to decompose whose rules write to a tensor."""
    from exir_viz.stages.preview import mutations, trace

    chosen = options.get("ops", CORE)
    if isinstance(chosen, str):
        return ()
    table = set(operators(live, chosen))
    nodes = [
        node
        for program in live.programs.values()
        for node in program.graph.nodes
        if node.op == "call_function" and node.target in table
    ]
    return tuple(
        finding(
            node,
            "torch's decomposition of it writes in place.",
            Remedy.KEEP_OP.format(op=op_text(node)),
            live=live,
        )
        for node in nodes
        if mutations(trace(node))
    )


STEP = StepSpec(
    StepKind.DECOMPOSE,
    "Decompose",
    "Rewrite operators as simpler ones: all (Core ATen), functional only, or selected.",
    run,
    code,
    why_not,
    (
        Option(
            "ops",
            "Operators",
            OptionType.OPS,
            CORE,
            (CORE, FUNCTIONAL),
            "All of Core ATen's table, functionalization only, or the selected operators.",
        ),
        Option("but", "Keep", OptionType.OPS, (), (), "Operators that are not decomposed."),
    ),
    failure_of,
)
