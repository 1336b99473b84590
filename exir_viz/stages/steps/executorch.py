"""ExecuTorch: `to_executorch`: out variants, the memory plan, and the bytes of a `.pte`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.plain_code import CodeWriter, call_text
from exir_viz.stages.plain_options import plain_options
from exir_viz.stages.records import Failure, Finding, Option, OptionsFix, OptionType, StepKind

from . import Options, PhaseCallback, StepResult, StepSpec
from .failures import explained, failure, finding, op_text
from .remedies import Remedy

if TYPE_CHECKING:
    from executorch.exir import ExecutorchBackendConfig
    from torch import fx

    from exir_viz.stages.stage import Stage

ALGORITHMS = ("greedy", "naive")
_PLANNED = ("alloc_graph_input", "alloc_graph_output", "alloc_mutable_buffers")


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`config`: a whole ExecutorchBackendConfig; else the options below, with ExecuTorch's names."""
    config = options.get("config") or _config(options, report)
    report("choosing out variants")
    done = live.manager.to_executorch(config)
    return StepResult(LivePrograms.managed(done, live), name="executorch", title="ExecuTorch")


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """`to_executorch`, and the file that it is for. Options that are ExecuTorch's own are left out."""
    del live
    arguments = []
    if options.get("config") is not None:
        arguments.append(writer.provided("config", "the ExecutorchBackendConfig"))
    elif given := _config_code(writer, options):
        writer.imports("executorch.exir", "ExecutorchBackendConfig")
        arguments.append(call_text("ExecutorchBackendConfig", given))
    writer.line(f"executorch = {call_text('edge.to_executorch', arguments)}", 'executorch.save("model.pte")')


def _config_code(writer: CodeWriter, options: Options) -> list[str]:
    planning = []
    if options.get("algorithm", ALGORITHMS[0]) != ALGORITHMS[0]:
        writer.imports(
            "executorch.exir.memory_planning", "MemoryPlanningAlgorithmSuite", options["algorithm"]
        )
        planning.append(f"memory_planning_algo=MemoryPlanningAlgorithmSuite([{options['algorithm']}])")
    planning += [f"{name}=False" for name in _PLANNED if not options.get(name, True)]
    arguments = []
    if planning:
        writer.imports("executorch.exir.passes", "MemoryPlanningPass")
        arguments.append(f"memory_planning_pass={call_text('MemoryPlanningPass', planning)}")
    if not options.get("remove_view_copy", True):
        arguments.append("remove_view_copy=False")
    if options.get("emit_stacktrace", False):
        arguments.append("emit_stacktrace=True")
    return arguments


def _config(options: Options, report: PhaseCallback) -> ExecutorchBackendConfig:
    """A new config for each run: ExecuTorch's default shares one planning pass, and its state, among all
    runs.
    """
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    class ReportedPlanning(MemoryPlanningPass):  # type: ignore[misc]  # executorch ships no types
        """ExecuTorch's planning, and nothing else: says when it begins and ends."""

        def run(self, *args: Any, **options: Any) -> Any:
            report("planning memory")
            planned = super().run(*args, **options)
            report("emitting instructions")
            return planned

    return ExecutorchBackendConfig(
        memory_planning_pass=ReportedPlanning(
            memory_planning_algo=_algorithm(options.get("algorithm", ALGORITHMS[0])),
            **{name: bool(options.get(name, True)) for name in _PLANNED},
        ),
        remove_view_copy=bool(options.get("remove_view_copy", True)),
        emit_stacktrace=bool(options.get("emit_stacktrace", False)),
    )


def _algorithm(name: str) -> Any:
    from executorch.exir import memory_planning

    if name not in ALGORITHMS:
        raise NotPossible(f"Unknown memory planning algorithm {name!r}. Available: {', '.join(ALGORITHMS)}.")
    return memory_planning.MemoryPlanningAlgorithmSuite([getattr(memory_planning, name)])


def why_not(stage: Stage) -> str:
    """Why it cannot run: only edge programs have out variants."""
    if stage.dialect is Dialect.EXECUTORCH:
        return "it is already an ExecuTorch program."
    if stage.live is None or stage.live.manager is None:
        return f"it is in the {stage.dialect.value} dialect. Lower it to edge first." if stage.dialect else ""
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure | None:
    """All calls without an out variant; an output that is no tensor; else the node at which it failed."""
    text = str(error)
    if "'stack_trace'" in text:
        why = "ExecuTorch can write stack traces (emit_stacktrace) only where every node has one."
        fix = OptionsFix(Remedy.NO_TRACES, {**plain_options(options), "emit_stacktrace": False})
        return failure(error, why, fixes=(fix,))
    if "Missing out variants" in text:
        found = tuple(_without_out(live))
        if found:
            return failure(error, f"{_calls(len(found))} no out variant to write results into.", found)
    if "graph_output_allocated" in text:
        return failure(
            error, "No output is a tensor, and memory is planned only for tensors.", tuple(_outputs(live))
        )
    if "a leaf Variable that requires grad" in text:  # ExecuTorch writes buffers back in eager torch
        return explained(error, live, Remedy.NO_GRADIENTS)
    if "Unsupported control flow operator" in text:
        return explained(error, live, Remedy.LOOP)
    return explained(error, live)


def _without_out(live: LivePrograms) -> Iterator[Finding]:
    for node in _nodes(live):
        target: Any = node.target
        if not hasattr(target, "to_out_variant"):
            continue
        try:
            target.to_out_variant()
        except RuntimeError:
            yield finding(node, *_out_remedy(node), live=live)


def _out_remedy(node: fx.Node) -> tuple[str, Remedy]:
    """Why a call has no out variant, and what to do."""
    missing = "No out variant of it is registered."
    if "batch_norm" in str(getattr(node.target, "__name__", "")):
        return missing, Remedy.EVAL
    if op_text(node).startswith("quantized_decomposed."):
        return "The library with its out variant is not imported.", Remedy.QUANTIZED_KERNELS
    return missing, Remedy.OUT_VARIANT


def _outputs(live: LivePrograms) -> Iterator[Finding]:
    for program in live.programs.values():
        output = next(iter(reversed(program.graph.nodes)))
        yield finding(output, "It returns no tensor.", Remedy.TENSOR_OUTPUT, live=live)


def _nodes(live: LivePrograms) -> Iterator[fx.Node]:
    for program in live.programs.values():
        for module in program.graph_module.modules():
            yield from getattr(getattr(module, "graph", None), "nodes", ())


def _calls(number: int) -> str:
    return f"{plural(number, 'call')} {'has' if number == 1 else 'have'}"


def _flag(name: str, title: str, default: bool, about: str) -> Option:
    return Option(name, title, OptionType.FLAG, default, (), about)


STEP = StepSpec(
    StepKind.EXECUTORCH,
    "To ExecuTorch",
    "The runtime program: out variants, memory plan, and the bytes of a .pte.",
    run,
    code,
    why_not,
    (
        Option(
            "algorithm",
            "Memory plan",
            OptionType.CHOICE,
            ALGORITHMS[0],
            ALGORITHMS,
            "greedy: values share memory if their lifetimes allow it. naive: each value has its own.",
        ),
        _flag("alloc_graph_input", "Plan inputs", True, "Off: the caller provides the buffers."),
        _flag("alloc_graph_output", "Plan outputs", True, "Off: the caller provides the buffers."),
        _flag("alloc_mutable_buffers", "Plan mutable buffers", True, "State that the program writes to."),
        _flag("remove_view_copy", "Views instead of copies", True, "Let views share memory with their base."),
        _flag("emit_stacktrace", "Keep stack traces", False, "Embed them for debugging (larger file)."),
    ),
    failure_of,
    extra="executorch",
    others=("config",),
)
