"""exir_viz: see torch.export programs and the ExecuTorch pipeline.

The verbs, in reading order. Each imports what it needs when it is called, so that importing exir_viz costs
nothing: neither torch nor pandas nor plotly is touched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from exir_viz import errors
from exir_viz.errors import ExirVizError
from exir_viz.extras import needs_extra
from exir_viz.options import UnknownOption, WrongArgument, named_options
from exir_viz.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    import torch
    from torch.export import ExportedProgram

    from exir_viz import figures, measure, pages, tables
    from exir_viz.compare.diff import Diff
    from exir_viz.compare.matching.links import Links
    from exir_viz.compare.numbers.values import Values
    from exir_viz.measure.profile import Profile
    from exir_viz.measure.progress import Callback
    from exir_viz.measure.sweep import Sweep
    from exir_viz.snapshot.program import Dialect
    from exir_viz.stages.explain.op_card import OpCard
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage
    from exir_viz.widget.explorer import Explorer
    from exir_viz.widget.page import Page

__version__ = "0.1.0"

__all__ = [
    "Diff",
    "ExirVizError",
    "Explorer",
    "OpCard",
    "Profile",
    "Session",
    "Snapshot",
    "Stage",
    "Sweep",
    "UnknownOption",
    "Values",
    "WrongArgument",
    "__version__",
    "capture",
    "compare_values",
    "diff",
    "errors",
    "explain",
    "explore",
    "figures",
    "load",
    "load_profile",
    "measure",
    "open_program",
    "pages",
    "profile",
    "sweep",
    "tables",
]

# Imported when they are first asked for: classes by the module that has them, and packages.
_CLASSES: Final = {
    "Diff": "exir_viz.compare.diff",
    "Explorer": "exir_viz.widget.explorer",
    "OpCard": "exir_viz.stages.explain.op_card",
    "Profile": "exir_viz.measure.profile",
    "Session": "exir_viz.stages.session",
    "Stage": "exir_viz.stages.stage",
    "Sweep": "exir_viz.measure.sweep",
    "Values": "exir_viz.compare.numbers.values",
}
_PACKAGES: Final = ("figures", "measure", "pages", "tables")


if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        """The classes that verbs return, and the packages, imported when they are first asked for."""
        if name == "Explorer":
            needs_extra("exir_viz.Explorer", "notebook")
        if name in _CLASSES:
            return getattr(import_module(_CLASSES[name]), name)
        if name in _PACKAGES:
            return import_module(f"exir_viz.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All that is public, imported or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


@named_options
def explore(
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    title: str = "",
    height: int = 600,
) -> Explorer | Page:
    """Show a program as a picture that one can walk in, in a notebook.

    x: anything that `capture` takes, a Snapshot, a Profile, a Session, or the path of a file for `load`.
       Of a live program a session is begun, `.session`, so that the next steps can be made from the picture.
    args, kwargs, dynamic_shapes, strict: how an nn.Module is exported, as for `capture`.
    title: what stands above the picture; else the name of the program.
    height: of the picture, in CSS pixels.

    The widget is also a handle: `.select(...)`, `.open(...)`, `.fit()`, `.paint(series)`, `.show(profile)`,
    `.selection`, `.view`. Without the extra `notebook` a frame shows the page of `to_html`.
    Raises CaptureError for what cannot be shown.
    """
    from exir_viz.widget.explore import explore as show

    return show(
        x, args, kwargs=kwargs, dynamic_shapes=dynamic_shapes, strict=strict, title=title, height=height
    )


@named_options
def capture(  # noqa: PLR0913  every option of torch.export.export, by name
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    dialect: Dialect | None = None,
    whole: bool = False,
) -> Snapshot:
    """Freeze a live program as a Snapshot; the program is not changed.

    x: an ExportedProgram, an EdgeProgramManager or ExecutorchProgramManager, a GraphModule, or an nn.Module,
       which is exported with `args` as its example inputs.
    kwargs, dynamic_shapes, strict, preserve_module_call_signature,
    prefer_deferred_runtime_asserts_over_guards: of an nn.Module, as torch.export.export takes them.
    dialect: what the step that made the program promises, where its verifiers do not say it.
    whole: checksums of all weights, however large: half a second for each gigabyte.

    Raises CaptureError for anything else, and ExportFailed where an nn.Module cannot be exported.
    """
    needs_extra("capture()", "torch")
    from exir_viz.readers.live import capture as live

    return live(
        x,
        *args,
        kwargs=kwargs,
        dynamic_shapes=dynamic_shapes,
        strict=strict,
        preserve_module_call_signature=preserve_module_call_signature,
        prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards,
        dialect=dialect,
        whole=whole,
    )


@named_options
def load(path: str | PathLike[str]) -> Snapshot:
    """Read a `.pt2`, `.pte`, ETRecord or `.exirviz` file as data: it executes nothing and needs no torch.

    Raises FileNotFoundError and its like where there is no such file, and a FileError that says what is wrong
    with one that cannot be read.
    """
    from exir_viz.readers.files import load as read

    return read(path)


@named_options
def open_program(path: str | PathLike[str], *, trust: bool = False) -> ExportedProgram:
    """Make a live program of a `.pt2` file. This can EXECUTE CODE that the file brings.

    torch.export.load unpickles objects and evaluates expressions found in the file: whoever wrote the file
    can run anything on this machine with your rights. Pass `trust=True` only for a file that you or someone
    you trust made. To look at a file, use `load`, which executes nothing.
    """
    from exir_viz.readers.trusted_loading import open_program as open_live

    return open_live(path, trust=trust)


@named_options
def diff(a: object, b: object, *, names: tuple[str, str] | None = None, links: Links | None = None) -> Diff:
    """What changed from `a` to `b`: matches, rules, modules, signature, sizes. Print it for a summary.

    a, b: Snapshots, stages of a session, paths of files that `load` reads, or anything that `capture` takes.
       Two stages, one made from the other, are compared by their lineage; other programs by structure alone.
       Weights and delegates are compared by checksums: `.contents` says how many, and which could not be.
    names: what to call the two, ("strict", "non-strict").
    links: pairs (node of a, node of b, evidence in a word) that you know to be true.

    Look at `.changes`, `.rules`, `.modules`, `.frame`, `.text()`, `.to_markdown()`, `.of(node)`.
    """
    from exir_viz.compare.diff import diff as compare

    live = (a, b) if _is_live(a) and _is_live(b) else None
    return compare(_comparable(a, "a"), _comparable(b, "b"), links, live, names)


def _is_live(x: object) -> bool:
    from exir_viz.readers.accepted_inputs import is_path

    return not (is_path(x) or isinstance(x, Snapshot))


def _comparable(x: object, name: str) -> Any:
    """A Snapshot, or a stage as it is."""
    from exir_viz.measure.subject import is_stage
    from exir_viz.readers.accepted_inputs import is_path, not_compared
    from exir_viz.readers.files import load as read

    if isinstance(x, Snapshot) or is_stage(x):
        return x
    if is_path(x):
        return read(x, whole=True)
    held = getattr(x, "snapshot", None)
    if isinstance(held, Snapshot):  # a Profile, an Explorer
        return held
    needs_extra("diff() of a live program", "torch")
    try:
        return capture(x, whole=True)
    except errors.CaptureError as error:
        raise not_compared(x, name) from error


@named_options
def compare_values(  # noqa: PLR0913  every option, by name
    a: object,
    b: object,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, int] | None = None,
    method: str | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-5,
    diff: Diff | None = None,
    progress: Callback | None = None,
) -> Values:
    """Run two programs on the same inputs, and tell where their numbers part. Neither is changed.

    a, b: what `profile` takes: ExportedPrograms of any dialect, managers, stages, or modules, which are
       exported with `inputs`.
    inputs, kwargs, symbols, method: as `profile` takes them, for `a`: given, examples, or made.
    rtol, atol: a value of b parts from its counterpart where some element differs by more than `atol` +
       `rtol` x the largest magnitude in a's. A value computed in bfloat16 or another coarse dtype may differ
       by two of its roundings, unless `rtol` is 0.
    diff: of the two, where you have it.
    progress: is called with a Progress after each node.

    Print it, or ask `.first`, `.origins`, `.outputs`, `.producers`, `.frame`. Raises MeasureError for inputs
    that do not fit one of the two, and for a node that cannot run.
    """
    needs_extra("compare_values()", "torch")
    from exir_viz.measure.numbers.values import compare_values as compare

    return compare(
        a,
        b,
        inputs,
        kwargs=kwargs,
        symbols=symbols,
        method=method,
        rtol=rtol,
        atol=atol,
        diff=diff,
        progress=progress,
    )


@named_options
def explain(op: object, program: object = None, *, executorch: bool | None = None) -> OpCard:
    """What an op is: schema, tags, dialects, decomposition, dtypes, one sentence, and its uses.

    op: an operator, a node, or text ("aten.add.Tensor", "cond").
    program: where its uses are counted: a Snapshot, a session or stage, or anything that `capture` takes.
    executorch: read ExecuTorch's rules too. They are read anyway where it is loaded already; True loads it,
       False leaves them out.

    Print the card. See `exir_viz.stages.explain`.
    """
    from exir_viz.stages.explain import explain as card

    return card(op, program, executorch=executorch)


@named_options
def profile(  # noqa: PLR0913  every option of measuring, by name
    x: object,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    executor: str = "cpu",
    kwargs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, int] | None = None,
    method: str | None = None,
    threads: int = 1,
    repeats: int | None = None,
    warmup: int = 2,
    progress: Callback | None = None,
) -> Profile:
    """Measure what each node of a program costs. The program and your module are not changed.

    x: an ExportedProgram of any dialect, an EdgeProgramManager or ExecutorchProgramManager, a stage, or an
       nn.Module, which is exported with `inputs`.
    inputs, kwargs: a tensor or a tuple of arguments, and those with names; without them the program's
       example inputs are used, or values made to its metadata.
    executor: "cpu" (eager torch, node by node), "executorch" (the real runtime, as a whole and by delegate)
       or "executorch.ops" (the real runtime, op by op).
    symbols: what symbols are to be, by name: {"s77": 16}. method: which, of several.
    threads: how many torch uses. repeats: how often it runs after `warmup` runs; None: about three seconds.
    progress: is called with a Progress.

    Ctrl-C ends it and keeps what was measured. Raises MeasureError for inputs that do not fit, and for a node
    that cannot run; its `profile` then has what was measured before.
    """
    needs_extra("profile()", "torch")
    from exir_viz.measure.live import profile as measured

    return measured(
        x,
        inputs,
        executor=executor,
        kwargs=kwargs,
        symbols=symbols,
        method=method,
        threads=threads,
        repeats=repeats,
        warmup=warmup,
        progress=progress,
    )


@named_options
def sweep(  # noqa: PLR0913  every option of measuring, by name
    programs: object,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    method: str | None = None,
    threads: Sequence[int] = (1,),
    symbols: Mapping[str, Sequence[int]] | None = None,
    repeats: int | None = None,
    warmup: int = 2,
    imports: str | Iterable[str] = (),
    executor: str | Executor | None = None,
    on: Executor | None = None,
    progress: Callback | None = None,
) -> Sweep:
    """Profile every combination of programs, thread counts and values of symbols.

    programs: what `profile` takes, or several of that by name.
    threads, symbols: the values to try: (1, 2, 4), {"s77": (1, 8, 64)}.
    on: where to run, any concurrent.futures.Executor; else one after the other, each in a process of its own.

    The other options are those of `profile`. See `exir_viz.measure.sweep`.
    """
    from exir_viz.measure.sweep import sweep as swept

    return swept(
        programs,
        inputs,
        kwargs=kwargs,
        method=method,
        threads=threads,
        symbols=symbols,
        repeats=repeats,
        warmup=warmup,
        imports=imports,
        executor=executor,
        on=on,
        progress=progress,
    )


@named_options
def load_profile(path: str | PathLike[str]) -> Profile:
    """Read a `.exirprofile` file that `profile.save(path)` wrote: it executes nothing and needs no torch.

    Raises FileNotFoundError and its like where there is no such file, and a FileError that says what is wrong
    with one that cannot be read.
    """
    from exir_viz.measure.files import read

    return read(path)
