"""Edge: `executorch.exir.to_edge`. If it fails, every offending node is named, not only the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.plain_code import CodeWriter, call_text, operator_text, programs_of, sequence_text
from exir_viz.stages.records import Failure, Option, OptionType, StepKind
from exir_viz.torch_internals.edge import edge_config

from . import Options, PhaseCallback, StepResult, StepSpec
from .decompose import operators
from .rule_violations import rule_violations

if TYPE_CHECKING:
    from executorch.exir import EdgeCompileConfig

    from exir_viz.stages.stage import Stage

LOWERED: Final = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`preserve`: ops to keep; `check_ir`: verify the dialect; `dim_order`: use dim order ops."""
    from executorch.exir import to_edge

    config = config_of(live, options)
    report("lowering to edge")
    manager = to_edge(dict(live.programs), compile_config=config)
    return StepResult(LivePrograms.managed(manager, live), name="edge", title="Edge")


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """`to_edge`."""
    writer.imports("executorch.exir", "to_edge")
    writer.line(f"edge = {call_text('to_edge', [programs_of(live), *config_code(writer, live, options)])}")


def config_code(writer: CodeWriter, live: LivePrograms, options: Options) -> list[str]:
    """The argument `compile_config`; none if the options are ExecuTorch's own."""
    arguments = []
    if not options.get("check_ir", True):
        arguments.append("_check_ir_validity=False")
    if not options.get("dim_order", True):
        arguments.append("_skip_dim_order=True")
    if preserved := operators(live, options.get("preserve", ())):
        writer.imports("torch")
        arguments.append(f"preserve_ops={sequence_text(map(operator_text, preserved))}")
    if not arguments:
        return []
    writer.imports("executorch.exir", "EdgeCompileConfig")
    return [f"compile_config={call_text('EdgeCompileConfig', arguments)}"]


def config_of(live: LivePrograms, options: Options) -> EdgeCompileConfig:
    """The options as ExecuTorch's config. Each call makes a new one: ExecuTorch appends to its lists."""
    return edge_config(
        check_ir=bool(options.get("check_ir", True)),
        dim_order=bool(options.get("dim_order", True)),
        preserve=operators(live, options.get("preserve", ())),
    )


def why_not(stage: Stage) -> str:
    """Why it cannot run: the program is already lowered."""
    if stage.dialect in LOWERED:
        return f"it is in the {stage.dialect.value} dialect already."
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure | None:
    """All nodes that break the rule that the error is about, with lines and remedies."""
    return rule_violations(error, live, lambda: config_of(live, options), options)


# Also called for a backend step that lowers to edge first.
CHECKS: Final = (
    Option(
        "check_ir",
        "Verify edge rules",
        OptionType.FLAG,
        True,
        (),
        "Reject operators outside Core ATen and dtypes without an ExecuTorch kernel.",
    ),
    Option(
        "dim_order",
        "Use dim order",
        OptionType.FLAG,
        True,
        (),
        "Express memory formats as dim order.",
    ),
)

STEP = StepSpec(
    StepKind.EDGE,
    "To edge",
    "ExecuTorch's edge dialect: Core ATen with dtype checks and explicit dim order.",
    run,
    code,
    why_not,
    (
        Option("preserve", "Preserve", OptionType.OPS, (), (), "Operators that are not decomposed."),
        *CHECKS,
    ),
    failure_of,
    extra="executorch",
    imports=("executorch.exir",),
)
