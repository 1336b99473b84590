"""Re-export: export the module again, with other dynamic shapes, or in the other mode.

torch.export starts from the module and its example inputs. A session that exported the module has both. A
program that came without its module is exported through its `module()`, which can narrow but not widen its
shapes: constants of the first export stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from exir_viz.errors import ExportFailed
from exir_viz.snapshot.program import Notice
from exir_viz.snapshot.records import Frame
from exir_viz.stages.dynamic_shapes import suggested_fixes
from exir_viz.stages.dynamic_shapes.dimension_rows import dimension_rows, input_paths
from exir_viz.stages.dynamic_shapes.dimension_spec import DimensionKind
from exir_viz.stages.live import GRADIENTS, ExportInputs, LivePrograms, NotPossible
from exir_viz.stages.plain_code import CodeWriter, write_export, write_export_of_program
from exir_viz.stages.records import Failure, Finding, InputDim, Option, OptionsFix, OptionType, StepKind

from . import Options, PhaseCallback, StepResult, StepSpec
from .failures import first_sentence, without_repeats

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

_BEGINNINGS: Final = (StepKind.START, StepKind.REEXPORT)
_ALIKE: Final = tuple(kind.value for kind in DimensionKind if kind is not DimensionKind.NAMED)
_ALONE: Final = (
    "This exports the program's own module: constant sizes and guards of the first export "
    "stay. To change them, start the session with the module and its inputs."
)


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`dims`: texts by input and position, as in the form; or `dynamic_shapes`, as torch.export takes them,
    or one of "static", "dynamic", "auto" for every dimension. `strict`: use TorchDynamo.
    """
    source = _source(live)
    strict = bool(options.get("strict", source.strict))
    shapes = _shapes(live, source, options)
    report(f"exporting {type(source.module).__name__}{', strict' if strict else ''}")
    made = LivePrograms.export(replace(source, dynamic_shapes=shapes, strict=strict))
    if live.exported is not None:
        return StepResult(made, title=_title(made, strict), name="re-exported")
    notice = Notice("reexport.program", _ALONE)
    return StepResult(
        replace(made, exported=None), notices=(notice,), title=_title(made, strict), name="re-exported"
    )


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """The export of the module; the one before it is left out. Without a module: of the program again."""
    source = _source(live)
    strict = bool(options.get("strict", source.strict))
    if live.exported is None:
        write_export_of_program(writer, source, _shapes(live, source, options), strict)
        return
    writer.restart()
    write_export(writer, source, _shapes(live, source, options), strict)


def form(live: LivePrograms) -> tuple[InputDim, ...]:
    """The rows of the form: each dimension of each input, as it is now."""
    method = next(iter(live.programs))
    return dimension_rows(live.program, live.dims, method if "forward" not in live.programs else "forward")


def limits(live: LivePrograms) -> str:
    """What a re-export of this program cannot do; "" if the session has the user's module."""
    return "" if live.exported is not None else _ALONE


def _source(live: LivePrograms) -> ExportInputs:
    """The module and inputs to export."""
    if live.exported is not None:
        return live.exported
    example: Any = live.program.example_inputs
    if example is None:
        raise NotPossible("The program has no example inputs. Start the session with Session(module, x).")
    return ExportInputs(live.program.module(), *example)


def _shapes(live: LivePrograms, source: ExportInputs, options: Options) -> Any:
    from exir_viz.stages.dynamic_shapes.torch_shapes import all_alike, torch_shapes

    given, dims = options.get("dynamic_shapes"), options.get("dims")
    if given is not None and dims is not None:
        raise NotPossible("Pass dims or dynamic_shapes, not both.")
    if isinstance(given, str):
        if given not in _ALIKE:
            raise NotPossible(f"Cannot make all dimensions {given!r}. Choose one of: {', '.join(_ALIKE)}.")
        dims = all_alike(given, form(live))
    if dims is None:
        return source.dynamic_shapes if given is None else given
    if not isinstance(dims, Mapping):
        raise NotPossible("Pass dims as {input: {position: text}}, such as {'x': {0: 'batch in 2..64'}}.")
    program = live.program
    return torch_shapes(dims, source, input_paths(program), program.call_spec.in_spec)


def _title(live: LivePrograms, strict: bool) -> str:
    symbols = sorted({row.choice for row in form(live) if row.now})
    how = ", strict" if strict else ""
    return f"Re-export{how}: {', '.join(symbols) if symbols else 'static'}"[:80]


def why_not(stage: Stage) -> str:
    """Why it cannot run: a re-export starts from the module, so the results of other steps would be lost."""
    live = stage.live
    if stage.step.kind not in _BEGINNINGS:
        return (
            f"it starts from the module again and would lose the step {stage.step.title!r}. Run it on "
            f"stage {stage.session.root.name!r}."
        )
    if stage.step.kind is StepKind.START and live is not None and live.manager is not None:
        return "a lowered program cannot be exported. Start the session with the module: Session(module, x)."
    if live is not None and live.has_gradients:
        return GRADIENTS
    if live is not None and len(live.programs) > 1:
        return "it has several methods, and only one module can be exported. Start a session with one."
    if live is not None and live.exported is None and live.program.example_inputs is None:
        return "the program has no example inputs. Start the session with the module: Session(module, x)."
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure:
    """torch's message, the dimensions it is about, and torch's suggestion as options to apply."""
    from exir_viz.stages.dynamic_shapes.torch_shapes import all_alike, cells_of

    cause = error.__cause__ if isinstance(error, ExportFailed) and error.__cause__ is not None else error
    message = str(cause)
    known = form(live)
    given = options.get("dynamic_shapes")
    cells = _as_in_form(options.get("dims"))
    if isinstance(given, str):
        cells = all_alike(given, known)
    if cells is None:
        source = _source(live)
        program = live.program
        shapes = source.dynamic_shapes if given is None else given
        cells = cells_of(shapes, source, input_paths(program), program.call_spec.in_spec)
    complaints = suggested_fixes.complaints(message)
    beyond = suggested_fixes.out_of_bounds(message, cells, known)
    findings = tuple(_finding(text, known) for text in complaints) or tuple(
        Finding(text, node=row.node) for text, row in beyond
    )
    repaired = suggested_fixes.suggested_cells(message, cells, known)
    others = {name: value for name, value in options.items() if name not in ("dims", "dynamic_shapes")}
    offered = (OptionsFix(_fix_title(cells, repaired), {**others, "dims": repaired}),) if repaired else ()
    reason = complaints[0] if complaints else first_sentence(message)
    found = findings or (_where(error, message),)
    return Failure(type(cause).__name__, reason, message, without_repeats(found, reason), offered)


def _as_in_form(dims: Any) -> Any:
    """The positions as texts, as in the form: a user may pass them as numbers."""
    if not isinstance(dims, Mapping):
        return dims
    return {
        name: {str(position): text for position, text in cells.items()}
        if isinstance(cells, Mapping)
        else cells
        for name, cells in dims.items()
    }


def _finding(text: str, known: tuple[InputDim, ...]) -> Finding:
    named = suggested_fixes.rows_named(text, known)
    return Finding(text, node=named[0].node if named else "")


def _where(error: Exception, message: str) -> Finding:
    frame = None
    if isinstance(error, ExportFailed) and error.file:
        frame = Frame(error.file, error.line, "", error.code)
    remedy = error.suggestion if isinstance(error, ExportFailed) else ""
    return Finding(first_sentence(message), frame=frame, remedy=remedy)


def _fix_title(before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]) -> str:
    """What a fix changes: "x[0]: batch → batch in ..64"."""
    changes = [
        f"{name}[{position}]: {former} → {words}" if position else f"{name}: {former} → {words}"
        for name, dims in after.items()
        for position, words in dims.items()
        if words != (former := str(before.get(name, {}).get(position, "static")))
    ]
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return "Use " + ", ".join(changes[:3]) + more


STEP = StepSpec(
    StepKind.REEXPORT,
    "Re-export",
    "Export again with other dynamic dimensions, or strict (TorchDynamo).",
    run,
    code,
    why_not,
    (
        Option("dims", "Inputs", OptionType.INPUTS, None, _ALIKE, "What each dimension may be."),
        Option("strict", "Strict", OptionType.FLAG, False, (), "Trace with TorchDynamo."),
    ),
    failure_of,
    quiet=False,
    others=("dynamic_shapes",),
)
