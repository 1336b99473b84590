"""Quantize: PT2E with torchao and ExecuTorch's XNNPACK quantizer, calibrated with example inputs.

prepare_pt2e → run the calibration inputs → convert_pt2e → export again. The starting program stays unchanged:
state that the runs write to is cloned. Nodes that quantization adds get the module and the source line of
their neighbours (see `inferred_modules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import Dialect, Notice
from exir_viz.stages.live import GRADIENTS, ExportInputs, LivePrograms
from exir_viz.stages.plain_code import CodeWriter, call_text, has_one_method, quoted, shapes_text
from exir_viz.stages.records import Failure, Finding, Option, OptionType, StepKind
from exir_viz.torch_internals.edge import executing

from . import Options, PhaseCallback, StepResult, StepSpec
from .calibration import (
    CalibrationInput,
    InputsDoNotFit,
    calls,
    check_call,
    cloned,
    example,
    given,
    in_positions,
    own_random_numbers,
    own_state,
)
from .failures import error_text, explained, failure, finding, first_sentence, op_text, root
from .inferred_modules import INFERRED, infer_modules
from .remedies import Remedy

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

    from exir_viz.stages.stage import Stage

_ATEN: Final = (Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE)
# XNNPACK's quantizer supports their sums and products, but not the layers.
_RECURRENT: Final = ("aten.lstm.", "aten.gru.", "aten.rnn_tanh.", "aten.rnn_relu.")
_IMPORTS: Final = (
    "torchao.quantization.pt2e.quantize_pt2e",
    "executorch.backends.xnnpack.quantizer.xnnpack_quantizer",
)


class NothingQuantized(Exception):
    """Raised if the quantizer annotated no operator: it looks at none in branches and loops."""


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`per_channel`, `dynamic`: options of XNNPACK's symmetric configuration; `quantizer`: your own instead;
    `inputs`: calibration calls (see `calls`), by method if there are several.
    """
    programs: dict[str, ExportedProgram] = {}
    findings: list[Finding] = []
    notices: list[Notice] = []
    for method, program in live.programs.items():
        inputs = given(options.get("inputs"), method, live)
        if inputs is None:
            notices.append(_calibrated_by_example(options))
        report(f"preparing {method}")
        programs[method], counts = _quantized(live, method, inputs, options, report)
        findings += _findings(counts)
        lost = _made_static(program, programs[method])
        notices += [Notice("quantize.static", text) for text in lost]
    inferred = sum(
        INFERRED in node.meta.get("custom", {}) for one in programs.values() for node in one.graph.nodes
    )
    if inferred:
        text = "Nodes added by quantization show the module and source line of a neighbor (inferred)."
        notices.append(Notice("quantize.inferred_modules", text, inferred))
    made = live.programs_become(programs)
    return StepResult(made, tuple(findings), tuple(notices), _title(options), "quantized")


def _quantized(
    live: LivePrograms,
    method: str,
    calibration: Iterable[Any] | None,
    options: Options,
    report: PhaseCallback,
) -> tuple[ExportedProgram, Counter[tuple[str, bool]]]:
    import torch
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    program = live.programs[method]
    first = example(program)
    with torch.no_grad():
        with own_random_numbers():
            prepared = prepare_pt2e(own_state(program.module()), _quantizer(program, options))
        counts = _counts(prepared.graph)
        if not any(quantized for _, quantized in counts):
            raise NothingQuantized("The quantizer annotated no operator of this program.")
        for number, call in enumerate([first] if calibration is None else calls(calibration)):
            report(f"calibrating {method}, input {number + 1}")
            args, kwargs = in_positions(program, len(first[0]), call)
            ordered = {name: kwargs[name] for name in first[1] if name in kwargs} | kwargs
            with own_random_numbers(seed=number):
                if calibration is not None:
                    check_call(program, method, number + 1, args, ordered)
                _calibrate(prepared, args, ordered)
        report(f"converting {method}")
        with own_random_numbers():
            converted = convert_pt2e(prepared)
    infer_modules(converted.graph)
    report(f"exporting {method} again")
    return _exported_again(converted, program, first), counts


def _calibrate(prepared: fx.GraphModule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Run one call. If it fails, run it again node by node, so that the error's stack contains the node."""
    try:
        prepared(*cloned(args), **cloned(kwargs))
    except Exception:
        from torch.fx import Interpreter

        from exir_viz.torch_internals.pytrees import pytree

        flat, _ = pytree.tree_flatten((cloned(args), cloned(kwargs)))
        Interpreter(prepared).run(*flat, enable_io_processing=False)
        raise


def _quantizer(program: ExportedProgram, options: Options) -> Any:
    """The user's own, or XNNPACK's."""
    if options.get("quantizer") is not None:
        return options["quantizer"]
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack

    config = xnnpack.get_symmetric_quantization_config(
        is_per_channel=bool(options.get("per_channel", True)), is_dynamic=bool(options.get("dynamic", False))
    )
    if not _has_integers(program):
        return xnnpack.XNNPACKQuantizer().set_global(config)
    from .float_quantizer import FloatQuantizer

    return FloatQuantizer().set_global(config)


def _has_integers(program: ExportedProgram) -> bool:
    """Whether a value that is used is a tensor of integers: then XNNPACK's quantizer needs to be fixed."""
    from .float_quantizer import is_integer

    return any(node.users and is_integer(node) for node in program.graph.nodes)


def _dtype(value: Any) -> torch.dtype | None:
    return getattr(value, "dtype", None)


def _exported_again(
    module: torch.nn.Module, program: ExportedProgram, first: CalibrationInput
) -> ExportedProgram:
    """The converted module as a program, with the same dynamic sizes as before."""
    import torch

    from exir_viz.readers.failed_export_output import no_partial_graphs

    args, kwargs = cloned(first[0]), cloned(first[1])
    with no_partial_graphs():
        return torch.export.export(
            module, args, kwargs, dynamic_shapes=_shapes(program, (module, args, kwargs))
        )


def _shapes(program: ExportedProgram, call: tuple[Any, Any, Any]) -> dict[str, Any] | None:
    """The dynamic sizes of a program, for an export with other operators.

    call: the module or program, its positional and its keyword arguments.
    """
    from exir_viz.stages.dynamic_shapes.dimension_rows import dimension_rows, input_paths
    from exir_viz.stages.dynamic_shapes.torch_shapes import torch_shapes

    cells: dict[str, dict[str, str]] = {}
    for row in dimension_rows(program, {}):
        if row.now:
            upper = row.upper if row.upper.isdigit() else ""
            lower = row.lower if row.lower.isdigit() and row.now.isidentifier() else ""
            bounds = f" in {lower}..{upper}" if lower or upper else ""
            cells.setdefault(row.input, {})["" if row.dim is None else str(row.dim)] = f"auto{bounds}"
    source = ExportInputs(*call)
    return torch_shapes(cells, source, input_paths(program), program.call_spec.in_spec) if cells else None


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """prepare_pt2e, the calibration, convert_pt2e, and the export, for each method."""
    writer.imports("torch")
    writer.imports("torchao.quantization.pt2e.quantize_pt2e", "convert_pt2e", "prepare_pt2e")
    quantizer = _quantizer_code(writer, live, options)
    calibrated = [name for name in live.programs if given(options.get("inputs"), name, live) is not None]
    provided = ""
    if calibrated:
        about = "the calls to calibrate with, a list of (args, kwargs)"
        provided = writer.provided(
            "calibration_calls", about + ("" if has_one_method(live) else " by method")
        )
    for method, program in live.programs.items():
        variable = "program" if has_one_method(live) else f"programs[{quoted(method)}]"
        args, kwargs = example(program)
        writer.line(f"args, kwargs = {variable}.example_inputs")
        writer.line("with torch.no_grad():")
        writer.line(f"    prepared = prepare_pt2e({variable}.module(), {quantizer})")
        seeded = _is_random(program)
        if method in calibrated:
            chosen = provided if has_one_method(live) else f"{provided}[{quoted(method)}]"
            writer.line(f"    for number, (call_args, call_kwargs) in enumerate({chosen}):")
            writer.line(*["        torch.manual_seed(number)"][:seeded])
            writer.line("        prepared(*call_args, **call_kwargs)")
        else:
            writer.line(*["    torch.manual_seed(0)"][:seeded])
            writer.line("    prepared(*args, **kwargs)")
        writer.line("    converted = convert_pt2e(prepared)")
        arguments = ["converted", "args", "kwargs"]
        if (shapes := _shapes(program, (program, args, kwargs))) is not None:
            arguments.append(f"dynamic_shapes={shapes_text(writer, shapes)}")
        writer.line(f"{variable} = {call_text('torch.export.export', arguments)}")


def _is_random(program: ExportedProgram) -> bool:
    """Whether a run draws random numbers, as of dropout in training mode."""
    import torch

    tag = torch.Tag.nondeterministic_seeded
    return any(tag in getattr(node.target, "tags", ()) for node in program.graph.nodes)


def _quantizer_code(writer: CodeWriter, live: LivePrograms, options: Options) -> str:
    """The quantizer of a method as an expression: XNNPACK's is a new one for each."""
    if options.get("quantizer") is not None:
        return writer.provided("quantizer", f"the {type(options['quantizer']).__name__}")
    module = "executorch.backends.xnnpack.quantizer.xnnpack_quantizer"
    writer.imports(module, "XNNPACKQuantizer", "get_symmetric_quantization_config")
    name = "XNNPACKQuantizer"
    if any(map(_has_integers, live.programs.values())):
        from . import float_quantizer

        name = "FloatQuantizer"
        writer.imports("torch", "fx")
        writer.line("", "", *float_quantizer.source(), "", "")
    per_channel, dynamic = bool(options.get("per_channel", True)), bool(options.get("dynamic", False))
    arguments = f"is_per_channel={per_channel}, is_dynamic={dynamic}"
    config = writer.assigned("quantization_config", f"get_symmetric_quantization_config({arguments})")
    return f"{name}().set_global({config})"


def _calibrated_by_example(options: Options) -> Notice:
    if options.get("dynamic"):
        return Notice("quantize.dynamic", "Activations are scaled at run time, so calibration has no effect.")
    return Notice(
        "quantize.example",
        "Calibrated with the example inputs only: do not ship this. Pass inputs=[(x,), …].",
    )


def _counts(graph: fx.Graph) -> Counter[tuple[str, bool]]:
    """Calls by operator, and whether the quantizer accepted them."""
    from exir_viz.torch_internals.operators import is_operator

    counts: Counter[tuple[str, bool]] = Counter()
    for node in graph.nodes:
        annotation = node.meta.get("quantization_annotation")
        if node.op == "call_function" and is_operator(node.target):
            quantized = annotation is not None and bool(annotation.input_qspec_map or annotation.output_qspec)
            counts[op_text(node), quantized] += 1
    return counts


def _findings(counts: Counter[tuple[str, bool]]) -> list[Finding]:
    """For each operator that is quantized somewhere: how many of its calls are."""
    quantized = [(op, count) for (op, is_quantized), count in counts.most_common() if is_quantized]
    return [
        Finding(
            f"{count} of {plural(count + counts[op, False], 'call is', 'calls are')} quantized",
            op=op,
            count=count,
        )
        for op, count in quantized
    ]


def _made_static(before: ExportedProgram, after: ExportedProgram) -> list[str]:
    from exir_viz.stages.dynamic_shapes.dimension_rows import dimension_rows

    return [
        f"{one.input}, dimension {one.dim}, varied ({one.now}) and is {other.size} now."
        for one, other in zip(dimension_rows(before, {}), dimension_rows(after, {}), strict=False)
        if one.now and not other.now
    ]


def _title(options: Options) -> str:
    if options.get("quantizer") is not None:
        return f"Quantized with {type(options['quantizer']).__name__}"
    kind = "dynamic" if options.get("dynamic") else "static"
    per = "channel" if options.get("per_channel", True) else "tensor"
    return f"Quantized: int8, {kind}, per {per}"


def why_not(stage: Stage) -> str:
    """Why it cannot run: quantizers support ATen operators, and need the example inputs."""
    if stage.dialect not in _ATEN:
        dialect = stage.dialect.value if stage.dialect else "no"
        return f"it is in the {dialect} dialect: quantize before lowering."
    if stage.live is not None and stage.live.has_gradients:
        return GRADIENTS
    if stage.live is not None and any(one.example_inputs is None for one in stage.live.programs.values()):
        return "the program has no example inputs. Start the session with the module: Session(module, x)."
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure | None:
    """The node at which it failed, if known; for an observer, the node that it observes."""
    if isinstance(error, NothingQuantized):
        return failure(error, findings=(Finding("", remedy=_without_annotations(live, options)),))
    if isinstance(error, InputsDoNotFit):
        return failure(error, findings=(Finding(str(error), error.node, remedy=Remedy.LIKE_EXAMPLES),))
    node = executing(error)
    if node is not None and "_assert_tensor_metadata" in op_text(node) and options.get("quantizer"):
        return explained(error, live, Remedy.KEEP_INTEGERS)
    if node is None or node.op != "call_module" or not node.all_input_nodes:
        return explained(error, live)
    observed = node.all_input_nodes[0]
    dtype = _dtype(observed.meta.get("val"))
    is_float = dtype is None or dtype.is_floating_point
    remedy = "" if is_float else Remedy.OBSERVE_FLOATS.format(dtype=str(dtype).removeprefix("torch."))
    text = first_sentence(error_text(root(error)))
    return failure(error, findings=(finding(observed, text, remedy, live=live),))


def _without_annotations(live: LivePrograms, options: Options) -> str:
    """What to do if the quantizer annotated nothing."""
    recurrent = [
        name
        for program in live.programs.values()
        for node in program.graph.nodes
        if (name := op_text(node)).startswith(_RECURRENT)
    ]
    if recurrent and not options.get("dynamic") and options.get("quantizer") is None:
        return Remedy.DECOMPOSE_FIRST.format(op=recurrent[0])
    return Remedy.LEAVE_FLOAT if _is_exported(live) else Remedy.QUANTIZE_EXPORTED


def _is_exported(live: LivePrograms) -> bool:
    """Whether the programs have the operators of torch.export: no decomposition has replaced any."""
    from exir_viz.readers.exported import dialect_of

    return all(dialect_of(program) is Dialect.ATEN_TRAINING for program in live.programs.values())


STEP = StepSpec(
    StepKind.QUANTIZE,
    "Quantize",
    "Quantize to 8-bit integers with XNNPACK's symmetric configuration.",
    run,
    code,
    why_not,
    (
        Option(
            "inputs",
            "Calibrate with",
            OptionType.TEXT,
            "",
            (),
            "A notebook variable: a list of calls, each a tensor, a tuple, or a dict by name. "
            "Default: the example inputs.",
        ),
        Option("per_channel", "Per channel", OptionType.FLAG, True, (), "One scale per output channel."),
        Option("dynamic", "Dynamic", OptionType.FLAG, False, (), "Scale activations at run time (linear)."),
    ),
    failure_of,
    extra="executorch",
    imports=_IMPORTS,
    others=("quantizer",),
)
