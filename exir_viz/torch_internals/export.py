"""torch.export: its guards, stack traces, reports of failures, and what an exported program keeps."""

from __future__ import annotations

import copy
import dataclasses
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import FrameSummary
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .features import Feature
from .replacing import replaced

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

# How FX prints and names nodes.
#
# Why: a Snapshot shows a target as `graph.print_tabular()` and the generated code do, so that text can be
# searched in both. The functions that print targets are private; without them a plainer text is used.

NODE_TEXT: Final = Feature(
    name="node_text",
    purpose="Write targets of nodes as FX prints them; name the inputs of a preview",
    without="Targets are not written as FX prints them, and previews do not name their inputs.",
    uses=(
        "torch.fx.Node._pretty_print_target(target)",
        "torch.fx.Node._rename(self, candidate)",
        "torch.fx.node._get_qualified_name(func)",
        "torch.fx.traceback.NodeSource._get_action_string(self)",
    ),
)


def target_text(node: fx.Node) -> str:
    """The target of a node as text: "torch.ops.aten.add.Tensor", "operator.getitem"."""
    if NODE_TEXT.is_usable():
        return str(node._pretty_print_target(node.target))
    return function_text(node.target)


def function_text(function: Any) -> str:
    """The full name of a function or operator."""
    if NODE_TEXT.is_usable():
        from torch.fx.node import _get_qualified_name

        return _get_qualified_name(function)
    if callable(getattr(function, "name", None)):
        return f"torch.ops.{function}"
    module = str(getattr(function, "__module__", "")).replace("_operator", "operator")
    return f"{module}.{getattr(function, '__name__', type(function).__name__)}"


def rename(node: fx.Node, name: str) -> None:
    """Rename a node."""
    if NODE_TEXT.is_usable():
        node._rename(name)


def action_text(source: Any) -> str:
    """What a pass did to create a node, from one entry of its `from_node`: "create", "replace+create"."""
    if NODE_TEXT.is_usable():
        return str(source._get_action_string())
    return "+".join(action.name.lower() for action in source.action)


# How torch matches `dynamic_shapes` with the arguments of a module.
#
# Why: a program does not keep which dimensions the user named, and the re-export form refers to inputs by
# name. torch's own functions say which specification belongs to which input.

DYNAMIC_SHAPES: Final = Feature(
    name="dynamic_shapes",
    purpose="Show the user's names of dimensions; export again with dimensions given as text",
    without=("Dimensions have no names and cannot be given as text: pass dynamic_shapes= to torch.export."),
    uses=(
        "torch.export.dynamic_shapes._combine_args(f, args, kwargs)",
        "torch.export.dynamic_shapes._tree_map_with_path(func, tree, shapes, *, tree_name)",
        "torch.export.dynamic_shapes._DerivedDim",
        "torch.export.dynamic_shapes._DimHint",
        "torch.export._tree_utils.reorder_kwargs(user_kwargs, spec)",
    ),
)


def combined(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The arguments of a call by the names of forward's signature."""
    from torch.export import dynamic_shapes

    return dynamic_shapes._combine_args(module, tuple(args), dict(kwargs))


def map_leaves(function: Callable[..., Any], tree: Any, *shapes: Any) -> Any:
    """Map the leaves of combined arguments, with the specification of each if `shapes` has them.

    The user's own container classes become lists, as torch requires.
    """
    from torch.export import dynamic_shapes

    if not shapes:
        return dynamic_shapes._tree_map_with_path(function, tree)
    return dynamic_shapes._tree_map_with_path(function, tree, *shapes, tree_name="inputs")


def in_programs_order(kwargs: Mapping[str, Any], spec: Any) -> dict[str, Any]:
    """Keyword arguments in the order of a program's inputs."""
    from torch.export._tree_utils import reorder_kwargs

    return reorder_kwargs(dict(kwargs), spec)


def is_derived(dim: object) -> bool:
    """Whether a dimension is computed from another: `2 * batch + 1`."""
    from torch.export import dynamic_shapes

    return isinstance(dim, dynamic_shapes._DerivedDim)


def is_hint(dim: object) -> bool:
    """Whether a dimension is one of Dim.AUTO, Dim.DYNAMIC and Dim.STATIC."""
    from torch.export import dynamic_shapes

    return isinstance(dim, dynamic_shapes._DimHint)


# The guards that torch.export kept in addition to the ranges of symbols, as Python text over the inputs.
#
# Why: a program's own module checks them before it runs; so does a profile, whose errors name the input.

PROGRAM_GUARDS: Final = Feature(
    name="program_guards",
    purpose="Show the guards of a program, and check inputs against them",
    without="Guards are not shown, and inputs are not checked against them.",
    attributes=("torch.export.ExportedProgram._guards_code",),
)


def guards_of(program: ExportedProgram) -> tuple[str, ...]:
    """The guards of a program."""
    return tuple(PROGRAM_GUARDS.attribute(program, "_guards_code", ()))


# Which line of the user's code made torch require something of a size.
#
# Why: a program says that a size must be 5 or more than 3, and not which line asked. The shape environment
# keeps the place of each guard, and only there.

GUARD_LINES: Final = Feature(
    name="guard_lines",
    purpose="Show which line of the user's code fixed a size, or limited it",
    without="Conditions on sizes are shown without the line that caused them.",
    uses=("torch._guards.SLoc(framework_loc, maybe_user_loc)",),
    attributes=("torch.fx.experimental.symbolic_shapes.ShapeEnv.guards",),
)


def guard_lines(program: ExportedProgram) -> Iterator[tuple[str, int, str]]:
    """The conditions on sizes of a program: the file and line that asked, and the condition."""
    environment = shape_environment(program)
    if environment is None or not GUARD_LINES.is_usable():
        return
    for guard in GUARD_LINES.attribute(environment, "guards", ()):
        place = getattr(guard, "sloc", None)
        found = getattr(place, "framework_loc", None) or getattr(place, "maybe_user_loc", None)
        file, line = getattr(found, "filename", ""), getattr(found, "lineno", None)
        if file and isinstance(line, int):
            yield file, line, str(guard.expr)


def shape_environment(program: ExportedProgram) -> Any:
    """The shape environment of the program's fake tensors."""
    for node in program.graph.nodes:
        mode = getattr(node.meta.get("val"), "fake_mode", None)
        if mode is not None:
            return mode.shape_env
    return None


# The user's line that called the function of torch that required something of a size, such as `linear`.
#
# Why: torch notes the place of each guard, but for functions of its own that is a line of torch. Only while
# it exports is the caller on the stack.

GUARD_CALLERS: Final = Feature(
    name="guard_callers",
    purpose="Show which line of the user's code called the function of torch that fixed a size",
    without="Sizes that functions of torch fix are shown without the line that called them.",
    uses=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv._get_stack_summary(self, is_debug, framework_loc)",
        "torch.fx.experimental.symbolic_shapes.uninteresting_files()",
    ),
)

_STACK_SUMMARY: Final = "torch.fx.experimental.symbolic_shapes.ShapeEnv._get_stack_summary"


@contextmanager
def callers_of_guards(is_users: Callable[[str], bool], outermost: str) -> Iterator[None]:
    """While the block runs, guards of this thread's exports name the innermost file that is the user's.

    outermost: the file that calls torch.export. What called that file is no part of the module.
    """
    if not GUARD_CALLERS.is_usable():
        yield
        return

    def with_users_line(original: Callable[..., Any]) -> Callable[..., Any]:
        def summary(environment: Any, is_debug: bool = False, framework_loc: Any = None) -> Any:
            return original(environment, is_debug, framework_loc or _users_line(is_users, outermost))

        return summary

    with replaced(_STACK_SUMMARY, with_users_line):
        yield


def _users_line(is_users: Callable[[str], bool], outermost: str) -> FrameSummary | None:
    """The innermost of the user's frames on the stack, else the one that torch notes itself."""
    from torch.fx.experimental.symbolic_shapes import uninteresting_files

    skipped = uninteresting_files() | {__file__}
    frame: FrameType | None = sys._getframe(1)
    found: FrameType | None = None
    while frame is not None and frame.f_code.co_filename != outermost:
        file = frame.f_code.co_filename
        if found is None and file not in skipped:
            found = frame
        if is_users(file):
            found = frame
            break
        frame = frame.f_back
    if found is None:
        return None
    return FrameSummary(found.f_code.co_filename, found.f_lineno, found.f_code.co_name)


# Stack traces of exported nodes with all functions, not only those called `forward`.
#
# Why: torch.export leaves every other function out of the traces, so that the ops of a helper function all
# name the line of `forward` that calls it. The tracer has a switch, but no option of torch.export sets it.

FULL_STACK_TRACES: Final = Feature(
    name="full_stack_traces",
    purpose="Find the line of a helper function that made an op, for coverage",
    without="Ops of functions that are not called forward count for the line of forward that calls them.",
    uses=("torch.fx.proxy.TracerBase._filter_traceback_frames(self, user_stack_summary)",),
    attributes=("torch.fx.proxy.TracerBase._record_forward_stack_traces_only",),
)


@contextmanager
def full_stack_traces() -> Iterator[None]:
    """While the block runs, what this thread exports has whole stack traces."""
    if not FULL_STACK_TRACES.is_usable():
        yield
        return

    def with_every_function(original: Callable[..., Any]) -> Callable[..., Any]:
        def whole(tracer: Any, user_stack_summary: Any) -> Any:
            is_short = getattr(tracer, "_record_forward_stack_traces_only", False)
            if not is_short:
                return original(tracer, user_stack_summary)
            tracer._record_forward_stack_traces_only = False
            try:
                return original(tracer, user_stack_summary)
            finally:
                tracer._record_forward_stack_traces_only = is_short

        return whole

    with replaced("torch.fx.proxy.TracerBase._filter_traceback_frames", with_every_function):
        yield


# The lines at which TorchDynamo cannot trace a module, all of them.
#
# Why: strict export fails at the first. torch._dynamo.explain goes on after each, and needs the options that
# strict export sets, which are private.

GRAPH_BREAKS: Final = Feature(
    name="graph_breaks",
    purpose="Find the problems of a strict export that come after the first",
    without="Only the first problem of a strict export is found.",
    uses=(
        "torch._dynamo.explain(f)",
        "torch._dynamo.config.patch",
        "torch.export._trace.DEFAULT_EXPORT_DYNAMO_CONFIG",
    ),
)
# Strict export ignores these.
_IGNORED: Final = "attempted to reorder a debugging function"
_BRANCH: Final = "generic_jump"


def graph_breaks(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[tuple[str, list[FrameSummary]]]:
    """What TorchDynamo says of each break, and the stack of it. The module runs."""
    import torch._dynamo
    from torch.export._trace import DEFAULT_EXPORT_DYNAMO_CONFIG

    options = dataclasses.asdict(DEFAULT_EXPORT_DYNAMO_CONFIG)
    with torch._dynamo.config.patch(**options), torch.no_grad():
        found = torch._dynamo.explain(module)(*args, **kwargs)
    for one in found.break_reasons:
        if one.reason.startswith(_IGNORED) or not one.user_stack:
            continue
        is_branch = one.reason.startswith(_BRANCH)
        yield "Data-dependent branching" if is_branch else one.reason, list(one.user_stack)


# Export with the example inputs' values at hand, so that it goes on after what torch cannot trace.
#
# Why: torch.export stops at the first branch on data. torch can carry the real value of each tensor along, as
# draft_export does, and then takes the branch that the value decides. Its log of these places is slow to make
# and has no lines of helper functions, so the two functions that report them are replaced meanwhile; and the
# one that remembers each answer, because later lines that depend on the same value would not be reported.

REAL_VALUES: Final = Feature(
    name="real_values",
    purpose="Find the problems of an export that come after the first",
    without="Only the first problem of a function is found.",
    uses=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv._log_real_tensor_propagation",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.guard_or_defer_runtime_assert(self, orig_expr, msg)",
        "torch._subclasses.fake_tensor.inferred_fake_kernel_from_real_out(mode, op, real_out)",
        "torch._subclasses.fake_tensor.FakeTensor",
        "torch.utils._python_dispatch._disable_current_modes()",
    ),
)

# How torch names the assertions that would remember what real values decided.
_REMEMBERED: Final = "propagate_real_tensors"

# Called with what torch would say if it had no real values.
Report = Callable[[str], None]


@contextmanager
def real_values(report: Report) -> Iterator[None]:
    """While the block runs, exports of this thread use real values, and report where they need them."""
    import torch._functorch.config

    def reporting_branches(_original: Callable[..., Any]) -> Callable[..., Any]:
        def logged(environment: Any, orig_expr: Any, _unsound_result: Any) -> None:
            if not (environment.trace_asserts and environment._is_python_assert()):
                report(
                    f"GuardOnDataDependentSymNode: Could not guard on data-dependent expression {orig_expr}"
                )

        return logged

    def forgetting(original: Callable[..., Any]) -> Callable[..., Any]:
        def remembered(environment: Any, orig_expr: Any, msg: str, *more: Any, **named: Any) -> bool:
            return msg.startswith(_REMEMBERED) or original(environment, orig_expr, msg, *more, **named)

        return remembered

    def reporting_operators(original: Callable[..., Any]) -> Callable[..., Any]:
        def inferred(mode: Any, op: Any, real_out: Any) -> Any:
            report(f"UnsupportedOperatorException: {op}")
            return original(mode, op, real_out)

        return inferred

    symbolic = "torch.fx.experimental.symbolic_shapes.ShapeEnv"
    with (
        replaced(f"{symbolic}._log_real_tensor_propagation", reporting_branches),
        replaced(f"{symbolic}.guard_or_defer_runtime_assert", forgetting),
        replaced("torch._subclasses.fake_tensor.inferred_fake_kernel_from_real_out", reporting_operators),
        torch._functorch.config.patch(fake_tensor_propagate_real_tensors=True),
    ):
        yield


def real_results(report: Report, is_caught: Callable[[], bool]) -> Any:
    """A mode for functions of torch. If one fails while exporting, it reports that and uses the real result.

    is_caught: whether the user's code would catch the error; then nothing is reported.
    """
    from torch.overrides import TorchFunctionMode

    class RealResults(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, _types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            try:
                return func(*args, **named)
            except Exception as error:
                if is_caught() or not (tensors := _fake_tensors((args, named))):
                    raise
                report(f"{type(error).__name__}: {error}")
                if any(one.real_tensor is None for one in tensors):
                    raise
                return _with_real_tensors(func, args, named)

    return RealResults()


def _fake_tensors(values: object) -> list[Any]:
    from torch._subclasses.fake_tensor import FakeTensor

    from .pytrees import pytree

    return [one for one in pytree.tree_leaves(values) if isinstance(one, FakeTensor)]


def _with_real_tensors(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._python_dispatch import _disable_current_modes

    from .pytrees import pytree

    def real(value: Any) -> Any:
        return value.real_tensor if isinstance(value, FakeTensor) else value

    real_args, real_kwargs = pytree.tree_map(real, (args, kwargs))
    with _disable_current_modes():
        return func(*real_args, **real_kwargs)


# What torch's draft_export reports: the problems after which it went on.
#
# Why: draft_export prints its report. As data it is a private attribute of the program that it returns. If it
# fails itself, torch's trace log has what it found before.

DRAFT_REPORTS: Final = Feature(
    name="draft_reports",
    purpose="List what draft_export found as blockers of an export",
    without="The findings of draft_export are not listed.",
    uses=("torch.export._draft_export.DraftExportReport", "torch._logging.structured.INTERN_TABLE"),
)


class DraftFailure(NamedTuple):
    """One problem. kind: torch's name of it. subject: an expression, or the name of an operator."""

    kind: str
    subject: str
    file: str = ""
    line: int = 0
    code: str = ""
    shapes: str = ""


# Names of records in torch's trace log: what torch calls the failure in its report.
_KINDS: Final = {
    "propagate_real_tensors_provenance": "DATA_DEPENDENT_ERROR",
    "missing_fake_kernel": "MISSING_FAKE_KERNEL",
    "mismatched_fake_kernel": "MISMATCHED_FAKE_KERNEL",
}


def draft_failures(program: Any) -> Iterator[DraftFailure]:
    """The problems that draft_export reports of a program that it made."""
    report = DRAFT_REPORTS.attribute(program, "_report") if DRAFT_REPORTS.is_usable() else None
    for failure in () if report is None else report.failures:
        yield _failure(str(failure.failure_type), failure.data)


@contextmanager
def logged_failures() -> Iterator[list[DraftFailure]]:
    """The problems that draft_export logs while the block runs, each once; for one that fails."""
    found: dict[DraftFailure, None] = {}
    result: list[DraftFailure] = []
    thread = threading.get_ident()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            metadata: Mapping[str, Any] = getattr(record, "metadata", {})
            if record.thread == thread:
                one = [_failure(kind, metadata[key]) for key, kind in _KINDS.items() if key in metadata]
                found.update(dict.fromkeys(one))

    logger, handler = logging.getLogger("torch.__trace"), Handler()
    if DRAFT_REPORTS.is_usable():
        logger.addHandler(handler)
    try:
        yield result
    finally:
        logger.removeHandler(handler)
        result += found


def _failure(kind: str, data: Mapping[str, Any]) -> DraftFailure:
    from torch._logging.structured import INTERN_TABLE

    # A report names the files that no report before it has named; torch keeps the numbers of all.
    files = {str(number): name for name, number in INTERN_TABLE.items()}
    stack = data.get("user_stack") or data.get("stack") or [{}]
    last = stack[-1]
    return DraftFailure(
        kind,
        str(data.get("expr") or data.get("op") or ""),
        files.get(str(last.get("filename")), ""),
        int(last.get("line") or 0),
        str(last.get("loc") or "").strip(),
        str(data.get("new_dynamic_shapes") or ""),
    )


# Remove a program's example inputs, and set them again.
#
# Why: ExecuTorch's format keeps only tensors as example inputs, and refuses a program with others. A sweep in
# other processes sends them separately. The public property cannot be set.

_ABSENT: Final = object()

EXAMPLE_INPUTS: Final = Feature(
    name="example_inputs",
    purpose="Send an edge program with its example inputs to another process",
    without="A sweep in other processes measures edge programs with synthesized inputs.",
    attributes=("torch.export.ExportedProgram._example_inputs",),
)


def without_example_inputs(program: ExportedProgram) -> ExportedProgram:
    """A shallow copy of the program that has no example inputs."""
    bare = copy.copy(program)
    set_example_inputs(bare, None)
    return bare


def set_example_inputs(program: ExportedProgram, inputs: Any) -> None:
    """Set a program's example inputs, (args, kwargs), or None."""
    if EXAMPLE_INPUTS.attribute(program, "_example_inputs", _ABSENT) is not _ABSENT:
        program._example_inputs = inputs


# Release the graph that torch traced last.
#
# Why: torch keeps it for its own checks until the next trace. A session that drops a stage frees its memory.

TRACE_MEMORY: Final = Feature(
    name="trace_memory",
    purpose="Release the memory of a stage that is deleted",
    without="The memory of a deleted stage is released only after the next export.",
    uses=("torch.fx.experimental.proxy_tensor._FAKE_TENSOR_ID_TO_PROXY_MAP_FOR_EXPORT.clear()",),
)


def forget_last_trace() -> None:
    """Release the graph that torch traced last."""
    if not TRACE_MEMORY.is_usable():
        return
    from torch.fx.experimental import proxy_tensor

    proxy_tensor._FAKE_TENSOR_ID_TO_PROXY_MAP_FOR_EXPORT.clear()
