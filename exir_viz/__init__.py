"""exir_viz: see torch.export programs and the ExecuTorch pipeline.

The verbs, in reading order. Each imports what it needs when it is called, so that importing exir_viz costs
nothing: neither torch nor pandas nor plotly is touched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from exir_viz import errors
from exir_viz.errors import WrongArgument
from exir_viz.extras import needs_extra
from exir_viz.options import flag, named_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import torch

    from exir_viz import backends, figures, measure, pages, reports, tables, types
    from exir_viz.compare.align.known_links import Links
    from exir_viz.compare.diff import Diff
    from exir_viz.export_doctor.diagnosis import Diagnosis
    from exir_viz.measure.profile import Profile
    from exir_viz.measure.progress import Callback
    from exir_viz.reports.report import Report
    from exir_viz.snapshot import Snapshot
    from exir_viz.snapshot.program import Dialect
    from exir_viz.stages.explain.op_card import OpCard
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage
    from exir_viz.widget.explorer import Explorer
    from exir_viz.widget.page import Page

__version__ = "0.1.0"

__all__ = [
    "Session",
    "__version__",
    "backends",
    "check",
    "diff",
    "doctor",
    "errors",
    "explain",
    "explore",
    "figures",
    "load",
    "measure",
    "pages",
    "profile",
    "reports",
    "tables",
    "types",
]

_PACKAGES: Final = ("backends", "figures", "measure", "pages", "reports", "tables", "types")


if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        """The class of sessions, and the packages, imported when they are first asked for."""
        if name == "Session":
            return import_module("exir_viz.stages.session").Session
        if name in _PACKAGES:
            return import_module(f"exir_viz.{name}")
        hint = f": it is exir_viz.types.{name}" if name in import_module("exir_viz.types").__all__ else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    """All that is public, imported or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext exir_viz`: cells that end with a program of torch or ExecuTorch show a card of it."""
    from exir_viz.jupyter.ipython_extension import load as load_extension

    load_extension(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext exir_viz`: programs are printed again."""
    from exir_viz.jupyter.ipython_extension import unload

    unload(ipython)


@named_options
def explore(
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    title: str = "",
    height: int = 600,
    save_in_notebook: bool = False,
) -> Explorer | Page:
    """Show a program as an interactive picture in a notebook.

    The returned widget also controls the picture: `.select(...)`, `.open(...)`, `.fit()`, `.paint(series)`,
    `.show(profile)`, `.selection`, `.view`. Without the extra `notebook`, a frame shows the page of
    `to_html`.

    Parameters
    ----------
    x
        Anything that `load` accepts, a Snapshot, a Profile, a Sweep, a Session, one of its stages, or the
        path of a file for `load`. For a live program, a session is started (`.session`), so that you can run
        the next steps in the picture.
    args, kwargs, dynamic_shapes, strict
        How to export an nn.Module, as for `load`.
    title
        The title above the picture. The default is the name of the program.
    height
        The height of the picture, in CSS pixels.
    save_in_notebook
        Store the compressed program in the output, so that the notebook shows the explorer when it is opened
        again without a kernel. The foot of the explorer says how large that is.

    Returns
    -------
    Explorer or Page
        The widget, or a page in a frame where the extra `notebook` is not installed.

    Raises
    ------
    CaptureError
        If `x` cannot be shown.

    Examples
    --------
    >>> explorer = exir_viz.explore(model, x)
    >>> explorer.select("linear")
    >>> explorer.selection
    ['forward/linear']
    """
    from exir_viz.widget.explore import explore as show

    return show(
        x,
        args,
        kwargs=kwargs,
        dynamic_shapes=dynamic_shapes,
        strict=strict,
        title=title,
        height=height,
        save_in_notebook=save_in_notebook,
    )


@overload
def load(x: str | PathLike[str], *, trust: Literal[True]) -> Stage: ...
@overload
def load(x: str | PathLike[str]) -> Any: ...
@overload
def load(
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    dialect: Dialect | None = None,
    whole: bool = False,
    watch: bool = False,
) -> Snapshot: ...
@named_options
def load(  # noqa: PLR0913  every option of torch.export.export, by name
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    dialect: Dialect | None = None,
    whole: bool = False,
    watch: bool = False,
    trust: bool = False,
) -> object:
    """Save a program as a Snapshot: plain data, without torch. Nothing in a file is executed.

    Parameters
    ----------
    x
        The path of a `.pt2`, `.pte`, ETRecord or `.exirviz` file, whose content decides how it is read. Or a
        live program: an ExportedProgram, an EdgeProgramManager or ExecutorchProgramManager, a GraphModule, or
        an nn.Module, which is exported with `args` as its example inputs. It is not changed.
    args, kwargs, dynamic_shapes, strict
        How to export an nn.Module, as torch.export.export takes them.
    preserve_module_call_signature, prefer_deferred_runtime_asserts_over_guards
        Also as torch.export.export takes them.
    dialect
        The dialect of a live program, where its verifiers do not name it.
    whole
        Compute checksums of all weights, however large: half a second per gigabyte.
    watch
        Watch an nn.Module while it is exported: which of your lines run, and with which values. The reports
        "source" and "shapes" then say what became of each. Files keep it.
    trust
        Load the live program of a `.pt2` file, as a stage that can run. This can EXECUTE CODE from the file:
        torch.export.load unpickles objects and evaluates expressions, and its author can run anything on this
        machine with your permissions. Pass True only for a file from you or from someone you trust. The
        modules of the classes that the file names are imported, as most register their classes with torch.

    Returns
    -------
    Snapshot, Profile or Stage
        The program as plain data; a Profile for a `.exirprofile` file; a Stage with `trust=True`.

    Raises
    ------
    FileNotFoundError
        If there is no such file. Other system errors are raised unchanged too.
    FileError
        If the file cannot be read: the message says what is wrong.
    WrongArgument
        If `watch` and `strict` are both True: torch then reads your code instead of running it.
    CaptureError
        If `x` is no program.
    ExportFailed
        If an nn.Module cannot be exported.

    Examples
    --------
    >>> snapshot = exir_viz.load(model, x)
    >>> [node.name for node in snapshot.method.graph if node.op == "call_function"]
    ['linear', 'relu', 'linear_1']
    >>> torch.export.save(program, folder / "model.pt2")
    >>> exir_viz.load(folder / "model.pt2")
    <Snapshot of model.pt2 (forward: 9 nodes)>
    >>> exir_viz.load(folder / "model.pt2", trust=True).program.module()(x).shape
    torch.Size([2, 2])
    """
    from exir_viz.readers.accepted_inputs import check_inputs_unused, is_path

    if is_path(x):
        export = {
            "args": args,
            "kwargs": kwargs,
            "dynamic_shapes": dynamic_shapes,
            "strict": strict,
            "preserve_module_call_signature": preserve_module_call_signature,
            "prefer_deferred_runtime_asserts_over_guards": prefer_deferred_runtime_asserts_over_guards,
            "dialect": dialect,
            "whole": whole,
            "watch": watch,
        }
        check_inputs_unused("load", x, export)
        return _opened(x, trust=flag("load", "trust", trust))
    if trust:
        raise WrongArgument("load", "trust", "True", "False for what is no path: only files need trust")
    needs_extra("load() of a live program", "torch")
    from exir_viz.readers.live import capture

    return capture(
        x,
        *args,
        kwargs=kwargs,
        dynamic_shapes=dynamic_shapes,
        strict=strict,
        preserve_module_call_signature=preserve_module_call_signature,
        prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards,
        dialect=dialect,
        whole=whole,
        watch=watch,
    )


def _opened(path: str | PathLike[str], *, trust: bool) -> Snapshot | Profile | Stage:
    """What a file has: data, or with trust the live program."""
    from exir_viz.readers.files import PROFILE_MAGIC, checked, head_of
    from exir_viz.readers.files import load as read

    if trust:
        from exir_viz.readers.trusted_loading import open_program
        from exir_viz.stages.session import Session as Stages

        return Stages(open_program(path)).root
    if head_of(checked(path)).startswith(PROFILE_MAGIC):
        from exir_viz.measure.files import read as read_profile

        return read_profile(path)
    return read(path)


@named_options
def check(
    x: object, dialect: Dialect | str | None = None, *, rules: Sequence[str] | str | None = None
) -> Report:
    """Check a program against the rules of the Export IR and its dialect.

    Parameters
    ----------
    x
        A Snapshot, a stage, the path of a file that `load` reads, or an ExportedProgram, manager or
        GraphModule. For live programs, the verifiers of torch and ExecuTorch run too.
    dialect
        "aten.training", "aten", "aten.core", "edge", "backend" or "executorch". By default what the program
        says it is.
    rules
        Names of the rules to check. By default all of docs/check.md.

    Returns
    -------
    Report
        A row for each rule that is broken. Print it, or use `.rows("error")`, `.frame`, `.to_sarif()`.

    Raises
    ------
    WrongArgument
        If `x` is no program, or if there is no such dialect or rule.
    FileError
        If a file cannot be read: the message says what is wrong.

    Examples
    --------
    >>> exir_viz.check(program).outcome.value
    'fine'
    """
    from exir_viz.reports.registry import run_as

    return run_as("check", "rules", x, {"dialect": dialect, "rules": rules})


@named_options
def doctor(
    model: torch.nn.Module,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    draft: bool = False,
) -> Diagnosis:
    """Find everything that keeps a module from export: your lines, torch's reasons, and code to paste.

    The module is exported both ways, strict and not. If that fails, the export goes on with the values of the
    example inputs, so that all problems of a run are found together.

    Parameters
    ----------
    model
        The module. It is not changed.
    args, kwargs, dynamic_shapes
        Its example inputs and dynamic shapes, as for `load`.
    draft
        Also run torch's draft_export, which makes a graph to explore even if export fails. It is slow.

    Returns
    -------
    Diagnosis
        A sequence of blockers. Print it, or use `.can_export`, `.works`, `.frame`.

    Raises
    ------
    WrongArgument
        If `model` is no module.

    Examples
    --------
    >>> print(exir_viz.doctor(model, x))
    Export of Net: non-strict works, strict works; nothing to fix.
    """
    needs_extra("doctor()", "torch")
    from exir_viz.export_doctor.diagnose import diagnose

    return diagnose(model, args, kwargs, dynamic_shapes, draft)


@named_options
def diff(a: object, b: object, *, names: tuple[str, str] | None = None, links: Links | None = None) -> Diff:
    """Compare two programs: what changed from `a` to `b`. Print the result for a summary.

    If one stage was made from the other, they are compared by lineage, other programs by structure. Weights
    and delegates are compared by checksums: `.contents` says how many, and which could not be compared.

    Parameters
    ----------
    a, b
        Snapshots, stages of a session, paths of files that `load` reads, or anything else that it accepts.
    names
        Names for the two programs, such as ("strict", "non-strict").
    links
        Nodes that you know to match: (node of a, node of b, evidence as one word). An id will do for a node.

    Returns
    -------
    Diff
        The comparison: `.changes`, `.rules`, `.modules`, `.frame`, `.text()`, `.to_markdown()`, `.of(node)`.

    Raises
    ------
    CaptureError
        If `a` or `b` cannot be compared.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> wider = torch.export.export(model, (torch.zeros(3, 4),))
    >>> diff = exir_viz.diff(program, wider)
    >>> diff.is_empty
    False
    >>> diff.changes[0].fields
    ('shape',)
    """
    from exir_viz.compare.diff import diff as compare
    from exir_viz.readers.accepted_inputs import is_runtime_file

    sides = (a, b) if _is_live(a) and (_is_live(b) or is_runtime_file(b)) else None
    return compare(_comparable(a, "a"), _comparable(b, "b"), links, sides, names)


def _is_live(x: object) -> bool:
    from exir_viz.readers.accepted_inputs import is_path
    from exir_viz.snapshot import Snapshot as Data

    return not (is_path(x) or isinstance(x, Data))


def _comparable(x: object, name: str) -> Any:
    """A Snapshot, or a stage as it is."""
    from exir_viz.measure.profilable import is_stage
    from exir_viz.readers.accepted_inputs import not_compared
    from exir_viz.readers.files import recorded

    if is_stage(x):
        return x
    snapshot = recorded(x, whole=True)
    if snapshot is not None:
        return snapshot
    needs_extra("diff() of a live program", "torch")
    try:
        return load(x, whole=True)
    except errors.CaptureError as error:
        raise not_compared(x, name) from error


@named_options
def explain(op: object, program: object = None, *, executorch: bool | None = None) -> OpCard:
    """Explain an operator: schema, tags, dialects, decomposition, dtypes, one sentence, and where it is used.

    Parameters
    ----------
    op
        An operator, a node, or text such as "aten.add.Tensor" or "cond".
    program
        Count the uses in this program: a Snapshot, a session or stage, or anything that `load` accepts.
    executorch
        Read ExecuTorch's rules too. By default they are read if ExecuTorch is already imported; True imports
        it, False leaves them out.

    Returns
    -------
    OpCard
        The facts about the operator. Print it.

    Raises
    ------
    ExirVizError
        If there is no such operator. The message suggests similar names.

    Examples
    --------
    >>> card = exir_viz.explain("aten.linear.default", program)
    >>> card.uses
    2
    >>> card.decomposition.value
    'table'
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

    Ctrl-C stops the measurement and keeps the results so far.

    Parameters
    ----------
    x
        An ExportedProgram of any dialect, an EdgeProgramManager or ExecutorchProgramManager, a stage, or an
        nn.Module, which is exported with `inputs`.
    inputs, kwargs
        A tensor or a tuple of arguments, and keyword arguments. Without them, the program's example inputs
        are used, or inputs synthesized from its metadata.
    executor
        "cpu" (eager torch, node by node) or "executorch" (the real runtime, as a whole and per delegate).
    symbols
        Values of symbols by name, such as {"s77": 16}, or {"seq": 16} for Dim("seq").
    method
        The method to run, if there are several.
    threads
        How many threads torch uses.
    repeats
        How many runs to measure. The default measures for about three seconds.
    warmup
        How many runs to make before measuring.
    progress
        Called with a Progress.

    Returns
    -------
    Profile
        The cost of each node.

    Raises
    ------
    MeasureError
        If the inputs do not fit, or a node cannot run. Its `profile` then holds the results so far.
    UnsupportedTorch
        If the installed torch or ExecuTorch lacks what `executor="executorch"` needs.
    WrongArgument
        If another argument is refused, such as an unknown executor or symbol.

    Examples
    --------
    >>> profile = exir_viz.profile(program, x, repeats=3)
    >>> len(profile)
    3
    >>> profile["linear"].calls
    1
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
